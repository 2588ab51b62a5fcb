"""A round with all hands known: the rules at work, for whoever deals, studies or replays (docs/rules.md §5 to §7)."""

from collections.abc import Iterable
from typing import Any, Self, TypeVar

from sniffai import notation
from sniffai.deal import Deal, seat_by_lot
from sniffai.errors import SniffError
from sniffai.events import Event, event_of
from sniffai.moves import Move, MoveLike
from sniffai.round_state import RoundState
from sniffai.rules import deduction
from sniffai.tiles import TILES, Tile, TileLike, mask_tiles, tile_mask
from sniffai.view import View
from sniffai_ext.round import Round as CoreRound

R = TypeVar("R", bound="Round")


class Round(RoundState):
    """One deal, played tile by tile. Forced draws and passes are played automatically.

    Threads may read it together, but while one of them plays, no other may use it: give each a :meth:`copy`.

    :param players: seats, 2..4.
    :param hands: the tiles dealt to each seat, as ``"4|6"`` or :class:`Tile`.
    :param talon: the undealt tiles in the order of drawing.
    :param leader: the seat that leads.
    :param scores: points before the round, one number a team.
    :raises TileError: a tile that does not exist or occurs twice, a hand or talon of the wrong size.
    :raises ViewError: a number out of range, or a score that has reached the target.
    """

    __hash__ = None  # type: ignore[assignment]  # it changes

    _core: CoreRound

    def __init__(
        self,
        players: int,
        hands: Iterable[Iterable[TileLike]],
        talon: Iterable[TileLike],
        leader: int,
        scores: Iterable[int],
    ) -> None:
        self._start = start = Deal.of(players, hands, talon, leader, scores)
        self._core = CoreRound(
            start.players,
            [tile_mask(hand) for hand in start.hands],
            [tile.index for tile in start.talon],
            start.leader,
            start.scores,
        )

    @classmethod
    def from_deal(cls, start: Deal) -> Self:
        """The round that begins like this.

        :raises TileError: it is not one deal of one set.
        :raises ViewError: a number out of range, or a score that has reached the target.
        """
        return cls(start.players, start.hands, start.talon, start.leader, start.scores)

    @classmethod
    def deal(cls, players: int, seed: int, leader: int | None = None, scores: Iterable[int] | None = None) -> Self:
        """A round dealt at random from a seed: see :meth:`Deal.shuffled`.

        :raises ViewError: a number is out of range.
        """
        return cls.from_deal(Deal.shuffled(players, seed, leader, scores))

    @property
    def start(self) -> Deal:
        """How the round began."""
        return self._start

    @property
    def players(self) -> int:
        """Seats, 2..4."""
        return self._start.players

    @property
    def seat(self) -> int:
        """The seat to place a tile; after the end, the seat that placed last, or would be next in a blocked round."""
        return self._core.seat

    @property
    def scores(self) -> tuple[int, ...]:
        """Points now, one number a team; after the end with the settlement in (§6)."""
        return self._core.scores

    @property
    def hands(self) -> tuple[tuple[Tile, ...], ...]:
        """The tiles of each seat now, ascending."""
        return tuple(mask_tiles(mask) for mask in self._core.hands)

    @property
    def talon(self) -> tuple[Tile, ...]:
        """The tiles left, in the order of drawing."""
        return tuple(TILES[tile] for tile in self._core.talon)

    @property
    def history(self) -> tuple[Event, ...]:
        """Everything that happened, in order, with every drawn tile."""
        return tuple(event_of(record) for record in self._core.events())

    @property
    def event_count(self) -> int:
        """How many events :attr:`history` has."""
        return len(self._core.events())

    def history_after(self, count: int) -> tuple[Event, ...]:
        """What happened after the first ``count`` events, as in :attr:`history`."""
        return tuple(event_of(record) for record in self._core.events()[count:])

    @property
    def events(self) -> list[dict[str, Any]]:
        """:attr:`history` as dictionaries: see :mod:`sniffai.events`."""
        return [event.to_dict() for event in self.history]

    @property
    def moves(self) -> tuple[Move, ...]:
        """The placements so far: with :attr:`start` they say everything."""
        return tuple(Move.from_codes(tile, at) for tile, at in self._core.layout.placements())

    @property
    def settlement(self) -> tuple[int, ...]:
        """What each seat's own hand costs its team at the end, by seat (§6).

        Empty while the round runs, and when the target was reached: then nothing is settled (§7).
        """
        if not self.over or self.match_winner is not None:
            return ()
        return tuple(deduction(sum(tile.pips for tile in hand)) for hand in self.hands)

    def play(self, move: MoveLike) -> int:
        """Make a placement for the seat whose turn it is, and everything forced that follows. Returns the points.

        :raises TileError: the tile does not exist.
        :raises MoveError: the round is over, the tile is not in the hand or not the forced one, or it does not fit.
        """
        return self._core.play(*Move.of(move).codes)

    def view(self, seat: int) -> View:
        """All that one seat knows now (§5).

        :raises ViewError: there is no such seat.
        """
        return View.from_round(self._start, seat, self.history)

    def next_leader(self, seed: int) -> int:
        """Who leads the next round of the match: the seat that went out, after a blocked round a random one (§2).

        :param seed: decides the lot; any whole number from 0.
        :raises ViewError: it is not one.
        """
        by_lot = seat_by_lot(self.players, seed)
        return by_lot if self.went_out is None else self.went_out

    def copy(self) -> Self:
        """An independent copy."""
        new = type(self).__new__(type(self))
        new._start, new._core = self._start, self._core.copy()
        return new

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _played, (type(self), self._start, self.moves)

    def core(self) -> CoreRound:
        """The compiled core's round. It is shared: not to be changed."""
        return self._core

    def to_text(self) -> str:
        """The round in one line: see docs/notation.md."""
        return notation.format_round(self._start, self.moves)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read :meth:`to_text` back.

        :raises NotationError: the text cannot be read; ``field`` names the part.
        :raises SniffError: it can be read, but breaks a rule.
        """
        return _played(cls, *notation.parse_round(text))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Round):
            return NotImplemented
        return self._start == other._start and self.moves == other.moves

    def __repr__(self) -> str:
        return f"<Round {self.to_text()}>"


def _played(kind: type[R], start: Deal, moves: Iterable[MoveLike]) -> R:
    """The round that began like this, with these moves.

    :raises SniffError: the deal or a move breaks a rule.
    """
    new = kind.from_deal(start)
    for i, move in enumerate(moves):
        try:
            new.play(move)
        except SniffError as error:
            raise error.at(f"moves[{i}]") from None
    return new
