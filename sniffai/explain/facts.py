"""What a placement does, in numbers that follow from the rules and the exact belief alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from sniffai.errors import MoveError
from sniffai.moves import Move, MoveLike
from sniffai.rules import TARGET, team_of
from sniffai.search.candidates import distinct_moves
from sniffai.tiles import TILES
from sniffai.view import View
from sniffai_ext.belief import Belief as CoreBelief
from sniffai_ext.hand_chances import chance_without, scores_at_once
from sniffai_ext.layout import Layout as CoreLayout

ALL_TILES: Final = (1 << 28) - 1

SUITS: Final = tuple(sum(1 << tile.index for tile in TILES if pips in (tile.low, tile.high)) for pips in range(7))
"""By pips, the mask of the suit."""


@dataclass(frozen=True, slots=True)
class MoveFacts:
    """One legal move of the view's seat and what follows at once."""

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
    reply: float | None
    """Expected points of the best placement that the next seat can make of the tiles it holds now, 0 if none fits;
    ``None`` if the round ends."""
    stuck: float | None
    """The chance that no tile which the next seat holds now fits; ``None`` if the round ends."""

    @property
    def ends(self) -> bool:
        """Whether the round ends with it."""
        return self.goes_out or self.wins or self.blocks


class Facts:
    """The facts of one decision: what holds for the view, and for each legal move.

    :param view: its seat is to place a tile.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        core = view.core()
        self.layout = core.layout
        self.hand: int = core.hand
        self.unseen: int = ALL_TILES & ~core.hand & ~self.layout.tiles
        self.next_seat = (view.seat + 1) % view.players
        self.team = team_of(view.players, view.seat)
        self._belief = CoreBelief.of(core)

    @cached_property
    def moves(self) -> tuple[MoveFacts, ...]:
        """Every legal move, moves of equal futures once."""
        return tuple(self._of(move) for move in distinct_moves(self.view))

    @cached_property
    def threat(self) -> float:
        """:attr:`MoveFacts.reply` for the table as it lies now, were it the next seat's turn; 0 before the lead."""
        return self.expected_reply(self.layout) if self.layout.placed else 0.0

    @cached_property
    def distinct(self) -> dict[tuple[int, int], int]:
        """By the codes of a legal move, which of :attr:`moves` has the same future."""
        numbers = {}
        for i, facts in enumerate(self.moves):
            tile, at = facts.move.codes
            for point in self.layout.equal_points(tile, at) or [at]:
                numbers[tile, point] = i
        return numbers

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

    def lacks(self, seat: int, pips: int) -> float:
        """The chance that a seat holds no tile of a suit."""
        return chance_without(self._belief, seat, SUITS[pips])

    def expected_reply(self, layout: CoreLayout) -> float:
        """:attr:`MoveFacts.reply` for a table."""
        levels = scores_at_once(layout, self.unseen)
        expected, above, reached = 0.0, 0, 0.0
        for points in sorted(levels, reverse=True):
            above |= levels[points]
            chance = 1.0 - chance_without(self._belief, self.next_seat, above)
            expected += points * (chance - reached)
            reached = chance
        return expected

    def _of(self, move: Move) -> MoveFacts:
        view, (tile, at) = self.view, move.codes
        after = self.layout.copy()
        points = after.play(tile, at)
        rest = self.hand & ~(1 << tile)
        wins = points > 0 and view.scores_now[self.team] + points >= TARGET[view.players]
        blocks = bool(rest) and not wins and not view.talon_size and not after.fits(rest | self.unseen)
        over = wins or not rest or blocks
        return MoveFacts(
            move=move,
            after=after,
            points=points,
            rest=rest,
            playable=int(after.fits(rest)).bit_count(),
            opened=tuple(_bits(after.open_pips & ~self.layout.open_pips)),
            goes_out=not rest,
            wins=wins,
            blocks=blocks,
            reply=None if over else self.expected_reply(after),
            stuck=None if over else chance_without(self._belief, self.next_seat, after.fits(self.unseen)),
        )


def _bits(mask: int) -> Iterable[int]:
    return (bit for bit in range(7) if mask >> bit & 1)
