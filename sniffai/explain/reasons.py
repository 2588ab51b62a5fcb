"""Why a move is good: reasons with numbers, each computed from the rules, the exact belief or the analysis.

A reason is never an opinion about a move: it states a number that anyone can compute again. Which reasons are given,
and in which order, is a matter of judgement: first what leaves no choice, then by how many points, roughly, the number
tells the move from the others (:attr:`Reason.weight`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Final

from sniffai.checks import read_kind
from sniffai.errors import ViewError
from sniffai.explain.facts import SUITS, Facts, MoveFacts
from sniffai.moves import Move, MoveLike
from sniffai.search.analysis import Analysis, MoveEvaluation
from sniffai.tiles import TILES, Tile
from sniffai.view import View
from sniffai_ext.root_statistics import MATCH_POINTS


class ReasonKind(StrEnum):
    """What a reason is about. *The other moves* are all other legal ones, or the one that is compared with."""

    FORCED = "forced"
    """There is nothing to choose: it is the only legal move, and ``only`` holds; or the tile is the only one that fits,
    and its ``count`` attachment points all lead to the same future."""
    DRAWN_TILE = "drawn_tile"
    """``tile`` was drawn just now and must be placed: only its place is a choice (docs/rules.md §5)."""
    WINS_MATCH = "wins_match"
    """It scores ``points``, and the team's score of ``score`` reaches the target (§7)."""
    GOES_OUT = "goes_out"
    """It is the last tile of the hand: the seat goes out, and leads the next round (§2, §6)."""
    BLOCKS_ROUND = "blocks_round"
    """No tile fits any more: the round ends blocked. ``pips`` are left in the own hand."""
    CHANCE = "chance"
    """The analysis gives the mover's team the chance ``probability`` to win the match, with a standard error of
    ``error`` (of a probability, too); ``other`` is the highest after another move that it looked at."""
    VALUE = "value"
    """The analysis expects a margin of ``value`` points for the mover's team with a standard error of ``error``, 0
    where the end was solved; ``other`` is the most that it expects of another move that it looked at. Moves whose
    error is not known have no part in it."""
    SCORES = "scores"
    """It scores ``points``; ``other``, which is less, is the most that another move scores."""
    LOWERS_THREAT = "lowers_threat"
    """The best placement that ``seat``, the next, can make of the tiles it holds is expected to score ``value``; on the
    table as it lies it would be ``before``."""
    LOW_REPLY = "low_reply"
    """The best placement that ``seat``, the next, can make of the tiles it holds is expected to score ``value``; after
    every other move at least ``other``."""
    FORCES_DRAW = "forces_draw"
    """No tile that ``seat``, the next, holds now fits, with ``probability``: it must draw. ``other`` is the highest
    such chance after another move."""
    FORCES_PASS = "forces_pass"
    """The same with an empty talon: it must pass."""
    BLOCKS_SUIT = "blocks_suit"
    """``suit`` can be joined to now and could not before; ``seat``, the next, holds none of it with ``probability``."""
    KEEPS_SUIT = "keeps_suit"
    """``suit`` can be joined to after it, and the seat keeps ``count`` tiles of it, while only ``left`` others are not
    on the table."""
    KEEPS_MOVES = "keeps_moves"
    """``count`` tiles of the rest of the hand fit the table as it leaves it; after another move at most ``other``."""
    SHEDS_PIPS = "sheds_pips"
    """It rids the hand of ``pips`` while ``seat`` holds only ``count`` tiles; ``other`` is the most that another move
    rids it of. ``probability``: that ``seat`` is next and can place its one tile."""
    PLAYS_SNIFF = "plays_sniff"
    """``tile`` is the first double of the round: the sniff (§3)."""
    OPENS_SIDES = "opens_sides"
    """Both line ports of the sniff, ``tile``, are joined now: its side branches open (§3)."""
    PLAYS_DOUBLE = "plays_double"
    """``tile`` is a double, which fits one suit only; ``left`` tiles of that suit are neither on the table nor in the
    hand."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason; :class:`ReasonKind` says which numbers it has and what they mean, the others are ``None``."""

    kind: ReasonKind
    weight: float = 0.0
    """By how much it tells the move from the others, roughly in points; reasons come in descending order of it."""
    only: bool = False
    """Whether the number is positive for this move and 0 for every other: the only move that does it."""
    against: Move | None = None
    """The move compared with; ``None`` if it is all others."""
    seat: int | None = None
    suit: int | None = None
    """Pips, 0..6."""
    tile: Tile | None = None
    points: int | None = None
    score: int | None = None
    count: int | None = None
    left: int | None = None
    pips: int | None = None
    probability: float | None = None
    """0..1, exact up to rounding."""
    value: float | None = None
    """Points."""
    error: float | None = None
    """Of ``value``, in points, or of ``probability``."""
    before: float | None = None
    other: float | None = None
    """The same number for the other moves, the best of them."""

    def to_dict(self) -> dict[str, Any]:
        """What is set, with tiles and moves as text."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        plain = {name: str(value) if isinstance(value, (Tile, Move)) else value for name, value in given.items()}
        return {name: value for name, value in plain.items() if value is not None}


def reasons(view: View, analysis: Analysis, move: MoveLike | None = None) -> tuple[Reason, ...]:
    """What speaks for a move, the weightiest first; empty if there is no tile to place.

    :param analysis: of this view.
    :param move: a legal move; by default the recommended one.
    :raises ViewError: ``view`` is not a :class:`View`.
    :raises LimitsError: ``analysis`` is not an :class:`Analysis`.
    :raises MoveError: the move is not legal.
    :raises SniffError: it cannot be read.
    """
    _check_given(view, analysis)
    if analysis.best is None:
        return ()
    facts = Facts(view)
    mine = facts.find(analysis.best.move if move is None else move)
    others = [other for other in facts.moves if other is not mine]
    return _ordered(_Case(facts, _entries(facts, analysis), mine, others, None))


def compare(view: View, analysis: Analysis, played: MoveLike, best: MoveLike | None = None) -> tuple[Reason, ...]:
    """What one move does better than another, the weightiest first; empty for moves of equal futures.

    :param analysis: of this view.
    :param played: the legal move compared with, such as the one that was played.
    :param best: the better legal move; by default the recommended one.
    :raises ViewError: ``view`` is not a :class:`View`.
    :raises LimitsError: ``analysis`` is not an :class:`Analysis`.
    :raises MoveError: a move is not legal.
    :raises SniffError: a move cannot be read.
    """
    _check_given(view, analysis)
    if analysis.best is None:
        return ()
    facts = Facts(view)
    mine = facts.find(analysis.best.move if best is None else best)
    other = facts.find(played)
    if other is mine:
        return ()
    return _ordered(_Case(facts, _entries(facts, analysis), mine, [other], Move.of(played)))


def _check_given(view: View, analysis: Analysis) -> None:
    read_kind(view, View, "view", "NOT_A_VIEW", ViewError)
    read_kind(analysis, Analysis, "analysis", "NOT_AN_ANALYSIS")


@dataclass(frozen=True, slots=True)
class _Case:
    """A move, and what it is held against."""

    facts: Facts
    entries: Mapping[Move, MoveEvaluation]
    """What the analysis says of each move, by the move of :attr:`MoveFacts`."""
    mine: MoveFacts
    others: Sequence[MoveFacts]
    against: Move | None
    """Set where the one other move is compared with."""

    @property
    def view(self) -> View:
        return self.facts.view

    @property
    def known_others(self) -> list[MoveEvaluation]:
        """What the analysis says of the other moves, where it knows how far that may be off."""
        entries = (self.entries.get(other.move) for other in self.others)
        return [entry for entry in entries if entry is not None and entry.standard_error is not None]

    def contrast(self, number: Callable[[MoveFacts], float]) -> float:
        """The move's number less the mean of the others'."""
        if not self.others:
            return 0.0
        return number(self.mine) - sum(map(number, self.others)) / len(self.others)


def _entries(facts: Facts, analysis: Analysis) -> dict[Move, MoveEvaluation]:
    """What an analysis says of each move that it looked at, moves of equal futures as one."""
    numbers = [(facts.distinct.get(entry.move.codes), entry) for entry in analysis.moves]
    return {facts.moves[number].move: entry for number, entry in reversed(numbers) if number is not None}


def _ordered(case: _Case) -> tuple[Reason, ...]:
    unordered = [reason for source in _SOURCES for reason in source(case)]
    return tuple(sorted(unordered, key=lambda reason: -reason.weight))


# The weights order the reasons, and do nothing else. They are points, roughly: by how many a number tells the move
# from the others. Where a number is not in points, what it counts for was chosen by hand, so that the order reads well
# in positions of all phases. None of it was measured.

_CERTAIN: Final = 1000.0
"""The weight of what leaves no choice, or ends the round or the match: more than any margin."""

_CHANCE_FIRST: Final = 2.5
_VALUE_FIRST: Final = 2.0
"""What the analysis found comes before a fact worth less than about 2 points, and the match before the round."""

_SMALL: Final = 0.1
"""Keeps a fact above the mere kind of a tile (0.04, 0.05) even if it tells the move from the others by nothing."""

_KIND_OF_TILE: Final = 0.05
_SIDES_OPEN: Final = 0.04
"""What kind of tile it is, and that it opens sides, comes last: true, but hardly a reason by itself."""

DRAW_POINTS: Final = 4.0
"""What it costs a seat to have to draw or pass, in points, to weigh such reasons: its turn, and a tile more in hand."""

MOVE_POINTS: Final = 1.0
"""What one more playable tile is worth, in points, to weigh such reasons."""

SUIT_POINTS: Final = 1.5
"""What a suit that the next seat lacks is worth: less than half a forced draw, as it may play at another end."""

LATER_POINTS: Final = 0.3
"""What each further tile for an end is worth that only the seat itself can use: less than a move at once."""

_HARD_TO_PLACE: Final = 0.5
"""The weight of placing a double that is soon hard to place: above its mere kind, below what is worth points."""

LEAST_POINTS: Final = 0.5
"""A reply that is expected to score this much less is worth a reason: as scores are multiples of 5, less is little."""

LEAST_STUCK: Final = 0.25
"""A chance that the next seat cannot play is worth a reason from here on,"""
STUCK_APART: Final = 0.02
"""and if it is higher by this than after any other move: closer ones read as the same per cent."""

SUIT_CHANCE: Final = 0.6
"""Chance from which on a suit counts as one that the next seat lacks."""

FEW_TILES: Final = 2
"""A seat with so few tiles may soon go out."""

FEW_LEFT: Final = 3
"""With fewer unseen tiles of its suit, a double is soon hard to place."""


# The sources: each yields reasons that hold for the move of a case, or none


def _no_choice(case: _Case) -> Iterator[Reason]:
    if case.view.forced is not None and case.against is None:
        yield Reason(ReasonKind.DRAWN_TILE, 2 * _CERTAIN, tile=case.view.forced)
    if not case.others:
        places = len(case.view.legal_moves())
        count = places if places > 1 else None
        yield Reason(ReasonKind.FORCED, 3 * _CERTAIN, only=places == 1, count=count)


def _ends(case: _Case) -> Iterator[Reason]:
    mine, facts = case.mine, case.facts
    if mine.wins:
        score = case.view.scores_now[facts.team] + mine.points
        only = not any(other.wins for other in case.others)
        yield Reason(ReasonKind.WINS_MATCH, _CERTAIN, only, case.against, points=mine.points, score=score)
    elif mine.goes_out:
        yield Reason(ReasonKind.GOES_OUT, _CERTAIN / 2, against=case.against)
    elif mine.blocks:
        only = not any(other.blocks for other in case.others)
        pips = sum(tile.pips for tile in TILES if mine.rest >> tile.index & 1)
        yield Reason(ReasonKind.BLOCKS_ROUND, _CERTAIN / 2, only, case.against, pips=pips)


def _value(case: _Case) -> Iterator[Reason]:
    """What the analysis expects, where it knows and found the move no worse than the others."""
    entry = case.entries.get(case.mine.move)
    if entry is None or entry.expected_margin is None or entry.standard_error is None:
        return
    margins = [
        other_entry.expected_margin for other_entry in case.known_others if other_entry.expected_margin is not None
    ]
    if (case.against and not margins) or (margins and entry.expected_margin < max(margins)):
        return
    other = max(margins, default=None)
    yield Reason(
        ReasonKind.VALUE,
        _VALUE_FIRST + (entry.expected_margin - other if other is not None else 0.0),
        against=case.against,
        value=entry.expected_margin,
        error=entry.standard_error,
        other=other,
    )


def _chance(case: _Case) -> Iterator[Reason]:
    """What the analysis expects of the match, where it knows and found the move no worse than the others."""
    entry = case.entries.get(case.mine.move)
    if entry is None or entry.win_probability is None or entry.win_probability_error is None or case.mine.wins:
        return
    chances = [
        other_entry.win_probability for other_entry in case.known_others if other_entry.win_probability is not None
    ]
    other = max(chances, default=None)
    if other is None or entry.win_probability < other:
        return
    yield Reason(
        ReasonKind.CHANCE,
        _CHANCE_FIRST + MATCH_POINTS * (entry.win_probability - other),
        against=case.against,
        probability=entry.win_probability,
        error=entry.win_probability_error,
        other=other,
    )


def _scores(case: _Case) -> Iterator[Reason]:
    points = case.mine.points
    most = max((other.points for other in case.others), default=None)
    if not points or (most is not None and points <= most):
        return
    weight = case.contrast(lambda move: move.points) + _SMALL
    yield Reason(ReasonKind.SCORES, weight, most == 0, case.against, points=points, other=most)


def _reply(case: _Case) -> Iterator[Reason]:
    """What the next seat can answer: less than it could now, less than after the other moves."""
    mine, seat = case.mine.reply, case.facts.next_seat
    if mine is None:
        return
    replies = [other.reply or 0.0 for other in case.others]
    lowest = min(replies, default=None)
    if lowest is not None and lowest - mine >= LEAST_POINTS:
        weight = sum(replies) / len(replies) - mine
        yield Reason(ReasonKind.LOW_REPLY, weight, against=case.against, seat=seat, value=mine, other=lowest)
    elif case.against is None and case.facts.threat - mine >= LEAST_POINTS:
        weight = case.contrast(lambda move: -(move.reply or 0.0)) + 2 * _SMALL
        yield Reason(ReasonKind.LOWERS_THREAT, weight, seat=seat, value=mine, before=case.facts.threat)


def _stuck(case: _Case) -> Iterator[Reason]:
    mine = case.mine.stuck
    highest = max((other.stuck or 0.0 for other in case.others), default=None)
    if mine is None or mine < LEAST_STUCK or (highest is not None and mine < highest + STUCK_APART):
        return
    kind = ReasonKind.FORCES_DRAW if case.view.talon_size else ReasonKind.FORCES_PASS
    weight = DRAW_POINTS * case.contrast(lambda move: move.stuck or 0.0) + _SMALL
    yield Reason(kind, weight, highest == 0, case.against, seat=case.facts.next_seat, probability=mine, other=highest)


def _suits(case: _Case) -> Iterator[Reason]:
    """Suits that the next seat lacks, suits that the seat itself rules."""
    mine, facts = case.mine, case.facts
    if mine.ends:
        return
    for pips in mine.opened:
        chance = facts.lacks(facts.next_seat, pips)
        if chance >= SUIT_CHANCE and not any(pips in other.opened for other in case.others if case.against):
            weight = SUIT_POINTS * chance
            yield Reason(
                ReasonKind.BLOCKS_SUIT,
                weight,
                against=case.against,
                seat=facts.next_seat,
                suit=pips,
                probability=chance,
            )
    for pips in range(7):
        kept = _kept(mine, facts, pips)
        if kept is None or (case.against is not None and _kept(case.others[0], facts, pips) is not None):
            continue
        held, left = kept
        missing = sum(1 for other in case.others if _kept(other, facts, pips) is None) / max(1, len(case.others))
        # An end that the seat alone can count on, and more for each tile that can go there later.
        weight = _SMALL + missing * (MOVE_POINTS + LATER_POINTS * held)
        yield Reason(ReasonKind.KEEPS_SUIT, weight, against=case.against, suit=pips, count=held, left=left)


def _kept(move: MoveFacts, facts: Facts, pips: int) -> tuple[int, int] | None:
    """Tiles of an open suit in the rest of the hand, and those unseen, where the seat has the most of it."""
    held, left = (move.rest & SUITS[pips]).bit_count(), (facts.unseen & SUITS[pips]).bit_count()
    rules = held > left if left else held > 0
    return (held, left) if not move.ends and rules and move.after.open_pips >> pips & 1 else None


def _mobility(case: _Case) -> Iterator[Reason]:
    mine = case.mine
    most = max((other.playable for other in case.others), default=None)
    if mine.ends or most is None or mine.playable <= most:
        return
    # After every other move the seat would have to draw next time: worth half of DRAW_POINTS, as the table may change.
    stays = DRAW_POINTS / 2 if most == 0 else 0.0
    weight = MOVE_POINTS * case.contrast(lambda move: float(move.playable)) + stays
    yield Reason(ReasonKind.KEEPS_MOVES, weight, most == 0, case.against, count=mine.playable, other=most)


def _pips(case: _Case) -> Iterator[Reason]:
    """Heavy tiles gone before somebody may go out."""
    view, mine = case.view, case.mine
    most = max((other.move.tile.pips for other in case.others), default=None)
    if mine.ends or most is None or mine.move.tile.pips <= most:
        return
    sizes = {seat: size for seat, size in enumerate(view.hand_sizes) if seat != view.seat}
    seat = min(sizes, key=lambda other: (sizes[other], (other - view.seat) % view.players))
    if sizes[seat] > FEW_TILES:
        return
    chance = 1.0 - (mine.stuck or 0.0) if sizes[seat] == 1 and seat == case.facts.next_seat else None
    # A pip costs a point if the seat goes out. How likely that is, is known only if it is next with its last tile;
    # else it is taken to be a half.
    weight = case.contrast(lambda move: float(move.move.tile.pips)) * (0.5 if chance is None else chance)
    yield Reason(
        ReasonKind.SHEDS_PIPS,
        weight,
        against=case.against,
        seat=seat,
        count=sizes[seat],
        pips=mine.move.tile.pips,
        probability=chance,
        other=most,
    )


def _doubles(case: _Case) -> Iterator[Reason]:
    mine, facts = case.mine, case.facts
    tile, sniff = mine.move.tile, facts.layout.sniff
    if mine.ends:
        return
    if tile.is_double and sniff < 0:
        if not any(other.move.tile == tile for other in case.others if case.against):
            yield Reason(ReasonKind.PLAYS_SNIFF, _KIND_OF_TILE, against=case.against, tile=tile)
    elif tile.is_double and not any(other.move.tile == tile for other in case.others if case.against):
        left = (facts.unseen & SUITS[tile.low]).bit_count()
        yield Reason(
            ReasonKind.PLAYS_DOUBLE,
            _HARD_TO_PLACE if left < FEW_LEFT else _KIND_OF_TILE,
            against=case.against,
            tile=tile,
            left=left,
        )
    if _opens_sides(mine) and not (case.against and _opens_sides(case.others[0])):
        yield Reason(ReasonKind.OPENS_SIDES, _SIDES_OPEN, against=case.against, tile=TILES[mine.after.sniff])


def _opens_sides(move: MoveFacts) -> bool:
    """Whether a move joins the sniff's second line port."""
    sides = {4 * move.after.sniff + 2, 4 * move.after.sniff + 3}
    points = {at for at, _ in move.after.attachment_points()}
    at = move.move.codes[1]
    return sides <= points and at // 4 == move.after.sniff and at % 4 < 2


_SOURCES: Final = (_no_choice, _ends, _chance, _value, _scores, _reply, _stuck, _suits, _mobility, _pips, _doubles)
