"""The table of exceptions and gRPC statuses, with the details of each status."""

import asyncio
import logging
import math
import uuid
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

import grpc
from google.protobuf import any_pb2
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.code_pb2 import (  # type: ignore[import-untyped]
    DEADLINE_EXCEEDED,
    FAILED_PRECONDITION,
    INTERNAL,
    INVALID_ARGUMENT,
    NOT_FOUND,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    UNAUTHENTICATED,
    UNAVAILABLE,
    UNIMPLEMENTED,
)
from google.rpc.error_details_pb2 import (  # type: ignore[import-untyped]
    BadRequest,
    ErrorInfo,
    QuotaFailure,
    RetryInfo,
)
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from grpc_status import rpc_status

from sniffai.errors import SniffError
from sniffai.wire import Violation, WireError, located
from sniffai.wire.errors import plain
from sniffai_server.calls.current import current_call
from sniffai_server.calls.refusals import (
    ClosingError,
    ExpiredError,
    HeldError,
    HttpRefusedError,
    InvitationError,
    JobDiedError,
    JobRejectedError,
    JobsRefusedError,
    JobTooLargeError,
    KeyRefusedError,
    MatchRefusedError,
    MessageCountError,
    QueueFullError,
    QuotaError,
    SlowRequestError,
    StalledReaderError,
    StoreUnavailableError,
    TooLargeError,
    UnfinishedError,
    UnknownEncodingError,
    UnknownMatchError,
    UnknownMethodError,
)
from sniffai_server.calls.trailers import add_trailers, trailers_of

LAST_WORD_SECONDS: Final = 1.0
"""How long a call waits for its status to be sent. A client that does not read gets it later; nothing else of the call
is kept for that."""

OTHER_ENGINE: Final = "ENGINE_VERSION"
"""The reason of a job that is for another version of the engine."""
MOST_TEXT: Final = 1000
"""How many characters of a job's error are told: gRPC drops statuses of more than some kilobytes."""

DOMAIN: Final = "sniffai"
"""The ``domain`` of every ErrorInfo."""

log = logging.getLogger(__name__)


class UndecodableError(Exception):
    """Request bytes that are not a message of the method."""


def status_of(error: Exception) -> Status:
    """The status for an exception: by :data:`TABLE`, otherwise INTERNAL without the exception's text."""
    for kind, status in TABLE.items():
        if isinstance(error, kind):
            try:
                return status(error)
            except Exception as fault:  # a fault of the table's own must not get past the outermost interceptor
                return _internal(fault)
    return _internal(error)


async def abort(context: Any, error: Exception) -> None:
    """End a call with the status of an exception. If a retry may help, the metadata says when.

    :raises grpc.aio.AbortError: always, once the status is sent.
    :raises asyncio.CancelledError: the call is already over, so no status can be sent.
    """
    if isinstance(error, grpc.aio.InternalError):  # how gRPC reports a write to a call that is over
        raise asyncio.CancelledError from error
    status = status_of(error)
    info = ErrorInfo()
    status.details[0].Unpack(info)
    current_call().reason = info.reason
    if isinstance(error, QueueFullError):
        add_trailers(context, grpc_retry_pushback_ms=str(math.ceil(error.retry_after * 1000)))
    ready = rpc_status.to_status(status)
    _let_go(error)
    word = asyncio.ensure_future(_say(context, ready))
    current_call().last_word = word
    word.add_done_callback(_read)
    await asyncio.wait({word}, timeout=LAST_WORD_SECONDS)
    if not word.done():
        raise asyncio.CancelledError("the client does not read, so its status cannot be sent")
    current_call().last_word = None
    try:
        word.result()
    except grpc.aio.InternalError as over:
        raise asyncio.CancelledError from over
    finally:
        del word  # its error has this frame in its traceback


async def _say(context: Any, ready: Any) -> None:
    """Send a status. If the server ends before this begins, gRPC's coroutine is not even made: else it would warn."""
    await context.abort(ready.code, ready.details, (*trailers_of(context), *ready.trailing_metadata))


