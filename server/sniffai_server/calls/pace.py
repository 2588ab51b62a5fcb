"""Answers at their reader's pace, but not for ever: who takes nothing holds no slot, and in the end no call."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

from sniffai_server.calls.refusals import StalledReaderError

PATIENCE: Final = 0.05
"""Seconds that a message may take to go out before its reader counts as slow."""


class Stalls:
    """The writes of one server that wait for their readers."""

    def __init__(self) -> None:
        self.count = 0
        """How many wait now."""


class PacedContext:
    """The context of a call whose answer is a stream: writing to it ends after some time without a reader.

    All else is the context's own.

    :param seconds: how long a reader may take nothing.
    """

    def __init__(self, context: Any, seconds: float, stalls: Stalls) -> None:
        self._context = context
        self._seconds = seconds
        self._stalls = stalls
        self._begun = False
        self.on_stall: Callable[[], None] = _nothing
        """Called when the reader takes nothing for a moment."""
        self.on_resume: Callable[[], None] = _nothing
        """Called when it goes on after that."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    async def write(self, message: Any) -> None:
        """Send a message, and wait until it is on its way.

        :raises StalledReaderError: the reader took nothing for too long.
        """
        if not self._begun:
            self._begun = True
            await self._context.send_initial_metadata(())  # else a write that never ends would leave it unsent
        sent = asyncio.ensure_future(self._context.write(message))
        sent.add_done_callback(_read)
        await asyncio.wait({sent}, timeout=min(PATIENCE, self._seconds))
        if not sent.done():
            await self._wait(sent)
        sent.result()

    async def _wait(self, sent: "asyncio.Future[None]") -> None:
        """Wait for a slow reader. The write goes on until the call is over: gRPC knows no way to take it back."""
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
    """Have gRPC not log as an error, with a traceback, that a reader hung up before it took the end of its answer."""
    logging.getLogger("grpc._cython.cygrpc").addFilter(_is_no_hang_up)


def _is_no_hang_up(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith("ExecuteBatchError raised in core")


def _nothing() -> None:
    pass


def _read(sent: "asyncio.Future[None]") -> None:
    """Look at what became of a message, also where nobody waits for it any more."""
    if not sent.cancelled():
        sent.exception()
