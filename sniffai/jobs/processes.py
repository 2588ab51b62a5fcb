"""Work spread over processes, which end with the process that hands it out."""

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from contextlib import closing, contextmanager
from functools import partial
from itertools import islice
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import Thread
from typing import Any, Final, Self, TypeVar

from sniffai.checks import read_whole
from sniffai.errors import LimitsError
from sniffai.jobs.errors import LostJobError

__all__ = ["Processes", "available_cores", "check_workers"]

Job = TypeVar("Job")
Result = TypeVar("Result")

AHEAD: Final = 2
"""Jobs given out for each process: one that it does, and one that lies ready."""

MOST_TRIES: Final = 3
"""How often a job is given out before it counts as lost."""


def check_workers(workers: int) -> int:
    """The number of processes itself.

    :raises LimitsError: it is not a whole number in 1..1024.
    """
    return read_whole(workers, "workers", 1, 1024)


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Processes:
    """Worker processes, started when there is work, kept for more until they are closed.

    :param workers: processes, 1..1024; 1 works in this one.
    :param begin: called in each process when it starts.
    :raises LimitsError: ``workers`` is out of range.
    """

    def __init__(self, workers: int, begin: Callable[[], None] | None = None) -> None:
        self._workers = check_workers(workers)
        self._begin = begin
        self._context = _Context()
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def spread(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Generator[Result, None, None]:
        """What ``work`` makes of each job, as it comes. Few jobs are taken before their turn.

        A job whose process ends is done again. An error, Ctrl-C, or closing the iterator while jobs are given out ends
        the processes at once, whatever they are at.

        :raises LimitsError: the system cannot start worker processes.
        :raises LostJobError: a process ended again and again before the same job was done.
        """
        if self._workers == 1:
            yield from map(work, jobs)
            return
        given: dict[Future[Result], tuple[Job, int]] = {}
        try:
            yield from self._spread(work, iter(jobs), given)
        except GeneratorExit:  # also from who knows that there are no more results; then the processes wait for work
            if given:
                self._kill()
            raise
        except BaseException:
            self._kill()
            raise

    def in_order(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Generator[Result, None, None]:
        """The same in the order of the jobs, each as soon as all before it are done."""
        early: dict[int, Result] = {}
        turn = 0
        with closing(self.spread(partial(_numbered, work), enumerate(jobs))) as results:
            for number, result in results:
                early[number] = result
                while turn in early:
                    yield early.pop(turn)
                    turn += 1

    def close(self) -> None:
        """End the processes."""
        if self._executor is not None:
            self._executor.shutdown()
            self._executor = None

    def _spread(
        self, work: Callable[[Job], Result], jobs: Iterator[Job], given: dict["Future[Result]", tuple[Job, int]]
    ) -> Iterator[Result]:
        """See :meth:`spread`.

        :param given: is kept up to date: the jobs that are given out, and how often each has been.
        """
        again: deque[tuple[Job, int]] = deque()
        while True:
            fresh = ((job, 1) for job in islice(jobs, AHEAD * self._workers - len(given) - len(again)))
            for job, attempt in (*_emptied(again), *fresh):
                given[self._submit(work, job)] = job, attempt
            if not given:
                return
            for future in wait(given, return_when=FIRST_COMPLETED).done:
                job, attempt = given.pop(future)
                try:
                    result = future.result()
                except BrokenExecutor:
                    again.append((job, _next(attempt)))
                    continue
                yield result
            if again:  # all processes end where one does, and what else was given out is lost as well
                again.extend((job, _next(attempt)) for job, attempt in given.values())
                given.clear()
                self._kill()

    def _submit(self, work: Callable[[Job], Result], job: Job) -> "Future[Result]":
        """Give out a job; in a new executor where the old one broke a moment ago."""
        with _without_interrupts():
            if self._executor is None:
                self._executor = _executor(self._workers, self._context, self._begin)
            try:
                return self._executor.submit(work, job)
            except BrokenExecutor as error:
                lost: Future[Result] = Future()
                lost.set_exception(error)
                return lost

    def _kill(self) -> None:
        self._context.kill()
        self.close()


def _numbered(work: Callable[[Job], Result], numbered: tuple[int, Job]) -> tuple[int, Result]:
    number, job = numbered
    return number, work(job)


def _emptied(waiting: deque[Job]) -> Iterator[Job]:
    while waiting:
        yield waiting.popleft()


def _next(attempt: int) -> int:
    """The number of the next attempt.

    :raises LostJobError: this was the last one.
    """
    if attempt == MOST_TRIES:
        raise LostJobError(attempt)
    return attempt + 1


class _Context(SpawnContext):
    """Starts the processes, and can end them."""

    def __init__(self) -> None:
        self._started: list[SpawnProcess] = []

    def Process(self, *args: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        """See :class:`multiprocessing.Process`."""
        process = SpawnProcess(*args, **options)
        self._started.append(process)
        return process

    def kill(self) -> None:
        """End them at once, also those that are only starting."""
        for process in self._started:
            if process.is_alive():
                process.kill()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Hold back Ctrl-C while processes are started, in this process and in them.

    Each lets it through when it knows what to do then: see :func:`_end_in_time`. Where there are no signal masks
    (Windows) a process that has just started may end with a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _executor(workers: int, context: _Context, begin: Callable[[], None] | None) -> ProcessPoolExecutor:
    """Worker processes.

    :raises LimitsError: the system has no semaphores for them, as in some sandboxes.
    """
    try:
        return ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(begin,))
    except (OSError, ImportError, NotImplementedError) as error:
        message = f"this system cannot start worker processes ({error}): set workers to 1 to work without them"
        raise LimitsError(message, reason="NO_WORKERS", field="workers") from None


def _begin(begin: Callable[[], None] | None) -> None:
    """What a worker does before its first job."""
    _end_in_time()
    if begin is not None:
        begin()


def _end_in_time() -> None:
    """Let a worker end at Ctrl-C at once and silently: the process that hands out the work reports it.

    Let it also end with that process, however that ends: a killed process cannot tell its workers.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
