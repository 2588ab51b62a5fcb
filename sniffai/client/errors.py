"""What a failed call tells."""

from typing import Any, Final

from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]

from sniffai import wire
from sniffai.errors import PortableError

DETAILS: Final = "grpc-status-details-bin"


class ServiceError(PortableError):
    """A call that failed; ``str()`` names status, message and reason.

    :ivar code: the gRPC status, such as ``"INVALID_ARGUMENT"``.
    :ivar message: the server's sentence.
    :ivar reason: what went wrong, in ``UPPER_SNAKE``; empty where the server did not say.
    :ivar violations: the fields at fault, each with its path in the request.
    :ivar retry_after: seconds after which the server thinks another try worth while; ``None`` where it did not say.
    """

    def __init__(
        self,
        code: str,
        message: str,
        reason: str,
        violations: tuple[wire.Violation, ...],
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}" + (f" [{reason}]" if reason else ""))
        self.code = code
        self.message = message
        self.reason = reason
        self.violations = violations
        self.retry_after = retry_after


def service_error(error: Any) -> ServiceError:
    """The error of a failed call, with what its status details say."""
    reason, violations, retry_after = "", [], None
    for detail in _details(error):
        if isinstance(detail, ErrorInfo):
            reason = detail.reason
        elif isinstance(detail, BadRequest):
            violations += [wire.Violation(v.field, v.reason, v.description) for v in detail.field_violations]
        else:
            retry_after = detail.retry_delay.ToNanoseconds() / 1e9
    return ServiceError(error.code().name, error.details() or "", reason, tuple(violations), retry_after)


def _details(error: Any) -> list[Any]:
    """The details of a status that are known here; a broken one has none."""
    found = []
    try:
        for key, value in error.trailing_metadata() or ():
            if key == DETAILS:
                found += [_unpacked(detail) for detail in Status.FromString(value).details]
    except DecodeError:
        return []
    return [detail for detail in found if detail is not None]


def _unpacked(detail: Any) -> Any:
    for kind in (ErrorInfo, BadRequest, RetryInfo):
        message = kind()
        if detail.Unpack(message):
            return message
    return None
