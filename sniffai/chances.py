"""Which of several uncertain values is the largest."""

import math
from collections.abc import Sequence
from typing import Final

FAR: Final = 6.0
"""Standard errors below the largest mean beyond which a value has no chance: one in 1,000 million."""

WIDE: Final = 5.0
"""Standard errors of a value that are integrated over."""

STEPS: Final = 40


def best_chances(values: Sequence[tuple[float, float]]) -> list[float]:
    """The probability of each value to be the largest, for independent normal ones; they sum to 1.

    :param values: mean and standard error, at least 0, of each; equal certain ones share the probability.
    """
    if not values:
        return []
    top = max(values)
    chances = [0.0] * len(values)
    near = [i for i, (mean, error) in enumerate(values) if top[0] - mean <= FAR * math.hypot(error, top[1])]
    for i in near:
        chances[i] = _chance(values[i], [values[j] for j in near if j != i])
    whole = math.fsum(chances)
    return [chance / whole for chance in chances]


def _chance(value: tuple[float, float], others: Sequence[tuple[float, float]]) -> float:
    """The integral of the value's density times the probability that each other one is below."""
    mean, error = value
    if error == 0:
        return math.prod(_below(mean, other) for other in others)
    certain = max((other[0] for other in others if other[1] == 0), default=-math.inf)
    least = max(-WIDE, (certain - mean) / error)
    step = (WIDE - least) / STEPS
    if step <= 0:
        return 0.0
    points = [least + k * step for k in range(STEPS + 1)]
    heights = [
        math.exp(-0.5 * z * z) * math.prod(_below(mean + z * error, other) for other in others if other[1])
        for z in points
    ]
    return (math.fsum(heights) - 0.5 * (heights[0] + heights[-1])) * step / math.sqrt(2 * math.pi)


def _below(point: float, value: tuple[float, float]) -> float:
    """The probability that a normal value is below a point; half of it where the value is certain and just there."""
    mean, error = value
    if error == 0:
        return 0.5 if point == mean else float(point > mean)
    return 0.5 * math.erfc((mean - point) / (error * math.sqrt(2)))
