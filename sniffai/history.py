"""What a view rests on: the history of a round as one seat saw it, or a snapshot of the table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Self, TypeAlias

from sniffai.checks import as_plain, check_seat, is_listed, keep, keep_plain, read_integer, read_integers, shown
from sniffai.errors import HistoryError, SniffError, TileError, ViewError
from sniffai.events import Draw, Event, EventLike, Play, read_events
from sniffai.moves import Move, MoveLike
from sniffai.tiles import Tile, TileLike, read_tile, read_tiles, tile_mask
from sniffai_ext.belief import Belief as CoreBelief
from sniffai_ext.view import View as CoreView


@dataclass(frozen=True, slots=True)
class History:
    """A round from its lead, event by event, as one seat saw it."""

    leader: int
    """The seat that leads."""
    dealt: tuple[Tile, ...]
    """The seat's own tiles as dealt, ascending."""
    events: tuple[Event, ...]
    """In order; the draws of one turn are one event, with tiles for the seat's own."""

    def __post_init__(self) -> None:
        keep_plain(self, "leader")

    @classmethod
    def of(cls, leader: int, hand: Iterable[TileLike], events: Iterable[EventLike]) -> Self:
        """Read tiles and events as text, dictionaries or values.

        :raises TileError: a tile does not exist or occurs twice (``"hand[3]"``, ``"events[7].tiles[0]"``).
        :raises ViewError: an event does not have the form of one (``"events[7]"`` and below).
        :raises MoveError: an attachment point does not exist (``"events[7].at"``).
        """
        dealt = tuple(sorted(read_tiles(hand, "hand")))
        return cls(read_integer(leader, "leader"), dealt, read_events(events))

    def open(self, players: int, seat: int, scores: tuple[int, ...]) -> tuple[CoreView, Self]:
        """The core's view of it, every event checked, and the history with points filled in and draws joined.

        :raises HistoryError: no deal explains it; ``field`` is the first event that cannot be, such as ``"events[7]"``.
        :raises SniffError: something breaks a rule; ``field`` is such as ``"events[7].at"``.
        """
        try:
            core, seen = self._replay(players, seat, scores, explain_each=False)
            CoreBelief.of(core)
        except SniffError:
            self._replay(players, seat, scores, explain_each=True)  # the first event that cannot be comes first
            raise
        return core, type(self)(self.leader, self.dealt, seen)

    def _replay(
        self, players: int, seat: int, scores: tuple[int, ...], *, explain_each: bool
    ) -> tuple[CoreView, tuple[Event, ...]]:
        """Replay every event in the core; if ``explain_each``, check after each that some deal explains all so far."""
        core = self._opened(players, seat, scores)
        seen: list[Event] = []
        for i, event in enumerate(self.events):
            try:
                _note(seen, tell_core(core, event))
                if explain_each:
                    CoreBelief.of(core)
            except SniffError as error:
                raise _with_advice(error, core, scores).at(f"events[{i}]") from None
        return core, tuple(seen)

    def _opened(self, players: int, seat: int, scores: tuple[int, ...]) -> CoreView:
        """The core's view before the lead."""
        try:
            return CoreView(players, seat, self.leader, tile_mask(self.dealt), scores)
        except TileError as error:
            if error.reason != "WRONG_HAND_SIZE" or not self.events:
                raise
            message = f"{error.message}; a history has the hand as dealt, only a snapshot has the hand now"
            raise TileError(message, reason=error.reason, field=error.field) from None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The current table, for a front end that kept no history; the view's own seat is to move."""

    placements: tuple[Move, ...]
    """The tiles on the table in play order."""
    hand: tuple[Tile, ...]
    """The seat's own tiles now, ascending."""
    hand_sizes: tuple[int, ...]
    """How many tiles each seat holds now."""
    talon_size: int
    """How many tiles are left to draw."""
    voids: tuple[tuple[int, ...], ...]
    """By seat, the suits (pips 0..6, ascending) that it is known not to hold."""
    drawn_tile: Tile | None
    """The tile that the seat has just drawn and must place, if its turn began with a draw."""

    def __post_init__(self) -> None:
        keep_plain(self, "hand_sizes", "talon_size")
        if isinstance(self.voids, tuple) and all(isinstance(suits, tuple) for suits in self.voids):
            keep(self, "voids", tuple(tuple(map(as_plain, suits)) for suits in self.voids))

    @classmethod
    def of(
        cls,
        players: int,
        placements: Iterable[MoveLike],
        hand: Iterable[TileLike],
        hand_sizes: Iterable[int],
        talon_size: int,
        voids: Mapping[int, Iterable[int]] | None,
        drawn_tile: TileLike | None,
    ) -> Self:
        """Read tiles and moves as text or values.

        :raises TileError: a tile does not exist or occurs twice: ``field`` is ``"hand[3]"``, ``"drawn_tile"``
            or the like.
        :raises MoveError: an attachment point does not exist: ``"placements[7].at"``.
        :raises ViewError: something is not a number or not a list: ``"hand_sizes[1]"``, ``"voids[2]"``.
        """
        return cls(
            placements=_read_placements(placements),
            hand=tuple(sorted(read_tiles(hand, "hand"))),
            hand_sizes=read_integers(hand_sizes, "hand_sizes"),
            talon_size=read_integer(talon_size, "talon_size"),
            voids=_read_voids(players, {} if voids is None else voids),
            drawn_tile=None if drawn_tile is None else read_tile(drawn_tile, "drawn_tile"),
        )

    def open(self, players: int, seat: int, scores: tuple[int, ...]) -> tuple[CoreView, Self]:
        """The core's view of it, and the snapshot itself.

        :raises HistoryError: no deal leaves every seat without its void suits.
        :raises SniffError: something breaks a rule; ``field`` is such as ``"placements[7].at"``.
        """
        core = self.core(players, seat, scores)
        try:
            CoreBelief.of(core)
        except HistoryError as error:
            raise error.at("voids") from None
        return core, self

    def core(self, players: int, seat: int, scores: tuple[int, ...]) -> CoreView:
        """The core's view of it, whether or not a deal explains it.

        :raises SniffError: something else breaks a rule; ``field`` is such as ``"placements[7].at"``.
        """
        return CoreView.snapshot(
            players,
            seat,
            [move.codes for move in self.placements],
            tile_mask(self.hand),
            self.hand_sizes,
            self.talon_size,
            [sum(1 << suit for suit in suits) for suits in self.voids],
            scores,
            -1 if self.drawn_tile is None else self.drawn_tile.index,
        )


