"""What goes first: the jobs of one commit, and work that lets calls go first."""

import asyncio
from itertools import pairwise

import pytest
import sqlalchemy as sa

from sniffai_server.matches.background import Background
from sniffai_server.matches.commits import Commits
from sniffai_server.matches.database import open_database
from sniffai_server.matches.errors import ConflictError
from sniffai_server.matches.frames import Done, Job
from sniffai_server.matches.statements import Statements


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
