"""The interceptor around every call: bytes that cannot be decoded, and exceptions, become proper statuses.

Left alone, grpc.aio answers both with UNKNOWN and sends the exception's text to the client.
"""

from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from sniffai_server.errors import UndecodableError, abort
from sniffai_server.handlers import Continuation, Function, Handler, MaybeHandler, write_all


class Undecodable:
    """Stands where a request would be whose bytes are no message."""


class Guard(grpc.aio.ServerInterceptor):
    """Guards the methods of every service, health and reflection included."""

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> MaybeHandler:
        """The method's handler, guarded; ``None`` passes for a method that does not exist."""
        handler = await continuation(handler_call_details)
        return None if handler is None else _guarded(handler)


def _guarded(handler: Handler) -> Handler:
    coders = {
        "request_deserializer": _tolerant(handler.request_deserializer),
        "response_serializer": handler.response_serializer,
    }
    if handler.unary_unary:
        return grpc.unary_unary_rpc_method_handler(_unary(handler.unary_unary), **coders)
    if handler.unary_stream:
        return grpc.unary_stream_rpc_method_handler(_stream(handler.unary_stream, _decoded), **coders)
    if handler.stream_stream:
        return grpc.stream_stream_rpc_method_handler(_stream(handler.stream_stream, _all_decoded), **coders)
    return handler


def _tolerant(decode: Callable[[bytes], Any] | None) -> Callable[[bytes], Any]:
    """The deserializer, with :class:`Undecodable` for what it cannot read: there no status can be set yet."""

    def tolerant(data: bytes) -> Any:
        try:
            return decode(data) if decode else data
        except DecodeError:
            return Undecodable()

    return tolerant


def _unary(call: Function) -> Function:
    async def guarded(request: Any, context: Any) -> Any:
        try:
            return await call(_decoded(request), context)
        except Exception as error:
            await _end(context, error)

    return guarded


def _stream(call: Function, decoded: Callable[[Any], Any]) -> Function:
    async def guarded(request: Any, context: Any) -> None:
        try:
            await write_all(call(decoded(request), context), context)
        except Exception as error:
            await _end(context, error)

    return guarded


def _decoded(request: Any) -> Any:
    if isinstance(request, Undecodable):
        raise UndecodableError
    return request


async def _all_decoded(requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for request in requests:
        yield _decoded(request)


async def _end(context: Any, error: Exception) -> None:
    """End the call with the status of an exception, unless a handler has ended it already."""
    if isinstance(error, grpc.aio.AbortError):
        raise error
    await abort(context, error)
