"""Base of the interceptors: it wraps the handlers of unary and streaming methods alike.

The handler's function becomes a function without arguments (``proceed``), so each interceptor is written once for all
kinds of methods. A streaming method may be an async generator or a coroutine that writes to its context.
"""

import inspect
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import grpc

from sniffai_server.calls.refusals import UnknownMethodError

Proceed = Callable[[], Awaitable[Any]]
Around = Callable[[Proceed, Any], Awaitable[Any]]
Function = Callable[[Any, Any], Any]
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
MaybeHandler: TypeAlias = "grpc.RpcMethodHandler[Any, Any] | None"
Continuation: TypeAlias = "Callable[[grpc.HandlerCallDetails], Awaitable[MaybeHandler]]"

HEALTH: Final = "grpc.health.v1.Health"
LASTING: Final = (f"{HEALTH}/Watch", "grpc.reflection.")
"""Prefixes of the methods whose streams last until the client ends them."""


class Interceptor(grpc.aio.ServerInterceptor):
    """An interceptor that wraps every call; calls of methods that do not exist pass unchanged."""

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> MaybeHandler:
        """The method's handler, wrapped by :meth:`around`."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        return wrapped(handler, partial(self.around, handler_call_details.method.lstrip("/")))

    @abstractmethod
    async def around(self, method: str, proceed: Proceed, context: Any) -> Any:
        """Handle a call of ``method`` (such as ``"sniffai.v1.RulesService/ApplyMove"``)."""


class Chain(grpc.aio.ServerInterceptor):
    """Interceptors as one, which wraps the handler of a method at its first call and not at each.

    :param interceptors: the outermost first. What they make of a handler depends on the method alone.
    """

    def __init__(self, interceptors: Sequence[grpc.aio.ServerInterceptor]) -> None:
        self._interceptors = interceptors
        self._made: dict[str, MaybeHandler] = {}
        """By method; of methods that exist only."""

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> MaybeHandler:
        """The method's handler, wrapped by all of them."""
        method = handler_call_details.method
        made = self._made.get(method)
        if made is None:
            handler = await continuation(handler_call_details)
            made = await intercepted(self._interceptors, handler, handler_call_details)
            if handler is not None:
                self._made[method] = made
        return made


async def intercepted(
    interceptors: Sequence[grpc.aio.ServerInterceptor], handler: MaybeHandler, details: grpc.HandlerCallDetails
) -> Any:
    """The handler, wrapped by the interceptors, the first of which is the outermost."""

    async def find(index: int, details: grpc.HandlerCallDetails) -> Any:
        if index == len(interceptors):
            return handler
        return await interceptors[index].intercept_service(lambda changed: find(index + 1, changed), details)

    return await find(0, details)


def wrapped(handler: Handler, around: Around) -> Handler:
    """The handler with its function wrapped."""
    make, function = _parts(handler)

    async def unary(request: Any, context: Any) -> Any:
        return await around(lambda: function(request, context), context)

    async def stream(request: Any, context: Any) -> None:
        await around(lambda: write_all(function(request, context), context), context)

    return make(
        stream if handler.response_streaming else unary,
        request_deserializer=handler.request_deserializer,
        response_serializer=handler.response_serializer,
    )


def refusing(handler: Handler, error: Exception) -> Handler:
    """A handler of the same kind that decodes nothing and raises an error."""
    make, _ = _parts(handler)

    async def refuse(request: Any, context: Any) -> None:
        raise error

    return make(refuse, request_deserializer=None, response_serializer=handler.response_serializer)


def unknown_method() -> Handler:
    """A handler that reads nothing and answers that there is no such method."""

    async def refuse(requests: Any, context: Any) -> None:
        raise UnknownMethodError

    return grpc.stream_stream_rpc_method_handler(refuse)


async def write_all(answers: Any, context: Any) -> None:
    """Run a streaming method's function to its end."""
    if inspect.isawaitable(answers):
        await answers
        return
    async for answer in answers:
        await context.write(answer)


def function_of(handler: Handler) -> Function:
    """The function of a handler."""
    return _parts(handler)[1]


def _parts(handler: Handler) -> tuple[Callable[..., Handler], Function]:
    """The factory for handlers of the same kind, and the function of this one."""
    makers: dict[tuple[bool, bool], tuple[Callable[..., Handler], Any]] = {
        (False, False): (grpc.unary_unary_rpc_method_handler, handler.unary_unary),
        (False, True): (grpc.unary_stream_rpc_method_handler, handler.unary_stream),
        (True, False): (grpc.stream_unary_rpc_method_handler, handler.stream_unary),
        (True, True): (grpc.stream_stream_rpc_method_handler, handler.stream_stream),
    }
    return makers[handler.request_streaming, handler.response_streaming]
