"""Streams that last until the client has had enough: health watches and reflection. A server that shuts down ends them.

Left alone, one client that watches the health would hold every shutdown for the whole grace period.
"""

import asyncio
from typing import Any, Final

from sniffai_server.calls.handlers import LASTING, Interceptor, Proceed

LAST_WORD_SECONDS: Final = 0.1
"""How long a watch has to tell its client that the server is shutting down."""


class Watches(Interceptor):
    """Knows the lasting streams of a server. Made inside a running event loop."""

    def __init__(self) -> None:
        self._ending = asyncio.Event()
        self._open = 0

    async def around(self, method: str, proceed: Proceed, context: Any) -> Any:
        """Answer the call; a lasting one until it ends or the server does."""
        if not method.startswith(LASTING):
            return await proceed()
        self._open += 1
        try:
            return await self._until_the_end(asyncio.ensure_future(proceed()))
        finally:
            self._open -= 1

    async def end(self) -> None:
        """Let each lasting stream send what it has to say, then end it with OK."""
        if self._open:
            await asyncio.sleep(LAST_WORD_SECONDS)
        self._ending.set()

    async def _until_the_end(self, stream: "asyncio.Future[Any]") -> Any:
        ending = asyncio.ensure_future(self._ending.wait())
        try:
            await asyncio.wait({stream, ending}, return_when=asyncio.FIRST_COMPLETED)
            return stream.result() if stream.done() else None
        finally:
            ending.cancel()
            stream.cancel()
            await asyncio.wait({stream})
