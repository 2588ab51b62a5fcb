"""The record of a match as one seat saw it: its own hands and every event; the other hands stay hidden.

Its text is the notes of a table (docs/notation.md), which :mod:`sniffai.notes` reads.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from sniffai.checks import is_listed, read_integers, shown
from sniffai.errors import RecordError, ViewError
from sniffai.history import History, Snapshot
from sniffai.notes import Notes, parse_notes
from sniffai.records.matchfile import checked_tags, ending_text, event_line
from sniffai.records.record import Ending, MatchRecord, check_tags, place_of
from sniffai.settlement import check_after, check_leader, check_scores, known_scores_after
from sniffai.tags import tag_lines
from sniffai.view import View

_TYPE: Final = "WRONG_TYPE"
SECRET_TAGS: Final = ("Seed",)
"""Tags of a record that tell the deals: no seat's record has them."""


@dataclass(frozen=True, slots=True)
class SeatRound:
    """One round as the seat saw it.

    :raises RecordError: a part is not of its type, or the scores after the round cannot be.
    """

    view: View
    """A history, to the end of the round or as far as it was noted."""
    after: tuple[int, ...] | None = None
    """The scores after it, where they are known: what the table counted, or what follows from the rules."""
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    """The line of a text that a part was read from, by its path: ``{"events[5]": 9}``."""

    def __post_init__(self) -> None:
        if not isinstance(self.view, View):
            raise _wrong(_TYPE, f"a View is expected, not {shown(self.view)}", "view")
        if not isinstance(self.view.position, History):
            raise _wrong("NO_EVENTS", "a snapshot has no events: a record needs the history of the round", "view")
        if not isinstance(self.lines, Mapping):
            raise _wrong(_TYPE, f"a Mapping is expected, not {shown(self.lines)}", "lines")
        if self.after is None:
            core = self.view.core()
            object.__setattr__(self, "after", known_scores_after(core) if core.over else self.view.scores_now)
            return
        try:
            object.__setattr__(self, "after", read_integers(self.after, "after"))
        except ViewError as error:
            raise _wrong(error.reason, error.message, error.field) from None
        check_after(self.view.core(), self.after)

    @property
    def ending(self) -> Ending:
        """How the round ended."""
        view = self.view
        return Ending(view.went_out, view.blocked, view.match_winner)


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """The rounds of a match, or of a part of one, as one seat saw them. Each follows from the one before.

    :raises RecordError: there is no round, or one cannot follow; ``field`` is such as ``"rounds[1].leader"``.
    """

    rounds: tuple[SeatRound, ...]
    """In the order of play; only the last may be unfinished."""
    tags: tuple[tuple[str, str], ...] = ()
    """Name and text of each, such as ``("Seat0", "Ann")``."""

    def __post_init__(self) -> None:
        if not isinstance(self.rounds, tuple):
            raise _wrong(_TYPE, f"a tuple is expected, not {shown(self.rounds)}", "rounds")
        if not self.rounds:
            raise _wrong("NO_ROUNDS", "a record has at least one round", "rounds")
        for i, round_ in enumerate(self.rounds):
            if not isinstance(round_, SeatRound):
                raise _wrong(_TYPE, f"a SeatRound is expected, not {shown(round_)}", f"rounds[{i}]")
        check_tags(self.tags)
        for i in range(1, len(self.rounds)):
            try:
                _check_follows(self.rounds[i - 1], self.rounds[i].view)
            except RecordError as error:
                raise error.at(f"rounds[{i}]") from None

    @classmethod
    def of(
        cls, views: Iterable[View], after: Iterable[int] | None = None, tags: Mapping[str, str] | None = None
    ) -> Self:
        """The record of what a seat saw of rounds that followed one another.

        :param views: the history of each round.
        :param after: the scores after the last one, where they are known; those of the others are what the next one
            begins with.
        :raises RecordError: the rounds cannot follow each other.
        """
        if not is_listed(views):
            raise _wrong(_TYPE, f"a list of views is expected, not {shown(views)}", "rounds")
        if tags is not None and not isinstance(tags, Mapping):
            raise _wrong(_TYPE, f"texts by name are expected, not {shown(tags)}", "tags")
        seen = tuple(views)
        if after is not None and not is_listed(after):
            raise _wrong(_TYPE, f"a list of scores is expected, not {shown(after)}", "after")
        last = None if after is None else tuple(after)
        rounds = [_round_of(view, i, seen, last) for i, view in enumerate(seen)]
        return cls(tuple(rounds), tuple((tags or {}).items()))

    @classmethod
    def seen_by(cls, record: MatchRecord, seat: int) -> Self:
        """What a seat saw of a match whose hands are all known.

        :raises RecordError: the record is not true.
        :raises ViewError: there is no such seat.
        """
        if not isinstance(record, MatchRecord):
            raise _wrong(_TYPE, f"a MatchRecord is expected, not {shown(record)}", "record")
        rounds = tuple(SeatRound(round_.view(seat), round_.scores) for round_ in record.replay())
        return cls(rounds, tuple(tag for tag in record.tags if tag[0] not in SECRET_TAGS))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read :meth:`to_text` back, or any notes of a table that have its events.

        :raises NotationError: the text cannot be read; ``field`` is such as ``"line 9"``.
        :raises SniffError: it breaks a rule; ``field`` is such as ``"line 9: round 2, event 8"``.
        """
        return cls._from_notes(parse_notes(text))

    @classmethod
    def _from_notes(cls, notes: Notes) -> Self:
        """The record that notes are.

        :raises RecordError: the rounds cannot follow each other, or one is a snapshot.
        """
        lines = [round_.lines for round_ in notes.rounds]
        rounds: list[SeatRound] = []
        try:
            for i, noted in enumerate(notes.rounds):
                view = View(notes.players, notes.seat, noted.scores, noted.position)
                try:
                    rounds.append(SeatRound(view, noted.after, noted.lines))
                except RecordError as error:
                    raise error.at(f"rounds[{i}]") from None
            return cls(tuple(rounds), notes.tags)
        except RecordError as error:
            raise RecordError(error.message, reason=error.reason, field=place_of(lines, error.field)) from None

    def to_text(self) -> str:
        """The record as the notes of a table, each event in a line.

        :raises RecordError: a tag that the form cannot hold.
        """
        tags = tag_lines(checked_tags(self.tags))
        head = [f"players {self.players}", f"seat {self.seat}"]
        rounds = [_round_lines(i, part) for i, part in enumerate(self.rounds, start=1)]
        blocks = [*([tags] if tags else []), head, *rounds]
        return "\n\n".join("\n".join(block) for block in blocks) + "\n"

    @property
    def players(self) -> int:
        """Seats, 2..4."""
        return self.rounds[0].view.players

    @property
    def seat(self) -> int:
        """Whose record it is."""
        return self.rounds[0].view.seat

    @property
    def views(self) -> tuple[View, ...]:
        """What the seat knows of each round."""
        return tuple(round_.view for round_ in self.rounds)

    def place(self, path: str) -> str:
        """Where a :class:`RecordError`'s field is, for a person: ``"line 37: round 3, event 6"``."""
        return place_of([round_.lines for round_ in self.rounds], path)


