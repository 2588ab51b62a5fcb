"""A mean less the luck in it, kept up to date pairing by pairing (:mod:`sniffai.play.luck`)."""

from dataclasses import dataclass
from math import inf, sqrt
from typing import Final

from sniffai.play.statistics import Estimate

UNADJUSTED: Final = 20
"""Pairings at the beginning from which no luck is taken: they only show how much of it is worth taking."""


@dataclass
class AdjustedMean:
    """The mean of things that come in independent groups, such as rounds in pairings, less a share of the luck in them.

    Of each group's luck the share is taken, from 0 to 1, that would have reduced the scatter of the groups before it
    most. It does not depend on the group itself, so the mean stays unbiased: luck has the expectation 0. Where luck
    explains nothing, hardly any is taken.
    """

    groups: int = 0
    """Groups so far."""
    share: float = 0.0
    """The share of the luck to take from the next group, 0..1."""
    _count: float = 0.0
    _count2: float = 0.0
    _total: float = 0.0
    _total_count: float = 0.0
    _total2: float = 0.0
    _less: float = 0.0
    _less_count: float = 0.0
    _less2: float = 0.0
    _luck2: float = 0.0
    _luck_total: float = 0.0
    _luck_count: float = 0.0

    def add(self, total: float, count: int, luck: float = 0.0) -> None:
        """Take in one group.

        :param total: the sum of its things.
        :param count: how many it has; of all groups together at least 1.
        :param luck: how much of the total was luck.
        """
        less = total - self.share * luck
        self.groups += 1
        self._count += count
        self._count2 += count * count
        self._total += total
        self._total_count += total * count
        self._total2 += total * total
        self._less += less
        self._less_count += less * count
        self._less2 += less * less
        self._luck2 += luck * luck
        self._luck_total += luck * total
        self._luck_count += luck * count
        self.share = self._best_share() if self.groups >= UNADJUSTED else 0.0

    def _best_share(self) -> float:
        if not self._luck2 or not self._count:
            return 0.0
        together = self._luck_total - self._total / self._count * self._luck_count
        return min(1.0, max(0.0, together / self._luck2))

    @property
    def estimate(self) -> Estimate:
        """The mean less luck; its error is infinite where there is only one group."""
        return self._estimate(self._less, self._less_count, self._less2)

    @property
    def unadjusted(self) -> Estimate:
        """The mean with the luck in it."""
        return self._estimate(self._total, self._total_count, self._total2)

    @property
    def reduction(self) -> float:
        """The share of the variance that went with the luck: 0.3 is worth as much as 1 / (1 − 0.3) times the groups."""
        raw = self.unadjusted.standard_error
        return 1 - (self.estimate.standard_error / raw) ** 2 if 0 < raw < inf else 0.0

    def cautious_estimate(self, scatter: float) -> Estimate:
        """The estimate, its error as if one group more lay as far from the mean as ``scatter``.

        So a mean of few groups that happen to be equal does not seem certain.
        """
        estimate = self.estimate
        if estimate.standard_error == inf:
            return estimate
        return Estimate(estimate.mean, sqrt(estimate.standard_error**2 + (scatter / self._count) ** 2))

    def _estimate(self, total: float, total_count: float, total2: float) -> Estimate:
        if not self._count:
            return Estimate(0.0, inf)
        mean = total / self._count
        if self.groups == 1:
            return Estimate(mean, inf)
        squares = max(0.0, total2 - 2 * mean * total_count + mean * mean * self._count2)
        if squares <= 1e-12 * total2:  # what rounding leaves of groups that are all equal
            squares = 0.0
        variance = squares / (self.groups - 1)
        return Estimate(mean, sqrt(variance / self.groups) / (self._count / self.groups))
