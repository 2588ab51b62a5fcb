"""Ratings fitted to contests: the truth found again, half with every number of seats, what cannot be rated."""

import numpy as np
import pytest

from sniffai import LimitsError
from sniffai.lab.ratings import Contest, contests_of, fit_ratings

NAMES = ["low", "middle", "high", "top"]
TRUE = dict(zip(NAMES, (0.0, 120.0, 200.0, 380.0), strict=True))
SPREADS = {2: 1.0, 3: 0.7, 4: 1.2}


def share(players: int, a: str, b: str) -> float:
    return float(1 / (1 + 10 ** (-SPREADS[players] * (TRUE[b] - TRUE[a]) / 400)))


def contests(matches: int, seed: int | None = None) -> list[Contest]:
    """Each pair with each number of seats; as expected, or by lot."""
    lots = None if seed is None else np.random.default_rng(seed)
    found = []
    for players in SPREADS:
        for i, a in enumerate(NAMES):
            for b in NAMES[i + 1 :]:
                chance = share(players, a, b)
                won = round(matches * chance) if lots is None else int(lots.binomial(matches, chance))
                found.append(Contest(players, a, b, won, matches))
    return found


def test_the_fit_finds_the_truth_again() -> None:
    found = fit_ratings(contests(10**9), NAMES)
    assert found.points == pytest.approx(TRUE, abs=0.001)
    assert found.spreads == pytest.approx(SPREADS, abs=1e-5)
    assert found.expected(Contest(4, "low", "top", 0, 1)) == pytest.approx(share(4, "low", "top"), abs=1e-6)


def test_who_is_named_as_a_or_as_b_does_not_matter() -> None:
    straight = contests(1000, seed=3)
    turned = [Contest(one.players, one.b, one.a, one.matches - one.won, one.matches) for one in straight]
    assert fit_ratings(turned, NAMES).points == pytest.approx(fit_ratings(straight, NAMES).points, abs=1e-4)


def test_the_errors_cover_the_truth_about_as_often_as_they_say() -> None:
    within, misfits = 0, []
    for seed in range(40):
        found = fit_ratings(contests(400, seed), NAMES)
        assert found.errors["low"] == 0
        within += sum(abs(found.points[name] - TRUE[name]) <= 2 * found.errors[name] for name in NAMES[1:])
        misfits.append(found.misfit(contests(400, seed)))
    assert within >= 0.85 * 120
    assert 0.7 < sum(misfits) / len(misfits) < 1.05  # a little below 1: five numbers were fitted to 18
    wrong = [Contest(2, "low", "top", 50, 400)]
    assert found.misfit(wrong) > 10


def test_with_three_seats_the_two_seatings_make_one_contest() -> None:
    rows = [
        {"players": 2, "a": "low", "b": "high", "won": 7, "matches": 10},
        {"players": 3, "a": "low", "b": "high", "won": 5, "matches": 12},
        {"players": 3, "a": "high", "b": "low", "won": 2, "matches": 12},
        {"players": 3, "a": "low", "b": "top", "won": 2, "matches": 12},
    ]
    assert contests_of(rows) == [Contest(2, "low", "high", 7, 10), Contest(3, "low", "high", 15, 24)]


@pytest.mark.parametrize(
    "given",
    [
        [Contest(2, "low", "middle", 6, 10), Contest(2, "high", "top", 6, 10)],
        [Contest(2, a, b, 10, 10) for a, b in (("low", "middle"), ("middle", "high"), ("high", "top"))],
    ],
    ids=["apart", "all won"],
)
def test_players_that_cannot_be_rated_are_refused(given: list[Contest]) -> None:
    with pytest.raises(LimitsError) as error:
        fit_ratings(given, NAMES)
    assert error.value.field == "contests"
