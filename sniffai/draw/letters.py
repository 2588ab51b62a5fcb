"""A layout in letters, with the tiles where they lie: for a terminal.

The plan is that of the pictures (:mod:`sniffai.draw.geometry`). A grid unit is two letters wide and a line high, so a
half is about square. Joined tiles share an edge. A broken line parts the halves of a tile, a double line is around the
sniff.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final

from sniffai.draw.geometry import OpenEnd, PlacedTile, Spot, plan_growing_layout
from sniffai.layout import Layout

WIDTH: Final = 2
"""Letters of a grid unit."""


class Ink(StrEnum):
    """What a letter of the drawing is part of."""

    NOTHING = "nothing"
    TILE = "tile"
    SNIFF = "sniff"
    LAST = "last"
    """The tile that was placed last."""
    END = "end"
    """The mark of an attachment point."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Letters of one line that are drawn alike."""

    text: str
    ink: Ink


Lines = tuple[tuple[Piece, ...], ...]

_FRAME: Final = {
    (True, False, True, False): "│",
    (False, True, False, True): "─",
    (False, True, True, False): "┌",
    (False, False, True, True): "┐",
    (True, True, False, False): "└",
    (True, False, False, True): "┘",
    (True, True, True, False): "├",
    (True, False, True, True): "┤",
    (False, True, True, True): "┬",
    (True, True, False, True): "┴",
    (True, True, True, True): "┼",
}
"""By whether a line leads up, right, down and left."""
_DOUBLE: Final = {"│": "║", "─": "═", "┌": "╔", "┐": "╗", "└": "╚", "┘": "╝"}
"""The letters of a double line."""


def layout_lines(layout: Layout, marks: Mapping[str, str]) -> Lines:
    """The drawing, line by line from the top; empty before the lead.

    :param marks: a letter or two for each attachment point, by its name; one without a mark is not marked.
    """
    plan = plan_growing_layout(layout)
    canvas = _Canvas()
    last = layout.placements[-1].tile if layout.placements else None
    for placed in sorted(plan.tiles, key=lambda laid: (laid.tile == layout.sniff, laid.tile == last)):
        ink = Ink.SNIFF if placed.tile == layout.sniff else Ink.TILE
        canvas.draw_tile(placed, Ink.LAST if placed.tile == last else ink, double=placed.tile == layout.sniff)
    for end in plan.ends:
        canvas.draw_mark(end, marks.get(end.name, ""))
    return canvas.lines()


class _Canvas:
    """Letters by line and column."""

    def __init__(self) -> None:
        self._letters: dict[tuple[int, int], tuple[str, Ink]] = {}
        self._ways: defaultdict[tuple[int, int], set[int]] = defaultdict(set)

    def draw_tile(self, placed: PlacedTile, ink: Ink, double: bool) -> None:
        """The outline, the line between the halves, and the pips of each half."""
        box = placed.box
        left, right, top, bottom = WIDTH * box.left, WIDTH * box.right, box.top, box.bottom
        for y in range(top + 1, bottom):
            for x in range(left + 1, right):
                self._put(y, x, _inside(placed, y, x), ink)
        for x in range(left, right + 1):
            for y in (top, bottom):
                self._edge(y, x, {way for way, goes in ((1, x < right), (3, x > left)) if goes}, ink)
        for y in range(top, bottom + 1):
            for x in (left, right):
                self._edge(y, x, {way for way, goes in ((0, y > top), (2, y < bottom)) if goes}, ink)
        if double:
            self._double(left, right, top, bottom)
        self._pips(placed.low, placed.tile.low, ink)
        self._pips(placed.high, placed.tile.high, ink)

    def draw_mark(self, end: OpenEnd, text: str) -> None:
        """The mark of an attachment point, in the middle of its room."""
        middle = WIDTH * (end.box.left + end.box.right) // 2
        for i, letter in enumerate(text):
            self._put((end.box.top + end.box.bottom) // 2, middle - len(text) // 2 + i, letter, Ink.END)

    def lines(self) -> Lines:
        """What was drawn, moved to the left edge."""
        if not self._letters:
            return ()
        rows, columns = ([spot[i] for spot in self._letters] for i in (0, 1))
        blank = (" ", Ink.NOTHING)
        return tuple(
            _pieces([self._letters.get((y, x), blank) for x in range(min(columns), max(columns) + 1)])
            for y in range(min(rows), max(rows) + 1)
        )

    def _pips(self, spot: Spot, pips: int, ink: Ink) -> None:
        self._put(spot.y, WIDTH * spot.x, str(pips), ink)

    def _edge(self, y: int, x: int, ways: set[int], ink: Ink) -> None:
        """A letter of an outline; where tiles touch, all their lines meet in it."""
        met = self._ways[y, x]
        met |= ways
        letter = _FRAME.get((0 in met, 1 in met, 2 in met, 3 in met), " ")
        self._put(y, x, letter, ink)

    def _double(self, left: int, right: int, top: int, bottom: int) -> None:
        """Make an outline double, whatever touches it."""
        for y in range(top, bottom + 1):
            for x in range(left, right + 1):
                if x in (left, right) or y in (top, bottom):
                    own = (y > top, x < right, y < bottom, x > left)
                    on_side, on_end = x in (left, right), y in (top, bottom)
                    ways = (own[0] and on_side, own[1] and on_end, own[2] and on_side, own[3] and on_end)
                    self._put(y, x, _DOUBLE[_FRAME[ways]], self._letters[y, x][1])

    def _put(self, y: int, x: int, letter: str, ink: Ink) -> None:
        self._letters[y, x] = letter, ink


def _inside(placed: PlacedTile, y: int, x: int) -> str:
    """The line between the halves of a tile, and the blanks around it."""
    if placed.upright:
        return "╌" if 2 * y == placed.low.y + placed.high.y else " "
    return "┆" if x == WIDTH * (placed.low.x + placed.high.x) // 2 else " "


def _pieces(letters: list[tuple[str, Ink]]) -> tuple[Piece, ...]:
    joined = (
        Piece("".join(letter for letter, _ in group), ink)
        for ink, group in groupby(letters, key=lambda letter: letter[1])
    )
    return tuple(joined)


def ascii_letters(text: str) -> str:
    """A drawing in ASCII, for terminals that show frames badly."""
    return text.translate(_ASCII)


_ASCII: Final = str.maketrans(
    {
        **dict.fromkeys("─╌", "-"),
        "═": "=",
        "│": "|",
        "┆": ":",
        **dict.fromkeys("┌┐└┘├┤┬┴┼", "+"),
        **dict.fromkeys("║╔╗╚╝", "#"),
    }
)
