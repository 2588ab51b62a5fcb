"""Numbers with their uncertainty: means, shares won, and p-values.

There is one value a *pairing*, a deal or match played in every seating (:mod:`sniffai.play.arena`). Pairings are
independent of each other; the games within one are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sniffai.errors import LimitsError
from sniffai.seeds import check_seed

if TYPE_CHECKING:  # imported where arrays are made: see sniffai.checks
    import numpy as np
    import numpy.typing as npt

RESAMPLES: Final = 20_000
"""Default number of relabellings that a test samples: a p-value of 0.05 is then exact to about 0.0015."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its standard error."""

    mean: float
    standard_error: float
    """At least 0; infinite if there is only one value."""

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The interval that holds the true mean in this share of all cases.

        By the normal distribution, so for some thirty values or more.

        :param confidence: above 0, below 1.
        :raises LimitsError: it is out of range.
        """
        reach = _deviations(confidence) * self.standard_error
        return self.mean - reach, self.mean + reach


def mean_and_error(values: Sequence[float]) -> Estimate:
    """The mean of independent values.

    :raises LimitsError: there is no value.
    """
    return ratio_and_error(values, [1] * len(values))


def ratio_and_error(totals: Sequence[float], counts: Sequence[int]) -> Estimate:
    """The mean of things that come in independent groups, such as rounds in matches: all totals by all counts.

    The error is that of the linearised ratio; with equal counts it is the standard error of the groups' means.

    :param totals: the sum of each group.
    :param counts: how many things each group has, at least 1.
    :raises LimitsError: there is no group, or the lengths differ.
    """
    if not totals or len(totals) != len(counts):
        raise LimitsError(
            f"one total for each count is expected, at least 1 of each, not {len(totals)} and {len(counts)}",
            reason="NO_VALUES",
            field="totals",
        )
    import numpy as np

    total, count = np.asarray(totals, np.float64), np.asarray(counts, np.float64)
    groups = len(total)
    mean = float(total.sum() / count.sum())
    if groups == 1:
        return Estimate(mean, float("inf"))
    residuals = total - mean * count
    variance = float(residuals @ residuals) / (groups - 1)
    return Estimate(mean, float(np.sqrt(variance / groups) / count.mean()))


def wilson_interval(wins: int, games: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share won, within 0..1: usable near 0 and 1 and for few games.

    :param games: independent games, at least 1.
    :param confidence: the share of such intervals that hold the truth, above 0, below 1.
    :raises LimitsError: a number out of range.
    """
    if games < 1:
        raise LimitsError(f"at least 1 game is expected, not {games}", reason="OUT_OF_RANGE", field="games")
    if not 0 <= wins <= games:
        raise LimitsError(f"0..{games} wins are expected, not {wins}", reason="OUT_OF_RANGE", field="wins")
    z = _deviations(confidence)
    share, shrink = wins / games, 1 + z * z / games
    middle = (share + z * z / (2 * games)) / shrink
    reach = z / shrink * (share * (1 - share) / games + z * z / (4 * games * games)) ** 0.5
    return max(0.0, middle - reach), min(1.0, middle + reach)


def _deviations(confidence: float) -> float:
    """How many standard deviations on either side hold this share of a normal distribution.

    :raises LimitsError: the share is not above 0 and below 1.
    """
    if not 0 < confidence < 1:
        message = f"a number above 0 and below 1 is expected, not {confidence}"
        raise LimitsError(message, reason="OUT_OF_RANGE", field="confidence")
    from statistics import NormalDist

    return NormalDist().inv_cdf(0.5 + confidence / 2)


def sign_flip_test(values: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0) -> float:
    """How often a sum at least as far from 0 comes up when the sign of each value is a matter of chance.

    That is what holds for two equal players whose sides are swapped. See :func:`relabelling_test`.
    """
    return relabelling_test([(value, -value) for value in values], resamples=resamples, seed=seed)


def relabelling_test(alternatives: Sequence[Sequence[float]], *, resamples: int = RESAMPLES, seed: int = 0) -> float:
    """Two-sided permutation test: how often a sum at least as far from its mean comes up by chance.

    :param alternatives: a row a pairing: what it gives with each relabelling of the players, first the true one. Where
        the players are equal, each number of a row is equally likely. All rows have the same length, at least 1.
    :param resamples: sums drawn, at least 1.
    :param seed: 0..2**64-1.
    :return: the p-value, in 1/(resamples + 1)..1; never 0, since the true labelling is one of those possible.
    :raises LimitsError: no rows, or a number out of range.
    """
    if resamples < 1:
        raise LimitsError(f"at least 1 resample is expected, not {resamples}", reason="OUT_OF_RANGE", field="resamples")
    import numpy as np

    rows = np.asarray(alternatives, np.float64)
    if rows.ndim != 2 or not rows.size:
        raise LimitsError("rows of equal length are expected", reason="NO_VALUES", field="alternatives")
    rows = rows - rows.mean(axis=1, keepdims=True)
    observed = abs(rows[:, 0].sum())
    sums = _resampled_sums(rows, resamples, np.random.default_rng(check_seed(seed)))
    slack = 1e-9 * max(1.0, float(np.abs(rows).sum()))
    return float((1 + np.count_nonzero(np.abs(sums) >= observed - slack)) / (1 + resamples))


def _resampled_sums(
    rows: "npt.NDArray[np.float64]", resamples: int, lots: "np.random.Generator"
) -> "npt.NDArray[np.float64]":
    """Sums of one random number from each row. Rows of equal numbers are sampled together."""
    import numpy as np

    kinds, counts = np.unique(np.sort(rows, axis=1), axis=0, return_counts=True)
    choices = np.full(rows.shape[1], 1 / rows.shape[1])
    sums = np.zeros(resamples)
    for kind, count in zip(kinds, counts, strict=True):
        sums += lots.multinomial(count, choices, size=resamples) @ kind
    return sums
