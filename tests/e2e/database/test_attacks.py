"""A PostgreSQL that fails in every way while matches are played: nothing is lost, nothing comes twice or leaks."""

import contextlib
import random
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from benchmarks.server.process import COMMAND, free_ports
from sniffai.v1 import move_pb2
from sniffai_server.matches.database import VERSION_TABLE, open_database, read_url
from sniffai_server.matches.errors import DatabaseError
from tests.e2e.database.conftest import Cluster
from tests.e2e.database.test_postgres import steps_of
from tests.server.matches.support import Player, matches, sit_down
from tests.server.support import failure
from tests.waiting import TIMEOUT, wait_until

PASSWORD = "hunter2"


@contextlib.contextmanager
def session(url: str) -> Iterator[sa.Connection]:
    """A session of somebody else."""
    options = {"options": "-c default_transaction_read_only=off"}
    engine = sa.create_engine(read_url(url), poolclass=sa.NullPool, connect_args=options)
    with engine.connect() as connection:
        yield connection


def run(url: str, statement: str) -> None:
    with session(url) as other:
        other.execute(sa.text(statement.replace(":", "\\:")))
        other.commit()


def cut(url: str) -> None:
    """End all other sessions of a database."""
    run(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )


def mover_of(players: list[Player]) -> Player:
    view = answered(players[0].look)
    one = players[view.seat_to_move]
    answered(one.look)
    return one


def answered(call: Callable[[], Any]) -> Any:
    """The answer to a call that is repeated until there is one."""
    answers: list[Any] = []

    def ask() -> bool:
        try:
            answers.append(call())
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.UNAVAILABLE:
                raise
        return bool(answers)

    wait_until(ask, 2 * TIMEOUT)
    return answers[0]


def refused(call: Callable[[], Any]) -> float:
    """The seconds until a call is refused since nothing can be stored."""
    began = time.monotonic()
    error = failure(call)
    assert (error.code, error.reason) == ("UNAVAILABLE", "STORE_UNAVAILABLE")
    return time.monotonic() - began


def check_steps(url: str) -> None:
    """Every step of every match is there, once."""
    steps = steps_of(url)
    for match_id in {step.match_id for step in steps}:
        numbers = [step.number for step in steps if step.match_id == match_id]
        assert numbers == list(range(1, len(numbers) + 1))


def test_connections_are_cut_again_and_again(database: str) -> None:
    """Each move is sent until it is answered, and is there once."""
    lots = random.Random(1)
    with matches(matches_database=database) as stub:
        players = sit_down(stub, "human", "human")
        moves = 0
        for number in range(12):
            one = mover_of(players)
            if one.view.action != move_pb2.ACTION_PLAY:
                break
            move, expected = lots.choice(one.moves), one.view.event_number
            cut(database)
            answer = answered(lambda: one.play(move, f"{number}", expected))  # noqa: B023
            assert one.play(move, f"{number}", expected) == answer
            moves += 1
        assert moves > 3
    check_steps(database)
    assert sum(step.kind == "place" for step in steps_of(database)) == moves


def test_a_lock_of_another_session_holds_up_its_own_match_only(database: str) -> None:
    with matches(matches_database=database) as stub:
        players, others = sit_down(stub, "human", "human"), sit_down(stub, "human", "human")
        one, other = mover_of(players), mover_of(others)
        move, expected = one.moves[0], one.view.event_number
        with session(database) as holder:
            holder.execute(
                sa.text("SELECT * FROM matches WHERE match_id = :id FOR UPDATE"), {"id": one.own["match_id"]}
            )
            assert refused(lambda: one.play(move, "key", expected)) < TIMEOUT
            other.play(other.moves[0])
        answer = answered(lambda: one.play(move, "key", expected))
        assert one.play(move, "key", expected) == answer
        with session(database) as holder:
            holder.execute(sa.text("LOCK TABLE steps IN ACCESS EXCLUSIVE MODE"))
            other = mover_of(others)
            assert refused(lambda: other.play(other.moves[0], "held")) < TIMEOUT
        answered(lambda: other.play(other.moves[0], "held"))
    check_steps(database)


FAULTS = {
    "read only": (
        """DO $$ BEGIN EXECUTE format(
            'ALTER DATABASE %I SET default_transaction_read_only = on', current_database()
        ); END $$""",
        """DO $$ BEGIN EXECUTE format(
            'ALTER DATABASE %I RESET default_transaction_read_only', current_database()
        ); END $$""",
    ),
    "full": (
        """CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
        CREATE TRIGGER full_disk BEFORE INSERT ON steps EXECUTE FUNCTION full_disk()""",
        "DROP TRIGGER full_disk ON steps",
    ),
}
"""Statements that begin and end a fault."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_database_that_takes_no_changes(database: str, fault: str) -> None:
    """What is stored can still be read, and moves are taken as soon as there is room again."""
    begin, end = FAULTS[fault]
    with matches(matches_database=database) as stub:
        players = sit_down(stub, "human", "human")
        one = mover_of(players)
        move, expected = one.moves[0], one.view.event_number
        run(database, begin)
        try:
            cut(database)
            answered(one.look)
            refused(lambda: one.play(move, "key", expected))
            assert one.look().event_number == expected
        finally:
            run(database, end)
        cut(database)
        answer = answered(lambda: one.play(move, "key", expected))
        assert one.play(move, "key", expected) == answer
    check_steps(database)


def test_tables_of_a_later_version_are_left_alone(database: str) -> None:
    open_database(database).close()
    run(database, f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    with pytest.raises(DatabaseError, match="a later version of sniffai-server has written the database"):
        open_database(database)
    run(database, f"UPDATE {VERSION_TABLE} SET version_num = '0001'")
    open_database(database).close()


def test_the_password_is_in_no_line_and_no_metric(cluster: Cluster) -> None:
    """Of a server that runs, one that loses its database, and one that never gets it."""
    url = cluster.create("secret").replace("sniffai@", f"sniffai:{PASSWORD}@")
    (metrics,) = free_ports(1)
    for given in (url, f"{url}&password={PASSWORD}", f"postgresql://sniffai:{PASSWORD}@127.0.0.1:1/none"):
        command = [*COMMAND, "--port", "0", "--metrics-port", str(metrics), "--log-level", "debug"]
        server = subprocess.Popen(
            [*command, "--matches-database", given], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        told = ""
        if server.stdout.readline():
            cut(url)
            with urllib.request.urlopen(f"http://127.0.0.1:{metrics}/metrics", timeout=TIMEOUT) as answer:
                told = answer.read().decode()
            server.terminate()
        out, lines = server.communicate(timeout=TIMEOUT)
        assert "sniffai" in lines
        assert PASSWORD not in told + out + lines
