"""Scores on paper: strokes of 5, blocks of 50."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sniffai import LimitsError, SniffError, Tally

SVG = "{http://www.w3.org/2000/svg}"


def strokes(tally: Tally) -> int:
    """Pen strokes in the drawing."""
    return sum(1 for _ in ET.fromstring(tally.to_svg()).iter(f"{SVG}path"))


@given(st.integers(-60, 80).map(lambda fives: 5 * fives))
def test_every_stroke_is_five_points(score: int) -> None:
    tally = Tally.of(score)
    assert 5 * (10 * tally.blocks + tally.strokes) == abs(score) == 5 * strokes(tally)
    assert tally.below_zero is (score < 0)
    letters = tally.to_text()
    assert 5 * (2 * sum(map(letters.count, "xX")) + letters.count("\\")) == abs(score) or score == 0


def test_a_full_block_is_a_large_x_with_four_small_ones() -> None:
    assert Tally.of(50).to_text() == "  x\nx X x\n  x"
    assert Tally.of(185).to_text() == "\n".join(
        [
            "  x       x       x       x",
            "x X x   x X x   x X x     X x",
            "  x       x       x       \\",
        ]
    )


def test_a_score_below_zero_has_a_minus_and_another_colour() -> None:
    assert Tally.of(-5).to_text() == "  \n-   \\\n  "
    inks = [ET.fromstring(Tally.of(score).to_svg()).find(f"{SVG}g") for score in (35, -35)]
    assert None not in inks
    assert inks[0].get("stroke") != inks[1].get("stroke")  # type: ignore[union-attr]


def test_nothing_scored_is_no_stroke() -> None:
    assert Tally.of(0).to_text() == "(no strokes)"
    assert strokes(Tally.of(0)) == 0


def test_the_drawing_says_its_score_and_is_the_same_each_time() -> None:
    drawing = ET.fromstring(Tally.of(-185).to_svg())
    assert drawing.get("aria-label") == "Tally of -185 points"
    assert drawing.findtext(f"{SVG}text") == "\N{MINUS SIGN}185"
    assert Tally.of(185).to_svg() == Tally.of(185).to_svg()


@pytest.mark.parametrize(("strokes_", "rows"), [(50, 1), (55, 2), (101, 3)])
def test_five_blocks_make_a_row(strokes_: int, rows: int) -> None:
    tally = Tally.of(5 * strokes_)
    assert tally.to_text().count("\n\n") == rows - 1
    assert float(ET.fromstring(tally.to_svg()).get("height", "0")) == 40 + 120 * rows


@pytest.mark.parametrize("score", [7, -3, 252])
def test_a_score_is_a_multiple_of_five(score: int) -> None:
    with pytest.raises(LimitsError, match="multiple of 5") as caught:
        Tally.of(score)
    assert caught.value.field == "score"


@pytest.mark.parametrize("score", [10**9, 5.0, "5", None, True])
def test_a_score_is_a_number(score: object) -> None:
    with pytest.raises(SniffError):
        Tally.of(score)  # type: ignore[arg-type]
