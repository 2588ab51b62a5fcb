"""The exact distribution of the tiles that a view cannot see (docs/rules.md, consequences)."""

import secrets
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from sniffai.checks import as_whole, read_whole, shown
from sniffai.errors import LimitsError, ViewError
from sniffai.seeds import check_seed
from sniffai.tiles import TILES, Tile, TileLike, mask_tiles, read_tile
from sniffai.view import View
from sniffai_ext.belief import Belief as CoreBelief

Place = int | Literal["talon"]
"""A seat, or the talon."""


MAX_COUNT: Final = 10**8
"""Most worlds that one call samples."""
MAX_WORLDS: Final = 10**7
"""Most worlds that one call lists."""


@dataclass(frozen=True, slots=True)
class World:
    """One way the hidden tiles may lie."""

    hands: tuple[tuple[Tile, ...], ...]
    """By seat, ascending; the view's own seat holds its known hand."""
    talon: tuple[Tile, ...]
    """In drawing order where the world was sampled, ascending where it was listed."""
    weight: int = 1
    """Assignments of tiles to deals and draws that make this world; 1 for a sampled world."""


class Belief:
    """The uniform distribution over all deals that explain the view.

    Beliefs of equal views are equal. Threads may share one.

    :raises HistoryError: no deal explains it.
    """

    def __init__(self, view: View) -> None:
        if not isinstance(view, View):
            raise ViewError(f"a view is expected, not {shown(view)}", reason="NOT_A_VIEW", field="view")
        self._view = view
        self._core = CoreBelief.of(view.core())
        self._table: npt.NDArray[np.float64] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._view,)

    def __eq__(self, other: object) -> bool:
        return self._view == other._view if isinstance(other, Belief) else NotImplemented

    def __hash__(self) -> int:
        return hash((Belief, self._view))

    @property
    def world_count(self) -> int:
        """How many ways there are to fill each seat's deal, each draw and the rest of the talon; exact."""
        return self._core.assignments

    @property
    def assignments(self) -> int:
        """The same number as :attr:`world_count`, by its older name."""
        return self.world_count

    @property
    def table(self) -> npt.NDArray[np.float64]:
        """Exact marginals, read-only float64 ``[28, players + 1]``: tile by seat, last column the talon."""
        if self._table is None:
            table = self._core.table()
            table.setflags(write=False)
            self._table = table  # once nobody can write to it: other threads may read it
        return self._table

    def probability(self, tile: TileLike, place: Place) -> float:
        """The chance that a tile lies at a seat or in the talon, 0..1. A tile on the table lies nowhere.

        :raises TileError: there is no such tile.
        :raises ViewError: there is no such place.
        """
        players = self._view.players
        if isinstance(place, str) and place == "talon":
            column = players
        elif (seat := as_whole(place)) is not None and 0 <= seat < players:
            column = seat
        else:
            raise ViewError(
                f"a place is a seat or 'talon', not {shown(place)}", reason="SEAT_OUT_OF_RANGE", field="place"
            )
        return float(self.table[read_tile(tile, "tile").index, column])

    def sample(self, rng: np.random.Generator | int | None = None) -> World:
        """One random world; :meth:`sample_many` is faster for many.

        :param rng: a generator of numpy, a seed (0..2**64-1), or ``None`` for an unrepeatable one.
        :raises LimitsError: the seed is out of range.
        """
        hands, talons = self.sample_many(1, rng)
        return World(self._hands(hands[0]), tuple(TILES[tile] for tile in talons[0]))

    def sample_many(
        self, count: int, rng: np.random.Generator | int | None = None
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
        """``count`` independent worlds as numbers.

        :param count: 0..100,000,000.
        :return: uint32 ``[count, players]`` tile masks (bit i: tile of index i; 0 for the view's own seat), and uint8
            ``[count, talon size]`` tile indices in drawing order.
        :raises LimitsError: count or the seed is out of range.
        """
        return self._core.sample(_whole(count, MAX_COUNT, "count"), _seed(rng))

    def worlds(self, limit: int = 10_000) -> list[World] | None:
        """Every world with its weight, or ``None`` when there are more than ``limit``.

        :param limit: 0..10,000,000.
        :raises LimitsError: it is out of range.
        """
        weights = self._core.worlds(_whole(limit, MAX_WORLDS, "limit"))
        if weights is None:
            return None
        return [World(self._hands(key[:-1]), mask_tiles(key[-1]), weight) for key, weight in sorted(weights.items())]

    def _hands(self, masks: "npt.NDArray[np.uint32] | tuple[int, ...]") -> tuple[tuple[Tile, ...], ...]:
        own = self._view.seat
        return tuple(self._view.hand if seat == own else mask_tiles(int(mask)) for seat, mask in enumerate(masks))


def _whole(value: int, most: int, field: str) -> int:
    return read_whole(value, field, 0, most, LimitsError, f"{field.upper()}_OUT_OF_RANGE")


def _seed(rng: np.random.Generator | int | None) -> int:
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(0, 2**64, dtype=np.uint64))
    return secrets.randbits(64) if rng is None else check_seed(rng)
