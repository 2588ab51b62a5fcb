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
from typing import Any, Final, TypeAlias

from sniffai.errors import SniffError, ViewError
from sniffai.integers import read_integer
from sniffai.moves import Move
from sniffai.tiles import Tile, read_tiles


@dataclass(frozen=True, slots=True)
class Play:
    """A placement."""

    seat: int
    move: Move
    points: int | None = None
    """What it scored; ``None`` where nobody has said so yet."""

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

    def to_dict(self) -> dict[str, Any]:
        """The dictionary form."""
        tiles = {} if self.tiles is None else {"tiles": [str(tile) for tile in self.tiles]}
        return {"draw": self.count, "seat": self.seat, **tiles}


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass: no playable tile, and nothing left to draw."""

    seat: int

    def to_dict(self) -> dict[str, Any]:
        """The dictionary form."""
        return {"pass": True, "seat": self.seat}


Event: TypeAlias = Play | Draw | Pass
EventLike: TypeAlias = Event | Mapping[str, Any]
"""What every door of the library takes for an event."""


def read_events(values: Iterable[EventLike], field: str = "events") -> tuple[Event, ...]:
    """The events of a list of dictionaries (or of events, which pass unchanged).

    :param field: what the caller calls the list, for errors.
    :raises ViewError: a value has not the form of an event.
    :raises TileError: a tile does not exist, or occurs twice in one draw.
    :raises MoveError: an attachment point does not exist.
    """
    if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
        raise ViewError(f"a list of events is expected here, not {values!r}", reason="NOT_EVENTS", field=field)
    return tuple(_read_event(value, f"{field}[{i}]") for i, value in enumerate(values))


def _read_event(value: EventLike, field: str) -> Event:
    if isinstance(value, (Play, Draw, Pass)):
        return value
    try:
        kind = _kind(value)
        return _READERS[kind](value)
    except SniffError as error:
        raise error.at(field) from None


def _kind(value: Mapping[str, Any]) -> str:
    """Which event it is, after a look at its keys."""
    kinds = [kind for kind in _READERS if kind in value] if isinstance(value, Mapping) else []
    if len(kinds) != 1:
        raise ViewError('an event has one of "play", "draw" and "pass"', reason="NOT_AN_EVENT")
    unknown = [key for key in value if key not in _KEYS[kinds[0]]]
    if unknown:
        raise ViewError(f"a {kinds[0]} has no such field", reason="UNKNOWN_FIELD", field=str(unknown[0]))
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
    if tiles is not None and len(tiles) != count:
        raise ViewError(f"{count} drawn, but {len(tiles)} named", reason="DRAW_COUNT_MISMATCH", field="tiles")
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
