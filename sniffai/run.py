"""One run of a search: its limits, its clock, and who is told on the way."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Self, TypeAlias

from sniffai.errors import LimitsError
from sniffai.params import Limits
from sniffai.report import Analysis
from sniffai.shown import shown

Told: TypeAlias = Callable[[Analysis], None]
"""Who is told of snapshots."""

LEAST_SECONDS: Final = 0.001
"""A search whose end has come still gets this."""

SNAPSHOT_SECONDS: Final = 0.5
"""Between two snapshots where the caller does not say."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run: its limits, its clock, and who is told on the way."""

    limits: Limits
    """Effective, as the caller set them."""
    by_end: bool
    """Whether the caller's end comes before the limit in seconds."""
    last: float
    """The moment of the clock at which it must end; infinity for none."""
    started: float
    on_snapshot: Told | None
    interval: float

    @classmethod
    def of(cls, limits: Limits, end: float | None, on_snapshot: Told | None, interval: float) -> Self:
        """A run that starts now; parameters as :meth:`sniffai.Searcher.run`.

        :raises LimitsError: the interval is not above 0.
        """
        if isinstance(interval, bool) or not isinstance(interval, (int, float)) or not interval > 0:
            raise LimitsError(f"above 0 is expected, not {shown(interval)}", reason="OUT_OF_RANGE", field="interval")
        started = time.monotonic()
        last = math.inf if limits.seconds is None else started + limits.seconds
        by_end = end is not None and end < last
        if end is not None and by_end:
            last = max(end, started + LEAST_SECONDS)
        return cls(limits, by_end, last, started, on_snapshot, interval)

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float:
        """Seconds that are left, perhaps below 0."""
        return self.last - time.monotonic()

    def shortened(self) -> Limits:
        """The limits with the time that there is in truth."""
        return replace(self.limits, seconds=self.last - self.started) if self.by_end else self.limits
