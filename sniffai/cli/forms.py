"""What an argument holds: a file, standard input or the text itself, in every form that sniffai writes.

A line of text (``view …``, ``snapshot …``, ``round …``), the notes of a table, a match record, traces, the raw events
of a round as JSON, and the JSON of the wire's messages: a PlayerView, an OpenDeal, a RecordedMatch, a SeatRecord,
requests that hold one of these, and answers that hold one. Commands say what they need of it: a view, a round, or all
rounds.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from sniffai.cli.parts import BadInput, read_text
from sniffai.errors import RecordError, SniffError
from sniffai.notes import looks_like_notes
from sniffai.records.matchfile import parse_match
from sniffai.records.record import MatchRecord
from sniffai.records.seat_record import SeatRecord, read_noted
from sniffai.records.trace import Trace, parse_object_or_traces
from sniffai.review.source import of_record, read_round_events, read_trace_rounds
from sniffai.review.story import Subject
from sniffai.round import Round
from sniffai.view import View

EXPECTED: Final = (
    "a line that begins with view, snapshot or round, notes of a table, a match record, traces, or the JSON of a"
    " view, a deal, a match or a request"
)
LINE: Final = re.compile(r"\s*(view|snapshot|round)\s[^\n]*=")
"""How a line of text begins. (A file may be called ``round 1.txt``.)"""
TAG: Final = re.compile(r'\[[^\s"\]]+\s+"')
"""How a tag of a match record begins."""


@dataclass(frozen=True)
class Traces:
    """Traced rounds: :mod:`sniffai.records.trace`."""

    traces: tuple[Trace, ...]
    """Each with the number of its line."""


@dataclass(frozen=True)
class Rounds:
    """Rounds of a match from the wire."""

    rounds: tuple[Round, ...]
    tags: tuple[tuple[str, str], ...] = ()


What: TypeAlias = View | Round | SeatRecord | MatchRecord | Traces | Rounds


@dataclass(frozen=True)
class Form:
    """What an argument stands for."""

    name: str
    """Where it comes from, for messages: the name of a file, ``standard input``, or ``the text``."""
    what: What
    request: Any = None
    """The wire's message that it was read from, which may hold more; ``None`` if there was none."""

    @property
    def kind(self) -> str:
        """What was found, in words."""
        if isinstance(self.what, View):
            return "a snapshot" if self.what.leader is None else "a view"
        kinds = {
            Round: "a round",
            SeatRecord: "a seat's record",
            MatchRecord: "a match record",
            Traces: "traces",
            Rounds: "a match",
        }
        return kinds[type(self.what)]

    def view(self) -> View:
        """What the seat to move knows.

        :raises BadInput: nobody is to move, or the record is not true.
        """
        if isinstance(self.what, SeatRecord):
            return self.what.views[-1]
        if isinstance(self.what, View):
            return self.what
        round_ = self.round()
        if round_.over:
            what = "the round" if isinstance(self.what, Round) else f"{self.kind}, whose last round"
            raise BadInput(f"{self.name}: {what} is over: no seat is to move")
        return round_.view(round_.seat)

    def views(self) -> tuple[View, ...]:
        """What that seat knows of every round, the one of :meth:`view` last.

        :raises BadInput: as :meth:`view`.
        """
        last = self.view()
        if isinstance(self.what, SeatRecord):
            return self.what.views
        if isinstance(self.what, View):
            return (last,)
        return (*(round_.view(last.seat) for round_ in self.rounds()[:-1]), last)

    def round(self) -> Round:
        """A round with all hands known, the last one of several.

        :raises BadInput: there is none, or the record is not true.
        """
        rounds = self.rounds()
        if not rounds:
            raise BadInput(f"{self.name}: {self.kind} without a round")
        return rounds[-1]

    def position(self) -> View | Round:
        """A view, or else the last round.

        :raises BadInput: as :meth:`round`.
        """
        return self.view() if isinstance(self.what, (View, SeatRecord)) else self.round()

    def rounds(self) -> tuple[Round, ...]:
        """All rounds, with all hands known.

        :raises BadInput: it is a view, or the record is not true.
        """
        what = self.what
        if isinstance(what, (View, SeatRecord)):
            needed = "a round, a match record or a deal with all hands known is needed"
            raise BadInput(f"{self.name}: {self.kind} shows what one seat knows; {needed}")
        if isinstance(what, Round):
            return (what,)
        with named(self.name):
            if isinstance(what, Rounds):
                return what.rounds
            if isinstance(what, Traces):
                return read_trace_rounds(what.traces)
            return _replayed(what)

    def record(self) -> Any:
        """What a server is asked to review: what one seat saw, or the rounds with the names of the players.

        :raises BadInput: as :meth:`subject`.
        """
        if isinstance(self.what, (View, SeatRecord)):
            return self.what
        from sniffai import wire

        names = self.subject().names
        return wire.write_record(self.rounds(), names if any(names) else ())

    def subject(self) -> Subject:
        """What can be reviewed.

        :raises BadInput: the record is not true, or is a snapshot, which has no events.
        """
        what = self.what
        with named(self.name):
            if isinstance(what, View):
                return Subject.of_view(what)
            if isinstance(what, SeatRecord):
                return Subject.of_seat_record(what)
            if isinstance(what, MatchRecord):
                return of_record(what)
            tags = what.tags if isinstance(what, Rounds) else ()
            return Subject.of_rounds(self.rounds(), tags)


