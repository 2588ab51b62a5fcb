"""Tiles and marks as shapes.

Nothing is shown by colour alone: pips are counted, the sniff has a second outline, the tile placed last a dotted one, a
counted end a number in a disc, an end that counts nothing an empty ring.
"""

from typing import Final

from sniffai.draw.svg import Attribute, element, label
from sniffai.tiles import Tile

FELT: Final = "#1f4e47"
IVORY: Final = "#fbf6e6"
INK: Final = "#1c1a17"
EDGE: Final = "#8b8269"
SHADE: Final = "#0e2925"
SNIFF: Final = "#f4a340"
MARK: Final = "#ffffff"
DIM: Final = "#c9d9d2"

PIP: Final = 0.21
"""Radius of a pip, in half a half's side."""

_ACROSS: Final = {
    0: (),
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}
"""Pips of a half of an upright tile: columns run along the tile."""

_SPREAD: Final = 0.56
"""From the middle of a half to its outer pips, in half a half's side."""


def half_pips(pips: int, x: float, y: float, unit: float, upright: bool) -> str:
    """The pips of one half whose middle is at ``x``, ``y``.

    :param unit: half the side of a half.
    """
    spots = _ACROSS[pips] if upright else tuple((-row, column) for column, row in _ACROSS[pips])
    return "".join(
        element("circle", cx=x + unit * _SPREAD * dx, cy=y + unit * _SPREAD * dy, r=unit * PIP) for dx, dy in spots
    )


def tile_face(tile: Tile, low: tuple[float, float], high: tuple[float, float], unit: float) -> str:
    """A tile whose halves have these middles."""
    upright = low[0] == high[0]
    left, top = min(low[0], high[0]) - unit, min(low[1], high[1]) - unit
    width, height = (2 * unit, 4 * unit) if upright else (4 * unit, 2 * unit)
    middle = (low[0] + high[0]) / 2, (low[1] + high[1]) / 2
    reach = 0.72 * unit
    across = (reach, 0.0) if upright else (0.0, reach)
    return element(
        "g",
        _slab(left, top + 0.12 * unit, width, height, unit, fill=SHADE),
        _slab(left, top, width, height, unit, fill=IVORY, stroke=EDGE, stroke_width=0.07 * unit),
        element(
            "line",
            x1=middle[0] - across[0],
            y1=middle[1] - across[1],
            x2=middle[0] + across[0],
            y2=middle[1] + across[1],
            stroke=EDGE,
            stroke_width=0.1 * unit,
        ),
        element(
            "g",
            half_pips(tile.low, *low, unit, upright),
            half_pips(tile.high, *high, unit, upright),
            fill=INK,
        )
        if tile.pips
        else "",
    )


def tile_back(x: float, y: float, unit: float) -> str:
    """A small tile face down, its middle at ``x``, ``y``."""
    return element(
        "g",
        _slab(x - unit, y - 2 * unit, 2 * unit, 4 * unit, unit, fill=DIM, stroke=SHADE, stroke_width=0.2 * unit),
        element("line", x1=x - 0.6 * unit, y1=y, x2=x + 0.6 * unit, y2=y, stroke=SHADE, stroke_width=0.2 * unit),
    )


def outline(
    low: tuple[float, float], high: tuple[float, float], unit: float, by: float, **attributes: Attribute
) -> str:
    """A line round a tile, ``by`` units outside of it."""
    left, top = min(low[0], high[0]) - unit, min(low[1], high[1]) - unit
    right, bottom = max(low[0], high[0]) + unit, max(low[1], high[1]) + unit
    away = (by - _GAP) * unit
    return element(
        "rect",
        x=left - away,
        y=top - away,
        width=right - left + 2 * away,
        height=bottom - top + 2 * away,
        rx=0.35 * unit + away,
        fill="none",
        **attributes,
    )


def counted_mark(value: int, x: float, y: float, unit: float) -> str:
    """The value of a counted end: a number in a disc."""
    size = (1.15 if value < 10 else 1.0) * unit
    return element("circle", cx=x, cy=y, r=0.82 * unit, fill=MARK) + label(
        str(value), x, y, size, INK, font_weight="700"
    )


def open_mark(x: float, y: float, unit: float) -> str:
    """An end where a tile can be joined, but nothing is counted: an empty ring."""
    return element("circle", cx=x, cy=y, r=0.5 * unit, fill="none", stroke=MARK, stroke_width=0.2 * unit)


_GAP: Final = 0.05
"""Tiles are drawn smaller by this much on every side, so that neighbours stay apart."""


def _slab(x: float, y: float, width: float, height: float, unit: float, **attributes: Attribute) -> str:
    gap = _GAP * unit
    return element(
        "rect", x=x + gap, y=y + gap, width=width - 2 * gap, height=height - 2 * gap, rx=0.35 * unit, **attributes
    )
