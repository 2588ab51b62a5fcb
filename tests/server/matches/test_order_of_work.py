"""What goes first: the jobs of one commit, and work that lets calls go first."""

import asyncio
import contextlib
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import grpc
import pytest
import sqlalchemy as sa

from sniffai_server.app import PLAY_MOVE
from sniffai_server.matches import background as background_module
from sniffai_server.matches import commits as commits_module
from sniffai_server.matches.background import Background
from sniffai_server.matches.commits import Commits
from sniffai_server.matches.database import open_database
from sniffai_server.matches.errors import ConflictError
from sniffai_server.matches.frames import Done, Frames, Job, pack
from sniffai_server.matches.keeper import KeeperThread
from sniffai_server.matches.records import Standing
from sniffai_server.matches.statements import Statements
from sniffai_server.matches.tasks import to_the_end
from tests.server.support import running_server
from tests.waiting import TIMEOUT, wait_until

STANDING = Standing("playing", 0, 9, False, "{}")


def test_a_job_that_fails_undoes_only_its_own_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three jobs in one commit, of which the second fails."""

    def add(self: Statements, connection: sa.Connection, number: int) -> None:
        connection.execute(sa.text("INSERT INTO numbers VALUES (:number)"), {"number": number})
        if number == 2:
            raise ConflictError

    def numbers(self: Statements, connection: sa.Connection) -> list[int]:
        connection.execute(sa.text("CREATE TABLE IF NOT EXISTS numbers (number INTEGER)"))
        return list(connection.execute(sa.text("SELECT number FROM numbers")).scalars())

    monkeypatch.setattr(Statements, "add", add, raising=False)
    monkeypatch.setattr(Statements, "numbers", numbers, raising=False)
    commits = Commits(lambda: open_database("memory"))
    try:
        assert commits.do([Job(0, "numbers", (), True, "")]) == [Done(0, [], None)]
        done = commits.do([Job(number, "add", (number,), True, str(number)) for number in (3, 1, 2)])
        assert [(one.number, type(one.error)) for one in done] == [
            (1, type(None)),
            (2, ConflictError),
            (3, type(None)),
        ]
        assert commits.do([Job(4, "numbers", (), False, "")]) == [Done(4, [1, 3], None)]
    finally:
        commits.close()


def _match(number: int) -> Job:
    """Creates a match without steps."""
    match_id = f"match {number}"
    match = {"match_id": match_id, "setup": "", "caller": "ann", "created": 0, "step_count": 0}
    seat = {"match_id": match_id, "seat": 0, "invitation_hash": None}
    player = {"player_hash": b"p", "match_id": match_id, "created": 0, "seats": 0, "request_hash": None}
    return Job(number, "create", (match | STANDING.columns(), [seat], player, 100), True, match_id)


def _step(match: int, number: int, *, key: int = 0, seen: int | None = None) -> Job:
    """Stores a step. ``seen`` is the number of steps that its server knows of, if they are not those before it."""
    match_id, before = f"match {match}", number - 1 if seen is None else seen
    advanced = {"id": match_id, "before": before, "step_count": number, "lease_owner": "", **STANDING.columns()}
    step = {
        "match_id": match_id,
        "number": number,
        "kind": "place",
        "time": number,
        "seat": 0,
        "text": "6|6",
        "key_hash": bytes([key or number]),
    }
    return Job(10 * match + number, "append", (advanced, step, None, None), True, match_id)


@pytest.mark.parametrize("wrong", [_step(2, 3), _step(2, 2, key=1), _step(2, 1, seen=1), _step(7, 1)])
def test_a_step_that_cannot_be_stored_undoes_no_other(tmp_path: Path, wrong: Job) -> None:
    """One is missing before it, its key or its number has been used, or there is no such match."""
    commits = Commits(lambda: open_database(str(tmp_path / "matches.db")))
    try:
        assert all(one.error is None for one in commits.do([_match(1), _match(2)]))
        assert commits.do([_step(2, 1)]) == [Done(21, None, None)]
        for number in (1, 2):
            done = {one.number: one.error for one in commits.do([wrong, _step(1, number)])}
            assert isinstance(done[wrong.number], ConflictError)
            assert done[10 + number] is None
            (alone,) = commits.do([wrong])
            assert isinstance(alone.error, ConflictError)
        (counted,) = commits.do([Job(99, "step_counts", (["match 1", "match 2"],), False, "")])
        assert counted.result == {"match 1": 2, "match 2": 1}
        (loaded,) = commits.do([Job(99, "load", ("match 1", 1), False, "")])
        assert loaded.result == ("", [("place", 2, 0, "6|6", bytes([2]))], [(None, None)])
    finally:
        commits.close()


def test_the_log_is_written_back_when_no_call_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database of SQLite has all in its file then, with nothing left in the log beside it."""
    monkeypatch.setattr(commits_module, "TIDY_AFTER", 3)
    file = tmp_path / "matches.db"
    commits = Commits(lambda: open_database(str(file)))
    try:
        commits.do([_match(1)])
        commits.do([_step(1, 1)])
        assert not commits.due
        commits.do([_step(1, 2)])
        assert commits.due
        commits.tidy()
        assert not commits.due
        shutil.copy(file, tmp_path / "copy.db")
    finally:
        commits.close()
    with contextlib.closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        assert copy.execute("SELECT step_count FROM matches").fetchall() == [(2,)]