def load(argument: str) -> Form:
    """What an argument stands for: the file of that name, standard input for ``-``, or else the text itself.

    :raises BadInput: the file does not exist, its form is unknown, or what it holds breaks a rule.
    """
    name, text = _source(argument)
    with named(name):
        return _read(name, text)


@contextmanager
def named(name: str) -> Iterator[None]:
    """Put the name of what was read before errors.

    :raises BadInput: anything of ours is raised inside.
    """
    try:
        yield
    except SniffError as error:
        raise BadInput(f"{name}: {error}") from None
    except ValueError as error:  # a WireError, whose module needs protobuf
        if not hasattr(error, "violations"):
            raise
        raise BadInput(f"{name}: {error}") from None


def _source(argument: str) -> tuple[str, str]:
    """The name and the text."""
    if argument == "-":
        return "standard input", read_text(argument)
    if not is_file(argument) and (LINE.match(argument) or _looks_like_a_document(argument) or _is_noted(argument)):
        return "the text", argument
    return argument, read_text(argument)


def is_file(argument: str) -> bool:
    """Whether there is a file of that name."""
    try:
        return os.path.exists(argument)
    except ValueError:  # a NUL in it
        return False


def _looks_like_a_document(argument: str) -> bool:
    """Whether an argument that is not a file is JSON or a match record."""
    start = argument.lstrip()
    return start.startswith("{") or TAG.match(start) is not None or ("\n" in start and start.startswith(("#", "[")))


def _is_noted(argument: str) -> bool:
    """Whether an argument that is not a file is the notes of a table, which have more than one part."""
    return looks_like_notes(argument) and (";" in argument or "\n" in argument)


def _read(name: str, text: str) -> Form:
    start = text.lstrip()
    if start.startswith("{"):
        return _read_json(name, text)
    lines = [(i, line) for i, line in enumerate(text.split("\n"), 1) if line.strip() and line.lstrip()[0] != "#"]
    if not lines:
        raise BadInput(f"{name}: it is empty; {EXPECTED} is expected")
    first = lines[0][1]
    if LINE.match(first):
        return Form(name, _read_line(name, lines))
    if looks_like_notes(text):
        return Form(name, read_noted(text))
    if re.match(r"\s*\[[^\W\d_]", first) or re.match(r"\s*round\s+\S+\s*(#|$)", first):
        return Form(name, parse_match(text))
    raise BadInput(f"{name}: {EXPECTED} is expected, not {first.strip()[:40]!r}")


def _read_line(name: str, lines: list[tuple[int, str]]) -> View | Round:
    """A view or a round, which may take several lines."""
    for number, line in lines[1:]:
        if LINE.match(line):
            raise BadInput(f"{name}: line {number}: one view or round is expected, but another one begins here")
    whole = " ".join(line for _, line in lines)
    return Round.from_text(whole) if whole.split(maxsplit=1)[0] == "round" else View.from_text(whole)


# JSON


def _read_json(name: str, text: str) -> Form:
    value = parse_object_or_traces(text)
    if not isinstance(value, dict):
        return Form(name, Traces(value))
    if _is_raw(value):
        return Form(name, read_round_events(value))
    return _read_message(name, value)


def _is_raw(value: Mapping[str, Any]) -> bool:
    """Whether it holds a round's raw events, and is not a message of the wire, in which a deal's hand is an object."""
    if "hands" in value:
        hands = value["hands"]
        return isinstance(hands, list) and any(not isinstance(hand, dict) for hand in hands)
    return "hand" in value and "events" in value


def _read_message(name: str, value: dict[str, Any]) -> Form:
    from sniffai import wire

    request = wire.request_of(value)
    fields = {field.name for field, _ in request.ListFields()}
    if "deal" in fields:
        return Form(name, wire.read_round(request.deal), request)
    if "match" in fields:
        rounds = tuple(wire.read_round(deal, f"match.rounds[{i}]") for i, deal in enumerate(request.match.rounds))
        tags = tuple((f"Seat{seat}", who) for seat, who in enumerate(request.match.names))
        return Form(name, Rounds(rounds, tags), request)
    if "seat_record" in fields:
        return Form(name, wire.read_seat_record(request.seat_record), request)
    if "text" in fields:
        return Form(name, _read(name, request.text).what, request)
    return Form(name, wire.read_view(wire.given(request, "view")), request)


def _replayed(record: MatchRecord) -> tuple[Round, ...]:
    try:
        return record.replay()
    except RecordError as error:
        raise RecordError(error.message, reason=error.reason, field=record.place(error.field)) from None