def read_noted(text: str) -> "SeatRecord | View":
    """What the notes of a table are: a record, or the view of a snapshot.

    :raises SniffError: as :meth:`SeatRecord.from_text`.
    """
    notes = parse_notes(text)
    last = notes.rounds[-1]
    if len(notes.rounds) == 1 and isinstance(last.position, Snapshot):
        return View(notes.players, notes.seat, last.scores, last.position)
    return SeatRecord._from_notes(notes)


def _round_of(view: View, number: int, views: tuple[View, ...], last: tuple[int, ...] | None) -> SeatRound:
    """A round whose scores after it are those that the next one begins with."""
    following = views[number + 1] if number + 1 < len(views) else None
    after = last
    if following is not None:
        round_over = isinstance(view, View) and isinstance(following, View) and view.over
        after = following.scores if round_over and view.match_winner is None else None
    try:
        return SeatRound(view, after)
    except RecordError as error:
        place = f"rounds[{number + 1}].before" if following is not None and error.field == "after" else ""
        if place:
            raise RecordError(error.message, reason=error.reason, field=place) from None
        raise error.at(f"rounds[{number}]") from None


def _check_follows(before: SeatRound, view: View) -> None:
    """Whether a round can follow another one (docs/rules.md §2, §6, §7).

    :raises RecordError: it cannot.
    """
    last = before.view
    if (view.players, view.seat) != (last.players, last.seat):
        message = f"the round before is of seat {last.seat} of {last.players}"
        message += f", this one of seat {view.seat} of {view.players}"
        raise _wrong("WRONG_SEAT", message, "seat")
    if not last.over:
        raise _wrong("ROUND_UNFINISHED", "the round before is not over", "")
    if last.match_winner is not None:
        raise _wrong("MATCH_OVER", f"team {last.match_winner} has won the match in the round before", "")
    if before.after is None:
        check_after(last.core(), view.scores, "before")
    else:
        check_scores(before.after, view.scores)
    check_leader(last.went_out, view.leader)


def _round_lines(number: int, record: SeatRound) -> list[str]:
    view = record.view
    return [
        f"round {number}",
        f"leader {view.leader}",
        f"before {_numbers(view.scores)}",
        f"hand {view.seat} {' '.join(map(str, view.dealt or ()))}",
        *map(event_line, view.events),
        f"end {ending_text(record.ending)}",
        *([] if record.after is None else [f"after {_numbers(record.after)}"]),
    ]


def _numbers(values: Iterable[int]) -> str:
    return " ".join(map(str, values))


def _wrong(reason: str, message: str, path: str) -> RecordError:
    return RecordError(message, reason=reason, field=path)