def test_a_keeper_tidies_in_a_free_moment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It does so by itself, once it has answered."""
    monkeypatch.setattr(commits_module, "TIDY_AFTER", 1)
    tidied = threading.Event()
    keeper = KeeperThread(lambda: replace(open_database(str(tmp_path / "matches.db")), tidy=tidied.set))
    with keeper.socket:
        keeper.socket.sendall(pack(_match(1)))
        ((done,),) = Frames().add(keeper.socket.recv(1 << 16))
        assert done == Done(1, None, None)
        assert tidied.wait(TIMEOUT)
    keeper.wait()


@pytest.mark.parametrize("cut", [None, 1])
def test_background_work_begins_one_by_one(cut: int | None) -> None:
    async def main() -> list[str]:
        background, told = Background(), []

        async def work(number: int) -> None:
            await background.turn()
            told.append(f"work {number}")

        async def call() -> None:
            for _ in range(10):
                told.append("call")
                await asyncio.sleep(0)

        tasks = [asyncio.ensure_future(work(number)) for number in range(3)]
        await asyncio.sleep(0)
        if cut is not None:
            tasks[cut].cancel()
        await asyncio.gather(call(), *tasks, return_exceptions=True)
        return told

    told = asyncio.run(main())
    works = [entry for entry in told if entry != "call"]
    assert works == [f"work {number}" for number in range(3) if number != cut]
    assert not any(before != "call" and after != "call" for before, after in pairwise(told))


async def test_background_work_waits_for_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it is answered, but not for ever."""
    background, told = Background(), []

    async def work(name: str) -> None:
        await background.turn()
        told.append(name)

    monkeypatch.setattr(background_module, "PATIENCE", TIMEOUT)
    with background.held_back():
        with background.held_back():
            first = asyncio.ensure_future(work("first"))
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.01)
        assert told == []
    await first
    monkeypatch.setattr(background_module, "PATIENCE", 0.01)
    with background.held_back():
        await asyncio.gather(work("second"), work("third"))
    assert told == ["first", "second", "third"]


def test_a_move_goes_first_before_its_request_has_arrived(monkeypatch: pytest.MonkeyPatch) -> None:
    """Background work waits from the call's headers on, and goes on once the call has ended."""
    monkeypatch.setattr(background_module, "PATIENCE", 10 * TIMEOUT)
    sent = threading.Event()

    def requests() -> Iterator[bytes]:
        sent.wait(TIMEOUT)
        yield from ()

    with running_server() as server, grpc.insecure_channel(server.address) as channel:
        background, turns = server.server.host.background, []

        async def begins_soon() -> bool:
            turns.append(asyncio.ensure_future(background.turn()))
            await asyncio.wait(turns[-1:], timeout=0.05)
            return turns[-1].done()

        async def begins() -> None:
            await turns[-1]

        call = channel.stream_unary(f"/{PLAY_MOVE}").future(requests(), timeout=TIMEOUT)
        wait_until(lambda: not server.call(begins_soon()))
        call.cancel()
        server.call(begins())
        sent.set()


async def test_work_is_done_to_the_end() -> None:
    """It begins at once, tells its result or error, and goes on when whoever wants it has gone."""
    told: list[str] = []
    gate = asyncio.Event()

    async def work(name: str, error: Exception | None = None) -> str:
        told.append(f"{name} begins")
        await gate.wait()
        await asyncio.sleep(0)
        told.append(f"{name} ends")
        if error is not None:
            raise error
        return name

    async def at_once() -> str:
        return "at once"

    assert await to_the_end(at_once()) == "at once"
    calls = [
        asyncio.ensure_future(to_the_end(work("kept"))),
        asyncio.ensure_future(to_the_end(work("failed", ConflictError()))),
        asyncio.ensure_future(to_the_end(work("left"))),
        asyncio.ensure_future(to_the_end(work("left in error", ConflictError()))),
    ]
    await asyncio.sleep(0)
    assert told == ["kept begins", "failed begins", "left begins", "left in error begins"]
    for call in calls[2:]:
        call.cancel()
    await asyncio.sleep(0)
    gate.set()
    ends = await asyncio.gather(*calls, return_exceptions=True)
    assert ends[0] == "kept"
    assert [type(end) for end in ends[1:]] == [ConflictError, asyncio.CancelledError, asyncio.CancelledError]
    while len(told) < 8:
        await asyncio.sleep(0)