def _read(word: "asyncio.Future[None]") -> None:
    """Retrieve the result of sending a status, so that asyncio logs no error for it."""
    if not word.cancelled():
        word.exception()


def _let_go(error: BaseException | None) -> None:
    """Clear the tracebacks of an error and its causes.

    gRPC keeps the error of an aborted call, and so this one, until the garbage collector runs. The frames in its
    traceback hold searches with trees of many megabytes, which must be freed sooner.
    """
    while error is not None:
        error.__traceback__ = None
        error = error.__context__


def _bad_request(error: WireError) -> Status:
    info = ErrorInfo(reason=error.violations[0].reason, metadata={"violation_count": str(error.count)})
    return _status(
        INVALID_ARGUMENT, str(error), info, BadRequest(field_violations=map(_field_violation, error.violations))
    )


def _field_violation(violation: Violation) -> BadRequest.FieldViolation:
    return BadRequest.FieldViolation(field=violation.field, reason=violation.reason, description=violation.description)


def _undecodable(error: UndecodableError) -> Status:
    info = ErrorInfo(reason="UNDECODABLE")
    return _status(INVALID_ARGUMENT, "the request is not a message of this method", info)


def _queue_full(error: QueueFullError) -> Status:
    info = ErrorInfo(reason="QUEUE_FULL", metadata={"displaced": str(error.displaced).lower()})
    return _status(UNAVAILABLE, f"{error}: try again later", info, _retry(error.retry_after))


def _closing(error: ClosingError) -> Status:
    return _status(UNAVAILABLE, f"{error}: try again", ErrorInfo(reason="SHUTTING_DOWN"), _retry(error.retry_after))


def _expired(error: ExpiredError) -> Status:
    return _status(DEADLINE_EXCEEDED, str(error), ErrorInfo(reason="EXPIRED_IN_QUEUE"))


def _unfinished(error: UnfinishedError) -> Status:
    return _status(DEADLINE_EXCEEDED, str(error), ErrorInfo(reason="UNFINISHED"))


def _over_quota(error: QuotaError) -> Status:
    info = ErrorInfo(reason=error.reason, metadata={"client": error.client, "limit": error.limit})
    violation = QuotaFailure.Violation(subject=f"client:{error.client}", description=str(error))
    return _status(
        RESOURCE_EXHAUSTED, str(error), info, QuotaFailure(violations=[violation]), _retry(error.retry_after)
    )


def _held(error: HeldError) -> Status:
    info = ErrorInfo(reason=error.reason, metadata={"limit": error.limit, "own": str(error.own).lower()})
    code = RESOURCE_EXHAUSTED if error.own else UNAVAILABLE
    return _status(code, str(error), info, _retry(error.retry_after))


def _too_large(error: TooLargeError) -> Status:
    return _status(RESOURCE_EXHAUSTED, str(error), ErrorInfo(reason="REQUEST_TOO_LARGE"))


def _message_count(error: MessageCountError) -> Status:
    return _status(INVALID_ARGUMENT, str(error), ErrorInfo(reason="NOT_ONE_MESSAGE"))


def _slow_request(error: SlowRequestError) -> Status:
    return _status(DEADLINE_EXCEEDED, str(error), ErrorInfo(reason="REQUEST_TOO_SLOW"))


def _stalled_reader(error: StalledReaderError) -> Status:
    return _status(DEADLINE_EXCEEDED, str(error), ErrorInfo(reason="READER_STALLED"))


def _key_refused(error: KeyRefusedError) -> Status:
    return _status(UNAUTHENTICATED, str(error), ErrorInfo(reason=error.reason))


def _unknown_method(error: UnknownMethodError) -> Status:
    return _status(UNIMPLEMENTED, str(error), ErrorInfo(reason="UNKNOWN_METHOD"))


def _http_refused(error: HttpRefusedError) -> Status:
    code = PERMISSION_DENIED if error.status == HTTPStatus.FORBIDDEN else INVALID_ARGUMENT
    return _status(code, str(error), ErrorInfo(reason=error.reason))


def _unknown_encoding(error: UnknownEncodingError) -> Status:
    return _status(UNIMPLEMENTED, str(error), ErrorInfo(reason="UNKNOWN_ENCODING"))


