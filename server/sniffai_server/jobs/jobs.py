"""Jobs of clients: which run, where they wait, and how they end with the server.

A job takes part twice: it waits for a process, of which one client has at most as many as there are slots, then for a
slot, as a search of the class BULK. While a more urgent search wants the slot, the process rests. So a job costs people
who wait for a move nothing but memory.
"""

import asyncio
import time
from typing import Any, Final

from sniffai_server.calls.callers import Priority, caller_of
from sniffai_server.calls.refusals import RETRY_MOST, ClosingError, ExpiredError, JobsRefusedError, QueueFullError
from sniffai_server.jobs.job import Job
from sniffai_server.jobs.process import JobProcesses
from sniffai_server.load.admission import PAUSED_MOST, Admission, SlotQueue, admission_of
from sniffai_server.load.searches import Searches
from sniffai_server.settings import Settings

WAIT_SECONDS: Final = 60.0
"""Seconds that a job waits here to begin; then its client may try another server."""
LAST_SECONDS: Final = 0.3
"""Seconds before the end of the grace period at which jobs are stopped, so that their clients are told."""


class Jobs:
    """The jobs of one server. Everything here runs on its event loop."""

    def __init__(self, settings: Settings, searches: Searches) -> None:
        self._settings = settings
        self._searches = searches
        slots = settings.slots
        most = slots + min(slots, PAUSED_MOST // 2)
        self.processes: Final = JobProcesses(slots, settings.job_bytes)
        self._line: Final = SlotQueue(most, settings.queue_size, memory=0, share=slots)
        """The processes, and the jobs that wait for one."""
        self._open: dict[asyncio.Task[bytes], Job] = {}
        self._closing = False

    @property
    def count(self) -> int:
        """How many jobs have a process."""
        return self._line.busy

    async def run(self, spec: str, context: Any) -> bytes:
        """Do a job; the result as JSON. Cancelling the task ends it at once.

        :raises JobsRefusedError: the server runs no jobs, or none for this client.
        :raises JobRejectedError: something in the job is wrong.
        :raises JobTooLargeError: it needs more time or memory than it may have.
        :raises JobDiedError: its process ended.
        :raises QueueFullError: too many jobs wait, or this one has waited long enough.
        :raises ExpiredError: the call's deadline passed before it began.
        :raises ClosingError: the server is shutting down.
        """
        self._check(context)
        settings = self._settings
        job = Job(spec.encode(), self.processes, settings.job_seconds, settings.job_bytes)
        task = asyncio.ensure_future(self._in_turn(job, admission_of(context, Priority.BULK), context))
        self._open[task] = job
        try:
            return await task
        except asyncio.CancelledError:
            if self._closing and not _is_cancelled():
                raise ClosingError from None
            raise
        finally:
            del self._open[task]

    def finish(self, grace: float) -> None:
        """Refuse the jobs that have not begun, and stop the others shortly before the grace period ends.

        :param grace: seconds.
        """
        self._closing = True
        loop = asyncio.get_running_loop()
        for task, job in tuple(self._open.items()):
            if not job.begun:
                task.cancel()
        loop.call_later(max(0.0, grace - LAST_SECONDS), self._stop)

    def close(self) -> None:
        """End the processes. May be called from any thread."""
        self.processes.close()

    def _stop(self) -> None:
        for task in tuple(self._open):
            task.cancel()

    def _check(self, context: Any) -> None:
        """:raises JobsRefusedError: the caller may not run jobs here."""
        if not self._settings.jobs:
            raise JobsRefusedError("JOBS_OFF", "this server runs no jobs: its operator has not set jobs")
        if not caller_of(context).jobs:
            raise JobsRefusedError("JOBS_NOT_ALLOWED", "this API key may not run jobs: its entry has no jobs = true")
        if self._closing:
            raise ClosingError

    async def _in_turn(self, job: Job, admission: Admission, context: Any) -> bytes:
        """Do a job when it is its turn."""
        now, left = time.monotonic(), context.time_remaining()
        start_by = now + (WAIT_SECONDS if left is None else min(WAIT_SECONDS, left))
        try:
            async with self._line.slot(admission, start_by):
                return await self._searches.run_job(job, admission, start_by)
        except ExpiredError:
            if left is not None and left <= WAIT_SECONDS:
                raise
            raise QueueFullError(RETRY_MOST) from None


def _is_cancelled() -> bool:
    """Whether the task that runs this is being cancelled itself."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
