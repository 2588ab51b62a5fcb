"""Work spread over processes, which end with the process that hands it out."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import Thread
from typing import Any, TypeVar

from sniffai.checks import read_whole
from sniffai.errors import LimitsError

__all__ = ["available_cores", "check_workers", "mapped"]

Job = TypeVar("Job")
Result = TypeVar("Result")


def check_workers(workers: int) -> int:
    """The number of processes itself.

    :raises LimitsError: it is not a whole number in 1..1024.
    """
    return read_whole(workers, "workers", 1, 1024)


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def mapped(work: Callable[[Job], Result], jobs: Iterable[Job], workers: int) -> Iterator[Result]:
    """What ``work`` makes of each job, in their order, as it comes.

    An error, Ctrl-C, or closing the iterator ends the processes at once, whatever they are at.

    :param workers: processes; 1 works in this one.
    :raises LimitsError: the system cannot start worker processes.
    """
    if workers == 1:
        yield from map(work, jobs)
        return
    # A fresh process each: a fork would copy the locks of whatever threads this one has.
    context = _Context()
    with _executor(workers, context) as executor:
        try:
            with _without_interrupts():
                results = [executor.submit(work, job) for job in jobs]
            for result in results:
                yield result.result()
        except BaseException:
            context.kill()
            raise


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


def _executor(workers: int, context: _Context) -> ProcessPoolExecutor:
    """Worker processes.

    :raises LimitsError: the system has no semaphores for them, as in some sandboxes.
    """
    try:
        return ProcessPoolExecutor(workers, context, initializer=_end_in_time)
    except (OSError, ImportError, NotImplementedError) as error:
        message = f"this system cannot start worker processes ({error}): set workers to 1 to work without them"
        raise LimitsError(message, reason="NO_WORKERS", field="workers") from None


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
