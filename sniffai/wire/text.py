"""JSON of messages: protobuf's own mapping, with field names as in the .proto files."""

import json
import re
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
"""Messages with a view, a deal or a match. A JSON text is read as the one that shares the most fields with it."""

ERRORS: Final = ("standard_error", "standard_deviation", "win_probability_error")
"""Fields of a TeamValue that have no meaning if its ``errors_unknown`` is true."""


STEP: Final = re.compile(r"Failed to parse (\w+) field: ")
PLACE: Final = re.compile(r' at "?[A-Z]\w*(?:\.([\w.\[\]]+?))?"?\.*(?:\s+Available Fields.*)?$', re.DOTALL)
UNKNOWN_NAME: Final = re.compile(r'Message type "[\w.]*?(\w+)" has no field named "(.*?)"', re.DOTALL)
"""Parts of protobuf's errors: the fields on the way, the path of the last one, a name that does not exist."""
SEVERAL: Final = re.compile(r'Message type "[\w.]*" should not have multiple "(\w+)" oneof fields')
CHOICES: Final = {
    "position": "only one of record and snapshot may be given: beside a record stand the hand as dealt and the scores"
    " before the round, beside a snapshot the hand and the scores now"
}
"""What is said where several fields of a oneof are given."""


def to_json(message: Message) -> str:
    """A message as JSON. Fields are in the order of the .proto file; fields that are 0 or empty are included.

    Unknown errors are ``null``.
    """
    value = json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return json.dumps(_in_order(value, message.DESCRIPTOR), indent=2)


def from_json(text: str, kind: type[M]) -> M:
    """The message in a JSON text.

    :raises WireError: the text is not JSON, or does not hold such a message; misspelt names are errors.
    """
    return _message(json_value(text), kind)


def request_from_json(text: str) -> RecommendMoveRequest:
    """The request in a JSON text, which may also be its ``view`` alone.

    :raises WireError: the text is not JSON, or holds neither.
    """
    return _message(_request(json_value(text)), RecommendMoveRequest)


def position_from_json(text: str) -> AnalyzeRequest:
    """The request in a JSON text, for a recommendation or an analysis, or its ``view`` or ``deal`` alone.

    :raises WireError: the text is not JSON, or holds none of these.
    """
    return _message(_request(json_value(text)), AnalyzeRequest)


def request_of(value: dict[str, Any]) -> Any:
    """The message in a JSON object: a request with a view, a deal or a match, or an answer with one.

    A PlayerView, an OpenDeal, a RecordedMatch or a SeatRecord alone becomes a request that contains it, and so does the
    record in an ExportRecordResponse or a ParseTextResponse.

    :raises WireError: it is not one of these.
    """
    if "rounds" in value and "match" not in value:
        value = {"match": value}
    elif "views" in value:
        value = _exported(value)
    whole = _request(value)
    kind = max(HOLDERS, key=lambda kind: len(whole.keys() & _names(kind)))
    return _message(whole, kind)


def _exported(value: dict[str, Any]) -> dict[str, Any]:
    """The record in the JSON of a SeatRecord, or of an ExportRecordResponse: the whole match, or what a seat saw."""
    if value.get("match") is not None:
        return {"match": value["match"]}
    record = {name: part for name, part in value.items() if name not in ("match", "text", "warnings")}
    return {"seat_record": record}


def _names(kind: type[Message]) -> set[str]:
    """The names of a message's fields in JSON."""
    return {name for field in kind.DESCRIPTOR.fields for name in (field.name, field.json_name)}


def _request(value: Any) -> Any:
    """A request. A PlayerView or an OpenDeal (which has ``hands``) becomes a request that contains it."""
    if isinstance(value, dict) and "players" in value and not value.keys() & {"view", "deal"}:
        return {"deal" if "hands" in value else "view": value}
    return value


def json_value(text: str) -> Any:
    """The value in a JSON text.

    :raises WireError: the text is not JSON, or an object has a name twice.
    """
    try:
        return strict_json.loads(text)
    except NotationError as error:
        raise WireError(Violation.of(error, error.field)) from None
    except json.JSONDecodeError as error:
        raise WireError(Violation("", "NOT_JSON", plain(f"not JSON: {error}"))) from None
    except (ValueError, RecursionError) as error:
        notation_error = strict_json.unreadable(error, text)
        raise WireError(Violation("", "NOT_JSON", notation_error.message)) from None


def _message(value: Any, kind: type[M]) -> M:
    message = kind()
    try:
        if not isinstance(value, dict):
            raise json_format.ParseError("an object is expected")
        json_format.ParseDict(value, message)
    except (json_format.ParseError, RecursionError) as error:
        raise WireError(_misfit(kind, str(error))) from None
    return message


def _misfit(kind: type[Message], text: str) -> Violation:
    """What is wrong with JSON that does not describe a message, from the text of protobuf's error.

    The path of the field is whole where the text has it, otherwise the field's name alone.
    """
    text, names = text.strip().rstrip("."), []
    while step := STEP.match(text):
        names.append(step[1])
        text = text[step.end() :].rstrip(".")
    field = names[-1] if names else ""
    if place := PLACE.search(text):
        field, text = place[1] or "", text[: place.start()]
    if several := SEVERAL.match(text):
        text = CHOICES.get(several[1], f"only one {several[1]} may be given")
    elif unknown := UNKNOWN_NAME.match(text):
        field = f"{field}.{unknown[2]}" if field else unknown[2]
        text = f"{unknown[1]} has no such field"
    elif "invalid literal for int()" in text:
        text = f"a whole number is expected, not {text.rpartition(': ')[2]}"
    elif "object is not iterable" in text:
        text = "an object is expected"
    elif text.startswith("expected string"):
        text = "a text is expected"
    return Violation(plain(field), "NOT_JSON_OF_MESSAGE", plain(f"not JSON of a {kind.__name__}: {text}"))


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
