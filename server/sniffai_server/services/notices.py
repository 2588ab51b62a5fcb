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
    """Add a warning to a method's answer for each field of the request that this version does not know.

    The answer has at most :data:`sniffai.wire.MAX_WARNINGS`.
    """

    @wraps(method)
    async def warned(self: Service, request: Request, context: Any) -> Answer:
        answer = await method(self, request, context)
        warnings = wire.most_useful([*answer.warnings, *wire.unknown_fields(request)])
        del answer.warnings[:]
        answer.warnings.extend(warnings)
        return answer

    return warned
