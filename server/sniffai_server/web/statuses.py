"""Statuses of calls as errors of the Connect library, whose details people can read in JSON."""

import base64
import json
import math
from typing import Any, Final

import grpc
from connectrpc.code import Code
from connectrpc.errors import ConnectError, ErrorDetail
from google.protobuf import json_format
from google.rpc.error_details_pb2 import (  # type: ignore[import-untyped]
    BadRequest,
    ErrorInfo,
    QuotaFailure,
    RetryInfo,
)
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from protobuf.wkt import Any as AnyDetail

from sniffai_server.web.context import HttpContext, Metadata

STATUS: Final = "grpc-status-details-bin"
"""The trailing metadata with the details of a status."""
CODES: Final[dict[grpc.StatusCode, Code]] = {
    code: Code.CANCELED if code is grpc.StatusCode.CANCELLED else Code(code.name.lower())
    for code in grpc.StatusCode
    if code is not grpc.StatusCode.OK
}
DETAILS: Final = {kind.DESCRIPTOR.full_name: kind for kind in (BadRequest, ErrorInfo, QuotaFailure, RetryInfo)}
"""The details that this server sends."""
END_OF_STREAM: Final = 0b10
"""The flag of the last message of a stream in the Connect protocol, which is JSON."""
PREFIX: Final = 5
"""Bytes before each message of a stream: its flags and its length."""


def error_of(context: HttpContext) -> ConnectError:
    """The error for a call that was aborted."""
    details = [
        ErrorDetail(AnyDetail(type_url=detail.type_url, value=detail.value))
        for detail in _status_in(context.trailing_metadata()).details
    ]
    return ConnectError(CODES[context.code() or grpc.StatusCode.UNKNOWN], context.details, details)


def trailers_in(metadata: Metadata) -> list[tuple[str, str]]:
    """The trailing metadata that is not gRPC's own."""
    return [(key, value) for key, value in metadata if isinstance(value, str) and not key.startswith("grpc-")]


def retry_seconds(metadata: Metadata) -> int | None:
    """Whole seconds after which a refused call may be retried; ``None`` if nothing says so."""
    for detail in _status_in(metadata).details:
        retry = RetryInfo()
        if detail.Unpack(retry):
            seconds: float = retry.retry_delay.ToTimedelta().total_seconds()
            return math.ceil(seconds)
    return None


def readable(body: bytes) -> bytes:
    """The JSON of an error with the content of its details as JSON, too: as ``debug``, as the protocol has it."""
    error = json.loads(body)
    _explain(error)
    return json.dumps(error, ensure_ascii=False).encode()


def readable_end(envelope: bytes) -> bytes:
    """The last message of a stream with the details of its error as JSON, too; other messages as they are."""
    if not envelope[:1] or not envelope[0] & END_OF_STREAM:
        return envelope
    end = json.loads(envelope[PREFIX:])
    if "error" not in end:
        return envelope
    _explain(end["error"])
    body = json.dumps(end, ensure_ascii=False).encode()
    return envelope[:1] + len(body).to_bytes(PREFIX - 1, "big") + body


def _explain(error: dict[str, Any]) -> None:
    for detail in error.get("details", ()):
        kind = DETAILS.get(detail["type"])
        if kind is not None:
            content = base64.b64decode(detail["value"] + "==")
            detail["debug"] = json_format.MessageToDict(kind.FromString(content))


def _status_in(metadata: Metadata) -> Status:
    for key, value in metadata:
        if key == STATUS and isinstance(value, bytes):
            return Status.FromString(value)
    return Status()
