"""The keeper of a database of matches: it alone uses it, for one server.

If the matches shall last, it is a process: ``python -m sniffai_server.matches.keeper``. A thread would wait for the
interpreter's lock after each statement, beside the searches and all calls, far longer than for the disk. It opens the
database that the server names, does what the server asks, and tells it once the commit is on disk. It ends with the
server, whatever ends that.
"""

import importlib
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from sniffai_server.children import end_with_server, start_child
from sniffai_server.matches.errors import DatabaseError
from sniffai_server.matches.frames import Done, Frames, Job, Said, pack
from sniffai_server.matches.place import Place

if TYPE_CHECKING:
    from sniffai_server.matches.database import Database

MODULE: Final = "sniffai_server.matches.keeper"
MOST_TOGETHER: Final = 256
"""Jobs of one commit."""
PIECE: Final = 1 << 18
"""Bytes that are read at once."""
ENDURED: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
"""Signals that are for the server: it still needs its database while it shuts down."""


class Keeper(Protocol):
    """What keeps a database for a server."""

    socket: socket.socket
    """The server's end of the connection: jobs go in, answers come out. Its end is the end of the keeper's work."""
    replaceable: bool
    """Whether it can be killed and replaced: nothing is lost with it."""

    def wait(self) -> None:
        """Wait until it has ended."""
        ...

    def kill(self) -> None:
        """End it at once, if that can be done."""
        ...


class KeeperThread:
    """A thread of this process, for a database in memory.

    :param database: opens the database.
    """

    replaceable = False

    def __init__(self, database: "Callable[[], Database]") -> None:
        self.socket, theirs = socket.socketpair()
        self._thread = threading.Thread(target=keep, args=(theirs, database), name="matches", daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait until it has ended."""
        self._thread.join()

    def kill(self) -> None:
        """Do nothing: a thread ends by itself when the connection does."""


class KeeperProcess:
    """A process of its own.

    :raises DatabaseError: the system cannot start it.
    """

    replaceable = True

    def __init__(self, place: Place) -> None:
        self.socket, theirs = socket.socketpair()
        try:
            with theirs:
                self._process: subprocess.Popen[bytes] = start_child(MODULE, [theirs.fileno()])
            self.socket.sendall(pack(place))  # not among its arguments: a URL may hold a password
        except OSError as error:
            self.socket.close()
            raise DatabaseError(f"cannot start the process that keeps the matches: {error.strerror}") from None

    def wait(self) -> None:
        """Wait until it has ended."""
        self._process.wait()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()


def keep(connection: socket.socket, database: "Callable[[], Database]", jobs: Sequence[Job] = ()) -> None:
    """Do jobs until the connection ends.

    :param jobs: those that have arrived already.
    """
    # Loaded here: SQLAlchemy takes longer to load than some commands take to run.
    commits = importlib.import_module("sniffai_server.matches.commits").Commits(database)
    frames, waiting = Frames(), list(jobs)
    with connection:
        try:
            while True:
                while waiting:
                    together, waiting = waiting[:MOST_TOGETHER], waiting[MOST_TOGETHER:]
                    connection.sendall(_packed(commits.do(together)))
                if commits.due and not _has_come(connection):
                    commits.tidy()
                data = connection.recv(PIECE)
                if not data:
                    break
                waiting = frames.add(data)
        except ConnectionError:
            pass  # the server has ended
        finally:
            commits.close()


def _has_come(connection: socket.socket) -> bool:
    """Whether something can be read at once, be it the end."""
    try:
        connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    return True


def _packed(done: Sequence[Done]) -> bytes:
    try:
        return pack(done)
    except Exception:  # an error that cannot be pickled; its text can
        return pack(
            [
                outcome if outcome.error is None else outcome._replace(error=RuntimeError(repr(outcome.error)))
                for outcome in done
            ]
        )


def open_place(place: Place) -> "Database":
    """Open the database of a place.

    :raises DatabaseError: it cannot be used.
    """
    database: Database = importlib.import_module("sniffai_server.matches.database").open_database(
        place.text, make_folder=not place.chosen
    )
    return database


class _ToServer(logging.Handler):
    """Sends what is logged to the server, whose log has a form of its own."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__()
        self._connection = connection

    def emit(self, record: logging.LogRecord) -> None:
        """Send a line."""
        try:
            self._connection.sendall(pack([Said(record.name, record.levelno, self.format(record))]))
        except OSError:
            self.handleError(record)


def main(descriptor: int) -> None:
    """Keep the database that the server names first."""
    end_with_server()
    for number in ENDURED:
        signal.signal(number, signal.SIG_IGN)
    connection, frames = socket.socket(fileno=descriptor), Frames()
    messages: list[Any] = []
    while not messages:
        data = connection.recv(PIECE)
        if not data:
            return
        messages = frames.add(data)
    logging.root.addHandler(_ToServer(connection))
    logging.root.setLevel(logging.INFO)
    logging.raiseExceptions = False
    place, *jobs = messages
    keep(connection, partial(open_place, place), jobs)
    os._exit(0)  # the server waits, and there is nothing left for Python to tidy up


if __name__ == "__main__":
    main(int(sys.argv[1]))
