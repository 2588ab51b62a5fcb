"""Streams at their client's pace, within limits: a client that does not read loses its slot, and later its call."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

from sniffai_server.calls.refusals import StalledReaderError

PATIENCE: Final = 0.05
"""Seconds that a message may take to be sent before its client counts as slow."""


class Stalls:
    """The writes of one server that wait for their clients."""

    def __init__(self) -> None:
        self.count = 0
        """How many are waiting now."""


class PacedContext:
    """The context of a call with a stream as its answer. A write fails if the client reads nothing for some time.

    Everything else is that of the wrapped context.

    :param seconds: how long the client may read nothing.
    """

    def __init__(self, context: Any, seconds: float, stalls: Stalls) -> None:
        self._context = context
        self._seconds = seconds
        self._stalls = stalls
        self._begun = False
        self.on_stall: Callable[[], None] = _nothing
        """Called when the client has read nothing for a moment."""
        self.on_resume: Callable[[], None] = _nothing
        """Called when the client reads again after that."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    async def write(self, message: Any) -> None:
        """Send a message, and wait until gRPC has taken it.

        :raises StalledReaderError: the client read nothing for too long.
        """
        if not self._begun:
            self._begun = True
            await self._context.send_initial_metadata(())  # otherwise a write that never ends would keep it back
        sent = asyncio.ensure_future(self._context.write(message))
        sent.add_done_callback(_read)
        await asyncio.wait({sent}, timeout=min(PATIENCE, self._seconds))
        if not sent.done():
            await self._wait(sent)
        sent.result()

    async def _wait(self, sent: "asyncio.Future[None]") -> None:
        """Wait for a slow client. The write stays pending until the call is over, since gRPC cannot cancel it."""
        self._stalls.count += 1
        self.on_stall()
        try:
            await asyncio.wait({sent}, timeout=max(0.0, self._seconds - PATIENCE))
        finally:
            self._stalls.count -= 1
        if not sent.done():
            raise StalledReaderError(self._seconds)
        self.on_resume()


def hush_hang_ups() -> None:
    """Stop gRPC from logging an error with a traceback when a client disconnects before the end of its answer."""
    logging.getLogger("grpc._cython.cygrpc").addFilter(_is_no_hang_up)


def _is_no_hang_up(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith("ExecuteBatchError raised in core")


def _nothing() -> None:
    pass


def _read(sent: "asyncio.Future[None]") -> None:
    """Retrieve the result of a write, so that asyncio logs no error for it."""
    if not sent.cancelled():
        sent.exception()
