"""What a placement does, in numbers that follow from the rules and the exact belief alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from sniffai.errors import MoveError
from sniffai.moves import Move, MoveLike
from sniffai.rules import TARGET, team_of
from sniffai.search.candidates import distinct_moves
from sniffai.tiles import TILES
from sniffai.view import View
from sniffai_ext.belief import Belief as CoreBelief
from sniffai_ext.hand_chances import best_later, chance_without, expected_cost, longest_run, scores_at_once
from sniffai_ext.layout import Layout as CoreLayout

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

ALL_TILES: Final = (1 << 28) - 1

SUITS: Final = tuple(sum(1 << tile.index for tile in TILES if pips in (tile.low, tile.high)) for pips in range(7))
"""By pips, the mask of the suit."""

PIPS: Final = tuple(tile.pips for tile in TILES)
"""The pips of each tile, by its index."""

TALON: Final = 1 << 4
"""The talon among places of the core."""

LONG_RUN: Final = 4
"""Most tiles of a rest for which it is tried whether all could be placed one after another: every order and place."""


@dataclass(frozen=True, slots=True)
class MoveFacts:
    """One legal move of the view's seat and what follows at once.

    *Another seat's reply* is what it could place on the table as the move leaves it, of the tiles that it holds now:
    for a seat after the next one that is a statement about this table, not about the one it will find.
    """

    move: Move
    after: CoreLayout
    """The table after it. Not to be changed."""
    points: int
    """What it scores."""
    rest: int
    """Mask of the seat's hand after it."""
    playable: int
    """How many tiles of the rest fit the table as the move leaves it."""
    opened: tuple[int, ...]
    """Pips that a tile can be joined to after the move, but not before."""
    goes_out: bool
    """It is the seat's last tile."""
    wins: bool
    """The score reaches the target."""
    blocks: bool
    """The round is blocked by it for sure."""
    cost: int
    """What the rest of the hand costs at a settlement, in points: its pips rounded to a multiple of 5 (rules 6)."""
    later: tuple[int, int, float] | None
    """What the rest could score on the table as the move leaves it, where most is to be expected: the points, the tile,
    and the chance that no other seat holds a tile for its place. ``None`` if no tile would score."""
    run: int
    """The most tiles of the rest that could be placed one after another, were nobody else to place any; of a rest of
    more than :data:`LONG_RUN` tiles not computed, and 0."""
    replies: tuple[float, ...] = ()
    """Expected points of the best reply, 0 if no tile fits, by the other seats in turn order; empty if the round
    ends with the move."""
    stuck: float | None = None
    """The chance that no tile which the next seat holds now fits; ``None`` if the round ends."""
    all_stuck: float = 0.0
    """The chance that no tile which any other seat holds now fits."""
    outs: tuple[float, ...] = ()
    """The chance that a seat holds one tile only, and it fits, by the other seats in turn order."""
    ends_next: float = 0.0
    """The chance that this is so of any of them,"""
    opponent_out: float = 0.0
    """and of any opponent."""
    match_lost: float = 0.0
    """The chance that a reply of the next seat reaches its target."""
    partner_moves: float = 0.0
    """The chance that a tile which the partner holds fits; 0 without a partner."""
    safe: float = 0.0
    """If the rest is one tile that fits: the chance that no other seat holds a tile for the places where it fits, 1
    where there are more such places than other seats. Else 0."""
    seals: bool = False
    """Nothing fits any more, but the talon is not empty: the next seat draws all of it, then the round is blocked."""

    @property
    def ends(self) -> bool:
        """Whether the round ends with it."""
        return self.goes_out or self.wins or self.blocks

    @property
    def reply(self) -> float | None:
        """Expected points of the next seat's best reply; ``None`` if the round ends."""
        return self.replies[0] if self.replies else None

    @property
    def pips(self) -> int:
        """The pips of the rest."""
        return pips_of(self.rest)


