"""Jobs that wait to be given out: those of an iterable, after those that came back."""

from collections import deque
from collections.abc import Iterable, Iterator

from sniffai.jobs.spec import JobSpec

__all__ = ["WaitingJob", "WaitingJobs"]


class WaitingJob:
    """A job to be given out, with how often a worker ended at it."""

    def __init__(self, spec: JobSpec) -> None:
        self.address = spec.address
        self.text = spec.to_json()
        self.tries = 0


class WaitingJobs:
    """What is still to be given out. A spec is taken from the iterable only when its turn has come."""

    def __init__(self, specs: Iterable[JobSpec]) -> None:
        self._specs: Iterator[JobSpec] | None = iter(specs)
        self._again: deque[WaitingJob] = deque()

    def __bool__(self) -> bool:
        """Whether there may be another one."""
        return bool(self._again) or self._specs is not None

    def any(self) -> bool:
        """Whether there is another one: it is taken from the iterable now."""
        first = self.next()
        if first is not None:
            self._again.appendleft(first)
        return first is not None

    def next(self) -> WaitingJob | None:
        """The next one; ``None`` if there are no more."""
        if self._again:
            return self._again.popleft()
        if self._specs is not None:
            for spec in self._specs:
                return WaitingJob(spec)
            self._specs = None
        return None

    def give_back(self, jobs: Iterable[WaitingJob]) -> None:
        """Jobs that must be given out again."""
        self._again.extend(jobs)
