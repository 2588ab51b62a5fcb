"""Commits: the jobs that have arrived together, done in one transaction.

The jobs of a commit are done without savepoints. Only if one of them fails, all are undone and done again, each with a
savepoint: that seldom happens.
"""

import logging
import traceback
from collections.abc import Callable, Sequence

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from sniffai.errors import PortableError
from sniffai_server.calls.refusals import StoreUnavailableError
from sniffai_server.matches.database import Database, why
from sniffai_server.matches.frames import Done, Job
from sniffai_server.matches.statements import Statements

log = logging.getLogger(__name__)


class _UndoError(Exception):
    """A job has failed: undo all jobs of the commit."""


class Commits:
    """Does jobs in a database. One thread uses it.

    :param database: opens it; called before the first job, and again before later ones until that succeeds.
    """

    def __init__(self, database: Callable[[], Database]) -> None:
        self._open = database
        self._database: Database | None = None
        self._statements: Statements

    def do(self, jobs: Sequence[Job]) -> list[Done]:
        """Do jobs in one transaction; what came of each.

        An error of the database is told as :class:`StoreUnavailableError`: what was to be done may be lost or not. If
        the database cannot be opened or must not be used, the error is :class:`DatabaseError`.
        """
        jobs = sorted(jobs, key=lambda job: job.order)
        try:
            engine = self._ready(any(job.writes for job in jobs))
            done = self._all_done(jobs, engine) if len(jobs) > 1 else None
            return self._each_done(jobs, engine) if done is None else done
        except Exception as error:  # whoever waits must learn of it
            failure = _told(error)
            return [Done(job.number, None, failure) for job in jobs]

    def close(self) -> None:
        """Close the database."""
        if self._database is not None:
            self._database.close()

    def _ready(self, writes: bool) -> sa.Engine:
        """The database, open.

        :raises DatabaseError: it cannot be used.
        """
        if self._database is None:
            opened = self._open()
            self._statements = Statements(shared=opened.shared)
            self._database = opened
        elif writes:
            self._database.check()
        return self._database.engine

    def _all_done(self, jobs: Sequence[Job], engine: sa.Engine) -> list[Done] | None:
        """Do jobs in one transaction; if one fails, ``None``, and nothing is done.

        :raises SQLAlchemyError: the database has failed, or the commit.
        """
        try:
            with engine.begin() as connection:
                return [self._undone_if_it_fails(job, connection) for job in jobs]
        except _UndoError:
            return None

    def _undone_if_it_fails(self, job: Job, connection: sa.Connection) -> Done:
        try:
            return self._done(job, connection)
        except Exception as error:
            if connection.invalidated:
                raise
            raise _UndoError from error

    def _each_done(self, jobs: Sequence[Job], engine: sa.Engine) -> list[Done]:
        """Do jobs in one transaction; if one fails, only its own work is undone.

        :raises SQLAlchemyError: the database has failed, or the commit.
        """
        with engine.begin() as connection:
            return [self._tried(job, connection, alone=len(jobs) == 1) for job in jobs]

    def _tried(self, job: Job, connection: sa.Connection, *, alone: bool) -> Done:
        """Do one job; if it fails, only its own work is undone.

        :param alone: whether the transaction has no other job.
        """
        try:
            if job.writes and not alone:
                with connection.begin_nested():
                    return self._done(job, connection)
            return self._done(job, connection)
        except SQLAlchemyError as error:
            if connection.invalidated or not job.writes or alone:
                raise
            return Done(job.number, None, _told(error))
        except Exception as error:
            if job.writes and alone:
                raise
            return Done(job.number, None, _told(error))

    def _done(self, job: Job, connection: sa.Connection) -> Done:
        return Done(job.number, getattr(self._statements, job.name)(connection, *job.arguments), None)


def _told(error: Exception) -> Exception:
    """What to tell whoever waits for a job that failed. The log gets the cause."""
    if isinstance(error, SQLAlchemyError):
        log.error("the database of matches failed: %s", why(error))
        return StoreUnavailableError()
    if not isinstance(error, PortableError):
        error.add_note(traceback.format_exc())  # the traceback itself does not reach the server
    return error
