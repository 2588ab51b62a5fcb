"""Warnings that every answer of the unary methods has."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar

from sniffai import wire

Service = TypeVar("Service")
Request = TypeVar("Request", bound=Any)
Answer = TypeVar("Answer", bound=Any)
Method = Callable[[Service, Request, Any], Awaitable[Answer]]


def names_unknown_fields(method: Method[Service, Request, Answer]) -> Method[Service, Request, Answer]:
    """Add a warning to a method's answer for each field of the request that this version does not know."""

    @wraps(method)
    async def warned(self: Service, request: Request, context: Any) -> Answer:
        answer = await method(self, request, context)
        answer.warnings.extend(wire.unknown_fields(request))
        return answer

    return warned
