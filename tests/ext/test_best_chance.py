"""The probability of being the largest of several uncertain values."""

import math
import random
from statistics import NormalDist

import pytest

from sniffai_ext.best_chance import best_chances


def test_best_probabilities_of_two_moves_are_normal() -> None:
    for gap, first, second in [(0.0, 1.0, 1.0), (1.0, 1.0, 2.0), (5.0, 3.0, 0.5), (2.0, 0.0, 1.5), (2.0, 1.5, 0.0)]:
        chances = best_chances([(gap, first), (0.0, second)])
        assert chances[0] == pytest.approx(NormalDist().cdf(gap / math.hypot(first, second)), abs=0.003)
        assert math.fsum(chances) == pytest.approx(1)


def test_best_probabilities_of_many_moves_agree_with_sampling() -> None:
    values = [(3.0, 1.0), (2.5, 2.0), (2.0, 0.3), (-4.0, 3.0), (-40.0, 1.0)]
    lots = random.Random(7)
    wins = [0] * len(values)
    for _ in range(40_000):
        drawn = [lots.gauss(mean, error) for mean, error in values]
        wins[drawn.index(max(drawn))] += 1
    for chance, count in zip(best_chances(values), wins, strict=True):
        assert chance == pytest.approx(count / 40_000, abs=0.015)
    assert best_chances(values)[4] == 0


def test_certain_values() -> None:
    assert best_chances([]) == []
    assert best_chances([(7.0, 0.0)]) == [1.0]
    assert best_chances([(1.0, 0.0), (2.0, 0.0), (2.0, 0.0)]) == [0.0, 0.5, 0.5]
    assert best_chances([(0.0, 0.0)] * 4) == [0.25] * 4
