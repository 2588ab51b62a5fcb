"""Faults of a message, collected while it is read, so that a client gets all of them at once."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeVar

from google.protobuf.duration_pb2 import Duration

from sniffai.errors import SniffError
from sniffai.moves import Move
from sniffai.tiles import Tile
from sniffai.v1 import event_pb2, move_pb2
from sniffai.wire.errors import Violation, WireError
from sniffai.wire.paths import joined

T = TypeVar("T")

MAX_EVENTS: Final = 128
"""Maximum number of events. A round has fewer: 28 placements, 14 draws, and 3 passes between two placements."""
MAX_TILES: Final = 28
"""Maximum length of all other lists: of tiles, moves, seats or suits."""


class Faults:
    """Reads the parts of a message, and collects a violation for each part that cannot be read.

    A list that is too long is not read, because a request may have a million bytes, and parsing them would take
    seconds. If there is such a list, only such lists are reported.
    """

    __slots__ = ("_long", "_unreadable")

    def __init__(self) -> None:
        self._long: list[Violation] = []
        self._unreadable: list[Violation] = []

    def add(self, *violations: Violation) -> None:
        """Collect violations found elsewhere."""
        self._unreadable += violations

    def check(self) -> None:
        """Check at the end of the reading that there is no fault.

        :raises WireError: there is one; it has all violations.
        """
        if self._long or self._unreadable:
            raise self.error()

    def error(self) -> WireError:
        """The error with all violations. There must be one."""
        return WireError(*(self._long or self._unreadable))

    def limited(self, values: Sequence[T], path: str, most: int = MAX_TILES) -> Sequence[T]:
        """The list itself; empty, and a fault, if it is too long."""
        if len(values) <= most:
            return values
        self._long.append(too_many(path, most))
        return ()

    def tiles(self, names: Sequence[str], path: str) -> list[Tile]:
        """The valid tiles of a list; the others are faults."""
        try:
            return [Tile.parse(name) for name in names]
        except SniffError:  # where they are is worked out only for faults
            tiles = (self.tile(name, f"{path}[{i}]") for i, name in enumerate(names))
            return [tile for tile in tiles if tile is not None]

    def tile(self, name: str, path: str) -> Tile | None:
        """A tile; ``None``, and a fault, if it is invalid."""
        try:
            return Tile.parse(name)
        except SniffError as error:
            self.add(Violation.of(error, path))
            return None

    def moves(self, messages: Sequence[move_pb2.Move], path: str) -> list[Move]:
        """The valid moves of a list; the others are faults."""
        try:
            return [move_of(message) for message in messages]
        except SniffError:
            moves = (self.move(message, f"{path}[{i}]") for i, message in enumerate(messages))
            return [move for move in moves if move is not None]

    def move(self, message: move_pb2.Move | event_pb2.Placement, path: str) -> Move | None:
        """A move; ``None``, and a fault, if it is invalid."""
        try:
            return move_of(message)
        except SniffError as error:
            self.add(Violation.of(error, joined(path, error.field)))
            return None


def move_of(message: move_pb2.Move | event_pb2.Placement) -> Move:
    """A move.

    :raises SniffError: the tile or the attachment point does not exist.
    """
    return _move(message.tile, message.at)


@lru_cache(maxsize=4096)
def _move(tile: str, at: str) -> Move:
    """The move of a tile and an attachment point. There are about 1,700; errors are not cached."""
    return Move(tile, at or None)


def too_many(path: str, most: int) -> Violation:
    """The violation of a list that is too long."""
    return Violation(path, "TOO_MANY", f"at most {most} can be given")


def below(
    value: float | None, least: float, path: str, description: str, reason: str = "LIMIT_OUT_OF_RANGE"
) -> list[Violation]:
    """A violation if a value is given and too small."""
    return [Violation(path, reason, description)] if value is not None and value < least else []


def bad_error(error: float | None, most: float, path: str) -> list[Violation]:
    """A violation if a standard error is given that is not above 0 and at most ``most``."""
    if error is None or 0 < error <= most:
        return []
    return [Violation(path, "LIMIT_OUT_OF_RANGE", f"a standard error is above 0 and at most {most} points")]


def bad_duration(duration: Duration, path: str) -> list[Violation]:
    """A violation if the nanos are out of range or have another sign than the seconds."""
    if abs(duration.nanos) < 10**9 and duration.seconds * duration.nanos >= 0:
        return []
    return [
        Violation(
            path, "NOT_A_DURATION", "nanos must be between -999999999 and 999999999, with the same sign as seconds"
        )
    ]
