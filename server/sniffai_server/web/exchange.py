"""One call by HTTP: the Connect library speaks its protocol; interceptors and service run in a task of their own.

The library asks :class:`Gate` before it reads anything of the body. The gate starts the task, and waits until the
interceptors let the request be read, or refuse it. Later the library hands over the request and takes the answers.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any, Final

import grpc
from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.request import RequestContext
from google.protobuf.message import Message

from sniffai_server.calls.handlers import function_of, intercepted
from sniffai_server.calls.refusals import HttpRefusedError, TooLargeError, UnknownEncodingError
from sniffai_server.web.codecs import Body
from sniffai_server.web.connection import Connection
from sniffai_server.web.context import HttpContext, first_of
from sniffai_server.web.methods import Method
from sniffai_server.web.statuses import error_of, retry_seconds, trailers_in

Receive = Callable[[], Awaitable[Any]]

EXCHANGE: Final[ContextVar["Exchange"]] = ContextVar("EXCHANGE")
"""The exchange that this task serves."""

IDENTITY: Final = "identity"
"""The encoding of requests that are not compressed."""


class Gate:
    """Lets the interceptors decide before the library reads a request."""

    async def on_start(self, context: RequestContext[Any, Any]) -> None:
        """Start the call.

        :raises ConnectError: it is refused.
        """
        await EXCHANGE.get().open(context)

    async def on_end(self, token: None, context: RequestContext[Any, Any], error: Exception | None) -> None:
        """End the call, in case that the library ended it.

        :raises ConnectError: the status of the call, instead of the library's.
        """
        await EXCHANGE.get().end(error)


class Exchange:
    """One call. Created in the task that serves its HTTP request.

    :param most: the maximum size of a request in bytes.
    :param turn: held while a large JSON is read.
    """

    def __init__(
        self,
        method: Method,
        interceptors: Sequence[grpc.aio.ServerInterceptor],
        connection: Connection,
        most: int,
        turn: asyncio.Lock,
    ) -> None:
        self._method = method
        self._interceptors = interceptors
        self._connection = connection
        self._most = most
        self._turn = turn
        loop = asyncio.get_running_loop()
        self._wanted: asyncio.Future[None] = loop.create_future()
        """Done when the interceptors let the request be read."""
        self._body: asyncio.Future[Body] = loop.create_future()
        self._read = False
        self._next: Any = None
        """A message that is to be sent."""
        self._sent: asyncio.Future[None] | None = None
        """Done once the last message is sent."""
        self._more = asyncio.Event()
        self._sending = False
        self._reading: asyncio.Timeout | None = None

    async def receive(self, receive: Receive) -> Any:
        """Receive a part of the request's body.

        :raises ConnectError: the call has ended meanwhile.
        """
        try:
            async with asyncio.timeout(None) as self._reading:
                return await receive()
        except TimeoutError:
            raise self._error() from None
        finally:
            self._reading = None

    async def open(self, request: RequestContext[Any, Any]) -> None:
        """Start the call, and wait until its request may be read.

        :raises ConnectError: it is refused.
        """
        self._request = request
        left = request.timeout_ms
        self._context = HttpContext(
            tuple(request.request_headers.allitems()),
            self._connection.client,
            self._connection.certificate,
            None if left is None else left / 1000,
            self._read_message,
            self._write_message,
        )
        self._task = asyncio.ensure_future(self._run())
        self._task.add_done_callback(self._ended)
        await first_of(self._task, self._wanted)
        if self._task.done():
            raise self._error()

    async def answer(self, body: Body) -> Message:
        """The answer of a method that is not a stream.

        :raises ConnectError: the call failed.
        """
        self._body.set_result(body)
        await self._end_of_task()
        self._add_trailers()
        message: Message = self._task.result()
        return message

    async def answers(self, body: Body) -> AsyncIterator[Message]:
        """The answers of a method that is a stream. Each counts as sent when the next one is asked for.

        :raises ConnectError: the call failed.
        """
        self._body.set_result(body)
        try:
            while not self._task.done() or self._next is not None:
                self._more.clear()
                if self._next is None:
                    await self._more.wait()
                    continue
                message, self._next = self._next, None
                self._sending = True
                yield message
                self._sending = False
                if self._sent is not None and not self._sent.done():
                    self._sent.set_result(None)
        finally:
            await self._cancel()
        await self._end_of_task()
        self._add_trailers()

    async def end(self, error: Exception | None) -> None:
        """End the call.

        :param error: why the library ended it; ``None`` if it did not.
        :raises ConnectError: the call has ended with another status.
        """
        if not hasattr(self, "_task") or self._task.done():
            return
        if isinstance(error, ConnectError) and error.code is not Code.CANCELED and not self._body.done():
            self._body.set_exception(self._fault(error))
            await first_of(self._task)
            raise self._error()
        await self._cancel()

    def close(self) -> None:
        """The HTTP request is over: release what the call holds."""
        if self._sent is not None:
            self._sent.cancel()  # the message was never taken
        if hasattr(self, "_context"):
            for callback in self._context.end_callbacks:
                callback(self._context)

    async def _run(self) -> Any:
        """Pass the interceptors and run the method."""
        details: Any = SimpleNamespace(
            method=f"/{self._method.name}", invocation_metadata=self._context.invocation_metadata()
        )
        handler = await intercepted(self._interceptors, self._method.handler, details)
        return await function_of(handler)(None, self._context)

    def _ended(self, task: "asyncio.Future[Any]") -> None:
        self._more.set()
        fault = None if task.cancelled() else task.exception()
        if isinstance(fault, grpc.aio.AbortError):
            fault.__traceback__ = None  # its frames hold the search and this object, which holds the task
        if self._reading is not None and not self._body.done():
            self._reading.reschedule(asyncio.get_running_loop().time())
        if self._sending and self._context.code() is not None:
            self._connection.abort()  # the client does not read, and so not the status either

    async def _read_message(self) -> Any:
        if self._read:
            return grpc.aio.EOF
        if not self._wanted.done():
            self._wanted.set_result(None)
        await first_of(self._body)  # which goes on if this is cancelled
        self._read = True
        return await self._body.result().as_binary(self._method.request, self._turn)

    async def _write_message(self, message: Any) -> None:
        self._next, self._sent = message, asyncio.get_running_loop().create_future()
        self._more.set()
        await self._sent

    async def _end_of_task(self) -> None:
        """Wait for the end of the task; if this is cancelled, so is the task.

        :raises ConnectError: the call failed.
        """
        try:
            await first_of(self._task)
        except asyncio.CancelledError:
            await self._cancel()
            raise
        if self._task.cancelled() or self._task.exception() is not None:
            raise self._error()

    async def _cancel(self) -> None:
        """Cancel the task and wait for its end."""
        if not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task})

    def _error(self) -> ConnectError:
        """The error of a call that has ended without an answer."""
        self._add_trailers()
        if not self._task.cancelled():
            fault = self._task.exception()
            if fault is None:
                raise RuntimeError(f"{self._method.name} ended without reading its request")
            if not isinstance(fault, grpc.aio.AbortError):
                raise fault
        if self._context.code() is None:
            return ConnectError(Code.CANCELED, "the call was cut off")
        seconds = retry_seconds(self._context.trailing_metadata())
        if seconds is not None:
            self._request.response_headers["retry-after"] = str(seconds)
        return error_of(self._context)

    def _add_trailers(self) -> None:
        for name, value in trailers_in(self._context.trailing_metadata()):
            self._request.response_trailers[name] = value

    def _fault(self, error: ConnectError) -> Exception:
        """The error of this server's own for one of the library's about a request."""
        if error.code is Code.RESOURCE_EXHAUSTED:
            return TooLargeError(self._most)
        if error.code is Code.UNIMPLEMENTED and "compression" in error.message:
            kind = self._request.request_headers.get("content-type", "")
            self._request.response_headers[_accepted(kind)] = IDENTITY
            return UnknownEncodingError()
        return HttpRefusedError("MALFORMED_CALL", error.message)


def _accepted(kind: str) -> str:
    """The header that lists the encodings of requests, in the protocol of a content type."""
    if kind.startswith("application/grpc"):
        return "grpc-accept-encoding"
    return "connect-accept-encoding" if kind.startswith("application/connect") else "accept-encoding"
