"""The errors of failed calls."""

from typing import Any, Final

from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]

from sniffai import errors, wire
from sniffai.errors import LimitsError, PortableError, SniffError
from sniffai.v1.match_service_pb2 import MatchView

DETAILS: Final = "grpc-status-details-bin"


class ServiceError(PortableError):
    """A call that failed; ``str()`` has status, message and reason.

    :ivar code: the gRPC status, such as ``"INVALID_ARGUMENT"``.
    :ivar message: the server's message.
    :ivar reason: what went wrong, in ``UPPER_SNAKE``; empty if the server did not say.
    :ivar violations: the invalid fields, each with its path in the request.
    :ivar retry_after: seconds after which the server suggests a retry; ``None`` if it did not say.
    :ivar view: what the seat may see of its match now, if the server told; ``None`` otherwise.
    """

    def __init__(
        self,
        code: str,
        message: str,
        reason: str,
        violations: tuple[wire.Violation, ...],
        retry_after: float | None = None,
        view: MatchView | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}" + (f" [{reason}]" if reason else ""))
        self.code = code
        self.message = message
        self.reason = reason
        self.violations = violations
        self.retry_after = retry_after
        self.view = view


def service_error(error: Any) -> ServiceError:
    """The error of a failed call, with its status details."""
    reason, violations, retry_after, view = "", [], None, None
    for detail in _details(error):
        if isinstance(detail, ErrorInfo):
            reason = detail.reason
        elif isinstance(detail, BadRequest):
            violations += [wire.Violation(v.field, v.reason, v.description) for v in detail.field_violations]
        elif isinstance(detail, MatchView):
            view = detail
        else:
            retry_after = detail.retry_delay.ToNanoseconds() / 1e9
    return ServiceError(error.code().name, error.details() or "", reason, tuple(violations), retry_after, view)


def job_error(error: Any) -> SniffError | None:
    """What is wrong with a job that a server refused, as the library raises it; ``None`` if it was not that."""
    for detail in _details(error):
        if isinstance(detail, ErrorInfo) and "error" in detail.metadata:
            kind = getattr(errors, detail.metadata["error"], LimitsError)
            kept = kind if isinstance(kind, type) and issubclass(kind, SniffError) else LimitsError
            return kept(detail.metadata["message"], reason=detail.reason, field=detail.metadata["field"])
    return None


def _details(error: Any) -> list[Any]:
    """The known details of a status; none if the details cannot be decoded."""
    details = []
    try:
        for key, value in error.trailing_metadata() or ():
            if key == DETAILS:
                details += [_unpacked(detail) for detail in Status.FromString(value).details]
    except DecodeError:
        return []
    return [detail for detail in details if detail is not None]


def _unpacked(detail: Any) -> Any:
    for kind in (ErrorInfo, BadRequest, RetryInfo, MatchView):
        message = kind()
        if detail.Unpack(message):
            return message
    return None
