"""One run of a search: its limits, its clock, and its callbacks."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Self, TypeAlias

from sniffai.checks import as_real, read_callable, shown
from sniffai.errors import LimitsError
from sniffai.search.analysis import Analysis
from sniffai.search.params import MAX_SECONDS, EffectiveLimits

OnSnapshot: TypeAlias = Callable[[Analysis], None]
"""Receives snapshots."""

LEAST_SECONDS: Final = 0.001
"""Seconds that a search still gets when its deadline has passed: enough for some simulations. Chosen by judgement."""

ANSWER_SECONDS: Final = 0.001
"""Seconds that a run keeps for making its answer, or a quarter of its time where that is less.

Before it did, answers came 0.3 to 1.2 ms after their time (``python -m benchmarks.overrun``)."""

CHOICE_SECONDS: Final = 0.0001
"""Seconds that a run keeps where only the move to make is asked for, likewise."""

POOL_SHARE: Final = 0.25
"""Share of its time that a run may take to weigh worlds. When that is over, it uses those it has.
Chosen by judgement."""

SOLVER_SHARE: Final = 0.5
"""Share of its time that a run may take to solve the position, so that some is left for a search. Chosen by
judgement."""

SNAPSHOT_SECONDS: Final = 0.5
"""Seconds between two snapshots by default. Chosen by judgement, for people who watch."""

SLICE_SECONDS: Final = 0.02
"""Seconds between two calls of ``on_slice``: on a server, how long an urgent search may wait for a running one to make
way. Chosen by judgement."""


@dataclass(slots=True)
class Run:
    """One run: its limits, its clock, and its callbacks."""

    limits: EffectiveLimits
    """The limits in force, without the end that the caller set."""
    by_end: bool
    """Whether the caller's end comes before the limit in seconds."""
    last: float
    """The moment of the clock at which it must end; infinity for none."""
    started: float
    on_snapshot: OnSnapshot | None
    interval: float
    on_slice: Callable[[], None] | None
    end: float
    """The moment that the caller set; infinity for none."""
    last_snapshot: float
    """When the last snapshot was handed over."""
    reserve: float
    """Seconds to keep for the answer, at most a quarter of the run's time."""

    @classmethod
    def of(
        cls,
        limits: EffectiveLimits,
        end: float | None,
        on_snapshot: OnSnapshot | None,
        interval: float,
        on_slice: Callable[[], None] | None = None,
        reserve: float = ANSWER_SECONDS,
    ) -> Self:
        """A run that starts now; parameters as :meth:`sniffai.Searcher.run`.

        :param reserve: see :attr:`reserve`.

        :raises LimitsError: the interval is not above 0, the end is not a number, or a callback cannot be called.
        """
        read_callable(on_snapshot, "on_snapshot")
        read_callable(on_slice, "on_slice")
        started = time.monotonic()
        end = None if end is None else _read_moment(end)
        if end is not None and end > started + MAX_SECONDS:
            end = None
        pause = _as_float(interval)
        if pause is None or not pause > 0:
            message = f"a number above 0 is expected, not {shown(interval)}"
            raise LimitsError(message, reason="OUT_OF_RANGE", field="interval")
        last = started + limits.most_seconds
        by_end = end is not None and end < last
        if end is not None and by_end:
            last = max(end, started + LEAST_SECONDS)
        latest = math.inf if end is None else max(end, started + LEAST_SECONDS)
        return cls(limits, by_end, last, started, on_snapshot, pause, on_slice, latest, started, reserve)

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float:
        """Seconds left for the search, below 0 when it is late; infinity where no clock ends the run."""
        return self.last - min(self.reserve, (self.last - self.started) / 4) - time.monotonic()

    @property
    def slice(self) -> float:
        """Seconds until the next callback is due or the run ends; may be below 0."""
        slice_ = self.left
        if self.on_snapshot is not None:
            slice_ = min(slice_, max(0.0, self.last_snapshot + self.interval - time.monotonic()))
        return slice_ if self.on_slice is None else min(slice_, SLICE_SECONDS)

    def pause(self) -> None:
        """Let the caller pause the run. The pause does not count as time of the run, but the caller's end stays."""
        if self.on_slice is None:
            return
        began = time.monotonic()
        self.on_slice()
        paused = time.monotonic() - began
        self.started += paused
        if not self.by_end:
            self.by_end, self.last = self.end < self.last + paused, min(self.end, self.last + paused)

    @property
    def snapshot_due(self) -> bool:
        """Whether a snapshot is due."""
        return self.on_snapshot is not None and time.monotonic() >= self.last_snapshot + self.interval

    def hand_over(self, snapshot: Analysis) -> None:
        """Hand over a snapshot."""
        if self.on_snapshot is not None:
            self.on_snapshot(snapshot)
        self.last_snapshot = time.monotonic()

    @property
    def solver_seconds(self) -> float:
        """Seconds that a solver may still take; infinity where no clock ends the run."""
        return self.started + SOLVER_SHARE * (self.last - self.started) - time.monotonic()

    @property
    def pool_seconds(self) -> float:
        """Seconds that weighing worlds may still take; infinity where no clock ends the run.

        It is a share of the time limit even if a limit of simulations will end the run first: such a run weighs few
        worlds, so the time is enough.
        """
        left = self.left
        return min(POOL_SHARE * (self.last - self.started), left)

    def shortened(self) -> EffectiveLimits:
        """The limits, with the time until the caller's end where that comes first."""
        return replace(self.limits, seconds=self.last - self.started) if self.by_end else self.limits


def _read_moment(end: float) -> float:
    """:raises LimitsError: it is not a number."""
    moment = _as_float(end)
    if moment is None or math.isnan(moment):
        raise LimitsError(
            f"a time of time.monotonic() is expected, not {shown(end)}", reason="NOT_A_NUMBER", field="end"
        )
    return moment


def _as_float(value: object) -> float | None:
    """A number as a ``float``, infinite where it is too large for one; ``None`` for anything else."""
    number = as_real(value)
    if number is None:
        return None
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
