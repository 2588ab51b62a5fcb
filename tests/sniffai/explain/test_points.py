"""Positions with the point that a strong player would name: it is among the first two reasons (docs/explain.md).

tests/data/points.jsonl holds them: the view, the move, the point as the kinds of reasons that state it, and the point
in words. The points were written before the order of the reasons was adjusted; those held out had no part in that.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

import sniffai
from sniffai.explain import LANGUAGES, ReasonKind, prospect, reasons, render

FILE: Final = Path(__file__).resolve().parents[2] / "data" / "points.jsonl"

LIMITS: Final = sniffai.Limits(simulations=5000)

SHARE: Final = 0.9
"""Of the positions, whose point must be told."""


@dataclass(frozen=True)
class Position:
    """One position."""

    view: sniffai.View
    move: sniffai.Move
    points: frozenset[ReasonKind]
    why: str
    held_out: bool

    @property
    def told(self) -> list[ReasonKind]:
        """The first two reasons."""
        analysis = sniffai.analyze(self.view, LIMITS, seed=1)
        return [reason.kind for reason in reasons(self.view, analysis, self.move)[:2]]


def positions() -> list[Position]:
    entries = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    return [
        Position(
            sniffai.View.from_text(entry["view"]),
            sniffai.Move.parse(entry["move"]),
            frozenset(map(ReasonKind, entry["points"])),
            entry["why"],
            entry["held_out"],
        )
        for entry in entries
    ]


def share(chosen: Sequence[Position]) -> float:
    """How many have their point among the first two reasons."""
    return sum(not position.points.isdisjoint(position.told) for position in chosen) / len(chosen)


def test_the_positions_are_varied() -> None:
    found = positions()
    assert len(found) >= 60
    assert {position.view.players for position in found} == {2, 3, 4}
    assert all(min(15, len(found)) <= sum(one.view.players == players for one in found) for players in (2, 3, 4))
    assert any(not position.view.placements for position in found)
    assert any(not position.view.talon_size for position in found)
    assert any(position.view.forced is not None for position in found)
    assert len({kind for position in found for kind in position.points}) >= 15
    assert all(position.why.endswith(".") for position in found)


def test_the_point_is_among_the_first_two_reasons() -> None:
    assert share(positions()) >= SHARE


def test_the_point_is_told_in_positions_that_had_no_part_in_the_order() -> None:
    held_out = [position for position in positions() if position.held_out]
    assert len(held_out) >= 20
    assert share(held_out) >= 0.85


def test_the_prospect_is_apart_from_the_reasons() -> None:
    for position in positions()[::5]:
        analysis = sniffai.analyze(position.view, LIMITS, seed=1)
        kinds = {reason.kind for reason in reasons(position.view, analysis)}
        assert kinds
        assert kinds.isdisjoint({ReasonKind.CHANCE, ReasonKind.VALUE})
        told = [part.kind for part in prospect(position.view, analysis)]
        assert told in ([ReasonKind.CHANCE, ReasonKind.VALUE], [ReasonKind.VALUE])


@pytest.mark.parametrize("language_code", LANGUAGES)
def test_every_reason_is_said_in_every_language(language_code: str) -> None:
    for position in positions()[::4]:
        analysis = sniffai.analyze(position.view, LIMITS, seed=1)
        for reason in reasons(position.view, analysis):
            assert render(reason, language_code)
            assert "{" not in render(reason, language_code)
