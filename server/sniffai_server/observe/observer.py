"""The outermost interceptor: request id, log line, metrics and span of each call, and the status of every exception."""

import asyncio
import logging
import re
import time
import uuid
from functools import partial
from typing import Any, Final

import grpc

from sniffai_server.calls.callers import connection_name
from sniffai_server.calls.current import CALL, Call, stop_reason_of
from sniffai_server.calls.errors import abort
from sniffai_server.calls.handlers import (
    HEALTH,
    Continuation,
    Interceptor,
    MaybeHandler,
    Proceed,
    unknown_method,
    wrapped,
)
from sniffai_server.calls.trailers import add_trailers
from sniffai_server.observe.metrics import Metrics
from sniffai_server.observe.tracing import Tracing

REQUEST_ID: Final = "x-request-id"
"""The metadata with the request id: taken from the client if it is a short plain word, and returned in the trailers."""
PLAIN: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")
UNKNOWN: Final = "unknown"
"""The name of all methods that do not exist, in log, metrics and spans, since clients may invent any number."""
MOST_ASKED: Final = 128
"""Characters of such a method's name in the log."""
CODES: Final = {code.value[0]: code.name for code in grpc.StatusCode}

log = logging.getLogger(__name__)


class Observer(Interceptor):
    """Observes every call from start to end, however it ends.

    :param tracing: makes a span of each call; ``None`` for no spans.
    """

    def __init__(self, metrics: Metrics, tracing: Tracing | None = None) -> None:
        self._metrics = metrics
        self._tracing = tracing

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> MaybeHandler:
        """The method's handler, observed; if there is no such method, a handler that says so."""
        handler = await continuation(handler_call_details)
        method = handler_call_details.method.lstrip("/")
        if handler is None:
            return wrapped(unknown_method(), partial(self.around, UNKNOWN, asked=method[:MOST_ASKED]))
        return wrapped(handler, partial(self.around, method))

    async def around(self, method: str, proceed: Proceed, context: Any, asked: str = "") -> Any:
        """Assign a request id, answer the call, and record it once the answer has been passed to gRPC."""
        call = Call(request_id=_request_id(context), method=method, client=connection_name(context), asked=asked)
        CALL.set(call)
        add_trailers(context, x_request_id=call.request_id)
        span = self._tracing.begin(method, context.invocation_metadata()) if self._tracing else None
        started = time.perf_counter()
        code = "UNKNOWN"
        try:
            with self._metrics.open_call(method):
                answer = await _answered(proceed, context)
            code = code_of(context)
            add_trailers(context, x_request_id=call.request_id)
            return answer
        except asyncio.CancelledError:
            code = code_of(context) if call.last_word else cancel_code(context)
            raise
        except grpc.aio.AbortError:
            code = code_of(context)
            raise
        finally:
            seconds = time.perf_counter() - started
            asyncio.get_running_loop().call_soon(self._tell, call, code, seconds, span)

    def _tell(self, call: Call, code: str, seconds: float, span: Any) -> None:
        """Count a call that ended, end its span, and write its log line."""
        fields = _fields(call, code, seconds)
        self._metrics.ended(call, code, fields["seconds"])
        if self._tracing:
            self._tracing.end(span, fields)
        level = logging.DEBUG if call.method.startswith(HEALTH) and code == "OK" else logging.INFO
        log.log(level, "%s %s", call.method, code, extra={"fields": fields})


async def _answered(proceed: Proceed, context: Any) -> Any:
    """The answer of the inner interceptors. Any exception ends the call with a status that reveals no internals."""
    try:
        return await proceed()
    except grpc.aio.AbortError:
        raise
    except Exception as error:
        await abort(context, error)


def code_of(context: Any) -> str:
    """The name of the status with which a call ended."""
    code = context.code()
    return code.name if isinstance(code, grpc.StatusCode) else CODES.get(code or 0, "UNKNOWN")


def cancel_code(context: Any) -> str:
    """The name of the status of a call that was cut off by its deadline or its client."""
    left = context.time_remaining()
    return "DEADLINE_EXCEEDED" if left is not None and left <= 0 else "CANCELLED"


def _request_id(context: Any) -> str:
    for key, value in context.invocation_metadata() or ():
        if key == REQUEST_ID and isinstance(value, str) and PLAIN.fullmatch(value):
            return value
    return uuid.uuid4().hex


def _fields(call: Call, code: str, seconds: float) -> dict[str, Any]:
    """The fields of a call's log line and span. They contain nothing of the content of request or answer."""
    fields: dict[str, Any] = {
        "request_id": call.request_id,
        "client": call.client,
        "method": call.method,
        "code": code,
        "seconds": round(seconds, 6),
    }
    if call.asked:
        fields["asked"] = call.asked
    if call.reason:
        fields["reason"] = call.reason
    if call.priority is not None:
        fields["priority"] = call.priority.name.lower()
    if call.queue_wait is not None:
        fields["queue_wait"] = round(call.queue_wait, 6)
    if call.searched:
        fields["simulations"] = sum(analysis.effort.simulations for analysis in call.searched)
        fields["stop_reason"] = stop_reason_of(call.searched[-1], code)
    return fields
