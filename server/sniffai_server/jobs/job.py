"""One job of a client, from its spec to its answer."""

import json
import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from sniffai_server.calls.refusals import ClosingError, JobDiedError, JobRejectedError, JobTooLargeError
from sniffai_server.jobs import worker
from sniffai_server.jobs.process import JobProcess, JobProcesses
from sniffai_server.load.turns import Turn

log = logging.getLogger(__name__)

START_SECONDS: Final = 60.0
"""Seconds that a process may take to be ready; most take one."""
SLICE: Final = 0.02
"""Seconds between two looks at a job: whether its slot is wanted elsewhere, or its time is over."""


class Job:
    """Runs once, in the thread of a slot.

    :param seconds: how long it may run, pauses aside.
    :param memory: bytes that its process may have, for the error.
    """

    memory_bytes: Final = 0
    """Its process is no part of the memory for searches."""

    def __init__(self, spec: bytes, processes: JobProcesses, seconds: float, memory: int) -> None:
        self._spec = spec
        self._processes = processes
        self._seconds = seconds
        self._memory = memory
        self._process: JobProcess | None = None
        self._lock = threading.Lock()
        self.begun = False
        """Whether it has its slot."""
        self.stopped = False
        """Whether :meth:`stop` was called."""

    def stop(self) -> None:
        """Kill its process. May be called from any thread."""
        with self._lock:
            self.stopped = True
            if self._process is not None:
                self._process.kill()

    def run(self, turn: Turn, pause: Callable[[], None]) -> bytes:
        """Do it; the result as JSON.

        :param pause: gives up the slot if it is wanted elsewhere, and waits for the next one.
        :raises JobRejectedError: something in the job is wrong.
        :raises JobTooLargeError: it needs more time or memory than it may have.
        :raises JobDiedError: its process ended.
        :raises ClosingError: it was stopped.
        """
        self.begun = True
        try:
            process = self._processes.take()
        except OSError as error:
            log.error("no process for a job: %s", error)
            raise JobDiedError from None
        with self._lock:
            self._process = process
        try:
            if self.stopped:
                raise ClosingError
            if not process.begun:
                if not self._wait(process, turn, pause, START_SECONDS):
                    raise TimeoutError
                process.begin()
            process.send(self._spec)
            if not self._wait(process, turn, pause, self._seconds):
                raise JobTooLargeError("JOB_TOO_LONG", f"{self._seconds:g} s")
            answer = process.answer()
        except BaseException as error:
            with self._lock:
                self._process = None
            process.bury()
            if isinstance(error, (EOFError, OSError)):
                raise (ClosingError if self.stopped else JobDiedError) from None
            raise
        with self._lock:
            self._process = None
        self._processes.give_back(process)
        return self._read(answer)

    def _wait(self, process: JobProcess, turn: Turn, pause: Callable[[], None], seconds: float) -> bool:
        """Wait for an answer; whether it came in time.

        While the slot is wanted elsewhere, the process rests, and its time stands still.
        """
        left, looked = seconds, time.monotonic()
        while not process.answered(SLICE):
            now = time.monotonic()
            left, looked = left - (now - looked), now
            if left <= 0:
                return False
            if turn.wanted:
                process.rest()
                pause()
                process.go_on()
                looked = time.monotonic()
        return True

    def _read(self, answer: bytes) -> bytes:
        kind, payload = answer[:1], answer[1:]
        if kind == worker.RESULT:
            return payload
        if kind == worker.NO_MEMORY:
            raise JobTooLargeError("JOB_TOO_LARGE", f"{self._memory:,} bytes of memory")
        if kind == worker.REJECTED:
            raise JobRejectedError(*json.loads(payload))
        raise RuntimeError(f"a job failed:\n{payload.decode(errors='replace')}")
