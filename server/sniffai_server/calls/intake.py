"""The interceptor at the door: how many calls may be open, and how a request is read, if at all.

What a call may hold is decided at its headers, before a byte of its body is asked for: until then gRPC takes no more of
it than :data:`WINDOW` bytes. A body is asked for once there is room for the largest, and must come in time.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

import grpc

from sniffai_server.calls.callers import caller_of
from sniffai_server.calls.current import Call, current_call
from sniffai_server.calls.handlers import HEALTH, LASTING, Interceptor, Proceed
from sniffai_server.calls.holdings import Holding
from sniffai_server.calls.refusals import MessageCountError, SlowRequestError, TooLargeError
from sniffai_server.settings import Settings

WINDOW: Final = 16_384
"""Bytes of a body that gRPC takes from a caller before the server asks for it."""
LOOK_SECONDS: Final = 0.01
"""Where no message came: the time in which it is seen whether gRPC refused one, such as one that is too large."""
SMALL: Final = 4096
"""The largest request of health and reflection, in bytes."""
SMALL_METHODS: Final = (f"{HEALTH}/", "grpc.reflection.")
"""How the names of methods begin whose requests are small."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """What callers hold."""

    calls: Holding
    checks: Holding
    """Calls that ask for the health once: what holds all other calls cannot keep these out."""
    watches: Holding
    """Streams that last until the client has had enough."""
    request_bytes: Holding

    @classmethod
    def of(cls, settings: Settings) -> "Holdings":
        """The holdings that a server's settings allow."""
        return cls(
            calls=Holding("TOO_MANY_OPEN_CALLS", "open calls", settings.max_calls),
            checks=Holding("TOO_MANY_OPEN_CALLS", "open health checks", settings.max_watches),
            watches=Holding("TOO_MANY_WATCHES", "open watches", settings.max_watches),
            request_bytes=Holding(
                "TOO_MANY_REQUEST_BYTES", "bytes of requests", settings.max_held_bytes, least=settings.max_request_bytes
            ),
        )


@dataclass(slots=True)
class _Open:
    """One open call."""

    call: Call
    holding: Holding
    caller: str
    holdings: Holdings
    request_bytes: int = 0
    """Of the request that was read: it is kept until the end."""

    def over(self, _: Any) -> None:
        """The call's task has ended; a status may still be on its way."""
        word = self.call.last_word
        if word is None:
            self._give()
        else:
            word.add_done_callback(lambda _: self._give())

    def _give(self) -> None:
        self.holding.give(self.caller)
        self.holdings.request_bytes.give(self.caller, self.request_bytes)


OPEN: Final[ContextVar[_Open]] = ContextVar("OPEN")
"""The call that this task answers."""


class Intake(Interceptor):
    """Counts the calls that are open, and reads their requests."""

    def __init__(self, settings: Settings, holdings: Holdings) -> None:
        self._seconds = settings.request_seconds
        self._most = settings.max_request_bytes
        self._holdings = holdings

    async def around(self, method: str, proceed: Proceed, context: Any) -> Any:
        """Answer the call if one more may be open; it is, until it is really over.

        :raises HeldError: as many are open as may be.
        """
        call = _Open(current_call(), self._holding(method), caller_of(context).name, self._holdings)
        call.holding.take(call.caller)
        OPEN.set(call)
        context.add_done_callback(call.over)
        return await proceed()

    async def message(self, method: str, context: Any) -> bytes:
        """The one message of a call. It is held until the call is over.

        :raises MessageCountError: there is none, or more than one.
        :raises TooLargeError: it is too large for its method.
        :raises SlowRequestError: it does not come in time.
        :raises HeldError: too many requests are held for it to be read.
        """
        call = OPEN.get()
        async with self._room(call.caller):
            message = await context.read()
            if message is grpc.aio.EOF:
                await asyncio.sleep(LOOK_SECONDS)  # a call that gRPC has ended is cancelled meanwhile
                raise MessageCountError(none=True)
            if await context.read() is not grpc.aio.EOF:
                raise MessageCountError(none=False)
            assert isinstance(message, bytes)
            _check_size(method, message)
            call.request_bytes = len(message)
            self._holdings.request_bytes.add(call.caller, len(message))
        return message

    async def messages(self, method: str, context: Any) -> AsyncIterator[bytes]:
        """The messages of a call, each in its time.

        :raises TooLargeError: one is too large for its method.
        :raises SlowRequestError: one does not come in time.
        """
        while True:
            async with self._room(OPEN.get().caller):
                message = await context.read()
                if message is grpc.aio.EOF:
                    return
                _check_size(method, message)
            yield message

    @asynccontextmanager
    async def _room(self, caller: str) -> AsyncIterator[None]:
        """Room for the largest request, and the time for it to arrive.

        :raises HeldError: no room came free in that time.
        :raises SlowRequestError: the time is over.
        """
        held, got = self._holdings.request_bytes, False
        try:
            async with asyncio.timeout(self._seconds):
                await held.wait(caller, self._most)
                got = True
                try:
                    yield
                finally:
                    held.give(caller, self._most)
        except TimeoutError:
            raise SlowRequestError(self._seconds) if got else held.refusal(caller, self._most) from None

    def _holding(self, method: str) -> Holding:
        if method.startswith(LASTING):
            return self._holdings.watches
        return self._holdings.checks if method.startswith(HEALTH) else self._holdings.calls


def _check_size(method: str, message: bytes) -> None:
    if len(message) > SMALL and method.startswith(SMALL_METHODS):
        raise TooLargeError(SMALL)
