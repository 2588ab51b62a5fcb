"""The innermost interceptor: it reads requests, and turns undecodable bytes and exceptions into proper statuses.

Left alone, grpc.aio answers both with UNKNOWN and sends the exception's text to the client. It would also hand a method
its request only once that has arrived: here every method is told of at its headers, whatever its kind, and the request
is read in :class:`Intake`'s time and room. Nothing of a request is kept by the frames that wait here for its answer.
"""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from sniffai_server.calls.errors import UndecodableError, abort
from sniffai_server.calls.handlers import Continuation, Handler, MaybeHandler, function_of, write_all
from sniffai_server.calls.intake import Intake
from sniffai_server.calls.pace import PacedContext, Stalls


class Guard(grpc.aio.ServerInterceptor):
    """Guards the methods of every service, health and reflection included.

    :param write_seconds: how long the reader of a stream may take nothing.
    """

    def __init__(self, intake: Intake, write_seconds: float, stalls: Stalls) -> None:
        self._intake = intake
        self._write_seconds = write_seconds
        self._stalls = stalls

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> MaybeHandler:
        """The method's handler, guarded; ``None`` passes for a method that does not exist."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        method = handler_call_details.method.lstrip("/")
        make, guarded = grpc.stream_unary_rpc_method_handler, self._unary
        if handler.response_streaming:
            make, guarded = grpc.stream_stream_rpc_method_handler, self._stream
        return make(partial(guarded, handler, method), response_serializer=handler.response_serializer)

    async def _unary(self, handler: Handler, method: str, _: Any, context: Any) -> Any:
        try:
            return await function_of(handler)(await self._request(handler, method, context), context)
        except Exception as error:
            await _end(context, error)

    async def _stream(self, handler: Handler, method: str, _: Any, context: Any) -> None:
        paced = PacedContext(context, self._write_seconds, self._stalls)
        try:
            if handler.request_streaming:
                answers = function_of(handler)(self._requests(handler, method, context), paced)
            else:
                answers = function_of(handler)(await self._request(handler, method, context), paced)
            await write_all(answers, paced)
        except Exception as error:
            await _end(context, error)

    async def _request(self, handler: Handler, method: str, context: Any) -> Any:
        return _decoded(handler, await self._intake.message(method, context))

    async def _requests(self, handler: Handler, method: str, context: Any) -> AsyncIterator[Any]:
        async for message in self._intake.messages(method, context):
            yield _decoded(handler, message)


def _decoded(handler: Handler, message: bytes) -> Any:
    """The request.

    :raises UndecodableError: the bytes are none.
    """
    decode = handler.request_deserializer
    try:
        return decode(message) if decode else message
    except DecodeError:
        raise UndecodableError from None


async def _end(context: Any, error: Exception) -> None:
    """End the call with the status of an exception, unless a handler has ended it already."""
    if isinstance(error, grpc.aio.AbortError):
        raise error
    await abort(context, error)
