"""The server's side of its database: asks the keeper, and starts another one if it has ended or hangs.

A job is done once its commit is on disk; the event loop never waits for a disk. Jobs that arrive while a commit goes on
share the next one. While there are many writes, one that no call waits for is kept back for a moment, to share the
commit of another one: otherwise that one would often wait for this commit, and for its own after it.
"""

import asyncio
import contextlib
import itertools
import logging
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sniffai_server.calls.refusals import StoreUnavailableError
from sniffai_server.matches.errors import DatabaseError
from sniffai_server.matches.frames import Done, Frames, Job, Said, pack
from sniffai_server.matches.keeper import PIECE, Keeper, KeeperProcess, KeeperThread, open_place
from sniffai_server.matches.place import Place

if TYPE_CHECKING:
    from sniffai_server.matches.database import Database

HUNG_SECONDS: Final = 60.0
"""Seconds without an answer after which a keeper is killed. A database that fails is noticed sooner."""
RESTART_SECONDS: Final = 1.0
"""The least time between two starts of a keeper."""
PATIENT_SECONDS: Final = 0.02
"""How long a job that no call waits for may be kept back."""
MANY: Final = 8
"""Jobs are kept back if so many others wrote within as many times :data:`PATIENT_SECONDS`."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A job whose answer has not come."""

    answer: "asyncio.Future[Any]"
    writes: bool
    time: float


