"""Tests that stop as soon as the result is clear: Wald's sequential test on the mean of pairings.

After each pairing, how likely it is that B is stronger (``h1``) is compared with how likely it is that B is not
(``h0``). The test is the generalised one: the scatter of the pairings is not known, but estimated from them, and their
mean is taken to be normal. Hence the pairings that it waits for, and the scatter that it adds. How often it errs was
measured (docs/strength.md, ``tests/sniffai/play/test_sequential.py``).
"""

from dataclasses import dataclass
from math import inf, log, sqrt
from typing import Any, Final, Literal, TypeAlias, get_args

from sniffai.checks import keep, read_real, shown
from sniffai.errors import LimitsError
from sniffai.play.adjusted import AdjustedMean

Measure: TypeAlias = Literal["points", "wins"]
"""What is tested: points a round, or the matches won, in percent of all above an even share."""

USUAL_CHANCE: Final = 0.05
"""The chance of each error where nobody gives one."""

LEAST: Final = 100
"""Pairings before the test may stop."""

SCATTER: Final[dict[Measure, float]] = {"points": 40.0, "wins": 50.0}
"""What one pairing more is taken to lie off the mean: points of a pairing, or percent of a match. So players who hardly
ever differ do not seem surely equal after a few pairings."""

CONFIDENCE: Final = 0.95
"""Of the interval."""

TUNED_FOR: Final = 2500
"""Pairings at which the interval is narrowest, in standard errors."""

INTERVAL_KIND: Final = (
    "95 % confidence sequence (normal approximation): with this chance it holds the truth at every number of pairings "
    f"from {LEAST} on at once, so also where the test stopped"
)

Verdict: TypeAlias = Literal["h0", "h1"]
"""Which hypothesis was accepted."""


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """What is tested, and how sure it has to be.

    :raises LimitsError: a number out of range, or ``h1`` is not above ``h0``.
    """

    h0: float = 0.0
    """What B gains if it is not stronger, in points a round, or in percent of matches above an even share: ±1000."""
    h1: float = 1.0
    """What it gains if it is: above ``h0``, at most 1000."""
    alpha: float = USUAL_CHANCE
    """The chance to accept ``h1`` where ``h0`` is true: above 0, at most 0.5."""
    beta: float = USUAL_CHANCE
    """The chance to accept ``h0`` where ``h1`` is true: above 0, at most 0.5."""
    of: Measure = "points"
    """What is tested; ``"wins"`` for whole matches only."""

    def __post_init__(self) -> None:
        for name in ("h0", "h1"):
            keep(self, name, read_real(getattr(self, name), name, -1000, 1000))
        for name in ("alpha", "beta"):
            keep(self, name, read_real(getattr(self, name), name, 0, 0.5, open_below=True))
        if not self.h0 < self.h1:
            message = f"a number above h0 is expected, {self.h0:g}, not {self.h1:g}"
            raise LimitsError(message, reason="OUT_OF_RANGE", field="h1")
        if self.of not in get_args(Measure):
            message = f"{shown(self.of)} is not one of {', '.join(get_args(Measure))}"
            raise LimitsError(message, reason="UNKNOWN_MEASURE", field="of")

    @property
    def bounds(self) -> tuple[float, float]:
        """The logarithm of the likelihood ratio at which ``h0``, and at which ``h1`` is accepted (Wald, 1945)."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def judge(self, mean: AdjustedMean) -> "TestState":
        """How the test stands.

        :param mean: of what is tested, in its unit.
        """
        cautious = mean.cautious_estimate(SCATTER[self.of])
        middle, error = cautious.mean, cautious.standard_error
        ratio = (self.h1 - self.h0) * (2 * middle - self.h0 - self.h1) / (2 * error**2) if error < inf else 0.0
        lower, upper = bounds = self.bounds
        verdict: Verdict | None = None
        if mean.groups >= LEAST and not lower < ratio < upper:
            verdict = "h1" if ratio >= upper else "h0"
        return TestState(mean.groups, middle, error, ratio, bounds, verdict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {name: getattr(self, name) for name in ("h0", "h1", "alpha", "beta", "of")}


@dataclass(frozen=True, slots=True)
class TestState:
    """How a test stands, in the unit of its hypotheses."""

    __test__ = False  # not a class of pytest's

    pairings: int
    """Pairings so far."""
    mean: float
    """What B gains by them, less luck. Where a test stopped early, it leans away from the middle of the hypotheses."""
    error: float
    """Its standard error, with the scatter that the test adds; infinite for one pairing."""
    log_likelihood_ratio: float
    """Of ``h1`` to ``h0``."""
    bounds: tuple[float, float]
    """At or below the first, ``h0`` is accepted; at or above the second, ``h1``."""
    verdict: Verdict | None
    """The hypothesis accepted; ``None``: not decided yet."""

    @property
    def interval(self) -> tuple[float, float]:
        """An interval that holds whenever the test stops: see ``INTERVAL_KIND``.

        It is the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024).
        """
        level = 1 - CONFIDENCE
        tuned = (-2 * log(level) + log(1 - 2 * log(level))) / TUNED_FOR * self.pairings
        reach = self.error * sqrt(2 * (tuned + 1) / tuned * log(sqrt(tuned + 1) / level))
        return self.mean - reach, self.mean + reach

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        low, high = self.interval if self.error < inf else (None, None)
        return {
            "pairings": self.pairings,
            "mean": self.mean,
            "standard_error": self.error if self.error < inf else None,
            "log_likelihood_ratio": self.log_likelihood_ratio,
            "bounds": list(self.bounds),
            "verdict": self.verdict,
            "interval": {"low": low, "high": high, "kind": INTERVAL_KIND},
        }
