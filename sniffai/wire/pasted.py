"""Pasted texts to messages: a view, a round, a match or notes, in one of the text forms of docs/notation.md."""

from typing import Final

from sniffai.errors import SniffError
from sniffai.notes import looks_like_notes
from sniffai.records.matchfile import parse_match
from sniffai.records.seat_record import SeatRecord, read_noted
from sniffai.round import Round
from sniffai.v1 import rules_service_pb2 as pb
from sniffai.v1.review_pb2 import SeatRecord as SeatRecordMessage
from sniffai.view import View
from sniffai.wire.errors import Violation, WireError, plain
from sniffai.wire.read import read_round, read_view
from sniffai.wire.review import MAX_TEXT, read_reviewed, read_seat_record, write_record, write_seat_record
from sniffai.wire.text import json_value, request_of
from sniffai.wire.write import write_deal, write_view

VIEWS: Final = ("view", "snapshot")
ROUND: Final = "round"
"""The first words of the one-line forms. A match file may have a line ``round 1``, but never begins with it."""


def parse_text(text: str) -> pb.ParseTextResponse:
    """What a text holds. A match file of hundreds of rounds takes some tenths of a second.

    :raises WireError: the text is empty, too long, or none of the forms, or it breaks a rule.
    """
    text = text.strip()
    if not text:
        raise WireError(Violation("text", "REQUIRED", "text must be given"))
    if len(text) > MAX_TEXT:
        raise WireError(Violation("text", "TOO_LONG", f"a text has at most {MAX_TEXT} characters"))
    try:
        return _parsed(text)
    except WireError as error:
        raise WireError(*map(_in_text, error.violations)) from None
    except SniffError as error:
        raise WireError(Violation("text", error.reason, plain(str(error)))) from None


def _parsed(text: str) -> pb.ParseTextResponse:
    if text.startswith("{"):
        return _from_json(text)
    kind = text.split(maxsplit=1)[0]
    if kind in VIEWS:
        return pb.ParseTextResponse(view=write_view(View.from_text(text)))
    if kind == ROUND:
        return pb.ParseTextResponse(deal=write_deal(Round.from_text(text)))
    if looks_like_notes(text):
        return _of_notes(text)
    record = parse_match(text)
    tags = dict(record.tags)
    names = [tags.get(f"Seat{seat}", "") for seat in range(record.players)]
    return pb.ParseTextResponse(match=write_record(record.replay(), names if any(names) else ()))


def _of_notes(text: str) -> pb.ParseTextResponse:
    """One round without names is a view, all else a seat's record."""
    noted = read_noted(text)
    if isinstance(noted, View):
        return pb.ParseTextResponse(view=write_view(noted))
    return _of_seat_record(write_seat_record(noted), noted)


def _of_seat_record(message: SeatRecordMessage, record: SeatRecord) -> pb.ParseTextResponse:
    if len(record.rounds) == 1 and not message.names and not message.scores_after:
        return pb.ParseTextResponse(view=write_view(record.views[0]))
    return pb.ParseTextResponse(seat_record=message)


def _from_json(text: str) -> pb.ParseTextResponse:
    """What a message or a request in JSON holds, read as if it had been sent."""
    request = request_of(json_value(text))
    names = {field.name for field, _ in request.ListFields()}
    if "view" in names:
        return pb.ParseTextResponse(view=write_view(read_view(request.view)))
    if "deal" in names:
        return pb.ParseTextResponse(deal=write_deal(read_round(request.deal)))
    if "match" in names:
        read_reviewed(request)
        return pb.ParseTextResponse(match=request.match)
    if "seat_record" in names:
        record = read_seat_record(request.seat_record)
        return _of_seat_record(write_seat_record(record), record)
    raise WireError(Violation("text", "UNREADABLE", "the JSON holds no view, no deal, no match and no seat's record"))


def _in_text(violation: Violation) -> Violation:
    """The error of a message in a text: its path is a part of the text, not of the request."""
    place = f"{violation.field}: " if violation.field else ""
    return Violation("text", violation.reason, plain(f"{place}{violation.description}"))
