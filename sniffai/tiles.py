"""Tiles, and the two forms the core knows them in: an index 0..27 and a 28-bit set (docs/rules.md §1)."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from sniffai.checks import is_listed, shown
from sniffai.errors import SniffError, TileError


@dataclass(frozen=True, order=True, slots=True)
class Tile:
    """One of the 28 tiles ``low|high``, ``0 <= low <= high <= 6``; ordered by low half, then high half.

    :raises TileError: there is no such tile.
    """

    low: int
    """Pips of the lower half, 0..6."""
    high: int
    """Pips of the higher half, 0..6."""

    def __post_init__(self) -> None:
        low, high = self.low, self.high
        if type(low) is not int or type(high) is not int or not 0 <= low <= high <= 6:
            raise TileError(
                f"{shown(low)}|{shown(high)} is not a tile; 0 <= low <= high <= 6, whole numbers", reason="UNKNOWN_TILE"
            )

    @classmethod
    def parse(cls, text: str) -> "Tile":
        """Read ``"4|6"``. Strict: the lower half comes first, without spaces.

        :raises TileError: the text names no tile.
        """
        tile = _BY_TEXT.get(text) if isinstance(text, str) else None
        if tile is None:
            raise _unknown(text)
        return tile

    @classmethod
    def of(cls, value: "TileLike") -> "Tile":
        """The tile itself, or the tile that a text names.

        :raises TileError: the value is neither.
        """
        if isinstance(value, Tile):
            return value
        if isinstance(value, str):
            return cls.parse(value)
        raise _unknown(value)

    @property
    def index(self) -> int:
        """0..27 in the order 0|0, 0|1, .. 0|6, 1|1, .. 6|6: the core's number of this tile."""
        return 7 * self.low - self.low * (self.low - 1) // 2 + self.high - self.low

    @property
    def pips(self) -> int:
        """Pips of both halves, 0..12."""
        return self.low + self.high

    @property
    def is_double(self) -> bool:
        """Whether both halves are equal."""
        return self.low == self.high

    def __str__(self) -> str:
        return f"{self.low}|{self.high}"


TileLike: TypeAlias = Tile | str
"""What the library accepts as a tile."""

TILES: Final = tuple(Tile(low, high) for low in range(7) for high in range(low, 7))
"""All 28 tiles by index."""

_BY_TEXT: Final = {str(tile): tile for tile in TILES}


def read_tiles(values: Iterable[TileLike], field: str, seen: dict[Tile, str] | None = None) -> tuple[Tile, ...]:
    """The tiles of a list, in its order, each at most once.

    :param field: what the caller calls the list, for errors.
    :param seen: tiles met before, each with its place; the tiles read are added.
    :raises TileError: a value is not a tile, or a tile occurs twice; ``field`` is the path of that value.
    """
    if not is_listed(values):
        raise TileError(f"a list of tiles is expected, not {shown(values)}", reason="NOT_TILES", field=field)
    if seen is None:
        if type(values) is list and all(type(value) is Tile for value in values) and len(set(values)) == len(values):
            return tuple(values)  # nearly always
        seen = {}
    return tuple(_read_tile(value, f"{field}[{i}]", seen) for i, value in enumerate(values))


def read_tile(value: TileLike, field: str) -> Tile:
    """One tile, with errors that name its field.

    :raises TileError: the value is not a tile.
    """
    try:
        return Tile.of(value)
    except SniffError as error:
        raise error.at(field) from None


def tile_mask(tiles: Iterable[Tile]) -> int:
    """The 28-bit set of these tiles.

    :raises TileError: a value is not a tile.
    """
    mask = 0
    for tile in tiles:
        if not isinstance(tile, Tile):
            raise _unknown(tile)
        mask |= 1 << tile.index
    return mask


@lru_cache(maxsize=4096)
def mask_tiles(mask: int) -> tuple[Tile, ...]:
    """The tiles of a 28-bit set, ascending."""
    tiles = []
    while mask:
        lowest = mask & -mask
        tiles.append(TILES[lowest.bit_length() - 1])
        mask ^= lowest
    return tuple(tiles)


def tile_or_none(index: int) -> Tile | None:
    """The tile of an index; ``None`` for the core's -1."""
    return None if index < 0 else TILES[index]


def _read_tile(value: TileLike, field: str, seen: dict[Tile, str]) -> Tile:
    tile = read_tile(value, field)
    if tile in seen:
        raise TileError(f"{tile} occurs twice: it is also at {seen[tile]}", reason="TILE_TWICE", field=field)
    seen[tile] = field
    return tile


def _unknown(value: object) -> TileError:
    if isinstance(value, str) and len(value) == 3 and (turned := value[::-1]) in _BY_TEXT:
        return TileError(f"the lower half comes first: write {turned}, not {shown(value)}", reason="UNKNOWN_TILE")
    return TileError(f"{shown(value)} is not a tile; write low|high with 0 <= low <= high <= 6", reason="UNKNOWN_TILE")
