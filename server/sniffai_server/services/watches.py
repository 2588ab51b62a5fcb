"""The interceptor that ends health watches and reflection streams when the server shuts down.

These streams last until the client ends them, so a single health watch would delay every shutdown by the whole grace
period.
"""

import asyncio
from typing import Any, Final

from sniffai_server.calls.handlers import LASTING, Interceptor, Proceed

LAST_WORD_SECONDS: Final = 0.1
"""Seconds that a watch has to tell its client that the server is shutting down."""


class Watches(Interceptor):
    """Tracks the lasting streams of a server. Created inside a running event loop."""

    def __init__(self) -> None:
        self._ending = asyncio.Event()
        self._open = 0

    async def around(self, method: str, proceed: Proceed, context: Any) -> Any:
        """Answer the call; end a lasting stream when the server shuts down."""
        if not method.startswith(LASTING):
            return await proceed()
        self._open += 1
        try:
            return await self._until_the_end(asyncio.ensure_future(proceed()))
        finally:
            self._open -= 1

    async def end(self) -> None:
        """Give each lasting stream a moment to send its last message, then end it with OK."""
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
