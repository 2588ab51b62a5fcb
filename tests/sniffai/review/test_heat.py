"""The letters of the map of hidden tiles can be read on every shade, in light and in dark."""

import re

import pytest

from sniffai.packaged import read_packaged
from sniffai.review.heat import HIGH

PALETTE = read_packaged("data/palette.css").decode()
CONTRAST = 4.5
"""Of text, by WCAG 2."""


def colours(block: str) -> dict[str, tuple[int, int, int]]:
    found = re.findall(r"--([\w-]+): #([0-9a-f]{6})", block)
    return {name: (int(value[:2], 16), int(value[2:4], 16), int(value[4:], 16)) for name, value in found}


def luminance(colour: tuple[float, ...]) -> float:
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("block", [0, 1, 2], ids=["light", "chosen dark", "dark of the device"])
def test_letters_can_be_read_on_every_shade(block: int) -> None:
    named = colours(re.findall(r"\{\n([^{}]*--paper:[^{}]*)\}", PALETTE)[block])
    for step in range(101):
        shade = step / 100
        ground = tuple(
            shade * hot + (1 - shade) * cold for hot, cold in zip(named["heat-ink"], named["paper"], strict=True)
        )
        assert contrast(named["on-high-heat" if shade >= HIGH else "on-low-heat"], ground) >= CONTRAST


def test_dark_is_the_same_whether_chosen_or_the_devices() -> None:
    blocks = re.findall(r"\{\n([^{}]*--paper:[^{}]*)\}", PALETTE)
    assert len(blocks) == 3
    assert colours(blocks[1]) == colours(blocks[2])
