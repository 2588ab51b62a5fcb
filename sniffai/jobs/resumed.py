"""An executor that keeps all results in a file, and does nothing twice."""

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain
from typing import Any, Self

from sniffai.jobs.executor import Executor
from sniffai.jobs.result import JobResult
from sniffai.jobs.results import Results
from sniffai.jobs.spec import JobSpec


class ResumedExecutor:
    """Runs jobs by another executor, except those whose results are there: see :class:`Executor`.

    A result is kept as soon as it comes. The caller gets the results in the order of the specs. Leaving it leaves the
    executor and closes the results.

    :ivar found: how many results were there already, of those that the caller has got so far.
    :ivar taken_over: whether the result that the caller got last was there already. ``False`` outside a run.
    """

    def __init__(self, executor: Executor, results: Results) -> None:
        self._executor = executor
        self._results = results
        self.found = 0
        self.taken_over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._executor.__exit__(*error)
        finally:
            self._results.__exit__(*error)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("an executor cannot be copied or pickled: make a new one")

    def run(self, specs: Iterable[JobSpec]) -> Generator[JobResult, None, None]:
        """The results in the order of the specs; those that are there before the first missing one come at once."""
        try:
            left = iter(specs)
            for spec in left:
                if spec.address not in self._results:
                    yield from self._rest(chain([spec], left))
                    return
                yield self._told(spec.address, None)
        finally:
            self.taken_over = False

    def _rest(self, specs: Iterator[JobSpec]) -> Generator[JobResult, None, None]:
        """The results from the first missing one on."""
        waiting: deque[tuple[str, bool]] = deque()
        """What the caller is to get, and whether it was there."""
        given: dict[str, JobSpec] = {}
        made: dict[str, JobResult] = {}

        def missing() -> Iterator[JobSpec]:
            for spec in specs:
                waiting.append((spec.address, spec.address in self._results))
                if not waiting[-1][1] and spec.address not in given:
                    given[spec.address] = spec
                    yield spec

        def ready() -> Iterator[JobResult]:
            while waiting and waiting[0][0] in self._results:
                address, there = waiting.popleft()
                yield self._told(address, None if there else made.pop(address, None), there)

        with closing(self._executor.run(missing())) as results:
            for result in results:
                self._results.add(given.pop(result.address), result)
                made[result.address] = result
                yield from ready()
        yield from ready()

    def _told(self, address: str, made: JobResult | None, there: bool = True) -> JobResult:
        """The result that the caller gets next.

        :param made: in this run; otherwise it is read.
        """
        self.found += there
        self.taken_over = there
        return made or self._results.read(address)
