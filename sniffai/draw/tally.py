"""Scores as they are kept on paper (docs/rules.md §8): a stroke is 5 points, a large X with four small x's is 50.

The block of 50 is ten strokes: two for the large X, and two for each small x in its four open angles. So a score grows
stroke by stroke, and a block that is not full yet shows how far it has come.
"""

from dataclasses import dataclass
from typing import Final, Self

from sniffai.checks import read_integer
from sniffai.errors import LimitsError

STROKE_POINTS: Final = 5
BLOCK_STROKES: Final = 10

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Tally:
    """One score in blocks and strokes."""

    score: int
    """Points, a multiple of 5; may be below zero."""

    @classmethod
    def of(cls, score: int) -> Self:
        """The tally of a score.

        :raises LimitsError: it is not a multiple of 5, which no score of this game is.
        :raises ViewError: it is not a whole number, or outside -30000..30000.
        """
        score = read_integer(score, "score")
        if score % STROKE_POINTS:
            raise LimitsError(f"every score is a multiple of 5, {score} is not", reason="NOT_A_SCORE", field="score")
        return cls(score)

    @property
    def blocks(self) -> int:
        """Full blocks of 50."""
        return abs(self.score) // (STROKE_POINTS * BLOCK_STROKES)

    @property
    def strokes(self) -> int:
        """Strokes beyond the full blocks, 0..9."""
        return abs(self.score) // STROKE_POINTS % BLOCK_STROKES

    @property
    def below_zero(self) -> bool:
        """Whether the strokes are a debt."""
        return self.score < 0

    def cells(self) -> list[int]:
        """Strokes in each block, the last perhaps not full; ``[0]`` for a score of 0."""
        return [BLOCK_STROKES] * self.blocks + ([self.strokes] if self.strokes or not self.blocks else [])

    def to_text(self) -> str:
        """A drawing in letters, three lines high, at most five blocks a row, a minus before a debt."""
        if not self.score:
            return "(no strokes)"
        cells = [_cell_letters(strokes) for strokes in self.cells()]
        rows = [_row_letters(cells[i : i + _ROW]) for i in range(0, len(cells), _ROW)]
        if self.below_zero:
            rows[0] = "\n".join(sign + line for sign, line in zip(("  ", "- ", "  "), rows[0].split("\n"), strict=True))
            rows[1:] = ["\n".join("  " + line for line in row.split("\n")) for row in rows[1:]]
        return "\n\n".join(rows)

    def to_svg(self) -> str:
        """A drawing as an SVG document: pen strokes on ruled paper, red for a debt, the number beside them."""
        cells = self.cells()
        columns, rows = min(len(cells), _ROW), -(-len(cells) // _ROW)
        width, height = _MARGIN * 2 + columns * _CELL + _LABEL, _MARGIN * 2 + rows * _CELL
        marks = [
            _stroke_path(index, number, *_centre(index))
            for index, strokes in enumerate(cells)
            for number in range(strokes)
        ]
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label="Tally of {self.score} points">'
        )
        ink = _DEBT_INK if self.below_zero else _INK
        return "\n".join(
            [
                head,
                f"<title>{self.score} points</title>",
                f'<rect width="{width}" height="{height}" rx="10" fill="#fbf7ec"/>',
                *_rules(rows, width),
                f'<g fill="none" stroke="{ink}" stroke-linecap="round">',
                *marks,
                "</g>",
                _label(self.score, ink, width - _MARGIN, height - _MARGIN - _CELL / 2),
                "</svg>\n",
            ]
        )


# Letters

_ROW: Final = 5
_PLACES: Final = ((1, 2), (0, 2), (1, 4), (2, 2), (1, 0))
"""Line and column of the large X and of the small x's above, right, below and left of it."""


def _cell_letters(strokes: int) -> list[str]:
    lines = [[" "] * 5 for _ in range(3)]
    for i, (line, column) in enumerate(_PLACES):
        mark = min(max(strokes - 2 * i, 0), 2)
        lines[line][column] = (" ", "\\", "x" if i else "X")[mark]
    return ["".join(line) for line in lines]


def _row_letters(cells: list[list[str]]) -> str:
    return "\n".join("   ".join(cell[line] for cell in cells).rstrip() for line in range(3))


# Pen strokes; lengths are SVG units (pixels at scale 1)

_CELL: Final = 120
_MARGIN: Final = 20
_LABEL: Final = 110
_INK: Final = "#1d3b6f"
_DEBT_INK: Final = "#b3261e"
_LARGE: Final = 36
_SMALL: Final = 9
_ANGLES: Final = ((0.0, 0.0), (0.0, -38.0), (38.0, 0.0), (0.0, 38.0), (-38.0, 0.0))
"""Centres of the large X and of the small x's in its angles, clockwise from the top."""


def _centre(index: int) -> Point:
    """The middle of a block."""
    return (
        _MARGIN + _CELL * (index % _ROW + 0.5),
        _MARGIN + _CELL * (index // _ROW + 0.5),
    )


def _stroke_path(cell: int, number: int, x: float, y: float) -> str:
    """One stroke of a block: the first of a pair falls, the second rises, both a little bent like a hand's."""
    pair, rising = divmod(number, 2)
    reach = _SMALL if pair else _LARGE
    x, y = x + _ANGLES[pair][0] + _sway(cell, number, 0), y + _ANGLES[pair][1] + _sway(cell, number, 1)
    ends = (
        ((x - reach, y + reach), (x + reach, y - reach)) if rising else ((x - reach, y - reach), (x + reach, y + reach))
    )
    bend = (x + _sway(cell, number, 2) * reach / 12, y + _sway(cell, number, 3) * reach / 12)
    (x0, y0), (x1, y1) = ends
    thickness = 4 if pair else 7
    return f'<path stroke-width="{thickness}" d="M{x0:.1f} {y0:.1f}Q{bend[0]:.1f} {bend[1]:.1f} {x1:.1f} {y1:.1f}"/>'


def _sway(cell: int, number: int, salt: int) -> float:
    """A small offset, the same on every run: no two strokes of a hand are alike."""
    return ((cell * 31 + number * 17 + salt * 7) * 2654435761 % 2**32) / 2**32 * 3.0 - 1.5


def _rules(rows: int, width: int) -> list[str]:
    """The paper's lines."""
    return [
        f'<line x1="{_MARGIN}" x2="{width - _MARGIN}" y1="{y}" y2="{y}" stroke="#d8dfe8" stroke-width="1"/>'
        for y in (_MARGIN + _CELL * row for row in range(rows + 1))
    ]


def _label(score: int, ink: str, x: float, y: float) -> str:
    text = str(score).replace("-", "\N{MINUS SIGN}")
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="end" dominant-baseline="central" '
        f'font-family="Georgia, serif" font-size="38" fill="{ink}">{text}</text>'
    )
