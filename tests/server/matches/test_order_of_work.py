"""What goes first: the jobs of one commit, and work that lets calls go first."""

import asyncio
import threading
from itertools import pairwise

import pytest
import sqlalchemy as sa

from sniffai_server.matches.background import Background
from sniffai_server.matches.database import open_database
from sniffai_server.matches.errors import ConflictError
from sniffai_server.matches.writer import Writer


async def commit_together() -> tuple[list[object], list[int]]:
    """Three jobs in one commit, of which the second fails; what became of each, and what is stored."""
    writer, go = Writer(lambda: open_database("memory")), threading.Event()

    def add(number: int) -> None:
        def work(connection: sa.Connection) -> None:
            connection.execute(sa.text("INSERT INTO numbers VALUES (:number)"), {"number": number})
            if number == 2:
                raise ConflictError

        jobs.append(asyncio.ensure_future(writer.do(work, writes=True, order=str(number))))

    def begin(connection: sa.Connection) -> None:
        connection.execute(sa.text("CREATE TABLE numbers (number INTEGER)"))
        go.wait(10)

    jobs: list[asyncio.Future[None]] = []
    first = asyncio.ensure_future(writer.do(begin, writes=True))
    await asyncio.sleep(0)
    for number in (1, 2, 3):
        add(number)
    await asyncio.sleep(0)
    go.set()
    await first
    ended: list[object] = list(await asyncio.gather(*jobs, return_exceptions=True))
    stored = await writer.do(
        lambda one: list(one.execute(sa.text("SELECT number FROM numbers")).scalars()), writes=False
    )
    await asyncio.to_thread(writer.close)
    return ended, stored


def test_a_job_that_fails_undoes_only_its_own_work() -> None:
    (one, two, three), stored = asyncio.run(commit_together())
    assert one is None
    assert isinstance(two, ConflictError)
    assert three is None
    assert stored == [1, 3]


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
