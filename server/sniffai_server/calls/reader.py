"""The innermost interceptor: it reads the requests of every method, and writes the answers that come one by one.

Left alone, grpc.aio would call a method only once its request has arrived. Here every method is called at its headers,
and the request is read within the limits of :class:`Intake`. Nothing of a request is kept by the frames that wait
here for its answer. Exceptions pass: the outermost interceptor makes statuses of them.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from sniffai_server.calls.errors import UndecodableError
from sniffai_server.calls.handlers import Continuation, Function, Handler, MaybeHandler, function_of, write_all
from sniffai_server.calls.intake import Intake
from sniffai_server.calls.pace import PacedContext, Stalls


class Reader(grpc.aio.ServerInterceptor):
    """Reads requests for the methods of every service, health and reflection included.

    :param write_seconds: how long the client of a stream may take nothing.
    :param within: by the name of a unary method, a context for each of its calls, entered before anything is read.
    """

    def __init__(
        self,
        intake: Intake,
        write_seconds: float,
        stalls: Stalls,
        within: Mapping[str, Callable[[], AbstractContextManager[None]]],
    ) -> None:
        self._intake = intake
        self._write_seconds = write_seconds
        self._stalls = stalls
        self._within = within

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> MaybeHandler:
        """The method's handler, as one that reads by itself; ``None`` passes for a method that does not exist."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        method = handler_call_details.method.lstrip("/")
        make, answer = grpc.stream_unary_rpc_method_handler, self._unary
        if handler.response_streaming:
            make, answer = grpc.stream_stream_rpc_method_handler, self._stream
        function = function_of(handler)
        return make(partial(answer, function, handler, method), response_serializer=handler.response_serializer)

    async def _unary(self, function: Function, handler: Handler, method: str, _: Any, context: Any) -> Any:
        with self._within.get(method, nullcontext)():
            return await function(await self._request(handler, method, context), context)

    async def _stream(self, function: Function, handler: Handler, method: str, _: Any, context: Any) -> None:
        paced = PacedContext(context, self._write_seconds, self._stalls)
        if handler.request_streaming:
            answers = function(self._requests(handler, method, context), paced)
        else:
            answers = function(await self._request(handler, method, context), paced)
        await write_all(answers, paced)

    async def _request(self, handler: Handler, method: str, context: Any) -> Any:
        return _decoded(handler, await self._intake.message(method, context))

    async def _requests(self, handler: Handler, method: str, context: Any) -> AsyncIterator[Any]:
        async for message in self._intake.messages(method, context):
            yield _decoded(handler, message)


def _decoded(handler: Handler, message: bytes) -> Any:
    """The request.

    :raises UndecodableError: the bytes are not a message of this method.
    """
    decode = handler.request_deserializer
    try:
        return decode(message) if decode else message
    except DecodeError:
        raise UndecodableError from None
