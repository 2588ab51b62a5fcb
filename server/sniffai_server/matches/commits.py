"""Commits: the jobs that have arrived together, done in one transaction.

The jobs of a commit are done without savepoints. Only if one of them fails, all are undone and done again, each with a
savepoint: that seldom happens. Steps, which are nearly all that is stored, are stored by the driver alone.
"""

import logging
import traceback
from collections.abc import Callable, Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from sniffai.errors import PortableError
from sniffai_server.calls.refusals import StoreUnavailableError
from sniffai_server.matches.database import Database, why
from sniffai_server.matches.errors import ConflictError
from sniffai_server.matches.frames import Done, Job
from sniffai_server.matches.statements import Statements

TIDY_AFTER: Final = 400
"""Jobs that change something, after which the database is tidied in the next free moment. SQLite takes as long for few
as for many: two waits for the disk."""

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
        self._written = 0
        """Jobs that have changed something since the database was tidied."""

    def do(self, jobs: Sequence[Job]) -> list[Done]:
        """Do jobs in one transaction; what came of each.

        An error of the database is told as :class:`StoreUnavailableError`: what was to be done may be lost or not. If
        the database cannot be opened or must not be used, the error is :class:`DatabaseError`.
        """
        jobs, writes = sorted(jobs, key=lambda job: job.order), sum(job.writes for job in jobs)
        self._written += writes
        try:
            database = self._ready(writes > 0)
            if all(map(_is_step, jobs)) and self._steps_stored(jobs, database):
                return [Done(job.number, None, None) for job in jobs]
            engine = database.engine
            done = self._all_done(jobs, engine) if len(jobs) > 1 else None
            return self._each_done(jobs, engine) if done is None else done
        except Exception as error:  # whoever waits must learn of it
            failure = _told(error)
            return [Done(job.number, None, failure) for job in jobs]

    def close(self) -> None:
        """Close the database."""
        if self._database is not None:
            self._database.close()

    def _ready(self, writes: bool) -> Database:
        """The database, open.

        :raises DatabaseError: it cannot be used.
        """
        if self._database is None:
            opened = self._open()
            self._statements = Statements(opened.engine.dialect, shared=opened.shared)
            self._database = opened
        elif writes:
            self._database.check()
        return self._database

    def _steps_stored(self, jobs: Sequence[Job], database: Database) -> bool:
        """Store steps in one transaction, by the driver alone; if one of them fails, false, and nothing is stored.

        :raises SQLAlchemyError: the database has failed, or the commit.
        """
        driver, committing = database.engine.dialect.loaded_dbapi, False
        connection = database.engine.raw_connection()
        try:
            cursor = connection.cursor()
            if database.begin:
                cursor.execute(database.begin)
            for job in jobs:
                self._statements.add_step(cursor.execute, *job.arguments[:2])
            committing = True
            connection.commit()
        except (ConflictError, driver.IntegrityError):
            return False
        except driver.Error as error:
            lost = database.engine.dialect.is_disconnect(error, connection.dbapi_connection, None)
            if lost:
                connection.invalidate(error)
            if len(jobs) > 1 and not committing and not lost:
                return False
            raise DBAPIError(None, None, error, hide_parameters=True) from error
        finally:
            connection.close()  # undoes what is not committed
        return True

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

    @property
    def due(self) -> bool:
        """Whether :meth:`tidy` has something to do."""
        return self._written >= TIDY_AFTER

    def tidy(self) -> None:
        """Do what must be done from time to time, and need not be done while a call waits."""
        self._written = 0
        if self._database is not None:
            self._database.tidy()

    def _done(self, job: Job, connection: sa.Connection) -> Done:
        return Done(job.number, getattr(self._statements, job.name)(connection, *job.arguments), None)


def _is_step(job: Job) -> bool:
    """Whether a job stores a step of a seat that has joined."""
    return job.name == "append" and job.arguments[2:] == (None, None)


def _told(error: Exception) -> Exception:
    """What to tell whoever waits for a job that failed. The log gets the cause."""
    if isinstance(error, SQLAlchemyError):
        log.error("the database of matches failed: %s", why(error))
        return StoreUnavailableError()
    if not isinstance(error, PortableError):
        error.add_note(traceback.format_exc())  # the traceback itself does not reach the server
    return error