def _unknown_match(error: UnknownMatchError) -> Status:
    return _status(NOT_FOUND, str(error), ErrorInfo(reason="UNKNOWN_MATCH"))


def _invitation(error: InvitationError) -> Status:
    return _status(PERMISSION_DENIED, str(error), ErrorInfo(reason="INVITATION_REFUSED"))


def _match_refused(error: MatchRefusedError) -> Status:
    view = () if error.view is None else (error.view,)
    return _status(FAILED_PRECONDITION, str(error), ErrorInfo(reason=error.reason), *view)


def _store_unavailable(error: StoreUnavailableError) -> Status:
    return _status(UNAVAILABLE, f"{error}: try again", ErrorInfo(reason="STORE_UNAVAILABLE"), _retry(error.retry_after))


def _jobs_refused(error: JobsRefusedError) -> Status:
    return _status(PERMISSION_DENIED, str(error), ErrorInfo(reason=error.reason))


def _job_rejected(error: JobRejectedError) -> Status:
    """The violation is of the request's field; the metadata has the error itself, for clients that raise it again."""
    metadata = {"error": error.kind, "message": error.message[:MOST_TEXT], "field": error.field[:MOST_TEXT]}
    if error.reason == OTHER_ENGINE:
        return _status(FAILED_PRECONDITION, str(error)[:MOST_TEXT], ErrorInfo(reason=error.reason, metadata=metadata))
    info = ErrorInfo(reason=error.reason, metadata={"violation_count": "1", **metadata})
    violation = Violation("spec", error.reason, plain(str(error)))
    return _status(
        INVALID_ARGUMENT, str(error)[:MOST_TEXT], info, BadRequest(field_violations=[_field_violation(violation)])
    )


def _job_too_large(error: JobTooLargeError) -> Status:
    return _status(RESOURCE_EXHAUSTED, str(error), ErrorInfo(reason=error.reason))


def _job_died(error: JobDiedError) -> Status:
    return _status(UNAVAILABLE, str(error), ErrorInfo(reason="JOB_DIED"), _retry(error.retry_after))


def _retry(seconds: float) -> Message:
    delay = Duration()
    delay.FromMilliseconds(math.ceil(seconds * 1000))
    return RetryInfo(retry_delay=delay)  # type: ignore[no-any-return]


def _internal(error: Exception) -> Status:
    number = uuid.uuid4().hex
    log.error("internal error %s", number, exc_info=error)
    return _status(INTERNAL, f"internal error {number}", ErrorInfo(reason="INTERNAL", metadata={"id": number}))


def _status(code: int, message: str, info: ErrorInfo, *details: Message) -> Status:
    info.domain = DOMAIN
    status = Status(code=code, message=message)
    for detail in (info, *details):
        packed = any_pb2.Any()
        packed.Pack(detail)
        status.details.append(packed)
    return status


TABLE: Final[dict[type[Exception], Callable[[Any], Status]]] = {
    WireError: _bad_request,
    SniffError: lambda error: _bad_request(located(error, "")),
    UndecodableError: _undecodable,
    KeyRefusedError: _key_refused,
    QuotaError: _over_quota,
    QueueFullError: _queue_full,
    ClosingError: _closing,
    ExpiredError: _expired,
    UnfinishedError: _unfinished,
    UnknownMethodError: _unknown_method,
    NotImplementedError: lambda error: _unknown_method(UnknownMethodError()),  # generated code, of a method without one
    HeldError: _held,
    TooLargeError: _too_large,
    MessageCountError: _message_count,
    SlowRequestError: _slow_request,
    StalledReaderError: _stalled_reader,
    HttpRefusedError: _http_refused,
    UnknownEncodingError: _unknown_encoding,
    UnknownMatchError: _unknown_match,
    InvitationError: _invitation,
    MatchRefusedError: _match_refused,
    StoreUnavailableError: _store_unavailable,
    JobsRefusedError: _jobs_refused,
    JobRejectedError: _job_rejected,
    JobTooLargeError: _job_too_large,
    JobDiedError: _job_died,
}
"""Errors that are not the server's fault, and their statuses."""
