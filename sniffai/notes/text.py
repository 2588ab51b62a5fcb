"""The notes of a table as a text: its rounds, one after the other."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sniffai.checks import shown
from sniffai.errors import NotationError, SniffError, ViewError
from sniffai.history import Position
from sniffai.notes.handwriting import plain
from sniffai.notes.lines import SHARED, SNAPSHOT, Block, numbers, place_of, read_blocks, read_parts
from sniffai.notes.round import RoundReader
from sniffai.notes.seats import Seats, read_seats
from sniffai.notes.table import read_table
from sniffai.rules import TEAMS
from sniffai.settlement import check_after, check_scores, known_scores_after
from sniffai_ext.view import View as CoreView

_BEGINNING: Final = re.compile(r"(?mi)(?:^|;)[ \t]*(?:players|seat)[ \t]+[^\s=]")
_OPEN: Final = re.compile(r"(?mi)(?:^|;)[ \t]*talon[ \t]+[^\s;]+[ \t]+[^\s#;]")


def looks_like_notes(text: str) -> bool:
    """Whether a text is, or is meant to be, the notes of a table: no talon, as a match record has it."""
    text = plain(text)
    return _BEGINNING.search(text) is not None and _OPEN.search(text) is None


@dataclass(frozen=True, slots=True)
class NotedRound:
    """What the notes say of one round."""

    scores: tuple[int, ...]
    """Before the round; now, if it is a snapshot."""
    position: Position
    after: tuple[int, ...] | None = None
    """The scores after it, where they were written down."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """The line of each part by its path: ``{"events[5]": 9}``."""


@dataclass(frozen=True, slots=True)
class Notes:
    """What a text says."""

    players: int
    seat: int
    rounds: tuple[NotedRound, ...]
    tags: tuple[tuple[str, str], ...] = ()


def parse_notes(text: str) -> Notes:
    """What the notes of a table say. Every event is checked by the rules.

    :raises NotationError: they cannot be read; ``field`` is such as ``"line 9"``.
    :raises SniffError: something breaks a rule; ``field`` is such as ``"line 9: event 8"``.
    """
    if not isinstance(text, str):
        raise NotationError(f"text is expected, not {shown(text)}", reason="NOT_TEXT", field="text")
    tags, parts = read_parts(text)
    head, blocks = read_blocks(parts)
    seats = read_seats(head, blocks, tags)
    reader = _Reader(seats, len(blocks) > 1)
    rounds = tuple(reader.read(block) for block in blocks)
    return Notes(seats.players, seats.own, rounds, tuple(tags.items()))


class _Reader:
    """Reads the rounds one after the other."""

    def __init__(self, seats: Seats, several: bool) -> None:
        self._seats = seats
        self._several = several
        self._before: tuple[int, ...] | None = None
        """The scores before the next round, where they are known."""
        self._leader: int | None = None
        """Who leads it, where a seat went out."""

    def read(self, block: Block) -> NotedRound:
        """One round."""
        lines = {key: part.line for key, part in block.fields.items()}
        try:
            if _is_snapshot(block):
                scores, snapshot = read_table(block, self._seats, lines)
                return NotedRound(scores, snapshot, None, lines)
            return self._history(block, lines)
        except SniffError as error:
            if error.field.startswith("line "):
                raise
            place = place_of(lines, error.field, block.number - 1 if self._several else None)
            raise type(error)(error.message, reason=error.reason, field=place) from None

    def _history(self, block: Block, lines: dict[str, int]) -> NotedRound:
        _check_words(block)
        scores = self._scores(block)
        history, core = RoundReader(self._seats, block, scores, self._leader, lines).read()
        part = block.fields.get("after")
        after = None if part is None else numbers(part, part.words)
        if after is not None:
            check_after(core, after)
        self._follow(core, after)
        return NotedRound(scores, history, after, lines)

    def _follow(self, core: CoreView, after: tuple[int, ...] | None) -> None:
        """What a round leaves to the next one."""
        known = known_scores_after(core) if core.over else None
        self._before = known if after is None else after
        self._leader = core.went_out if core.went_out >= 0 else None

    def _scores(self, block: Block) -> tuple[int, ...]:
        """The scores before the round."""
        given = [block.fields[key] for key in ("before", "scores") if key in block.fields]
        if len(given) > 1:
            given[1].refuse("the scores before the round are given twice")
        if not given:
            return self._known_scores(block)
        words: Sequence[str] = given[0].words
        if "scores" in block.fields:
            if words[0].lower() != "before":
                given[0].refuse(
                    "are these the scores before the round or now? write 'scores before …' or 'scores now …'"
                )
            words = words[1:]
        scores = numbers(given[0], words)
        if self._before is not None:
            check_scores(self._before, scores)
        return scores

    def _known_scores(self, block: Block) -> tuple[int, ...]:
        """The scores before a round that does not tell them."""
        if block.number == 1:
            return (0,) * TEAMS[self._seats.players]
        if self._before is None:
            raise NotationError(
                f"the scores before round {block.number} are not known, as hidden hands were settled: write 'after …'"
                f" in round {block.number - 1}, or 'before …' here",
                reason="UNREADABLE",
                field=f"line {block.line}",
            )
        return self._before


def _is_snapshot(block: Block) -> bool:
    """Whether it tells the table now, without its history."""
    now = any(part.words[0].lower() == "now" for part in block.fields.values())
    return "table" in block.fields or (now and not block.events)


def _check_words(block: Block) -> None:
    """A record of events has nothing of a snapshot.

    :raises ViewError: it has.
    """
    for keyword, part in block.fields.items():
        now = keyword in SHARED and part.words[0].lower() == "now"
        if keyword in SNAPSHOT or now:
            word = f"{keyword} now" if now else keyword
            raise ViewError(
                f"{word!r} belongs to a snapshot, which has no events; a record of events has the hand as dealt and the"
                " scores before the round",
                reason="SNAPSHOT_IN_RECORD",
                field=f"line {part.line}",
            )
