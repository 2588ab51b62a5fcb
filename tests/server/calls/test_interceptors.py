"""Interceptors as one."""

from types import SimpleNamespace
from typing import Any

import grpc

from sniffai_server.calls.handlers import Chain, Handler, Interceptor, MaybeHandler, Proceed


class Named(Interceptor):
    """Puts its name around each answer, and counts how often it has wrapped a method."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[str] = []

    async def intercept_service(self, continuation: Any, handler_call_details: Any) -> MaybeHandler:
        self.asked.append(handler_call_details.method)
        return await super().intercept_service(continuation, handler_call_details)

    async def around(self, method: str, proceed: Proceed, context: Any) -> Any:
        return f"{self.name}({method} {await proceed()})"


async def test_a_method_is_wrapped_at_its_first_call_only() -> None:
    """A name that no method has leaves nothing behind, since clients may invent any number."""
    outer, inner = Named("outer"), Named("inner")
    chain = Chain([outer, inner])

    async def answer(request: Any, context: Any) -> str:
        return f"answer to {request}"

    known: Handler = grpc.unary_unary_rpc_method_handler(answer)

    async def find(details: Any) -> MaybeHandler:
        return known if details.method == "/Known" else None

    def asked(method: str) -> Any:
        return SimpleNamespace(method=method, invocation_metadata=())

    for request in ("1", "2"):
        handler: Any = await chain.intercept_service(find, asked("/Known"))
        assert await handler.unary_unary(request, None) == f"outer(Known inner(Known answer to {request}))"
        assert await chain.intercept_service(find, asked("/Unknown")) is None
    assert outer.asked == inner.asked == ["/Known", "/Unknown", "/Unknown"]
    assert list(chain._made) == ["/Known"]
