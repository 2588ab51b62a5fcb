"""What a file holds: a match record, traces, or the events of one round as everyone or as one seat saw them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sniffai.checks import check_members, read_kind
from sniffai.errors import NotationError, RecordError, SniffError
from sniffai.events import Play, read_events
from sniffai.history import check_kind_of_view
from sniffai.notes import looks_like_notes
from sniffai.records.matchfile import parse_match
from sniffai.records.record import Ending, MatchRecord, RoundRecord
from sniffai.records.seat_record import read_noted
from sniffai.records.trace import Trace, parse_object_or_traces, replay_trace
from sniffai.review.story import Subject
from sniffai.round import Round
from sniffai.view import View

_ROUND: Final = ("players", "hands", "talon", "leader", "scores")
_VIEW: Final = ("players", "seat", "leader", "hand", "events", "scores")


def read_subject(text: str) -> Subject:
    """What there is to review in a text, replayed and checked.

    A match record file; a ``round`` or ``view`` line (docs/notation.md); traces, one JSON object a line, the rounds of
    one match; or one JSON object with the raw events of a round: ``players, leader, hands, talon, scores`` and
    ``events`` for a round with all hands known, ``players, seat, leader, hand, scores`` and ``events`` for what one
    seat saw (:mod:`sniffai.events` has the form of an event); or the notes of a table, a seat's record.

    :raises NotationError: it cannot be read; ``field`` is such as ``"line 12"``.
    :raises RecordError: it can be read, but is not true; ``field`` is such as ``"line 37: round 3, event 6"`` or
        ``"events[5]"``.
    :raises SniffError: a view that breaks a rule.
    """
    start = read_kind(text, str, "text", "NOT_TEXT", NotationError).lstrip()
    if start.startswith("{"):
        return _read_json(text)
    if start.startswith("round ") and "leader=" in start.partition("\n")[0]:
        return Subject.of_rounds([Round.from_text(text.strip())])
    if start.startswith(("view ", "snapshot ")):
        return Subject.of_view(View.from_text(text.strip()))
    if looks_like_notes(text):
        return _of_notes(text)
    return of_record(parse_match(text))


def _of_notes(text: str) -> Subject:
    noted = read_noted(text)
    return Subject.of_view(noted) if isinstance(noted, View) else Subject.of_seat_record(noted)


def of_record(record: MatchRecord) -> Subject:
    """The rounds of a match record, replayed.

    :raises RecordError: it is not true, or has no round; ``field`` is such as ``"line 37: round 3, event 6"``.
    """
    read_kind(record, MatchRecord, "record", "WRONG_TYPE", RecordError)
    try:
        return Subject.of_rounds(record.replay(), record.tags)
    except RecordError as error:
        raise RecordError(error.message, reason=error.reason, field=record.place(error.field)) from None


def _read_json(text: str) -> Subject:
    value = parse_object_or_traces(text)
    if not isinstance(value, dict):
        return _replayed(value)
    position = read_round_events(value)
    return Subject.of_view(position) if isinstance(position, View) else Subject.of_rounds([position])


def read_round_events(value: Mapping[str, Any]) -> Round | View:
    """A round with all hands known, or one as a seat saw it, from its raw events: see :func:`read_subject`.

    :raises NotationError: it is neither.
    :raises RecordError: it is not true.
    :raises SniffError: a view that breaks a rule.
    """
    if "hands" in value:
        return _read_round(value)
    if "hand" in value and "events" in value:
        return View.from_events(**_fields(value, _VIEW))
    raise NotationError(
        'a trace with "steps", or a round with "hands" or a "hand" and "events" is expected', reason="UNREADABLE"
    )


def read_trace_rounds(traces: Iterable[Trace]) -> tuple[Round, ...]:
    """The rounds of traces, replayed and compared.

    :param traces: each with the number of its line.
    :raises RecordError: one is not true; ``field`` is such as ``"line 2: round 2, steps[4].points"``.
    """
    rounds: list[Round] = []
    for line, trace in traces:
        try:
            rounds.append(replay_trace(trace))
        except RecordError as error:
            place = f"line {line}: round {len(rounds) + 1}, {error.field}"
            raise RecordError(error.message, reason=error.reason, field=place) from None
    return tuple(rounds)


def _replayed(traces: Sequence[Trace]) -> Subject:
    """The rounds of traces, as one match."""
    rounds, lines = read_trace_rounds(traces), [line for line, _ in traces]
    try:
        return Subject.of_rounds(rounds)
    except RecordError as error:
        number = int(error.field.partition("[")[2].partition("]")[0] or 0)
        place = f"line {lines[number]}: round {number + 1}" if lines else ""
        raise RecordError(error.message, reason=error.reason, field=place) from None


def _read_round(value: Mapping[str, Any]) -> Round:
    """A round with all hands known, from its moves or from its events, which are compared with the rules."""
    if "moves" in value:
        round_ = Round(**_fields(value, _ROUND, "moves"))
        _play_all(round_, value["moves"])
        return round_
    round_ = Round(**_fields(value, _ROUND, "events"))
    start = round_.start
    events = read_events(value.get("events", ()))
    for i, event in enumerate(events):
        if isinstance(event, Play) and not round_.over and event.seat == round_.seat:
            try:
                points = round_.play(event.move)
            except SniffError as error:
                raise error.at(f"events[{i}]") from None
            if event.points is None:
                events = (*events[:i], replace(event, points=points), *events[i + 1 :])
    ending = Ending(round_.went_out, round_.blocked, round_.match_winner)
    return RoundRecord(start, events, ending, round_.scores).replay()


def _play_all(round_: Round, moves: Any) -> None:
    if not isinstance(moves, list):
        raise RecordError("a list of moves is expected", reason="WRONG_TYPE", field="moves")
    for i, move in enumerate(moves):
        try:
            round_.play(move)
        except SniffError as error:
            raise error.at(f"moves[{i}]") from None


def _fields(value: Mapping[str, Any], names: tuple[str, ...], *further: str) -> dict[str, Any]:
    """The fields of an object, which has these, perhaps ``further`` ones, and no others.

    :raises RecordError: one is missing, or there is no such field.
    """
    for name in value if names is _VIEW else ():
        check_kind_of_view(name, "view")
    check_members(value, names, further)
    return {name: value[name] for name in names}