class Line:
    """The connection to one keeper. Everything here runs on one event loop.

    :param on_commit: called with the seconds from when each write was given to the keeper to the news of its commit.
    """

    def __init__(self, keeper: Keeper, on_commit: Callable[[float], None]) -> None:
        self.keeper = keeper
        self.begun = time.monotonic()
        self.ended = False
        self._loop = asyncio.get_running_loop()
        self._on_commit = on_commit
        self._frames, self._unsent = Frames(), bytearray()
        self._asked: dict[int, _Asked] = {}
        """By number, the oldest first."""
        self._answered = False
        self._watch: asyncio.TimerHandle | None = None
        self._kept_back: list[tuple[Job, asyncio.Future[Any]]] = []
        self._patience: asyncio.TimerHandle | None = None
        self._written: deque[float] = deque(maxlen=MANY)
        """When the last jobs came that write, those left out that no call waits for."""
        keeper.socket.setblocking(False)
        self._loop.add_reader(keeper.socket, self._read)

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop on which it is used."""
        return self._loop

    async def ask(self, job: Job, *, patient: bool = False) -> Any:
        """What comes of a job, once it is committed.

        :param patient: whether it may be kept back for :data:`PATIENT_SECONDS`.
        :raises StoreUnavailableError: the keeper ended before.
        """
        answer = self._loop.create_future()
        if patient and self._many:
            self._kept_back.append((job, answer))
            if self._patience is None:
                self._patience = self._loop.call_later(PATIENT_SECONDS, self._hand_over, ())
        elif job.writes:
            if not patient:
                self._written.append(self._loop.time())
            self._hand_over([(job, answer)])
        else:
            self._tell_keeper([(job, answer)])
        return await answer

    def hurry(self) -> None:
        """Give the keeper what was kept back."""
        self._hand_over(())

    @property
    def _many(self) -> bool:
        """Whether so much is written that something else to be written will come soon."""
        written = self._written
        return len(written) == MANY and self._loop.time() - written[0] < MANY * PATIENT_SECONDS

    def _hand_over(self, jobs: "Iterable[tuple[Job, asyncio.Future[Any]]]") -> None:
        """Give jobs to the keeper, with those that were kept back."""
        together, self._kept_back = [*self._kept_back, *jobs], []
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
        if together:
            self._tell_keeper(together)

    def _tell_keeper(self, jobs: "list[tuple[Job, asyncio.Future[Any]]]") -> None:
        now = time.monotonic()
        for job, answer in jobs:
            self._asked[job.number] = _Asked(answer, job.writes, now)
        if self._watch is None and self._answered and self.keeper.replaceable:  # its start may take longer
            self._watch = self._loop.call_later(HUNG_SECONDS, self._look)
        self._send(b"".join(pack(job) for job, _ in jobs))

    def hang_up(self) -> None:
        """End the connection: whoever waits gets no answer."""
        if self.ended:
            return
        self.ended = True
        if self._watch is not None:
            self._watch.cancel()
        self._loop.remove_reader(self.keeper.socket)
        self._loop.remove_writer(self.keeper.socket)
        self.keeper.socket.close()
        if self._patience is not None:
            self._patience.cancel()
        for answer in (*(asked.answer for asked in self._asked.values()), *(kept[1] for kept in self._kept_back)):
            if not answer.done():
                answer.set_exception(StoreUnavailableError())
        self._asked.clear()
        self._kept_back.clear()

    def _send(self, data: bytes) -> None:
        if not self._unsent:
            try:
                data = data[self.keeper.socket.send(data) :]
            except BlockingIOError:
                pass
            except OSError:
                self.hang_up()
                return
            if data:
                self._loop.add_writer(self.keeper.socket, self._send_more)
        self._unsent += data

    def _send_more(self) -> None:
        data, self._unsent = bytes(self._unsent), bytearray()
        self._loop.remove_writer(self.keeper.socket)
        self._send(data)

    def _read(self) -> None:
        try:
            data = self.keeper.socket.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.hang_up()
            return
        for message in self._frames.add(data):
            for part in message:
                if isinstance(part, Said):
                    logging.getLogger(part.name).log(part.level, "%s", part.text)
                else:
                    self._tell(part)

    def _tell(self, done: Done) -> None:
        asked, error = self._asked.pop(done.number), done.error
        self._answered = self._answered or error is None
        if asked.writes and error is None:
            self._on_commit(time.monotonic() - asked.time)
        if asked.answer.done():
            return
        if error is not None:
            asked.answer.set_exception(error)
        else:
            asked.answer.set_result(done.result)

    def _look(self) -> None:
        """Kill the keeper if it hangs; otherwise look again later."""
        self._watch = None
        oldest = next(iter(self._asked.values()), None)
        if oldest is None:
            return
        left = oldest.time + HUNG_SECONDS - time.monotonic()
        if left > 0:
            self._watch = self._loop.call_later(left, self._look)
        else:
            log.error("the process that keeps the matches has not answered for %g seconds: it is killed", HUNG_SECONDS)
            self.keeper.kill()
            self.hang_up()


class Writer:
    """Has work done in the database. One event loop uses it.

    :param database: where it is: a process keeps what lasts, a thread what is in memory; or a function that opens it,
        called in a thread.
    :param on_commit: called with the seconds from when each write was given to the keeper to its commit.
    """

    def __init__(self, database: "Place | Callable[[], Database]", on_commit: Callable[[float], None]) -> None:
        self._database = database
        self._on_commit = on_commit
        self._numbers = itertools.count(1)
        self._line: Line | None = None
        self._served = False
        """Whether a keeper has answered before."""
        self._closed = False
        self._hurried = False

    def start(self) -> None:
        """Start the keeper now, and not with the first job.

        :raises DatabaseError: the system cannot start it.
        """
        self._line = Line(self._keeper(), self._on_commit)

    async def do(self, name: str, *arguments: Any, writes: bool = False, order: str = "", patient: bool = False) -> Any:
        """Do something in the database; returns once it is committed.

        :param name: a method of :class:`~sniffai_server.matches.statements.Statements`. What it raises is raised here.
        :param writes: whether it changes anything.
        :param order: where it stands among the jobs of one commit: the match's id.
        :param patient: whether it may wait a moment to share another commit, since no call waits for it.
        :raises DatabaseError: the database cannot be opened, and never was.
        :raises StoreUnavailableError: the database failed. What was done may be lost or not.
        """
        try:
            job = Job(next(self._numbers), name, arguments, writes, order)
            result = await self._connected().ask(job, patient=patient and not self._hurried)
        except DatabaseError as error:
            if not self._served:
                raise
            log.error("the database of matches failed: %s", error)
            raise StoreUnavailableError from None
        self._served = True
        return result

    def hurry(self) -> None:
        """Let nothing wait any more, since the server is shutting down."""
        self._hurried = True
        if self._line is not None and not self._line.ended:
            self._line.hurry()

    def close(self) -> None:
        """Finish what is under way, and close the database. May be called from any thread.

        Jobs that are still kept back are not done: see :meth:`hurry`.
        """
        self._closed = True
        line = self._line
        if line is None:
            return
        with contextlib.suppress(OSError):  # it has ended
            line.keeper.socket.shutdown(socket.SHUT_WR)
        line.keeper.wait()
        try:
            line.loop.call_soon_threadsafe(line.hang_up)
        except RuntimeError:  # the loop has ended, and nobody waits
            line.keeper.socket.close()

    def _connected(self) -> Line:
        """The line to a keeper: the one there is, or a new one.

        :raises DatabaseError: the system cannot start it.
        :raises StoreUnavailableError: it ended just now, or this is the server's end.
        """
        line = self._line
        if line is None:
            self.start()
        elif line.ended:
            if self._closed or time.monotonic() < line.begun + RESTART_SECONDS:
                raise StoreUnavailableError
            log.error("the process that keeps the matches has ended: another one is started")
            self._bury(line.keeper)
            self.start()
        assert self._line is not None
        return self._line

    def _keeper(self) -> Keeper:
        """:raises DatabaseError: the system cannot start it."""
        if not isinstance(self._database, Place):
            return KeeperThread(self._database)
        return (
            KeeperProcess(self._database) if self._database.lasts else KeeperThread(partial(open_place, self._database))
        )

    @staticmethod
    def _bury(keeper: Keeper) -> None:
        """Kill a keeper that is of no more use, and wait for its end in a thread."""
        keeper.kill()
        threading.Thread(target=keeper.wait, name="bury the keeper", daemon=True).start()
