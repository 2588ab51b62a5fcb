"""Figures and verdicts: quantiles, slopes, and what they must be."""

import math
import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

Z95: Final = 1.96
"""Standard errors to each side of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Check:
    """One promise and what came of it."""

    text: str
    """What was measured, with its value and what is expected."""
    kept: bool

    def __str__(self) -> str:
        return f"{'PASS' if self.kept else 'FAIL'}  {self.text}"


def verdict(checks: Sequence[Check]) -> int:
    """Print all checks; the exit status."""
    for check in checks:
        print(check, flush=True)
    return 0 if all(check.kept for check in checks) else 1


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least a share (above 0, at most 1) of all do not exceed; NaN of nothing."""
    if not values:
        return math.nan
    return sorted(values)[math.ceil(share * len(values)) - 1]


def theil_sen(times: Sequence[float], values: Sequence[float]) -> tuple[float, float, float]:
    """The median slope of all pairs of points, and its 95 % interval after Sen (1968).

    :param times: at least two, no two alike.
    """
    count = len(times)
    slopes = sorted((values[j] - values[i]) / (times[j] - times[i]) for i in range(count) for j in range(i + 1, count))
    spread = Z95 * math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    low, high = (round((len(slopes) + sign * spread) / 2) for sign in (-1, 1))
    return statistics.median(slopes), slopes[max(low, 0)], slopes[min(high, len(slopes) - 1)]


def machine() -> str:
    """The machine in a few words."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
