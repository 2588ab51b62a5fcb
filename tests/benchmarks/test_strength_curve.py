"""benchmarks/strength_curve.py: what it measures, and that docs/strength.md shows it."""

import json

from benchmarks import strength_curve

PAGE = (strength_curve.ROOT / "docs" / "strength.md").read_text(encoding="utf-8")
FIGURES = json.loads(strength_curve.FIGURES.read_text(encoding="utf-8"))


def test_the_strength_page_has_the_figures_that_were_measured() -> None:
    assert sorted(FIGURES) == ["2", "3", "4"]
    assert {(entry["deals"], entry["seed"]) for entry in FIGURES.values()} == {(200, 1)}
    assert strength_curve.table(FIGURES) in PAGE
    assert "(pictures/strength.svg)" in PAGE


def test_the_picture_has_a_curve_for_each_number_of_seats() -> None:
    assert strength_curve.picture(FIGURES) != strength_curve.picture(FIGURES | {"4": FIGURES["3"]})
    assert strength_curve.PICTURE.read_bytes().startswith(b"<?xml")


def test_equal_players_tie() -> None:
    assert strength_curve.measure(3, "greedy", deals=2, seed=1) == {"points": 0, "error": 0}
    assert strength_curve.shown({"points": -1.5, "error": 0.25}) == "−1.50 ± 0.25"


def test_the_time_of_a_decision_grows_with_its_simulations() -> None:
    times = strength_curve.milliseconds(2, 1, seed=1)
    assert list(times) == [0, *strength_curve.BUDGETS]
    assert 0 < times[0] < times[10_000] < 10_000
