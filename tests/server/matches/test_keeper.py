"""The process that keeps the matches of a server: killed, stopped, unable to start."""

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest

from benchmarks.server.process import children_of
from sniffai_server.calls.refusals import StoreUnavailableError
from sniffai_server.matches import keeper, opponents, writer
from sniffai_server.matches.frames import Frames, Job, pack
from sniffai_server.matches.place import Place
from sniffai_server.matches.store import Store
from tests.server.matches.support import Player, sit_down
from tests.server.support import TIMEOUT, failure, running_server, stubs_of
from tests.waiting import wait_until


@pytest.fixture
def players(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[Player]]:
    """Two people at a match that is kept in a file. A parameter is the time after which a keeper counts as hung."""
    monkeypatch.setattr(writer, "RESTART_SECONDS", 0.0)
    monkeypatch.setattr(writer, "HUNG_SECONDS", getattr(request, "param", TIMEOUT))
    with (
        running_server(matches_database=str(tmp_path / "matches.db"), level_pause=0.0) as server,
        stubs_of(server.address) as stubs,
    ):
        yield sit_down(stubs.matches, "human", "human")


def mover(players: list[Player]) -> Player:
    one = players[players[0].look().seat_to_move]
    one.look()
    return one


def keepers() -> list[int]:
    """The processes that keep matches for this one."""
    return [pid for pid in children_of(os.getpid()) if keeper.MODULE.encode() in command_line(pid)]


def command_line(pid: int) -> bytes:
    """Of a process; empty once it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def test_a_killed_keeper_is_replaced(players: list[Player], caplog: pytest.LogCaptureFixture) -> None:
    """Moves are stored before and after, and each once."""
    for player in players:
        player.look()  # its invitation is used up now, so later looks store nothing
    for number in range(2):  # the first one, and one that took its place
        one = mover(players)
        move, expected = one.moves[0], one.view.event_number
        answer = one.play(move, f"key {number}", expected)
        (pid,) = keepers()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda pid=pid: pid not in keepers())  # type: ignore[misc]
        assert one.play(move, f"key {number}", expected) == answer
        assert one.look() == answer.view
        one = mover(players)
        key = f"next {number}"
        wait_until(lambda one=one, key=key: not failed(lambda: one.play(one.moves[0], key)))  # type: ignore[misc]
    assert "another one is started" in caplog.text


def failed(call: Callable[[], object]) -> bool:
    """Whether a call fails."""
    try:
        call()
    except grpc.RpcError:
        return True
    return False


@pytest.mark.parametrize("players", [0.5], indirect=True)
def test_a_keeper_that_hangs_is_killed(players: list[Player], caplog: pytest.LogCaptureFixture) -> None:
    one = mover(players)
    move, expected = one.moves[0], one.view.event_number
    (pid,) = keepers()
    os.kill(pid, signal.SIGSTOP)
    error = failure(lambda: one.play(move, "key", expected))
    assert (error.code, error.reason) == ("UNAVAILABLE", "STORE_UNAVAILABLE")
    answers = []
    wait_until(lambda: not failed(lambda: answers.append(one.play(move, "key", expected))))
    answer = answers[0]
    assert len([event for event in answer.events if event.round_event.HasField("play")]) == 1
    assert pid not in keepers()
    assert "has not answered" in caplog.text


def test_signals_for_the_server_do_not_end_its_keeper(players: list[Player]) -> None:
    """Systemd sends SIGTERM to all processes of a service, but the server still stores moves while it shuts down."""
    (pid,) = keepers()
    for number in keeper.ENDURED:
        os.kill(pid, number)
    one = mover(players)
    one.play(one.moves[0])
    assert keepers() == [pid]


def test_a_keeper_ends_with_its_server(tmp_path: Path) -> None:
    with running_server(matches_database=str(tmp_path / "matches.db")):
        (pid,) = keepers()
    wait_until(lambda: pid not in keepers())


async def test_a_keeper_that_cannot_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The system has no room for a process: of a server that starts, and of one that runs."""
    with caplog.at_level(logging.INFO):
        store = Store(Place(str(tmp_path / "matches.db"), chosen=True))
        with pytest.MonkeyPatch.context() as full:
            full.setattr(keeper, "start_child", _no_room)
            with pytest.raises(keeper.DatabaseError, match="cannot start the process that keeps the matches: No room"):
                await store.ready()
        await store.ready()
        lines = [record.getMessage() for record in caplog.records]
        assert any(line.startswith("matches are kept in") for line in lines), "the keeper's lines are in the log"
        monkeypatch.setattr(writer, "RESTART_SECONDS", 0.0)
        os.kill(keepers()[0], signal.SIGKILL)
        with pytest.raises(writer.StoreUnavailableError):
            await store.counts()
        with pytest.MonkeyPatch.context() as full:
            full.setattr(keeper, "start_child", _no_room)
            with pytest.raises(writer.StoreUnavailableError):
                await store.counts()
        assert await store.counts() == {}
    store.close()
    with pytest.raises(writer.StoreUnavailableError):
        await store.counts()


