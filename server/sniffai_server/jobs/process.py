"""Processes that do jobs: started when they are needed, kept for the next job, stopped and killed at any moment."""

import os
import signal
import threading
from multiprocessing import Pipe
from typing import Final

from sniffai_server.children import start_child

ONE_CORE: Final = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""A job has one slot, and so one core."""
PASSED: Final = ("PATH", "LANG", "LC_", "LD_", "DYLD_", "PYTHON", "TZ", "VIRTUAL_ENV")
"""The beginnings of the variables that a process gets. Others may hold secrets of the server."""
MODULE: Final = "sniffai_server.jobs.worker"


class JobProcess:
    """One process. A job's thread uses it; it can be killed from any thread.

    :param memory: bytes of data that it may have.
    :raises OSError: the system cannot start it.
    """

    def __init__(self, memory: int) -> None:
        self._begun = False
        self._connection, theirs = Pipe()
        lifeline, self._lifeline = os.pipe()
        try:
            passed = {name: value for name, value in os.environ.items() if name.startswith(PASSED)}
            self._process = start_child(MODULE, (theirs.fileno(), lifeline), str(memory), environment=passed | ONE_CORE)
        except OSError:
            self._close()
            raise
        finally:
            theirs.close()
            os.close(lifeline)

    @property
    def begun(self) -> bool:
        """Whether it has said that it is ready for jobs."""
        return self._begun

    def begin(self) -> None:
        """Take its word that it is ready: its first answer.

        :raises EOFError: it has ended.
        :raises OSError: it has ended.
        """
        self._connection.recv_bytes()
        self._begun = True

    def send(self, spec: bytes) -> None:
        """Give it a job.

        :raises OSError: it has ended.
        """
        self._connection.send_bytes(spec)

    def answered(self, seconds: float) -> bool:
        """Whether there is an answer, or the process has ended; waits for it so long."""
        return self._connection.poll(seconds)

    def answer(self) -> bytes:
        """The answer.

        :raises EOFError: it has ended.
        :raises OSError: it has ended.
        """
        return self._connection.recv_bytes()

    def rest(self) -> None:
        """Stop it until :meth:`go_on`. One that only starts goes on, since it would not end with the server yet."""
        if self._begun:
            self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it at once, also while it rests."""
        self._process.kill()

    def bury(self) -> None:
        """Kill it, wait for its end and free what it had here. For the thread that uses it."""
        self.kill()
        self._process.wait()
        self._close()

    def _close(self) -> None:
        self._connection.close()
        os.close(self._lifeline)


class JobProcesses:
    """The processes of a server that rest between two jobs.

    :param most: how many are kept.
    :param memory: bytes of data that each may have.
    """

    def __init__(self, most: int, memory: int) -> None:
        self._most = most
        self._memory = memory
        self._idle: list[JobProcess] = []
        self._lock = threading.Lock()
        self._closed = False

    def take(self) -> JobProcess:
        """A process for one job: one that is there, or a new one.

        :raises OSError: the system cannot start one.
        """
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return JobProcess(self._memory)

    def give_back(self, process: JobProcess) -> None:
        """Keep a process that has done its job."""
        with self._lock:
            kept = not self._closed and len(self._idle) < self._most
            if kept:
                self._idle.append(process)
        if not kept:
            process.bury()

    def close(self) -> None:
        """End the processes that are not at work, and later each that has done its job."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for process in idle:
            process.bury()
