"""The database of hosted matches: a file of SQLite, memory, or PostgreSQL by a URL.

One connection writes. SQLite keeps every acknowledged commit through a loss of power: write-ahead log, ``synchronous``
FULL. Only one process may use a file, which a lock beside it ensures, since SQLite has lost commits where several
processes wrote (https://sqlite.org/wal.html); PostgreSQL is for several servers.
"""

import contextlib
import fcntl
import importlib
import logging
import os
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from sniffai.checks import shown
from sniffai_server.matches.errors import DatabaseError
from sniffai_server.matches.place import MEMORY
from sniffai_server.urls import without_secrets

MIGRATIONS: Final = Path(__file__).parent / "migrations"
VERSION_TABLE: Final = "sniffai_matches_version"
HEAD: Final = "0001"
"""The latest migration."""
APPLICATION_ID: Final = 0x536E6966
"""What a file of SQLite says whose it is by: "Snif"."""
LEAST_SQLITE: Final = (3, 31, 0)
LOCK_SECONDS: Final = 1.0
"""How long a file may still be locked: the keeper of a server that was killed ends a moment after it."""
BEGIN: Final = "BEGIN IMMEDIATE"
MOST_PAGES: Final = 8000
"""Of SQLite's write-ahead log, after which a commit writes them back, if no moment without calls came before."""
CONNECT_SECONDS: Final = 5
STATEMENT_SECONDS: Final = 10
LOCKED_SECONDS: Final = 2
"""How long a change waits for a lock that another session of PostgreSQL holds: all others wait behind it."""
SESSION: Final = {
    "statement_timeout": STATEMENT_SECONDS * 1000,
    "lock_timeout": LOCKED_SECONDS * 1000,
    "idle_in_transaction_session_timeout": STATEMENT_SECONDS * 1000,  # a server that stands still keeps no locks
    "synchronous_commit": "on",
}
"""Settings of each session of PostgreSQL; times in milliseconds."""
DRIVERS: Final = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Database:
    """An open database."""

    engine: sa.Engine
    shared: bool
    """Whether other servers may change it, too."""
    close: Callable[[], None]
    check: Callable[[], None] = lambda: None
    """Raises :class:`DatabaseError` if what is written would be lost."""
    begin: str = ""
    """What begins a transaction; ``""`` where the driver does."""
    tidy: Callable[[], None] = lambda: None
    """Does from time to time what need not be done while a call waits."""


def open_database(text: str, *, make_folder: bool = False) -> Database:
    """Open the database of a setting, and bring its tables up to date.

    :param text: ``"memory"``, the path of a file, or a URL such as ``postgresql://user@host/name``.
    :param make_folder: whether a file's folder is made if there is none.
    :raises DatabaseError: it cannot be used.
    """
    if text == MEMORY:
        return _open_memory()
    if "://" not in text:
        return _open_file(Path(text), make_folder)
    return _open_url(text)


def read_url(text: str) -> sa.URL:
    """The URL of a PostgreSQL database.

    :raises DatabaseError: it is none.
    """
    try:
        url = sa.make_url(text)
    except (ArgumentError, ValueError):  # it does not take every wrong port for an error of its own
        raise DatabaseError("a URL such as postgresql://user@host/name is expected") from None
    if url.drivername not in DRIVERS:
        raise DatabaseError(f"postgresql:// is expected, not {shown(url.drivername)}; a file is given by its path")
    if url.host and "@" in url.host:
        raise DatabaseError("a URL has one @, before the host; in a password it is written as %40")
    return url.set(drivername=DRIVERS[url.drivername])


def _open_memory() -> Database:
    engine = _sqlite(sa.URL.create("sqlite"))
    _tell_sqlite(engine, file=False)
    _migrate(engine)
    return Database(engine, shared=False, close=engine.dispose, begin=BEGIN)


def _open_file(path: Path, make_folder: bool) -> Database:
    if sqlite3.sqlite_version_info < LEAST_SQLITE:
        least = ".".join(map(str, LEAST_SQLITE))
        raise DatabaseError(f"SQLite {least} or later is needed, not {sqlite3.sqlite_version}")
    _check_own(path)
    try:
        if make_folder:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = _lock(path)
    except OSError as error:
        raise DatabaseError(f"cannot use {path}: {error.strerror}") from None
    engine = _sqlite(sa.URL.create("sqlite", database=str(path)))

    def close() -> None:
        engine.dispose()
        lock.close()

    _tell_sqlite(engine, file=True)
    try:
        _migrate(engine)
        _mark(engine)
    except BaseException as error:
        close()
        if isinstance(error, SQLAlchemyError):
            raise DatabaseError(f"cannot use {path}: {why(error)}") from None
        raise
    log.info("matches are kept in %s, by SQLite %s", path, sqlite3.sqlite_version)
    return Database(
        engine, shared=False, close=close, check=_keeps(path), begin=BEGIN, tidy=lambda: _write_back(engine)
    )


def _check_own(path: Path) -> None:
    """Refuse a file of another program, before anything is written to it or beside it.

    :raises DatabaseError: it is one, or no database.
    """
    try:
        if not path.exists() or not path.stat().st_size:
            return
        with contextlib.closing(sqlite3.connect(path, timeout=CONNECT_SECONDS)) as connection:
            connection.execute("PRAGMA query_only = ON")
            (owner,) = connection.execute("PRAGMA application_id").fetchone()
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except OSError as error:
        raise DatabaseError(f"cannot use {path}: {error.strerror}") from None
    except sqlite3.Error as error:
        raise DatabaseError(f"cannot use {path}: {error}") from None
    # Earlier versions of this server set no id.
    if owner != APPLICATION_ID and (owner or (tables and VERSION_TABLE not in tables)):
        raise DatabaseError(f"{path} is a database of another program, so it is left as it is; name a file of its own")


