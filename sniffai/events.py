"""What happens in a round, as one seat or everyone sees it (docs/rules.md §5), and its form as plain dictionaries.

=========  =========================================================================================
placement  ``{"play": "4|6", "at": "4|4:LINE_A", "seat": 0}``; ``"at"`` is ``None`` for the lead;
           ``"points"`` may be given, and is then checked
draws      ``{"draw": 2, "seat": 0, "tiles": ["1|2", "3|4"]}``; ``"tiles"`` only where they are known:
           in a seat's own view for its own draws, in a round with all hands open for every draw
pass       ``{"pass": True, "seat": 1}``
=========  =========================================================================================

Consecutive draws of one turn are one event: the tiles drawn before a placement or a pass.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

from sniffai.checks import BOUND, check_members, is_listed, keep_plain, read_integer, shown
from sniffai.errors import SniffError, ViewError
from sniffai.moves import Move
from sniffai.tiles import TILES, Tile, read_tiles

_POINTS: Final = (int, type(None))


@dataclass(frozen=True, slots=True)
class Play:
    """A placement."""

    seat: int
    move: Move
    points: int | None = None
    """What it scored; ``None`` if it is not known yet."""

    def __post_init__(self) -> None:
        if type(self.seat) is not int or type(self.points) not in _POINTS:
            keep_plain(self, "seat", "points")

    def to_dict(self) -> dict[str, Any]:
        """The dictionary form."""
        points = {} if self.points is None else {"points": self.points}
        return {"play": str(self.move.tile), "at": self.move.at, "seat": self.seat, **points}


@dataclass(frozen=True, slots=True)
class Draw:
    """The draws of one turn."""

    seat: int
    count: int
    """How many tiles were drawn, 1..14."""
    tiles: tuple[Tile, ...] | None = None
    """The tiles in the order of drawing, where they are known."""

    def __post_init__(self) -> None:
        keep_plain(self, "seat", "count")

    def to_dict(self) -> dict[str, Any]:
        """The dictionary form."""
        tiles = {} if self.tiles is None else {"tiles": [str(tile) for tile in self.tiles]}
        return {"draw": self.count, "seat": self.seat, **tiles}


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass: no playable tile, and nothing left to draw."""

    seat: int

    def __post_init__(self) -> None:
        keep_plain(self, "seat")

    def to_dict(self) -> dict[str, Any]:
        """The dictionary form."""
        return {"pass": True, "seat": self.seat}


Event: TypeAlias = Play | Draw | Pass
EventLike: TypeAlias = Event | Mapping[str, Any]
"""What the library accepts as an event."""


@lru_cache(maxsize=4096)
def event_of(record: tuple[Any, ...]) -> Event:
    """An event from the core's record of it, with all that happened: the points, the tiles drawn."""
    kind, seat, *rest = record
    if kind == "play":
        tile, at, points = rest
        return Play(seat, Move.from_codes(tile, at), points)
    if kind == "draw":
        return Draw(seat, len(rest[0]), tuple(TILES[tile] for tile in rest[0]))
    return Pass(seat)


def seen_by(seat: int, event: Event) -> Event:
    """An event as a seat sees it: what the others draw stays hidden."""
    if isinstance(event, Draw) and event.seat != seat:
        return Draw(event.seat, event.count)
    return event


def read_events(values: Iterable[EventLike], field: str = "events") -> tuple[Event, ...]:
    """The events of a list of dictionaries (or of events, which are checked and returned unchanged).

    :param field: what the caller calls the list, for errors.
    :raises ViewError: a value does not have the form of an event.
    :raises TileError: a tile does not exist, or occurs twice in one draw.
    :raises MoveError: an attachment point does not exist.
    """
    if not is_listed(values):
        raise ViewError(f"a list of events is expected, not {shown(values)}", reason="NOT_EVENTS", field=field)
    if type(values) is list and all(map(_is_sound, values)):  # nearly always: see _is_sound
        return tuple(values)
    return tuple(_read_event(value, f"{field}[{i}]") for i, value in enumerate(values))


def check_events(values: object, field: str = "events") -> None:
    """Check a tuple of events made by hand: their parts must be numbers, moves and tiles.

    :raises ViewError: it is not one; ``field`` is the offending part, such as ``"events[7].seat"``.
    """
    if not isinstance(values, tuple):
        raise ViewError(f"a tuple of events is expected, not {shown(values)}", reason="NOT_EVENTS", field=field)
    for i, value in enumerate(values):
        if not _is_sound(value):
            _find_fault(value, f"{field}[{i}]")