class Facts:
    """The facts of one decision: what holds for the view, and for each legal move.

    :param view: its seat is to place a tile.
    :param sparing: of a move that is the only one, leave out what serves comparison: what it could score later, how
        many tiles could follow it, and what the other seats could do.
    """

    def __init__(self, view: View, *, sparing: bool = False) -> None:
        self.view = view
        self._sparing = sparing
        core = view.core()
        self.layout = core.layout
        self.hand: int = core.hand
        self.unseen: int = ALL_TILES & ~core.hand & ~self.layout.tiles
        self.next_seat = (view.seat + 1) % view.players
        self.others = tuple((view.seat + i) % view.players for i in range(1, view.players))
        """The other seats in turn order."""
        self.partner = (view.seat + 2) % 4 if view.players == 4 else None
        self.team = team_of(view.players, view.seat)
        self._single = tuple(seat for seat in self.others if view.hand_sizes[seat] == 1)
        self.short = tuple(seat for seat in self._single if seat != self.partner)
        """The opponents that hold one tile."""
        next_team = team_of(view.players, self.next_seat)
        self._needed = TARGET[view.players] - view.scores_now[next_team]

    @cached_property
    def moves(self) -> tuple[MoveFacts, ...]:
        """Every legal move, moves of equal futures once."""
        distinct = distinct_moves(self.view)
        alone = self._sparing and len(distinct) == 1
        return tuple(self._of(move, alone=alone) for move in distinct)

    @cached_property
    def fewest(self) -> int:
        """The fewest tiles that another seat holds."""
        sizes = self.view.hand_sizes
        return min(sizes[seat] for seat in self.others)

    @cached_property
    def left(self) -> tuple[int, ...]:
        """By pips, how many tiles of the suit are neither on the table nor in the hand."""
        return tuple((self.unseen & suit).bit_count() for suit in SUITS)

    @cached_property
    def _pips(self) -> int:
        """The pips of the hand."""
        return pips_of(self.hand)

    @cached_property
    def _belief(self) -> CoreBelief:
        return CoreBelief.of(self.view.core())

    @cached_property
    def threat(self) -> float:
        """:attr:`MoveFacts.reply` for the table as it lies now, were it the next seat's turn; 0 before the lead."""
        if not self.layout.placed:
            return 0.0
        return self._expected(scores_at_once(self.layout, self.unseen), self.next_seat)

    @cached_property
    def distinct(self) -> dict[tuple[int, int], int]:
        """By the codes of a legal move, which of :attr:`moves` has the same future."""
        numbers = {}
        for i, facts in enumerate(self.moves):
            tile, at = facts.move.codes
            for point in self.layout.equal_points(tile, at) or [at]:
                numbers[tile, point] = i
        return numbers

    @cached_property
    def costs(self) -> tuple[float, ...]:
        """By seat, what its hand is expected to cost at a settlement now, in points; the own hand as it is."""
        return tuple(expected_cost(self._belief, 1 << seat) for seat in range(self.view.players))

    @cached_property
    def sealed_cost(self) -> float:
        """What the next seat's hand is expected to cost once it has drawn the whole talon."""
        return expected_cost(self._belief, 1 << self.next_seat | TALON)

    @cached_property
    def marginals(self) -> "npt.NDArray[np.float64]":
        """``[28, players + 1]``: the probability of each tile at each seat and, last column, in the talon."""
        return self._belief.table()

    def find(self, move: MoveLike) -> MoveFacts:
        """The facts of a legal move.

        :raises MoveError: it is not legal now.
        :raises SniffError: it cannot be read.
        """
        asked = Move.of(move)
        number = self.distinct.get(asked.codes)
        if number is None:
            raise MoveError(f"{asked} is not a legal move", reason="NOT_LEGAL", field="move")
        return self.moves[number]

    @cached_property
    def lacking(self) -> tuple[float, ...]:
        """By pips, the chance that the next seat holds no tile of the suit."""
        return tuple(chance_without(self._belief, 1 << self.next_seat, suit) for suit in SUITS)

    def is_opponent(self, seat: int) -> bool:
        """Whether another seat is of another team."""
        return seat != self.partner

    def settled(self, move: MoveFacts) -> float:
        """What the settlement is expected to be worth for the own team, as a margin in points.

        :param move: it ends the round or seals it; 0 where it wins the match, as there is no settlement then.
        """
        return 0.0 if move.wins else self.margin(self.costs_after(move))

    def costs_after(self, move: MoveFacts) -> list[float]:
        """:attr:`costs` after a move; if it seals the round, with the talon in the next seat's hand."""
        costs = list(self.costs)
        costs[self.view.seat] = float(move.cost)
        if move.seals:
            costs[self.next_seat] = self.sealed_cost
        return costs

    def margin(self, costs: Sequence[float]) -> float:
        """What the costs of all hands come to for the own team, as a margin."""
        players = self.view.players
        mine = sum(cost for seat, cost in enumerate(costs) if team_of(players, seat) == self.team)
        theirs = sum(costs) - mine
        return (theirs / 2 if players == 3 else theirs) - mine

    def taken_reply(self, before: CoreLayout, after: CoreLayout) -> tuple[int, int, float] | None:
        """The reply of the next seat that one table takes away most, against another.

        :return: the tile, the points that it could score ``before``, the chance that the next seat holds it.
        """
        least = scores_by_tile(scores_at_once(after, self.unseen & ~after.tiles))
        reply = None
        most = 0.0
        for tile, points in scores_by_tile(scores_at_once(before, self.unseen)).items():
            chance = float(self.marginals[tile, self.next_seat])
            if (points - least.get(tile, 0)) * chance > most:
                most = (points - least.get(tile, 0)) * chance
                reply = (tile, points, chance)
        return reply

    def settled_after(self, move: MoveFacts, seat: int) -> float:
        """What the settlement is expected to be worth for the own team, as a margin, if another seat goes out next."""
        costs = self.costs_after(move)
        costs[seat] = 0.0
        return self.margin(costs)

    @cached_property
    def nobody(self) -> tuple[float, ...]:
        """By pips, the chance that no other seat holds a tile of the suit."""
        seats = sum(1 << seat for seat in self.others)
        return tuple(chance_without(self._belief, seats, SUITS[pips] & ~self.hand) for pips in range(7))

    def _expected(self, levels: dict[int, int], seat: int) -> float:
        """The expected points of a seat's best placement; ``levels`` as :func:`scores_at_once` makes them."""
        expected, above, reached = 0.0, 0, 0.0
        for points in sorted(levels, reverse=True):
            above |= levels[points]
            chance = 1.0 - chance_without(self._belief, 1 << seat, above)
            expected += points * (chance - reached)
            reached = chance
        return expected

    def _of(self, move: Move, *, alone: bool) -> MoveFacts:
        """The facts of a move.

        :param alone: there is no other, so nobody asks what is only for comparison.
        """
        view, (tile, at) = self.view, move.codes
        after = self.layout.copy()
        points = after.play(tile, at)
        rest = self.hand & ~(1 << tile)
        wins = points > 0 and view.scores_now[self.team] + points >= TARGET[view.players]
        fitting = after.fits(rest | self.unseen)
        closed = bool(rest) and not wins and not fitting
        blocks = closed and not view.talon_size
        playable = fitting & rest
        ends = not rest or wins or blocks
        return MoveFacts(
            move=move,
            after=after,
            points=points,
            rest=rest,
            playable=playable.bit_count(),
            opened=tuple(_bits(after.open_pips & ~self.layout.open_pips)),
            goes_out=not rest,
            wins=wins,
            blocks=blocks,
            cost=rounded(self._pips - move.tile.pips),
            later=None if alone else best_later(after, rest, self.nobody),
            run=longest_run(after, rest) if rest.bit_count() <= LONG_RUN and not alone else 0,
            seals=closed and not blocks,
            safe=0.0 if ends or alone else self._safe(after, rest, playable),
            **({} if ends or alone else self._replies(after, fitting & ~rest)),
        )

    def _replies(self, after: CoreLayout, fitting: int) -> dict[str, Any]:
        """What the other seats could do after a move that does not end the round: the fields of :class:`MoveFacts`.

        :param fitting: unseen tiles that fit.
        """
        belief = self._belief
        levels = scores_at_once(after, self.unseen)
        winning = sum(mask for points, mask in levels.items() if points >= self._needed)
        single = sum(1 << seat for seat in self._single)
        return {
            "replies": tuple(self._expected(levels, seat) for seat in self.others),
            "stuck": chance_without(belief, 1 << self.next_seat, fitting),
            "all_stuck": chance_without(belief, sum(1 << seat for seat in self.others), fitting),
            "outs": tuple(
                1.0 - chance_without(belief, 1 << seat, fitting) if seat in self._single else 0.0
                for seat in self.others
            ),
            "ends_next": 1.0 - chance_without(belief, single, fitting),
            "opponent_out": 1.0 - chance_without(belief, sum(1 << seat for seat in self.short), fitting),
            "match_lost": 1.0 - chance_without(belief, 1 << self.next_seat, winning) if winning else 0.0,
            "partner_moves": 0.0 if self.partner is None else 1.0 - chance_without(belief, 1 << self.partner, fitting),
        }

    def _safe(self, after: CoreLayout, rest: int, playable: int) -> float:
        """:attr:`MoveFacts.safe`; ``playable`` is a mask."""
        if rest.bit_count() != 1 or not playable:
            return 0.0
        tile = TILES[rest.bit_length() - 1]
        places = [pips for _, pips in after.attachment_points() if pips in (tile.low, tile.high)]
        if len(places) > len(self.others):
            return 1.0
        suits = 0
        for pips in places:
            suits |= SUITS[pips]
        return chance_without(self._belief, sum(1 << seat for seat in self.others), suits & self.unseen)


def pips_of(tiles: int) -> int:
    """The pips of a mask of tiles."""
    return sum(pips for i, pips in enumerate(PIPS) if tiles >> i & 1)


def rounded(pips: int) -> int:
    """What a hand costs at the settlement: its pips rounded to the nearest multiple of 5 (rules 6)."""
    return 5 * ((pips + 2) // 5)


def scores_by_tile(levels: dict[int, int]) -> dict[int, int]:
    """The points of :func:`scores_at_once` by the tile's index."""
    return {tile: points for points, mask in levels.items() for tile in range(len(TILES)) if mask >> tile & 1}


def _bits(mask: int) -> Iterable[int]:
    return (bit for bit in range(7) if mask >> bit & 1)