def _mark(engine: sa.Engine) -> None:
    """Write into a file of SQLite whose it is."""
    with engine.begin() as connection:
        if connection.exec_driver_sql("PRAGMA application_id").scalar() != APPLICATION_ID:
            connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")


def _keeps(path: Path) -> Callable[[], None]:
    """A check that a path still leads to the file that is open.

    SQLite reports nothing if the file loses its name. It goes on, and all is gone when the process ends.
    """
    opened = path.stat()

    def check() -> None:
        try:
            current = path.stat()
        except OSError as error:
            raise DatabaseError(f"cannot use {path}: {error.strerror}; the server has to be restarted") from None
        if not os.path.samestat(opened, current):
            raise DatabaseError(f"another file has replaced {path}; the server has to be restarted")

    return check


def _open_url(text: str) -> Database:
    url = read_url(text)
    try:
        engine = sa.create_engine(
            url,
            pool_size=1,
            max_overflow=0,
            pool_pre_ping=True,
            hide_parameters=True,
            connect_args={
                "connect_timeout": CONNECT_SECONDS,
                "options": " ".join(f"-c {name}={value}" for name, value in SESSION.items()),
                "tcp_user_timeout": STATEMENT_SECONDS * 1000,  # a machine that is gone says nothing
                "application_name": "sniffai-server",
            },
        )
    except (ModuleNotFoundError, NoSuchModuleError):
        raise DatabaseError("PostgreSQL needs psycopg: install sniffai[postgres]") from None
    try:
        _migrate(engine)
    except BaseException as error:
        engine.dispose()
        if isinstance(error, SQLAlchemyError):
            raise DatabaseError(f"cannot use {without_secrets(text)}: {why(error)}") from None
        raise
    log.info("matches are kept in %s", without_secrets(text))
    return Database(engine, shared=True, close=engine.dispose)


def _lock(path: Path) -> IO[bytes]:
    """Lock a file of SQLite for this process, until the lock is closed or the process ends.

    :raises DatabaseError: another process uses it.
    :raises OSError: the file cannot be made.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # it holds every tile
    lock = open(f"{path}.lock", "ab", opener=lambda name, flags: os.open(name, flags, 0o600))  # noqa: SIM115
    end = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError:
            if time.monotonic() > end:
                lock.close()
                raise DatabaseError(
                    f"another server uses {path}, and only one may; several servers can share a PostgreSQL database"
                ) from None
        time.sleep(LOCK_SECONDS / 100)


def _sqlite(url: sa.URL) -> sa.Engine:
    return sa.create_engine(
        url,
        poolclass=sa.StaticPool,
        connect_args={"check_same_thread": False},
        hide_parameters=True,  # an error in the log must show no tile
    )


def _tell_sqlite(engine: sa.Engine, *, file: bool) -> None:
    """Set what SQLite keeps for each connection only, and let SQLAlchemy begin transactions, savepoints included."""

    @sa.event.listens_for(engine, "connect")
    def connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute("PRAGMA foreign_keys = ON")
        if file:
            cursor.execute("PRAGMA busy_timeout = 5000")
            cursor.execute("PRAGMA journal_mode = WAL")
            cursor.execute("PRAGMA synchronous = FULL")
            cursor.execute(f"PRAGMA wal_autocheckpoint = {MOST_PAGES}")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def begun(connection: sa.Connection) -> None:
        connection.exec_driver_sql(BEGIN)


def _write_back(engine: sa.Engine) -> None:
    """Write what is in the write-ahead log of SQLite into its file, which takes some milliseconds.

    A second connection could do it meanwhile, but two have lost commits: see above.
    """
    with contextlib.suppress(sqlite3.Error), contextlib.closing(engine.raw_connection()) as connection:
        connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")


def _migrate(engine: sa.Engine) -> None:
    """Bring the tables up to date.

    :raises DatabaseError: a later version of the server has made them.
    """
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.text(f"SET LOCAL lock_timeout = {STATEMENT_SECONDS * 1000}"))
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(7367466961)"))  # two servers start at once
        version = _version(connection)
        if version == HEAD:
            return
        if version is not None and version > HEAD:
            raise DatabaseError(f"a later version of sniffai-server has written the database (migration {version})")
        # Loaded only if there is something to do: it takes as long as SQLAlchemy itself.
        command, config = importlib.import_module("alembic.command"), importlib.import_module("alembic.config").Config()
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        config.attributes["connection"] = connection
        logging.getLogger("alembic").setLevel(logging.WARNING)  # it tells of its parts, which nobody has asked for
        command.upgrade(config, "head")
        log.info("the tables of matches are brought to migration %s", HEAD)


def _version(connection: sa.Connection) -> str | None:
    """The latest migration of a database; ``None`` for a new one."""
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    version: str | None = connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    return version


def why(error: SQLAlchemyError) -> str:
    """The first line of the database's own words; later ones may quote what was to be stored."""
    cause = getattr(error, "orig", None) or error
    return str(cause).strip().partition("\n")[0][:300]
