"""An executor that keeps all results in a file, and does nothing twice."""

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from typing import Any, Self

from sniffai.jobs.executor import Executor
from sniffai.jobs.result import JobResult
from sniffai.jobs.results import Results
from sniffai.jobs.spec import JobSpec


class ResumedExecutor:
    """Runs jobs by another executor, except those whose results are there: see :class:`Executor`.

    A result is kept before the caller sees it. Leaving it leaves the executor and closes the results.

    :ivar found: how many results were there already, of those asked for so far.
    """

    def __init__(self, executor: Executor, results: Results) -> None:
        self._executor = executor
        self._results = results
        self.found = 0

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
        """The results as they come, those that are there first."""
        found: deque[str] = deque()
        given: dict[str, list[JobSpec]] = {}

        def missing() -> Iterator[JobSpec]:
            for spec in specs:
                if spec.address in self._results:
                    found.append(spec.address)
                elif spec.address in given:  # the same job is being done
                    given[spec.address].append(spec)
                else:
                    given[spec.address] = [spec]
                    yield spec

        with closing(self._executor.run(missing())) as results:
            for result in results:
                yield from self._known(found)
                same = given.pop(result.address)
                self._results.add(same[0], result)
                yield from [result] * len(same)
        yield from self._known(found)

    def _known(self, found: deque[str]) -> Iterator[JobResult]:
        while found:
            self.found += 1
            yield self._results.read(found.popleft())
