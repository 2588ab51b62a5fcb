"""Layouts in letters: every tile once, where the pictures lay it, whatever the layout."""

import random
import re

import pytest

from sniffai import Layout, Round
from sniffai.draw import plan_growing_layout
from sniffai.draw.geometry import arms_of
from sniffai.draw.letters import WIDTH, Ink, ascii_letters, layout_lines


def text_of(layout: Layout, marks: dict[str, str] | None = None) -> str:
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in layout_lines(layout, marks or {}))


def test_the_documents_example() -> None:
    layout = Layout.of(["4|4", "4|6@4|4:LINE_A", "1|4@4|4:LINE_B"])
    marks = {point.name: f"({mark})" for point, mark in zip(layout.attachment_points, "abcd", strict=True)}
    assert text_of(layout, marks) == (
        "            (b)\n"
        "           ╔═══╗\n"
        "   ┌───────║ 4 ║───────┐\n"
        "(d)│ 6 ┆ 4 ║╌╌╌║ 4 ┆ 1 │(a)\n"
        "   └───────║ 4 ║───────┘\n"
        "           ╚═══╝\n"
        "            (c)"
    )


def test_a_turn_a_later_double_and_a_lone_tile() -> None:
    assert text_of(Layout.of(["3|5"])) == "┌───────┐\n│ 3 ┆ 5 │\n└───────┘"
    assert text_of(Layout.of([])) == ""
    layout = Layout.of(["3|5", "5|5@3|5:HIGH", "0|5@5|5:LINE_B", "0|0@0|5:LOW"])
    assert text_of(layout) == (
        "        ╔═══╗       ┌───┐\n"
        "┌───────║ 5 ║───────┤ 0 │\n"
        "│ 3 ┆ 5 ║╌╌╌║ 5 ┆ 0 │╌╌╌│\n"
        "└───────║ 5 ║───────┤ 0 │\n"
        "        ╚═══╝       └───┘"
    )


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_half_is_where_the_plan_has_it(players: int) -> None:
    for seed in range(4):
        round_, chance = Round.deal(players, seed), random.Random(seed)
        while not round_.over:
            round_.play(chance.choice(round_.legal_moves()))
        layout = round_.layout
        drawn, plan = text_of(layout).split("\n"), plan_growing_layout(layout)
        left = min(placed.box.left for placed in plan.tiles)
        top = min(placed.box.top for placed in plan.tiles)
        for placed in plan.tiles:
            for spot, pips in ((placed.low, placed.tile.low), (placed.high, placed.tile.high)):
                assert drawn[spot.y - top][WIDTH * (spot.x - left)] == str(pips)
        digits = re.findall(r"\d", "".join(drawn))
        assert len(digits) == 2 * len(plan.tiles)
        assert max(map(len, drawn)) <= 80
        inks = {piece.ink for line in layout_lines(layout, {}) for piece in line}
        assert Ink.LAST in inks
        assert (Ink.SNIFF in inks) == (layout.sniff not in (None, layout.placements[-1].tile))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_arms_lead_from_the_middle_outward_with_equal_pips_at_every_joint(players: int) -> None:
    assert arms_of(Layout.of([])) == (None, ())
    for seed in range(12):
        round_, chance = Round.deal(players, seed), random.Random(seed)
        while not round_.over:
            round_.play(chance.choice(round_.legal_moves()))
            layout = round_.layout
            middle, arms = arms_of(layout)
            assert middle is not None
            assert middle == (layout.sniff or layout.placements[0].tile)
            assert 1 + sum(len(arm.tiles) for arm in arms) == len(layout.placements)
            pips = {point.name: point.pips for point in layout.attachment_points}
            for arm in arms:
                chain = [middle.low if arm.heading == 2 else middle.high]
                for near, far in arm.tiles:
                    assert near == chain[-1]
                    chain.append(far)
                assert arm.end is None or pips[arm.end] == chain[-1]
            assert {arm.end for arm in arms} - {None} == set(pips)


def test_ascii_has_a_letter_for_every_one() -> None:
    layout = Layout.of(["3|5", "5|5@3|5:HIGH", "0|5@5|5:LINE_B", "0|0@0|5:LOW"])
    plain = ascii_letters(text_of(layout))
    assert plain.isascii()
    assert "#===#" in plain
    assert "| 3 : 5 #" in plain
