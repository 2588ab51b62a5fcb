"""The record of a match: what was dealt, what happened, what the scores were. It can be replayed and checked.

:mod:`sniffai.records.matchfile` reads and writes it as text.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from sniffai.checks import is_listed, shown
from sniffai.deal import Deal
from sniffai.errors import RecordError, SniffError
from sniffai.events import Draw, Event, Pass, Play, check_event
from sniffai.round import Round
from sniffai.rules import PLAYERS

_TYPE: Final = "WRONG_TYPE"
_MOST: Final = 99_999


@dataclass(frozen=True, slots=True)
class Ending:
    """How a round ended; a round in which none of the three happened is unfinished."""

    went_out: int | None = None
    """The seat that placed its last tile."""
    blocked: bool = False
    """Whether no seat could play any more."""
    match_winner: int | None = None
    """The team that reached the target."""

    @property
    def unfinished(self) -> bool:
        """Whether the round has not ended."""
        return self == Ending()

    def __str__(self) -> str:
        if self.match_winner is not None:
            return f"team {self.match_winner} wins the match"
        if self.went_out is not None:
            return f"seat {self.went_out} goes out"
        return "blocked" if self.blocked else "unfinished"


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """What a record says of one round. None of it is checked before :meth:`replay`.

    :raises RecordError: a part is not of its type.
    """

    start: Deal
    """The deal, the leader, the scores before."""
    events: tuple[Event, ...]
    """Placements with their points, draws with their tiles, passes."""
    ending: Ending
    """How it ended."""
    after: tuple[int, ...]
    """Points after the round, one number a team."""
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    """The line of a file that a part was read from, by its path: ``{"events[5]": 37}``."""

    def __post_init__(self) -> None:
        for name, kind in (
            ("start", Deal),
            ("events", tuple),
            ("ending", Ending),
            ("after", tuple),
            ("lines", Mapping),
        ):
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise _wrong(_TYPE, f"a {kind.__name__} is expected, not {shown(value)}", name)
        ending = self.ending
        named = {"ending.went_out": ending.went_out, "ending.match_winner": ending.match_winner}
        named |= {f"after[{i}]": points for i, points in enumerate(self.after)}
        for path, number in named.items():
            if number is not None and (type(number) is not int or abs(number) > _MOST):
                raise _wrong(_TYPE, f"a whole number of at most 5 digits is expected, not {shown(number)}", path)

    @classmethod
    def of(cls, round_: Round) -> Self:
        """The record of a round as it was played."""
        ending = Ending(round_.went_out, round_.blocked, round_.match_winner)
        return cls(round_.start, round_.history, ending, round_.scores)

    def replay(self) -> Round:
        """Play the round again and compare everything.

        :raises RecordError: the first thing that is wrong; ``field`` is such as ``"events[5]"`` or ``"hands[1]"``.
        """
        try:
            round_ = Round.from_deal(self.start)
        except SniffError as error:
            path = error.field.replace("scores", "before", 1)
            raise RecordError(error.message, reason=error.reason, field=path) from None
        for i, event in enumerate(self.events):
            _replay_event(round_, i, event)
        _check_ending(round_, self)
        return round_


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """The rounds of a match, or of a part of one, with tags for any other information.

    :raises RecordError: a part is not of its type.
    """

    players: int
    """Seats, 2..4."""
    rounds: tuple[RoundRecord, ...]
    """In the order of play."""
    tags: tuple[tuple[str, str], ...] = ()
    """Name and text of each, such as ``("Date", "2026-11-30")`` or ``("Seat0", "Ann")``."""

    def __post_init__(self) -> None:
        if type(self.players) is not int or self.players not in PLAYERS:
            raise RecordError(
                f"a match has 2..4 seats, not {shown(self.players)}", reason="PLAYERS_OUT_OF_RANGE", field="players"
            )
        if not isinstance(self.rounds, tuple):
            raise RecordError(f"a tuple is expected, not {shown(self.rounds)}", reason=_TYPE, field="rounds")
        for i, record in enumerate(self.rounds):
            if not isinstance(record, RoundRecord):
                raise RecordError(f"a RoundRecord is expected, not {shown(record)}", reason=_TYPE, field=f"rounds[{i}]")
        check_tags(self.tags)

    @classmethod
    def of(cls, rounds: Iterable[Round], tags: Mapping[str, str] | None = None) -> Self:
        """The record of rounds as they were played, one after the other.

        :param tags: any other information; a name in the file form has no blank, quote, bracket or #.
        :raises RecordError: there is no round, or a tag is not text.
        """
        if not is_listed(rounds):
            raise RecordError(f"a list of rounds is expected, not {shown(rounds)}", reason=_TYPE, field="rounds")
        records = tuple(_record_of(round_, i) for i, round_ in enumerate(rounds))
        if tags is not None and not isinstance(tags, Mapping):
            raise RecordError(f"texts by name are expected, not {shown(tags)}", reason=_TYPE, field="tags")
        if not records:
            raise RecordError("a match has at least one round", reason="NO_ROUNDS", field="rounds")
        return cls(records[0].start.players, records, tuple((tags or {}).items()))

    def replay(self) -> tuple[Round, ...]:
        """Play every round again and compare everything, from round to round as well (docs/rules.md §2, §6, §7).

        A record may begin in mid-match: the scores before its first round are not checked.

        :raises RecordError: the first thing that is wrong; ``field`` is such as ``"rounds[2].events[5]"``.
        """
        played: list[Round] = []
        for i, record in enumerate(self.rounds):
            try:
                self._check_start(record.start, played[-1] if played else None)
                played.append(record.replay())
            except SniffError as error:
                raise error.at(f"rounds[{i}]") from None
        return tuple(played)

    def _check_start(self, start: Deal, before: Round | None) -> None:
        if start.players != self.players:
            message = f"the match has {self.players} seats, but this round has {start.players}"
            raise _wrong("WRONG_PLAYERS", message, "players")
        if before is not None:
            check_follows(before, start, scores="before")

    def place(self, path: str) -> str:
        """Where a :class:`RecordError`'s field is, for a person: ``"line 37: round 3, event 6"``."""
        return place_of([record.lines for record in self.rounds], path)