def check_event(value: object, field: str) -> None:
    """The same for one event.

    :raises ViewError: a part is not of its type.
    """
    if not _is_sound(value):
        _find_fault(value, field)


def _is_sound(event: object) -> bool:
    """Whether every part of an event has exactly its type. Quick: views are made often."""
    if type(event) is Play:
        points = event.points
        return _is_number(event.seat) and type(event.move) is Move and (points is None or _is_number(points))
    if type(event) is Draw:
        tiles = event.tiles
        known = tiles is None or (type(tiles) is tuple and all(type(tile) is Tile for tile in tiles))
        counted = not tiles or (known and len(tiles) == len(set(tiles)) == event.count)
        return known and counted and _is_number(event.seat) and _is_number(event.count)
    return type(event) is Pass and _is_number(event.seat)


def _is_number(value: object) -> bool:
    return type(value) is int and -BOUND <= value <= BOUND


def _find_fault(event: object, field: str) -> None:
    """Raise an error if something is wrong with an event made by hand."""
    if not isinstance(event, (Play, Draw, Pass)):
        raise ViewError(f"an event is expected, not {shown(event)}", reason="NOT_AN_EVENT", field=field)
    if isinstance(event, Play):
        if not isinstance(event.move, Move):
            raise ViewError(f"a Move is expected, not {shown(event.move)}", reason="WRONG_TYPE", field=f"{field}.move")
        if event.points is not None:
            read_integer(event.points, f"{field}.points")
    elif isinstance(event, Draw):
        read_integer(event.count, f"{field}.count")
        if event.tiles is not None:
            try:
                _check_drawn(event.count, event.tiles)
            except SniffError as error:
                raise error.at(field) from None
    read_integer(event.seat, f"{field}.seat")


def _check_drawn(count: int, tiles: object) -> None:
    """The tiles that a draw names."""
    if not (isinstance(tiles, tuple) and all(isinstance(tile, Tile) for tile in tiles)):
        raise ViewError(f"a tuple of tiles is expected, not {shown(tiles)}", reason="WRONG_TYPE", field="tiles")
    _check_count(count, read_tiles(tiles, "tiles"))


def _check_count(count: int, tiles: tuple[Tile, ...]) -> None:
    if len(tiles) != count:
        raise ViewError(
            f"{count} tiles were drawn, but {len(tiles)} are named", reason="DRAW_COUNT_MISMATCH", field="tiles"
        )


def _read_event(value: EventLike, field: str) -> Event:
    if isinstance(value, (Play, Draw, Pass)):
        check_event(value, field)
        return value
    try:
        kind = _kind(value)
        return _READERS[kind](value)
    except SniffError as error:
        raise error.at(field) from None


def _kind(value: Mapping[str, Any]) -> str:
    """Which kind of event it is; checks the keys."""
    kinds = [kind for kind in _READERS if kind in value] if isinstance(value, Mapping) else []
    if len(kinds) != 1:
        raise ViewError('an event has one of "play", "draw" and "pass"', reason="NOT_AN_EVENT")
    check_members(value, (), _KEYS[kinds[0]], ViewError)
    return kinds[0]


def _read_play(value: Mapping[str, Any]) -> Play:
    try:
        move = Move(value["play"], value.get("at"))
    except SniffError as error:
        raise type(error)(
            error.message, reason=error.reason, field="play" if error.field == "tile" else error.field
        ) from None
    points = None if value.get("points") is None else read_integer(value["points"], "points")
    return Play(_seat(value), move, points)


def _read_draw(value: Mapping[str, Any]) -> Draw:
    count = read_integer(value["draw"], "draw")
    tiles = None if value.get("tiles") is None else read_tiles(value["tiles"], "tiles")
    if tiles is not None:
        _check_count(count, tiles)
    return Draw(_seat(value), count, tiles)


def _read_pass(value: Mapping[str, Any]) -> Pass:
    if value["pass"] is not True:
        raise ViewError("a pass is written as true", reason="WRONG_TYPE", field="pass")
    return Pass(_seat(value))


def _seat(value: Mapping[str, Any]) -> int:
    return read_integer(value.get("seat"), "seat")


_READERS: Final[dict[str, Callable[[Mapping[str, Any]], Event]]] = {
    "play": _read_play,
    "draw": _read_draw,
    "pass": _read_pass,
}
_KEYS: Final = {
    "play": ("play", "at", "seat", "points"),
    "draw": ("draw", "seat", "tiles"),
    "pass": ("pass", "seat"),
}
