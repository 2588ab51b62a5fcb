"""What runs jobs: the protocol, and the executors by name."""

import importlib
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any, Final, Protocol, Self

from sniffai.checks import read_kind, shown
from sniffai.errors import LimitsError
from sniffai.jobs.local import LocalExecutor
from sniffai.jobs.processes import check_workers
from sniffai.jobs.result import JobResult
from sniffai.jobs.spec import JobSpec

EXECUTORS: Final = {
    "local": "sniffai.jobs.local",
    "grpc": "sniffai.client.executor",
    "ray": "sniffai.jobs.ray",
}
"""The modules of the executors by name, imported when they are used. Each has a function ``open_executor(address: str,
workers: int | None) -> Executor``; the address is what follows the name and a colon, empty where nothing does. That of
``grpc`` also takes ``tls`` and ``api_key``."""


class Executor(Protocol):
    """Runs jobs. It is used in a ``with`` statement, which ends what it has started.

    Every executor owes its caller:

    - Each spec is answered exactly once, in any order. A spec that is given twice is answered twice.
    - Few specs are taken before their turn, and few results wait for the caller: neither list may grow with the work.
    - The results are those of :func:`~sniffai.jobs.run.run_job`, but for their times. A job may be done again, which is
      harmless: the second result of the same spec is dropped.
    - What ``run_job`` raises of a job is raised here: the same class, with the same reason and field. The same goes for
      what the iterable of specs raises.
    - A job whose worker dies is given out again, a few times at most; then ``LostJobError`` is raised.
    - An error, Ctrl-C, and closing the iterator end the jobs that still run, also on other machines, and soon. The
      executor can run others after that.
    - An engine of another version does no job: the reason is ``ENGINE_VERSION``.
    """

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def run(self, specs: Iterable[JobSpec]) -> Generator[JobResult, None, None]:
        """The results as they come."""
        ...


def executor_named(name: str, *, workers: int | None = None, tls: Any = None, api_key: str | None = None) -> Executor:
    """An executor by name.

    :param name: ``"local"``: processes on this machine; ``"grpc:HOST:PORT,…"``: servers; ``"ray"``: a Ray cluster on
        this machine, or ``"ray:ADDRESS"``: that one.
    :param workers: jobs at once, 1..1024; without it as many as this machine has cores, the servers have slots, or the
        cluster has cores.
    :param tls: for ``grpc``: a :class:`sniffai.client.Tls`; without it nothing is encrypted.
    :param api_key: for ``grpc``: sent with each job.
    :raises LimitsError: there is no such executor, ``workers`` is out of range, or it takes no TLS and no key.
    :raises ImportError: the extra of the package that it needs is not installed.
    """
    kind, _, address = read_kind(name, str, "executor", "NOT_TEXT").partition(":")
    if kind not in EXECUTORS:
        message = f"{shown(name)} is not local, grpc:HOST:PORT,… or ray"
        raise LimitsError(message, reason="UNKNOWN_EXECUTOR", field="executor")
    access = {name: value for name, value in (("tls", tls), ("api_key", api_key)) if value is not None}
    if access and kind != "grpc":
        message = f"{kind} takes no TLS files and no API key: only grpc does"
        raise LimitsError(message, reason="NOT_WITH_EXECUTOR", field=next(iter(access)))
    count = None if workers is None else check_workers(workers)
    executor: Executor = importlib.import_module(EXECUTORS[kind]).open_executor(address, count, **access)
    return executor


@contextmanager
def executor_or(executor: Executor | None, workers: int) -> Iterator[Executor]:
    """The executor itself, left open; where there is none, processes on this machine, closed at the end.

    :raises LimitsError: ``workers`` is out of range.
    """
    if executor is not None:
        yield executor
        return
    with LocalExecutor(workers) as local:
        yield local


def in_order(executor: Executor, specs: Iterable[JobSpec]) -> Generator[JobResult, None, None]:
    """The results in the order of their specs, each as soon as all before it are there."""
    waiting: deque[str] = deque()
    early: dict[str, list[JobResult]] = {}

    def noted() -> Iterator[JobSpec]:
        for spec in specs:
            waiting.append(spec.address)
            yield spec

    with closing(executor.run(noted())) as results:
        for result in results:
            early.setdefault(result.address, []).append(result)
            while waiting and waiting[0] in early:
                ready = early[waiting[0]]
                yield ready.pop()
                if not ready:
                    del early[waiting[0]]
                waiting.popleft()