def place_of(lines: Sequence[Mapping[str, int]], path: str) -> str:
    """Where a part of a record is, for a person.

    :param lines: by round the line of each part by its path.
    :raises RecordError: there is no such round.
    """
    match = re.match(r"rounds\[(\d{1,9})\]\.?(.*)", path) if isinstance(path, str) else None
    if isinstance(path, str) and not path.startswith("rounds["):
        return path
    if match is None or int(match[1]) >= len(lines):
        raise RecordError(f"{shown(path)} is not a place of the record", reason="NO_SUCH_PLACE", field="path")
    number, rest = int(match[1]), match[2]
    part = re.match(r"events\[(\d{1,9})\]", rest)
    what = f"round {number + 1}" + (f", event {int(part[1]) + 1}" if part else f", {rest}" if rest else "")
    line = _line_of(lines[number], rest)
    return what if line is None else f"line {line}: {what}"


def _record_of(round_: Round, number: int) -> RoundRecord:
    if not isinstance(round_, Round):
        raise RecordError(f"a Round is expected, not {shown(round_)}", reason=_TYPE, field=f"rounds[{number}]")
    return RoundRecord.of(round_)


def check_tags(tags: object) -> None:
    """A tuple of pairs of texts that UTF-8 can hold."""
    if not isinstance(tags, tuple):
        raise RecordError(f"a tuple of tags is expected, not {shown(tags)}", reason=_TYPE, field="tags")
    for i, tag in enumerate(tags):
        if not (isinstance(tag, tuple) and len(tag) == 2 and all(map(_is_text, tag))):
            raise RecordError(f"a tag is a name and a text, not {shown(tag)}", reason="BAD_TAG", field=f"tags[{i}]")


