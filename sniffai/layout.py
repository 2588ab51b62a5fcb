"""The table as a value: what lies where, what can be joined, what is counted (docs/rules.md §3 and §4)."""

from collections.abc import Iterable
from dataclasses import dataclass

from sniffai.errors import SniffError
from sniffai.moves import Move, MoveLike
from sniffai.ports import point_name
from sniffai.tiles import TILES, Tile, tile_or_none
from sniffai_ext.layout import Layout as CoreLayout


@dataclass(frozen=True, slots=True)
class AttachmentPoint:
    """An open port: a place where a half with equal pips can be joined (§3)."""

    name: str
    """``tile:PORT``, such as ``"4|6:HIGH"``."""
    tile: Tile
    """The tile on the table that the port belongs to."""
    port: str
    """``LOW``, ``HIGH``, ``LINE_A``, ``LINE_B``, ``SIDE_A`` or ``SIDE_B``."""
    pips: int
    """The pips that a half must show to be joined here, 0..6."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The table at one moment: what lies on it, what can be joined, and what is counted. It never changes."""

    placements: tuple[Move, ...]
    """The tiles on the table in play order; the first is the lead."""
    attachment_points: tuple[AttachmentPoint, ...]
    """Every open port, ascending by tile, then port; none before the lead."""
    contributions: tuple[tuple[Tile, int], ...]
    """The counted ends, ascending by tile: each tile with the points that it adds to the count, 0..12.

    A sniff that is open occurs once for each open side (§4)."""
    count: int
    """The sum of the contributions, in points; 0 before the lead."""
    points: int
    """What the last placement scored, in points: the count if it is a positive multiple of 5, else 0 (§4)."""
    sniff: Tile | None
    """The first double played, the only one with side branches; ``None`` before it is played."""

    @classmethod
    def of(cls, placements: Iterable[MoveLike]) -> "Layout":
        """The table after some placements, whoever made them.

        :param placements: in play order, as :class:`Move` or text such as ``"4|6@4|4:LINE_A"``; the first is the lead.
        :raises TileError: a tile does not exist (``field`` is such as ``"[3].tile"``).
        :raises MoveError: a placement does not fit the table (``field`` is such as ``"[3].at"``).
        """
        core = CoreLayout()
        for i, move in enumerate(placements):
            try:
                core.play(*Move.of(move).codes)
            except SniffError as error:
                raise error.at(f"[{i}]") from None
        return cls.from_core(core)

    @classmethod
    def from_core(cls, core: CoreLayout) -> "Layout":
        """The value of a core layout at this moment."""
        return cls(
            placements=tuple(Move.from_codes(tile, at) for tile, at in core.placements()),
            attachment_points=tuple(_attachment_point(at, pips) for at, pips in core.attachment_points()),
            contributions=tuple((TILES[tile], value) for tile, value in core.contributions()),
            count=core.count,
            points=core.points,
            sniff=tile_or_none(core.sniff),
        )


def _attachment_point(at: int, pips: int) -> AttachmentPoint:
    name = point_name(at) or ""
    return AttachmentPoint(name, TILES[at // 4], name.partition(":")[2], pips)
