"""A reason: what it is about, and its numbers."""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from sniffai.moves import Move
from sniffai.tiles import Tile


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
    """It is the last tile of the hand: the seat goes out, and leads the next round (§2, §6). The settlement is expected
    to be worth ``value``, as a margin for the own team. ``hands``: what each hand is expected to cost then, by seat."""
    BLOCKS_ROUND = "blocks_round"
    """No tile fits any more: the round ends blocked. ``pips`` are left in the own hand. ``value`` and ``hands`` as for
    :attr:`GOES_OUT`."""
    CHANCE = "chance"
    """Not a reason but part of the prospect: the analysis gives the mover's team the chance ``probability`` to win the
    match, with a standard error of ``error`` (of a probability, too); ``other`` is the highest after another move that
    it looked at."""
    VALUE = "value"
    """Part of the prospect: the analysis expects a margin of ``value`` points for the mover's team with a standard
    error of ``error``, 0 where the end was solved; ``other`` is the most that it expects of another move that it looked
    at. Moves whose error is not known have no part in it."""
    SCORES = "scores"
    """It scores ``points``; ``other`` is the most that another move scores."""
    LOWERS_THREAT = "lowers_threat"
    """The best placement that ``seat``, the next, can make of the tiles it holds is expected to score ``value``; on the
    table as it lies it would be ``before``. ``tile``, ``points``, ``probability`` as for :attr:`LOW_REPLY`."""
    LOW_REPLY = "low_reply"
    """The best placement that ``seat``, the next, can make of the tiles it holds is expected to score ``value``; after
    every other move at least ``other``. ``tile``, ``points``: a reply that the move takes away or makes worse, by what
    it could have scored before (after the move compared with, else on the table as it lies); the seat holds it with
    ``probability``."""
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
    rids it of."""
    PLAYS_SNIFF = "plays_sniff"
    """``tile`` is the first double of the round: the sniff (§3). ``count`` tiles of the hand can follow it; ``left``
    others of its suit are neither on the table nor in the hand."""
    OPENS_SIDES = "opens_sides"
    """Both line ports of the sniff, ``tile``, are joined now: its side branches open (§3)."""
    PLAYS_DOUBLE = "plays_double"
    """``tile`` is a double, which fits one suit only; ``left`` tiles of that suit are neither on the table nor in the
    hand."""
    STOPS_MATCH = "stops_match"
    """A reply of ``seat``, the next, reaches its target with ``probability``; after every other move at least
    ``other``."""
    KEEPS_IN = "keeps_in"
    """``count`` opponents hold one tile each, and ``seat`` is the first of them in turn order. The tile of at least one
    of them fits, with ``probability``: then it can go out; after every other move at least ``other``. ``suit``: of the
    ends that only other moves leave open, the one that most likely lets ``seat`` out. ``tile``: its last tile, where
    that is known."""
    LETS_PARTNER_OUT = "lets_partner_out"
    """``seat``, the partner, holds one tile, and it fits with ``probability``: then it can go out; after another move
    with at most ``other``. The settlement is then expected to be worth ``value``, as a margin for the own team."""
    OUT_NEXT = "out_next"
    """One tile is left, ``tile``, and it fits at ``count`` attachment points. ``probability``: that no other seat holds
    a tile that could take such a place, or 1 if there are more places than other seats."""
    PIPS_AT_RISK = "pips_at_risk"
    """Another seat can go out before the next own turn, with ``probability``: it holds one tile, and it fits. The own
    hand, of ``pips``, then costs ``value`` points; after every other move at least ``other``. ``hands``: what each
    hand is expected to cost at a settlement now, by seat."""
    EXTRA_TURN = "extra_turn"
    """No tile that any other seat holds now fits, with ``probability``: all others must draw or, with an empty talon,
    pass, and then it is the own turn again. ``other`` is the highest such chance after another move. ``count``: tiles
    in the talon."""
    SEALS_ROUND = "seals_round"
    """No tile fits any more: ``seat``, the next, must draw the ``count`` tiles of the talon, and the round ends
    blocked. The settlement is expected to be worth ``value``, as a margin for the own team. ``hands``: what each hand
    is expected to cost then, by seat."""
    HEAVIEST = "heaviest"
    """``tile`` is the heaviest of the hand, with ``pips``, while it still fits. ``left`` tiles with its pips are
    neither on the table nor in the hand; ``count`` tiles of the hand can follow it at the new end."""
    TEMPO = "tempo"
    """The rest of the hand, ``count`` tiles, could be placed one a turn on this table; ``seat``, which holds the fewest
    of the others, needs at least ``left`` turns. ``other``: the most tiles that could be so placed after another
    move."""
    LATER_REPLY = "later_reply"
    """The best placement that ``seat``, an opponent after the next seat, can make of the tiles it holds on the table as
    the move leaves it is expected to score ``value``; after every other move at least ``other``."""
    PARTNER_REPLY = "partner_reply"
    """The same of the partner, ``seat``; after another move at most ``other``."""
    PARTNER_MOVES = "partner_moves"
    """A tile that the partner, ``seat``, holds fits with ``probability``; after another move with at most ``other``."""
    POINTS_LATER = "points_later"
    """On the table as the move leaves it, the own ``tile`` would score ``points``; ``probability``: that no other seat
    holds a tile for its place. ``before``: the most points that a move scores now, where that is more than this one."""
    LITTLE_DIFFERENCE = "little_difference"
    """The search does not tell the move from ``count`` others."""
    CARELESS = "careless"
    """Part of the prospect: ``against``, which the analysis finds worse, is better against careless opponents, who
    overlook points. Its chance to win the match is higher by ``probability`` then or, where the chances are not told
    apart, its margin by ``value`` points, with a standard error of ``error``. Both differences are beyond two standard
    errors."""


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
    hands: tuple[float, ...] | None = None
    """What each hand is expected to cost at the settlement, in points, by seat."""
    before: float | None = None
    other: float | None = None
    """The same number for the other moves, the best of them."""
    worst: float | None = None
    """The same number for the worst of them, of kinds whose number is good where it is low."""

    def to_dict(self) -> dict[str, Any]:
        """What is set, with tiles and moves as text."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        plain = {name: str(value) if isinstance(value, (Tile, Move)) else value for name, value in given.items()}
        return {name: value for name, value in plain.items() if value is not None}
