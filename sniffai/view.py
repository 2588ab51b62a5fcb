"""Everything that one seat has seen of a round, its information set (docs/rules.md §5), as a value.

It cannot hold anything hidden: there is no field for other hands, other seats' drawn tiles or the talon.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self, cast

from sniffai import notation
from sniffai.checks import check_seat, keep, none_if_negative, read_integer, read_integers, shown
from sniffai.deal import Deal
from sniffai.errors import TileError, ViewError
from sniffai.events import Event, EventLike, check_events, seen_by
from sniffai.history import History, Position, Snapshot
from sniffai.layout import AttachmentPoint, Layout
from sniffai.moves import Move, MoveLike
from sniffai.notes import parse_notes
from sniffai.round_state import RoundState
from sniffai.rules import team_of
from sniffai.tiles import Tile, TileLike, mask_tiles
from sniffai_ext.layout import Layout as CoreLayout
from sniffai_ext.view import View as CoreView

Duty = Literal["play", "draw", "pass", "wait", "over"]
"""What the view's seat has to do: place a tile, draw, pass, wait for another seat, or nothing, as the round is over."""


@dataclass(frozen=True, slots=True)
class View(RoundState):
    """What one seat knows; equal to every view of the same content, and hashable. Threads may share it.

    Made by :meth:`Round.view`, :meth:`from_events`, :meth:`from_snapshot` or :meth:`from_text`; each checks all of it.
    """

    players: int
    """Seats, 2..4."""
    seat: int
    """Whose view it is."""
    scores: tuple[int, ...]
    """Points, one number a team: before the round where :attr:`position` is a history, now where it is a snapshot."""
    position: Position
    """The history of the round, or a snapshot of the table."""
    _core: CoreView = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_parts(self)
        core, position = self.position.open(self.players, self.seat, self.scores)
        object.__setattr__(self, "position", position)
        object.__setattr__(self, "_core", core)

    @classmethod
    def from_events(
        cls,
        *,
        players: int,
        seat: int,
        leader: int,
        hand: Iterable[TileLike],
        events: Iterable[EventLike],
        scores: Sequence[int],
    ) -> Self:
        """A view from the events that a front end saw.

        :param hand: the seat's own tiles as dealt, in any order.
        :param events: what happened, in order: see :mod:`sniffai.events`.
        :param scores: points before the round, one number a team.
        :raises TileError: a tile does not exist or occurs twice, or the hand has the wrong size.
        :raises MoveError: a placement that the rules do not allow.
        :raises ViewError: anything else that contradicts the rules or the seat's own hand.
        """
        history = History.of(leader, hand, events)
        return cls(
            read_integer(players, "players"), read_integer(seat, "seat"), read_integers(scores, "scores"), history
        )

    @classmethod
    def from_snapshot(
        cls,
        *,
        players: int,
        seat: int,
        placements: Iterable[MoveLike],
        hand: Iterable[TileLike],
        hand_sizes: Iterable[int],
        talon_size: int,
        scores: Sequence[int],
        voids: Mapping[int, Iterable[int]] | None = None,
        drawn_tile: TileLike | None = None,
    ) -> Self:
        """A view from the table alone; ``seat`` is to move. A history says more: draws and passes show what hands lack.

        :param placements: the tiles on the table in play order, such as ``["4|4", "4|6@4|4:LINE_A"]``.
        :param hand: the seat's own tiles now.
        :param hand_sizes: how many tiles each seat holds now.
        :param talon_size: how many tiles are left to draw.
        :param scores: points now, one number a team.
        :param voids: suits (pips 0..6) that a seat is known not to hold, by seat.
        :param drawn_tile: the tile just drawn, which must be placed.
        :raises SniffError: as :meth:`from_events`.
        """
        count = read_integer(players, "players")
        snapshot = Snapshot.of(count, placements, hand, hand_sizes, talon_size, voids, drawn_tile)
        return cls(count, read_integer(seat, "seat"), read_integers(scores, "scores"), snapshot)

    @classmethod
    def from_round(cls, start: Deal, seat: int, history: Iterable[Event]) -> Self:
        """What ``seat`` may know of a round with all hands known: the tiles that other seats drew are left out.

        :raises ViewError: there is no such seat.
        """
        if not isinstance(start, Deal):
            raise ViewError(f"a Deal is expected, not {shown(start)}", reason="WRONG_TYPE", field="start")
        seat = read_integer(seat, "seat")
        check_seat(seat, start.players, "seat")
        seen = tuple(seen_by(seat, event) for event in history)
        return cls(start.players, seat, start.scores, History(start.leader, start.hands[seat], seen))

    @classmethod
    def of_core(cls, players: int, seat: int, scores: tuple[int, ...], position: Position, core: CoreView) -> Self:
        """The view of what a core has checked already.

        :param position: of a history, its events have points and, of the seat's own draws, tiles.
        :param core: of the same position; not to be changed any more.
        """
        view = cls.__new__(cls)
        keep(view, "players", players)
        keep(view, "seat", seat)
        keep(view, "scores", scores)
        keep(view, "position", position)
        keep(view, "_core", core)
        return view

    def without_voids(self) -> "View":
        """What the table shows now, without what draws and passes showed of the other hands.

        The view's seat is to place a tile.
        """
        snapshot = Snapshot(
            placements=self.placements,
            hand=self.hand,
            hand_sizes=self.hand_sizes,
            talon_size=self.talon_size,
            voids=((),) * self.players,
            drawn_tile=self.forced,
        )
        players, seat, scores = self.players, self.seat, self.scores_now
        return View.of_core(players, seat, scores, snapshot, snapshot.core(players, seat, scores))

    # What was told

    @property
    def leader(self) -> int | None:
        """The seat that led; a snapshot does not say."""
        return self.position.leader if isinstance(self.position, History) else None

    @property
    def dealt(self) -> tuple[Tile, ...] | None:
        """The seat's own tiles as dealt, ascending; a snapshot does not say."""
        return self.position.dealt if isinstance(self.position, History) else None

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened, in order; empty in a snapshot."""
        return self.position.events if isinstance(self.position, History) else ()

    # What follows from it

    @property
    def team(self) -> int:
        """The seat's team, by which scores and values are counted: with 4 seats that of seats 0 and 2 is 0."""
        return team_of(self.players, self.seat)

    @property
    def hand(self) -> tuple[Tile, ...]:
        """The seat's own tiles now, ascending."""
        return mask_tiles(self._core.hand)

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """How many tiles each seat holds now."""
        return self._core.hand_sizes

    @property
    def talon_size(self) -> int:
        """How many tiles are left to draw."""
        return self._core.talon_size

    @property
    def scores_now(self) -> tuple[int, ...]:
        """Points now, one number a team, without the settlement of hands that the seat cannot see."""
        return self._core.scores

    @property
    def to_move(self) -> int | None:
        """The seat whose turn it is; ``None`` when the round is over."""
        return none_if_negative(self._core.to_move)

    @property
    def must(self) -> Duty:
        """What the view's seat has to do now."""
        return cast(Duty, self._core.must)

    @property
    def placements(self) -> tuple[Move, ...]:
        """The tiles on the table in play order."""
        return self.layout.placements

    def attachment_points(self) -> list[AttachmentPoint]:
        """Every open port now, ascending (§3)."""
        return list(self.layout.attachment_points)

    def points(self, move: MoveLike) -> int:
        """What a placement would score now.

        :raises SniffError: the tile does not exist, or the move does not fit.
        """
        return self._after(move).points

    def after(self, move: MoveLike) -> Layout:
        """The table as it would be after a placement.

        :raises SniffError: the tile does not exist, or the move does not fit.
        """
        return Layout.from_core(self._after(move))

    def core(self) -> CoreView:
        """The compiled core's view, for the belief and the search. It is shared: not to be changed."""
        return self._core

    # Text

    def to_text(self) -> str:
        """The view in one line: see docs/notation.md."""
        return notation.format_view(self.players, self.seat, self.scores, self.position)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read :meth:`to_text` back.

        :raises NotationError: the text cannot be read; ``field`` names the part.
        :raises SniffError: it can be read, but breaks a rule.
        """
        return cls(*notation.parse_view(text))

    @classmethod
    def from_table(cls, text: str) -> Self:
        """What a player has written down at a table: see docs/notation.md, "Notes of a table".

        Tiles in any order of halves; attachment points only where a tile fits at several; seats only where wanted.
        Of several rounds the last one.

        >>> view = View.from_table("players 2; seat 0; leader 1; hand 64 11 05 35 66 21 03; 55 53 3-4")
        >>> view.hand_sizes, view.talon_size, view.count
        ((6, 5), 14, 14)

        :raises NotationError: the text cannot be read; ``field`` is such as ``"line 9"``.
        :raises SniffError: something breaks a rule; ``field`` is such as ``"line 9: event 8"``.
        """
        noted = parse_notes(text)
        last = noted.rounds[-1]
        return cls(noted.players, noted.seat, last.scores, last.position)

    def __str__(self) -> str:
        return self.to_text()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.players, self.seat, self.scores, self.position)

    def _after(self, move: MoveLike) -> CoreLayout:
        layout = self._core.layout
        layout.play(*Move.of(move).codes)
        return layout


def _check_parts(view: View) -> None:
    """Check the types of a view's parts; the core checks what they say.

    :raises ViewError: one is not.
    :raises TileError: a tile dealt is none.
    """
    keep(view, "players", read_integer(view.players, "players"))
    keep(view, "seat", read_integer(view.seat, "seat"))
    object.__setattr__(view, "scores", read_integers(view.scores, "scores"))
    position = view.position
    if isinstance(position, History):
        read_integer(position.leader, "leader")
        _check_tiles(position.dealt, "hand")
        check_events(position.events)
    elif isinstance(position, Snapshot):
        _check_snapshot(position)
    else:
        raise ViewError(
            f"a History or a Snapshot is expected, not {shown(position)}", reason="WRONG_TYPE", field="position"
        )


def _check_snapshot(snapshot: Snapshot) -> None:
    _check_tuple(snapshot.placements, "placements")
    for i, move in enumerate(snapshot.placements):
        if not isinstance(move, Move):
            raise ViewError(f"a Move is expected, not {shown(move)}", reason="WRONG_TYPE", field=f"placements[{i}]")
    _check_tiles(snapshot.hand, "hand")
    _check_tuple(snapshot.hand_sizes, "hand_sizes")
    read_integers(snapshot.hand_sizes, "hand_sizes")
    read_integer(snapshot.talon_size, "talon_size")
    _check_tuple(snapshot.voids, "voids")
    for seat, suits in enumerate(snapshot.voids):
        _check_tuple(suits, f"voids[{seat}]")
        if not set(read_integers(suits, f"voids[{seat}]")) <= set(range(7)) or len(set(suits)) < len(suits):
            raise ViewError("a suit is a number of pips 0..6", reason="SUIT_OUT_OF_RANGE", field=f"voids[{seat}]")
    if snapshot.drawn_tile is not None:
        _check_tiles((snapshot.drawn_tile,), "drawn_tile")


def _check_tuple(values: object, field: str) -> None:
    if not isinstance(values, tuple):
        raise ViewError(f"a tuple is expected, not {shown(values)}", reason="WRONG_TYPE", field=field)


def _check_tiles(values: object, field: str) -> None:
    if not isinstance(values, tuple):
        raise TileError(f"a tuple of tiles is expected, not {shown(values)}", reason="NOT_TILES", field=field)
    for value in values:
        if not isinstance(value, Tile):
            raise TileError(f"a Tile is expected, not {shown(value)}", reason="UNKNOWN_TILE", field=field)
