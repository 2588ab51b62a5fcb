"""Estimates and tests against known values, and against simulation: each check is shown to fail on a wrong method."""

import math
from collections.abc import Callable
from itertools import product
from statistics import fmean, stdev

import numpy as np
import pytest

from sniffai import LimitsError
from sniffai.play.statistics import mean_and_error, ratio_and_error, relabelling_test, sign_flip_test, wilson_interval

Interval = Callable[[int, int], tuple[float, float]]


def test_the_error_of_a_mean() -> None:
    values = [3.0, -1.5, 10.0, 0.0, 2.5]
    found = mean_and_error(values)
    assert found.mean == pytest.approx(fmean(values))
    assert found.standard_error == pytest.approx(stdev(values) / math.sqrt(5))
    assert mean_and_error([4.0]).standard_error == math.inf
    assert mean_and_error([4.0, 4.0]).standard_error == 0.0


def test_a_ratio_of_equal_counts_is_a_mean() -> None:
    totals = [6.0, -3.0, 20.0, 1.0]
    assert ratio_and_error(totals, [2] * 4) == mean_and_error([total / 2 for total in totals])


def test_the_error_of_a_ratio_is_the_spread_of_the_ratio() -> None:
    lots = np.random.default_rng(1)
    ratios, errors = [], []
    for _ in range(2000):
        counts = lots.integers(5, 20, size=100)
        totals = 3.0 * counts + lots.normal(0, 30, size=100)
        found = ratio_and_error(totals.tolist(), counts.tolist())
        ratios.append(found.mean)
        errors.append(found.standard_error)
    assert fmean(ratios) == pytest.approx(3.0, abs=0.05)
    assert fmean(errors) == pytest.approx(stdev(ratios), rel=0.05)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (5, 10, 0.2366, 0.7634),  # R: prop.test(5, 10, correct = FALSE)
    ],
)
def test_wilson_intervals_are_the_published_ones(wins: int, games: int, low: float, high: float) -> None:
    assert wilson_interval(wins, games) == pytest.approx((low, high), abs=6e-5)


def test_a_wilson_interval_follows_the_confidence() -> None:
    widths = [high - low for low, high in (wilson_interval(30, 50, level) for level in (0.5, 0.9, 0.99))]
    assert widths == sorted(widths)


def _wald_interval(wins: int, games: int) -> tuple[float, float]:
    """The textbook interval, which fails near 0 and 1."""
    share = wins / games
    reach = 1.96 * math.sqrt(share * (1 - share) / games)
    return share - reach, share + reach


def _coverage(interval: Interval, share: float, games: int) -> float:
    """How often an interval of simulated games holds the true share."""
    wins = np.random.default_rng(7).binomial(games, share, size=20_000)
    held = {won: low <= share <= high for won in set(wins.tolist()) for low, high in [interval(won, games)]}
    return fmean(held[won] for won in wins.tolist())


@pytest.mark.parametrize("share", [0.03, 0.3, 0.5, 0.65, 0.97])
def test_wilson_intervals_hold_the_truth_as_often_as_they_say(share: float) -> None:
    assert _coverage(wilson_interval, share, 60) == pytest.approx(0.95, abs=0.025)


def test_the_check_of_coverage_can_fail() -> None:
    assert _coverage(_wald_interval, 0.03, 60) < 0.9


def _exact_p_value(values: list[float]) -> float:
    sums = [abs(sum(sign * value for sign, value in zip(signs, values, strict=True))) for signs in _signs(len(values))]
    return fmean(total >= abs(sum(values)) - 1e-9 for total in sums)


def _signs(count: int) -> list[tuple[int, ...]]:
    return list(product((1, -1), repeat=count))


@pytest.mark.parametrize(
    "values", [[1.0, 2.0, 3.0], [5.0, -2.5, 7.5, 7.5, 0.0, 12.5], [2.5] * 9 + [-5.0, -5.0], [0.0, 0.0]]
)
def test_sign_flips_agree_with_all_of_them_listed(values: list[float]) -> None:
    assert sign_flip_test(values) == pytest.approx(_exact_p_value(values), abs=0.012)


def test_sign_flips_are_repeatable_and_never_certain() -> None:
    values = [10.0] * 60
    assert sign_flip_test(values, resamples=999) == pytest.approx(0.001)
    mixed = [3.0, -1.0, 4.0, -1.0, 5.0, 9.0]
    assert sign_flip_test(mixed, seed=4) == sign_flip_test(mixed, seed=4)


def _false_alarms(pairings: int, *, as_pairs: bool) -> float:
    """How often equal players are told apart at 5 %, where both games of a pairing share most of their luck."""
    lots = np.random.default_rng(11)
    alarms = 0
    for _ in range(1000):
        luck = lots.normal(0, 30, size=pairings)
        games = luck[:, None] + lots.normal(0, 10, size=(pairings, 2))
        values = games.mean(axis=1) if as_pairs else games.ravel()
        alarms += sign_flip_test(values.tolist(), resamples=400) <= 0.05
    return alarms / 1000


def test_equal_players_differ_significantly_as_rarely_as_stated() -> None:
    assert _false_alarms(30, as_pairs=True) == pytest.approx(0.05, abs=0.02)


def test_the_check_of_false_alarms_can_fail() -> None:
    assert _false_alarms(30, as_pairs=False) > 0.1


def test_unequal_players_differ_significantly() -> None:
    lots = np.random.default_rng(3)
    found = [sign_flip_test(lots.normal(8, 20, size=100).tolist(), resamples=400) for _ in range(100)]
    assert fmean(p_value <= 0.05 for p_value in found) > 0.9


def test_relabelling_three_ways_agrees_with_all_of_them_listed() -> None:
    rows = [[2.0, -1.0, -1.0], [2.0, 0.0, -2.0], [-1.0, 2.0, -1.0], [3.0, 1.0, -4.0]]
    sums = [abs(sum(choice)) for choice in product(*rows)]
    exact = fmean(total >= abs(sum(row[0] for row in rows)) - 1e-9 for total in sums)
    assert relabelling_test(rows) == pytest.approx(exact, abs=0.012)


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: mean_and_error([]), "totals"),
        (lambda: ratio_and_error([1.0], [1, 2]), "totals"),
        (lambda: wilson_interval(0, 0), "games"),
        (lambda: wilson_interval(11, 10), "wins"),
        (lambda: wilson_interval(-1, 10), "wins"),
        (lambda: wilson_interval(1, 10, 1.0), "confidence"),
        (lambda: sign_flip_test([]), "alternatives"),
        (lambda: sign_flip_test([1.0], resamples=0), "resamples"),
        (lambda: sign_flip_test([1.0], seed=-1), "seed"),
    ],
)
def test_statistics_refuse_arguments_out_of_range(call: Callable[[], object], field: str) -> None:
    with pytest.raises(LimitsError) as error:
        call()
    assert error.value.field == field