Position: TypeAlias = History | Snapshot

OF_HISTORY: Final = ("leader", "events", "dealt", "scores_before")
OF_SNAPSHOT: Final = ("placements", "hand_sizes", "talon_size", "voids", "drawn_tile", "hand_now", "scores_now")
"""Words that say which of the two a text is."""


def check_kind_of_view(word: str, kind: str) -> None:
    """Check that a word of a snapshot does not stand in a history, nor the other way round.

    :param kind: what the text is: ``"view"`` for a history, ``"snapshot"``.
    :raises ViewError: it does.
    """
    if kind == "view" and word in OF_SNAPSHOT:
        message = f"{word!r} belongs to a snapshot; a history has the hand as dealt and the scores before the round"
        raise ViewError(message, reason="SNAPSHOT_IN_RECORD", field=word)
    if kind == "snapshot" and word in OF_HISTORY:
        message = f"{word!r} belongs to a history; a snapshot has the hand and the scores of now"
        raise ViewError(message, reason="RECORD_IN_SNAPSHOT", field=word)


def tell_core(core: CoreView, event: Event) -> Event:
    """Replay an event in the core; return it with its points."""
    if isinstance(event, Play):
        points = core.play(event.seat, *event.move.codes)
        if event.points not in (None, points):
            message = f"the placement scores {points}, not {event.points}"
            raise ViewError(message, reason="WRONG_POINTS", field="points")
        return event if event.points is not None else Play(event.seat, event.move, points)
    if isinstance(event, Draw):
        tiles = None if event.tiles is None else tuple(tile.index for tile in event.tiles)
        core.draw(event.seat, event.count, tiles)
    else:
        core.passes_turn(event.seat)
    return event


def _with_advice(error: SniffError, core: CoreView, scores: tuple[int, ...]) -> SniffError:
    """An error of an event; where the hand or the scores of now may have been given, with that word."""
    if error.reason == "TILE_NOT_IN_HAND":
        message = f"{error.message}; a history has the hand as dealt, only a snapshot has the hand now"
        return type(error)(message, reason=error.reason, field=error.field)
    if error.reason != "ROUND_OVER" or core.match_winner < 0 or not any(scores):
        return error
    message = f"{error.message}: team {core.match_winner} has {core.scores[core.match_winner]} points"
    message += "; a history has the scores before the round, only a snapshot has the scores now"
    return type(error)(message, reason=error.reason, field=error.field)


def _note(seen: list[Event], event: Event) -> None:
    """Append an event; a further draw of the same turn is merged with the draw before."""
    last = seen[-1] if seen else None
    if isinstance(event, Draw) and isinstance(last, Draw):
        tiles = None if last.tiles is None or event.tiles is None else last.tiles + event.tiles
        seen[-1] = Draw(event.seat, last.count + event.count, tiles)
    else:
        seen.append(event)


def _read_placements(values: Iterable[MoveLike]) -> tuple[Move, ...]:
    if not is_listed(values):
        raise ViewError(f"a list of moves is expected, not {shown(values)}", reason="NOT_MOVES", field="placements")
    return tuple(_read_placement(value, f"placements[{i}]") for i, value in enumerate(values))


def _read_placement(value: MoveLike, field: str) -> Move:
    try:
        return Move.of(value)
    except SniffError as error:
        raise error.at(field) from None


def _read_voids(players: int, values: Mapping[int, Iterable[int]]) -> tuple[tuple[int, ...], ...]:
    if not isinstance(values, Mapping):
        raise ViewError(f"suits by seat are expected, not {shown(values)}", reason="NOT_VOIDS", field="voids")
    for seat, suits in values.items():
        check_seat(read_integer(seat, "voids"), players, f"voids[{seat}]")
        if not set(read_integers(suits, f"voids[{seat}]")) <= set(range(7)):
            raise ViewError("a suit is a number of pips 0..6", reason="SUIT_OUT_OF_RANGE", field=f"voids[{seat}]")
    return tuple(tuple(sorted(set(values.get(seat, ())))) for seat in range(players))
