"""Moves: a tile of the hand and the attachment point that it joins (docs/rules.md §3)."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from sniffai.checks import shown
from sniffai.errors import MoveError
from sniffai.ports import point_code, point_name
from sniffai.tiles import TILES, Tile, TileLike, read_tile

_LONGEST: Final = 80
"""Longest attachment point name that is looked up, in characters."""


@dataclass(frozen=True, slots=True, init=False)
class Move:
    """A placement. ``str(move)`` is ``"4|5@4|6:HIGH"``, or ``"4|5"`` for the lead, and :meth:`parse` reads it back.

    :raises TileError: the tile does not exist (field ``"tile"``).
    :raises MoveError: the attachment point does not exist in any round (field ``"at"``).
    """

    tile: Tile
    """The tile played."""
    at: str | None
    """The attachment point joined, such as ``"4|6:HIGH"``; ``None`` for the lead."""

    def __init__(self, tile: TileLike, at: str | None = None) -> None:
        object.__setattr__(self, "tile", read_tile(tile, "tile"))
        if at is not None and not (isinstance(at, str) and len(at) <= _LONGEST):
            raise MoveError(
                f"{shown(at)} is not an attachment point; write tile:PORT, such as 4|6:HIGH or 1|1:LINE_A",
                reason="UNKNOWN_ATTACHMENT_POINT",
                field="at",
            )
        object.__setattr__(self, "at", point_name(point_code(at)))

    @classmethod
    def parse(cls, text: str) -> "Move":
        """Read ``"4|5@4|6:HIGH"``, or ``"4|5"`` for a lead.

        :raises TileError: the tile does not exist.
        :raises MoveError: the attachment point does not exist.
        """
        if not isinstance(text, str):
            raise MoveError(f"text is expected, not {shown(text)}", reason="NOT_A_MOVE")
        tile, sign, at = text.partition("@")
        return cls(tile, at if sign else None)

    @classmethod
    def of(cls, value: "MoveLike") -> "Move":
        """The move itself, or the move that a text names.

        :raises TileError: the tile does not exist.
        :raises MoveError: the attachment point does not exist.
        """
        if isinstance(value, Move):
            return value
        return cls.parse(value) if isinstance(value, str) else cls(value)

    @staticmethod
    @lru_cache(maxsize=4096)
    def from_codes(tile: int, at: int) -> "Move":
        """The move of a tile index and an attachment point's code, as the core gives them."""
        return Move(TILES[tile], point_name(at))

    @property
    def codes(self) -> tuple[int, int]:
        """Tile index and attachment point's code, as the core takes them."""
        return self.tile.index, point_code(self.at)

    def __str__(self) -> str:
        return f"{self.tile}" if self.at is None else f"{self.tile}@{self.at}"


MoveLike: TypeAlias = Move | str
"""What the library accepts as a move."""
