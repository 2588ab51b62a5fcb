"""From exceptions to gRPC statuses: the one table, and the details that go with each status."""

import logging
import uuid
from collections.abc import Callable
from typing import Any, Final

import grpc
from google.protobuf import any_pb2
from google.protobuf.message import Message
from google.rpc.code_pb2 import INTERNAL, INVALID_ARGUMENT  # type: ignore[import-untyped]
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from grpc_status import rpc_status

from sniffai.errors import SniffError
from sniffai.wire import Violation, WireError, located

DOMAIN: Final = "sniffai"
"""The ``domain`` of every ErrorInfo."""

log = logging.getLogger(__name__)


class UndecodableError(Exception):
    """Request bytes that are not the message they should be."""


def status_of(error: Exception) -> Status:
    """The status that a client is told for an exception: by :data:`TABLE`, or INTERNAL without its text."""
    for kind, status in TABLE.items():
        if isinstance(error, kind):
            return status(error)
    return _internal(error)


async def abort(context: "grpc.aio.ServicerContext[Message, Message]", error: Exception) -> None:
    """End a call with the status of an exception."""
    await context.abort_with_status(rpc_status.to_status(status_of(error)))


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
}
"""What is the caller's fault, with the status that tells so: INVALID_ARGUMENT, each."""
