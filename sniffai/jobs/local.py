"""The executor ``local``: processes on this machine."""

from collections.abc import Generator, Iterable
from functools import partial
from typing import Any, Self

from sniffai.checks import shown
from sniffai.errors import LimitsError
from sniffai.jobs.engine import engine_version, take_engine
from sniffai.jobs.processes import Processes, available_cores
from sniffai.jobs.result import JobResult
from sniffai.jobs.run import run_job
from sniffai.jobs.spec import JobSpec


class LocalExecutor:
    """Runs jobs in processes on this machine: see :class:`Executor`. They stay for the next jobs until it is left.

    :param workers: processes, 1..1024; 1 works in this one, where nothing can be killed or given out again.
    :raises LimitsError: ``workers`` is out of range; when jobs are run: the system cannot start worker processes.
    """

    def __init__(self, workers: int = 1) -> None:
        self._processes = Processes(workers, partial(take_engine, engine_version()))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._processes.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("an executor cannot be copied or pickled: make a new one")

    def run(self, specs: Iterable[JobSpec]) -> Generator[JobResult, None, None]:
        """The results as they come."""
        return self._processes.spread(run_job, specs)


def open_executor(address: str, workers: int | None) -> LocalExecutor:
    """See :func:`sniffai.jobs.executor_named`.

    :raises LimitsError: an address is given.
    """
    if address:
        message = f"local takes no address, not {shown(address)}"
        raise LimitsError(message, reason="UNKNOWN_EXECUTOR", field="executor")
    return LocalExecutor(available_cores() if workers is None else workers)
