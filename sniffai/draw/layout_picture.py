"""A layout as a picture: a plan on felt, its open ends marked, the count below."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sniffai.draw.faces import DIM, INK, MARK, SNIFF, counted_mark, open_mark, outline, tile_face
from sniffai.draw.geometry import Box, OpenEnd, PlacedTile, end_values, plan_layout
from sniffai.draw.svg import element, label
from sniffai.explain.description import port_name, sum_text
from sniffai.explain.languages import Words
from sniffai.layout import AttachmentPoint, Layout

PAGE: Final = 360
"""Width of every picture, in pixels at scale 1: a small phone's."""

MARGIN: Final = 12
LARGEST: Final = 13.0
"""Pixels of a grid unit where there is room."""

EMPTY: Final = 80
"""Height of the table before the lead."""

TEXT: Final = 15
LINE: Final = 22
"""Letters, and from line to line, in pixels."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a picture, drawn from 0 downwards over the width of the page."""

    height: float
    shapes: str


def layout_part(layout: Layout, tags: Mapping[str, str]) -> Part:
    """The tiles and the marks of their open ends.

    :param tags: by attachment point, up to three signs to write beyond its mark.
    """
    plan = plan_layout(layout, mark=4 if tags else 2)
    if not plan.tiles:
        return Part(EMPTY, "")
    unit = min(LARGEST, (PAGE - 2 * MARGIN) / plan.box.width)
    height = max(EMPTY, plan.box.height * unit + 2 * MARGIN)
    sheet = _Sheet(plan.box, unit, height)
    last = layout.placements[-1].tile
    shapes = [_tile(placed, sheet) for placed in plan.tiles]
    shapes += [_ring(placed, sheet) for placed in plan.tiles if placed.tile == layout.sniff]
    shapes += [_dots(placed, sheet) for placed in plan.tiles if placed.tile == last and len(plan.tiles) > 1]
    shapes += [_mark(end, sheet, tags.get(end.name)) for end in plan.ends]
    return Part(height, "".join(shapes))


def count_part(layout: Layout, say: Words) -> Part:
    """The count as a sum, and what the last placement scored."""
    if not layout.placements:
        return Part(LINE, label(say.say("No tile has been played."), PAGE / 2, LINE / 2, TEXT, MARK))
    scored = say.say("Points for the placement: {points}", points=layout.points)
    return Part(
        2 * LINE,
        label(sum_text(layout), PAGE / 2, LINE / 2, TEXT + 2, MARK, font_weight="700")
        + label(scored, PAGE / 2, 1.5 * LINE, TEXT, DIM),
    )


def legend_part(layout: Layout, tags: Mapping[str, str], say: Words) -> Part:
    """The attachment points by tag: what each is called, which pips fit there, what it counts."""
    values = end_values(layout)
    rows = [
        label(tag, MARGIN + 12, (row + 0.5) * LINE, TEXT, MARK, font_weight="700")
        + label(
            _point_text(point, values.get(point.name), say),
            MARGIN + 36,
            (row + 0.5) * LINE,
            TEXT - 2,
            DIM,
            text_anchor="start",
            font_weight="400",
        )
        for row, point in enumerate(layout.attachment_points)
        if (tag := tags.get(point.name)) is not None
    ]
    return Part(len(rows) * LINE, "".join(rows))


def _point_text(point: AttachmentPoint, value: int | None, say: Words) -> str:
    name = port_name(point.name, say)
    if value is None:
        return say.say("{point}: fits {pips}, counts nothing", point=name, pips=point.pips)
    return say.say("{point}: fits {pips}, counts {value}", point=name, pips=point.pips, value=value)


def letters(layout: Layout) -> dict[str, str]:
    """A letter for each attachment point."""
    return {point.name: "ABCDEFGH"[i] for i, point in enumerate(layout.attachment_points)}


@dataclass(frozen=True, slots=True)
class _Sheet:
    """From the plan to the page: the plan's box in the middle of the table."""

    box: Box
    unit: float
    height: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        """A point of the plan on the page."""
        return (
            PAGE / 2 + (x - (self.box.left + self.box.right) / 2) * self.unit,
            self.height / 2 + (y - (self.box.top + self.box.bottom) / 2) * self.unit,
        )


def _tile(placed: PlacedTile, sheet: _Sheet) -> str:
    return tile_face(placed.tile, sheet.at(*placed.low), sheet.at(*placed.high), sheet.unit)


def _ring(placed: PlacedTile, sheet: _Sheet) -> str:
    """The second outline of the sniff."""
    width = 0.24 * sheet.unit
    return outline(
        sheet.at(*placed.low), sheet.at(*placed.high), sheet.unit, 0.0, stroke=SNIFF, stroke_width=width
    ) + outline(
        sheet.at(*placed.low), sheet.at(*placed.high), sheet.unit, -0.3, stroke=INK, stroke_width=0.08 * sheet.unit
    )


def _dots(placed: PlacedTile, sheet: _Sheet) -> str:
    """The dotted outline of the tile placed last."""
    unit = sheet.unit
    return outline(
        sheet.at(*placed.low),
        sheet.at(*placed.high),
        unit,
        0.3,
        stroke=MARK,
        stroke_width=0.2 * unit,
        stroke_linecap="round",
        stroke_dasharray=f"0.01 {0.5 * unit:.2f}",
    )


_WAYS: Final = ((1, 0), (0, 1), (-1, 0), (0, -1))


def _mark(end: OpenEnd, sheet: _Sheet, tag: str | None) -> str:
    dx, dy = _WAYS[end.heading]
    reach = (end.box.width if dx else end.box.height) / 2
    middle = (end.box.left + end.box.right) / 2, (end.box.top + end.box.bottom) / 2
    x, y = sheet.at(middle[0] + dx * (1 - reach), middle[1] + dy * (1 - reach))
    drawn = open_mark(x, y, sheet.unit) if end.value is None else counted_mark(end.value, x, y, sheet.unit)
    if tag is None:
        return drawn
    x, y = sheet.at(middle[0] + dx * (reach - 1), middle[1] + dy * (reach - 1))
    return drawn + tag_sign(tag, x, y, sheet.unit)


def tag_sign(tag: str, x: float, y: float, unit: float) -> str:
    """A few signs in a frame; more than three are written smaller."""
    size, most = (1.2, 1.0, 0.85), min(len(tag), 3)
    half = (0.85, 0.95, 1.1)[most - 1] * unit
    return element(
        "rect",
        x=x - half,
        y=y - 0.85 * unit,
        width=2 * half,
        height=1.7 * unit,
        rx=0.3 * unit,
        fill=INK,
        stroke=MARK,
        stroke_width=0.12 * unit,
    ) + label(tag, x, y, size[most - 1] * most / len(tag) * unit, MARK, font_weight="700")