def _is_text(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(value.encode() or True)
    except UnicodeEncodeError:
        return False


def check_recorded(event: object, path: str) -> None:
    """Check the parts of a recorded event.

    :raises RecordError: one is wrong; ``field`` is the part.
    """
    try:
        check_event(event, path)
    except SniffError as error:
        raise RecordError(error.message, reason=error.reason, field=error.field) from None


def _replay_event(round_: Round, number: int, claimed: Event) -> None:
    """Compare one recorded event with what the rules allow; play it if it is a placement."""
    path, history = f"events[{number}]", round_.history
    check_recorded(claimed, path)
    if number < len(history):
        if claimed != history[number]:
            raise _wrong(
                _forced_reason(claimed),
                f"by the rules, {_say(history[number])} here; the record says: {_say(claimed)}",
                path,
            )
        return
    if round_.over:
        raise _wrong("ROUND_OVER", f"the round is over; the record says: {_say(claimed)}", path)
    if claimed.seat != round_.seat:
        raise _wrong("WRONG_SEAT", f"it is the turn of seat {round_.seat}; the record says: {_say(claimed)}", path)
    if not isinstance(claimed, Play):
        raise _wrong(
            _forced_reason(claimed),
            f"seat {round_.seat} can place a tile and must; the record says: {_say(claimed)}",
            path,
        )
    try:
        points = round_.play(claimed.move)
    except SniffError as error:
        raise RecordError(f"{_say(claimed)}: {error.message}", reason=error.reason, field=path) from None
    if claimed.points != points:
        layout = round_.layout
        raise _wrong(
            "WRONG_POINTS",
            f"the count is {layout.count}, which scores {points}; the record says {claimed.points}",
            path,
        )


def _check_ending(round_: Round, record: RoundRecord) -> None:
    """Check that nothing is missing after the last recorded event, and that the end and the scores are right."""
    history = round_.history
    if len(history) > len(record.events):
        raise _wrong(
            "EVENT_MISSING",
            f"by the rules, {_say(history[len(record.events)])} before the end; the record does not say so",
            "ending",
        )
    ending = Ending(round_.went_out, round_.blocked, round_.match_winner)
    if ending != record.ending:
        raise _wrong("WRONG_ENDING", f"by the rules: {ending}; the record says: {record.ending}", "ending")
    if round_.scores != record.after:
        raise _wrong(
            "WRONG_SCORES",
            f"by the rules: {_numbers(round_.scores)}; the record says: {_numbers(record.after)}",
            "after",
        )


def check_follows(before: Round, start: Deal, *, scores: str = "scores") -> None:
    """Check that a round begins as the one before it ended (docs/rules.md §2, §6, §7).

    :param scores: the caller's name for the scores before the round, for errors.
    :raises RecordError: it does not.
    """
    if start.players != before.players:
        raise _wrong(
            "WRONG_PLAYERS", f"the round before has {before.players} seats, this round has {start.players}", "players"
        )
    if not before.over:
        raise _wrong("ROUND_UNFINISHED", "the round before is not over", "")
    if before.match_winner is not None:
        raise _wrong("MATCH_OVER", f"team {before.match_winner} has won the match in the round before", "")
    if start.scores != before.scores:
        message = f"the round before ended at {_numbers(before.scores)}, not at {_numbers(start.scores)}"
        raise _wrong("WRONG_SCORES", message, scores)
    if before.went_out not in (None, start.leader):
        raise _wrong("WRONG_LEADER", f"seat {before.went_out} went out, so it leads, not seat {start.leader}", "leader")


def _forced_reason(claimed: Event) -> str:
    return {Play: "EVENT_MISSING", Draw: "WRONG_DRAW", Pass: "WRONG_PASS"}[type(claimed)]


def _say(event: Event) -> str:
    """An event in words."""
    if isinstance(event, Play):
        return f"seat {event.seat} places {event.move}"
    if isinstance(event, Draw):
        return f"seat {event.seat} draws {' '.join(map(str, event.tiles or ()))}"
    return f"seat {event.seat} passes"


def _numbers(values: Iterable[int]) -> str:
    return " ".join(map(str, values))


def _wrong(reason: str, message: str, path: str) -> RecordError:
    return RecordError(message, reason=reason, field=path)


def _line_of(lines: Mapping[str, int], path: str) -> int | None:
    """The line of a part, or of the smallest part around it that has one; the round's own for the whole."""
    while path and path not in lines:
        path = path[: max(path.rfind("["), path.rfind("."), 0)]
    return lines.get(path)
