"""The interceptor that limits open calls, and the reading of requests within limits of memory and time.

Whether a call is accepted is decided at its headers, before any of its body is read: until then gRPC buffers at most
:data:`WINDOW` bytes. A body is read once there is room for the largest one, and must arrive in time.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
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
"""Bytes of a body that gRPC buffers before the server reads it."""
LOOK_SECONDS: Final = 0.01
"""Seconds to wait, if no message came, to see whether gRPC refused one, for example because it is too large."""
SMALL: Final = 4096
"""The largest request of health and reflection, in bytes."""
SMALL_METHODS: Final = (f"{HEALTH}/", "grpc.reflection.")
"""Prefixes of the methods with small requests."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """The resources that callers occupy."""

    calls: Holding
    checks: Holding
    """Health checks, counted apart so that other calls cannot keep them out."""
    watches: Holding
    """Streams that last until the client ends them."""
    match_watches: Holding
    """Calls that wait for the events of a match."""
    request_bytes: Holding

    @classmethod
    def of(cls, settings: Settings) -> "Holdings":
        """The limits in a server's settings."""
        return cls(
            calls=Holding("TOO_MANY_OPEN_CALLS", "open calls", settings.max_calls),
            checks=Holding("TOO_MANY_OPEN_CALLS", "open health checks", settings.max_watches),
            watches=Holding("TOO_MANY_WATCHES", "open watches", settings.max_watches),
            match_watches=Holding("TOO_MANY_MATCH_WATCHES", "watched matches", settings.max_match_watches),
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
    """Size of the request that was read; it is kept until the call is over."""

    def over(self, _: Any) -> None:
        """The call's task has ended; its status may not be sent yet."""
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
    """Counts open calls and reads their requests."""

    def __init__(self, settings: Settings, holdings: Holdings) -> None:
        self._seconds = settings.request_seconds
        self._most = settings.max_request_bytes
        self._holdings = holdings

    async def around(self, method: str, proceed: Proceed, context: Any) -> Any:
        """Answer the call if one more may be open. It counts as open until its status is sent.

        :raises HeldError: too many calls are open.
        """
        call = _Open(current_call(), self._holding(method), caller_of(context).name, self._holdings)
        call.holding.take(call.caller)
        OPEN.set(call)
        _at_end(context, call.over)
        return await proceed()

    async def message(self, method: str, context: Any) -> bytes:
        """The one message of a call. Its memory counts until the call is over.

        :raises MessageCountError: there is none, or more than one.
        :raises TooLargeError: it is too large for its method.
        :raises SlowRequestError: it did not arrive in time.
        :raises HeldError: there is no memory to read it.
        """
        call = OPEN.get()
        async with self._room(call.caller):
            message = await context.read()
            if message is grpc.aio.EOF:
                await asyncio.sleep(LOOK_SECONDS)  # gRPC cancels this task meanwhile if it has ended the call
                raise MessageCountError(none=True)
            if await context.read() is not grpc.aio.EOF:
                raise MessageCountError(none=False)
            assert isinstance(message, bytes)
            _check_size(method, message)
            call.request_bytes = len(message)
            self._holdings.request_bytes.add(call.caller, len(message))
        return message

    async def messages(self, method: str, context: Any) -> AsyncIterator[bytes]:
        """The messages of a call, each read within the limits.

        :raises TooLargeError: one is too large for its method.
        :raises SlowRequestError: one did not arrive in time.
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
        """Reserve memory for the largest request, and limit the time for it to arrive.

        :raises HeldError: no memory was free within the time.
        :raises SlowRequestError: the time is over.
        """
        held, has_room = self._holdings.request_bytes, False
        try:
            async with asyncio.timeout(self._seconds):
                await held.wait(caller, self._most)
                has_room = True
                try:
                    yield
                finally:
                    held.give(caller, self._most)
        except TimeoutError:
            raise SlowRequestError(self._seconds) if has_room else held.refusal(caller, self._most) from None

    def _holding(self, method: str) -> Holding:
        if method.startswith(LASTING):
            return self._holdings.watches
        return self._holdings.checks if method.startswith(HEALTH) else self._holdings.calls


def _at_end(context: Any, callback: Callable[[Any], None]) -> None:
    """Call something at the end of a call: over HTTP once the request is over, else once this task has ended.

    gRPC's ``add_done_callback`` does so, too, but makes a cycle of all that belongs to the call: garbage that Python
    has to look for, which stops all calls.
    """
    if hasattr(context, "at_end"):
        context.at_end(callback)
        return
    task = asyncio.current_task()
    assert task is not None, "each call has a task of its own"
    task.add_done_callback(callback)


def _check_size(method: str, message: bytes) -> None:
    if len(message) > SMALL and method.startswith(SMALL_METHODS):
        raise TooLargeError(SMALL)