def _no_room(*_: object) -> None:
    raise OSError(12, "No room")


async def test_more_is_asked_than_the_socket_takes(tmp_path: Path) -> None:
    """The rest is sent as the keeper reads."""
    store = Store(Place(str(tmp_path / "matches.db"), chosen=True))
    await store.ready()
    assert await store.load("x" * 10_000_000) is None
    assert await store.counts() == {}
    store.close()


class Idle:
    """A keeper that does nothing: a test looks at what it is asked."""

    replaceable = False

    def __init__(self) -> None:
        self.socket, self._own = socket.socketpair()
        self._own.setblocking(False)
        self._frames = Frames()

    def wait(self) -> None: ...

    def kill(self) -> None: ...

    def close(self) -> None:
        self._own.close()

    def asked(self) -> list[int]:
        """The numbers of the jobs that have come since the last look."""
        try:
            return [job.number for job in self._frames.add(self._own.recv(writer.PIECE))]
        except BlockingIOError:
            return []


async def test_a_patient_job_shares_the_commit_of_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits only while much is written, not for long, and not once the server shuts down."""
    monkeypatch.setattr(writer, "PATIENT_SECONDS", TIMEOUT)
    idle = Idle()
    line = writer.Line(idle, lambda seconds: None)
    answers = []

    async def ask(number: int, *, patient: bool = False, writes: bool = True) -> list[int]:
        job = Job(number, "append", (), writes, "")
        answers.append(asyncio.ensure_future(line.ask(job, patient=patient)))
        await asyncio.sleep(0)
        return idle.asked()

    assert await ask(1, patient=True) == [1]
    for number in range(2, 2 + writer.MANY):
        assert await ask(number) == [number]
    assert await ask(20, patient=True) == []
    assert await ask(21, writes=False) == [21]
    assert await ask(22) == [20, 22]
    assert await ask(23, patient=True) == []
    line.hurry()
    assert idle.asked() == [23]
    monkeypatch.setattr(writer, "PATIENT_SECONDS", 0.1)
    found = await ask(24, patient=True)
    async with asyncio.timeout(TIMEOUT):
        while not found:
            await asyncio.sleep(0.01)
            found = idle.asked()
    assert found == [24]
    monkeypatch.setattr(writer, "PATIENT_SECONDS", TIMEOUT)
    assert await ask(25, patient=True) == []
    line.hang_up()
    idle.close()
    ends = await asyncio.gather(*answers, return_exceptions=True)
    assert all(isinstance(end, StoreUnavailableError) for end in ends)


def test_frames_in_any_pieces() -> None:
    sent = [b"x" * length for length in (0, 1, 300)]
    data, frames, got = b"".join(map(pack, sent)), Frames(), []
    for begin in range(0, len(data), 7):
        got += frames.add(data[begin : begin + 7])
    assert got == sent


async def test_matches_are_resumed_once_the_database_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The keeper may end just when a server has started."""
    monkeypatch.setattr(opponents, "RETRY_SECONDS", 0.0)
    asked: list[bool] = []

    class Failing:
        shared = False

        async def level_due(self, *, leased: bool) -> list[str]:
            asked.append(leased)
            if len(asked) < 3:
                raise writer.StoreUnavailableError
            return []

    resumed = opponents.Opponents.__new__(opponents.Opponents)
    resumed._store, resumed._closing = Failing(), False  # type: ignore[assignment]
    await resumed.resume()
    assert asked == [True] * 3
