"""The one thread that uses the database of matches. Work that arrives while a commit goes on shares the next one.

A job is done once its commit is on disk; the event loop never waits for a disk. The jobs of a commit are done without
savepoints. Only if one of them fails, all are undone and done again, each with a savepoint: that seldom happens, and
each statement costs the interpreter's lock twice.
"""

import asyncio
import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from sniffai_server.calls.refusals import StoreUnavailableError
from sniffai_server.matches.database import Database, why
from sniffai_server.matches.errors import DatabaseError

Result = TypeVar("Result")

MOST_TOGETHER: Final = 256
"""Jobs of one commit."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Job:
    """Something to do in the database."""

    work: Callable[[sa.Connection], Any]
    writes: bool
    order: str
    """Jobs of one commit are done in this order, so that two servers never wait for each other."""
    loop: asyncio.AbstractEventLoop
    done: "asyncio.Future[Any]"
    result: Any = None
    error: BaseException | None = None
    asked: float = field(default_factory=time.monotonic)


class _UndoError(Exception):
    """A job has failed: undo all jobs of the commit."""


class Writer:
    """Runs work in the database, in a thread of its own.

    :param database: opens it; called in the thread, before the first job.
    :param on_commit: called in the thread with the seconds from each write's arrival to its commit.
    """

    def __init__(
        self, database: Callable[[], Database], on_commit: Callable[[float], None] = lambda seconds: None
    ) -> None:
        self._open = database
        self._on_commit = on_commit
        self._database: Database | None = None
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="matches", daemon=True)
        self._started = False

    async def ready(self) -> None:
        """Open the database now.

        :raises DatabaseError: it cannot be used.
        """
        await self.do(lambda connection: None, writes=False)

    async def do(self, work: Callable[[sa.Connection], Result], *, writes: bool, order: str = "") -> Result:
        """Do something in the database; returns once it is committed.

        :param work: called in the thread; an error that it raises undoes what it did, and is raised here.
        :param writes: whether it changes anything.
        :param order: where it stands among the jobs of one commit: the match's id.
        :raises StoreUnavailableError: the database failed. What was done may be lost or not.
        """
        if not self._started:
            self._started = True
            self._thread.start()
        loop = asyncio.get_running_loop()
        job = _Job(work, writes, order, loop, loop.create_future())
        self._jobs.put(job)
        result: Result = await job.done
        return result

    def close(self) -> None:
        """Finish what is under way, and close the database. May be called from any thread."""
        self._jobs.put(None)
        if self._started:
            self._thread.join()

    def _run(self) -> None:
        while (first := self._jobs.get()) is not None:
            jobs, ending = [first], False
            while len(jobs) < MOST_TOGETHER and not ending:
                try:
                    another = self._jobs.get_nowait()
                except queue.Empty:
                    break
                ending = another is None
                if another is not None:
                    jobs.append(another)
            self._commit(sorted(jobs, key=lambda job: job.order))
            if ending:
                break
        if self._database is not None:
            self._database.close()

    def _commit(self, jobs: Sequence[_Job]) -> None:
        """Do jobs in one transaction, then tell who waits."""
        try:
            if self._database is None:
                self._database = self._open()
            elif any(job.writes for job in jobs):
                self._database.check()
            if len(jobs) == 1 or not self._all_done(jobs, self._database.engine):
                self._do_each(jobs, self._database.engine)
        except BaseException as error:  # whoever waits must learn of it
            failure = self._failure(error)
            for job in jobs:
                job.error = failure
        now = time.monotonic()
        for job in jobs:
            if job.writes and job.error is None:
                self._on_commit(now - job.asked)
        for loop in {job.loop for job in jobs}:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody waits
                loop.call_soon_threadsafe(_tell, [job for job in jobs if job.loop is loop])

    def _all_done(self, jobs: Sequence[_Job], engine: sa.Engine) -> bool:
        """Do jobs in one transaction; if one fails, false, and nothing is done.

        :raises SQLAlchemyError: the database has failed, or the commit.
        """
        try:
            with engine.begin() as connection:
                for job in jobs:
                    try:
                        job.result = job.work(connection)
                    except Exception as error:
                        if connection.invalidated:
                            raise
                        raise _UndoError from error
        except _UndoError:
            return False
        return True

    def _do_each(self, jobs: Sequence[_Job], engine: sa.Engine) -> None:
        """Do jobs in one transaction; if one fails, only its own work is undone.

        :raises SQLAlchemyError: the database has failed, or the commit.
        """
        with engine.begin() as connection:
            for job in jobs:
                self._do(job, connection, alone=len(jobs) == 1)

    def _failure(self, error: BaseException) -> BaseException:
        """What to tell whoever waits for a commit that failed. The log gets the cause."""
        if isinstance(error, SQLAlchemyError):
            cause = why(error)
        elif isinstance(error, DatabaseError) and self._database is not None:
            cause = str(error)
        else:
            return error
        log.error("the database of matches failed: %s", cause)
        return StoreUnavailableError()

    def _do(self, job: _Job, connection: sa.Connection, *, alone: bool) -> None:
        """Do one job; if it fails, only its own work is undone.

        :param alone: whether the transaction has no other job.
        """
        try:
            if job.writes and not alone:
                with connection.begin_nested():
                    job.result = job.work(connection)
            else:
                job.result = job.work(connection)
        except SQLAlchemyError as error:
            if connection.invalidated or not job.writes or alone:
                raise
            log.error("a change of a match failed: %s", why(error))
            job.error = StoreUnavailableError()
        except Exception as error:
            if job.writes and alone:
                raise
            job.error = error


def _tell(jobs: Sequence[_Job]) -> None:
    for job in jobs:
        if job.done.done():
            continue
        if job.error is not None:
            job.done.set_exception(job.error)
        else:
            job.done.set_result(job.result)
