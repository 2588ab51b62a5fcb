"""JSON of the wire's messages: protobuf's own mapping, field names as in the .proto files."""

import json
from typing import Any, Final, TypeVar

from google.protobuf import json_format
from google.protobuf.message import Message

from sniffai.errors import NotationError
from sniffai.records import strict_json
from sniffai.v1 import analysis_service_pb2 as analysis_pb
from sniffai.v1 import rules_service_pb2 as rules_pb
from sniffai.v1.analysis_service_pb2 import AnalyzeRequest, RecommendMoveRequest
from sniffai.wire.errors import Violation, WireError, plain

M = TypeVar("M", bound=Message)

HOLDERS: Final[tuple[type[Message], ...]] = (
    RecommendMoveRequest,
    AnalyzeRequest,
    analysis_pb.StreamAnalyzeRequest,
    analysis_pb.AnalyzeMatchRequest,
    rules_pb.ListLegalMovesRequest,
    rules_pb.ValidateViewRequest,
    rules_pb.ApplyMoveRequest,
    rules_pb.ApplyMoveResponse,
    rules_pb.DealRoundResponse,
)
"""Messages that hold a view, a deal or a match, the first that has all fields of a JSON text being meant."""

ERRORS: Final = ("standard_error", "standard_deviation", "win_probability_error")
"""Fields of a TeamValue that mean nothing where its ``errors_unknown`` is true."""


def to_json(message: Message) -> str:
    """A message as JSON: fields in the order of the .proto file, those that are 0 or empty included.

    Errors that are not known are ``null``.
    """
    value = json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return json.dumps(_in_order(value, message.DESCRIPTOR), indent=2)


def from_json(text: str, kind: type[M]) -> M:
    """The message that a JSON text holds.

    :raises WireError: the text is not JSON, or does not hold such a message; misspelt names are errors.
    """
    return _message(_value(text), kind)


def request_from_json(text: str) -> RecommendMoveRequest:
    """The request that a JSON text holds, which may also be its ``view`` alone.

    :raises WireError: the text is not JSON, or holds neither.
    """
    return _message(_request(_value(text)), RecommendMoveRequest)


def position_from_json(text: str) -> AnalyzeRequest:
    """The request that a JSON text holds, for a recommendation or an analysis, or its ``view`` or ``deal`` alone.

    :raises WireError: the text is not JSON, or holds none of these.
    """
    return _message(_request(_value(text)), AnalyzeRequest)


def request_of(value: dict[str, Any]) -> Any:
    """The message that a JSON object is: a request with a view, a deal or a match, an answer with a deal.

    A PlayerView, an OpenDeal or a RecordedMatch by itself becomes a request that has it.

    :raises WireError: it is not one of these.
    """
    if "rounds" in value and "match" not in value:
        value = {"match": value}
    whole = _request(value)
    kind = max(HOLDERS, key=lambda kind: len(whole.keys() & _names(kind)))
    return _message(whole, kind)


def _names(kind: type[Message]) -> set[str]:
    """The names that the fields of a message may have in JSON."""
    return {name for field in kind.DESCRIPTOR.fields for name in (field.name, field.json_name)}


def _request(value: Any) -> Any:
    """A request; where the value is a PlayerView or an OpenDeal (which has ``hands``), one that has it."""
    if isinstance(value, dict) and "players" in value and not value.keys() & {"view", "deal"}:
        return {"deal" if "hands" in value else "view": value}
    return value


def _value(text: str) -> Any:
    try:
        return strict_json.loads(text)
    except NotationError as error:
        raise WireError(Violation.of(error, error.field)) from None
    except (ValueError, RecursionError) as error:
        raise WireError(Violation("", "NOT_JSON", plain(f"not JSON: {error}"))) from None


def _message(value: Any, kind: type[M]) -> M:
    message = kind()
    try:
        if not isinstance(value, dict):
            raise json_format.ParseError("an object is expected")
        json_format.ParseDict(value, message)
    except (json_format.ParseError, RecursionError) as error:
        raise WireError(
            Violation("", "NOT_JSON_OF_MESSAGE", plain(f"not JSON of a {kind.__name__}: {error}"))
        ) from None
    return message


def _in_order(value: Any, descriptor: Any) -> Any:
    if isinstance(value, list):
        return [_in_order(item, descriptor) for item in value]
    if not isinstance(value, dict):  # a duration, which JSON has as text
        return value
    if value.get("errors_unknown"):
        value |= dict.fromkeys(ERRORS)
    return {
        field.name: value[field.name]
        if field.message_type is None
        else _in_order(value[field.name], field.message_type)
        for field in descriptor.fields
        if field.name in value
    }
