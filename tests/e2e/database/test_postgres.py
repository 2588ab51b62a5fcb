"""Hosted matches in a real PostgreSQL, which two servers share."""

import random
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from benchmarks.server.process import ServerProcess
from sniffai.v1 import match_service_pb2 as pb
from sniffai.v1 import match_service_pb2_grpc
from sniffai_server.matches.database import open_database
from sniffai_server.matches.errors import DatabaseError
from tests.e2e.database.conftest import Cluster
from tests.server.matches.support import Player, create, matches, sit_down
from tests.server.support import TIMEOUT, failure
from tests.waiting import wait_until


@contextmanager
def two_servers(url: str, **settings: Any) -> Iterator[list[Any]]:
    with matches(matches_database=url, **settings) as first, matches(matches_database=url, **settings) as second:
        yield [first, second]


def elsewhere(player: Player, stub: Any) -> Player:
    """The same seat by another server."""
    other = Player.__new__(Player)
    other.stub, other.own, other.view, other.player_token = stub, player.own, player.view, player.player_token
    return other


def steps_of(url: str) -> list[Any]:
    database = open_database(url)
    try:
        with database.engine.begin() as connection:
            return list(connection.execute(sa.text("SELECT * FROM steps ORDER BY match_id, number")))
    finally:
        database.close()


def test_a_match_by_calls_to_both_servers(database: str) -> None:
    """Whichever server is asked, the answer has all that was answered before."""
    with two_servers(database) as stubs:
        (player,) = sit_down(stubs[0], "human", "casual", scores=[150, 150])
        lots = random.Random(3)
        seen: list[pb.WatchMatchResponse] = []
        stream = stubs[1].WatchMatch(pb.WatchMatchRequest(**player.own, after_event=0), timeout=TIMEOUT)
        watching = threading.Thread(target=lambda: seen.extend(stream))
        watching.start()
        while player.view.status == pb.MATCH_STATUS_PLAYING:
            player = elsewhere(player, lots.choice(stubs))
            number = player.view.event_number
            assert player.look().event_number >= number
            player.go_on(lots, 1)
        watching.join(TIMEOUT)
        assert player.view.status == pb.MATCH_STATUS_FINISHED
        events = [event.number for message in seen for event in message.events]
        assert events == list(range(1, player.view.event_number + 1))
        views = [stub.GetView(pb.GetViewRequest(**player.own, after_event=0), timeout=TIMEOUT) for stub in stubs]
        assert views[0] == views[1]


def test_two_servers_never_both_play(database: str) -> None:
    """The same move, sent to both at the same time with other keys, is played once; with one key, both answer alike."""
    with two_servers(database) as stubs:
        lots = random.Random(4)
        for _ in range(3):
            players = sit_down(stubs[0], "human", "human", scores=[150, 150])
            seats = [[elsewhere(player, stub) for stub in stubs] for player in players]
            for turn in range(12):
                view = seats[0][0].look()
                if view.status != pb.MATCH_STATUS_PLAYING:
                    break
                both = seats[view.seat_to_move]
                moves = both[turn % 2].look() and both[turn % 2].moves
                move, number = lots.choice(moves), view.event_number
                same = lots.random() < 0.5
                ends: list[Any] = [None, None]

                def play(i: int, move: Any = move, number: int = number, same: bool = same, turn: int = turn) -> None:
                    try:
                        ends[i] = both[i].play(move, f"{turn}" if same else f"{turn}/{i}", number)  # noqa: B023
                    except grpc.RpcError as error:
                        ends[i] = error  # noqa: B023

                threads = [threading.Thread(target=play, args=(i,)) for i in range(2)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join(TIMEOUT)
                if same:
                    assert ends[0] == ends[1]
                else:
                    refused = [end for end in ends if isinstance(end, grpc.RpcError)]
                    assert [end.code().name for end in refused] == ["FAILED_PRECONDITION"]
                assert seats[0][0].look().event_number == seats[0][1].look().event_number > number
    steps = steps_of(database)
    assert len(steps) == len({(step.match_id, step.number) for step in steps})


def test_levels_play_each_move_once(database: str) -> None:
    """Forty matches on two servers: the moves of levels are neither lost nor made twice, and match each other."""
    with two_servers(database, max_matches=1000) as stubs:
        lots = random.Random(5)
        players = [sit_down(lots.choice(stubs), "human", "casual", "attentive")[0] for _ in range(20)]

        def play(player: Player, seed: int) -> None:
            own = random.Random(seed)
            for _ in range(8):
                elsewhere(player, own.choice(stubs)).go_on(own, 1)
                player.look()

        threads = [threading.Thread(target=play, args=(player, i)) for i, player in enumerate(players)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(TIMEOUT)
        for player in players:
            views = [elsewhere(player, stub).look() for stub in stubs]
            assert abs(views[0].event_number - views[1].event_number) < 8
    steps = steps_of(database)
    assert len(steps) >= 20 * 9
    for match_id in {step.match_id for step in steps}:
        numbers = [step.number for step in steps if step.match_id == match_id]
        assert numbers == list(range(1, len(numbers) + 1))


def test_a_killed_server_is_replaced(database: str) -> None:
    """A server that dies while it thinks: the other one thinks for it, once its lease has ended."""
    with ServerProcess(matches_database=database, level_pause=30.0, slots=2) as dying:
        with grpc.insecure_channel(dying.address) as channel:
            stub = match_service_pb2_grpc.MatchServiceStub(channel)
            (player,) = sit_down(stub, "human", "casual")
            if player.view.action == 1:
                player.play(player.moves[0])
            assert player.view.action != 1
        dying.end(signal.SIGKILL)
    with matches(matches_database=database) as stub:
        other = elsewhere(player, stub)
        wait_until(lambda: other.look(5).action == 1 or other.view.status != pb.MATCH_STATUS_PLAYING, seconds=60)


def test_the_database_goes_away_and_comes_back(cluster: Cluster) -> None:
    """Every move is refused or stored: none is half there. A move sent again with its key is made once."""
    url = cluster.create("outage")
    with matches(matches_database=url) as stub:
        players = sit_down(stub, "human", "human")
        cluster.stop()
        refused = failure(lambda: players[0].look())
        assert (refused.code, refused.reason) == ("UNAVAILABLE", "STORE_UNAVAILABLE")
        cluster.start()
        wait_until(lambda: _answers(players[0]))
        view = players[0].look()
        mover = players[view.seat_to_move]
        mover.look()
        move, number = mover.moves[0], mover.view.event_number
        cluster.stop()
        assert failure(lambda: mover.play(move, "once", number)).code == "UNAVAILABLE"
        cluster.start()
        wait_until(lambda: _answers(players[0]))
        answer = mover.play(move, "once", number)
        assert answer == mover.play(move, "once", number)
        assert len([event for event in answer.events if event.round_event.HasField("play")]) == 1


def _answers(player: Player) -> bool:
    try:
        player.look()
    except grpc.RpcError:
        return False
    return True


def test_a_database_that_is_not_there() -> None:
    with pytest.raises(DatabaseError, match="cannot use postgresql") as raised:
        open_database("postgresql://sniffai:secret@127.0.0.1:1/none")
    assert "secret" not in str(raised.value)


def test_limits_hold_for_both_servers(database: str) -> None:
    with two_servers(database, max_matches=8) as stubs:
        for stub in stubs:
            create(stub, "human", "casual")
        error = failure(lambda: create(stubs[0], "human", "casual"))
        assert (error.code, error.reason) == ("RESOURCE_EXHAUSTED", "TOO_MANY_MATCHES")


def test_an_invitation_works_once_whichever_server_is_asked(database: str) -> None:
    with two_servers(database) as stubs:
        made = create(stubs[0], "human", "casual")
        invitation = made.invitations[0].invitation
        first = Player(stubs[0], made.match_id, invitation)
        second = Player(stubs[1], made.match_id, invitation)
        assert failure(first.look).reason == "UNKNOWN_MATCH"
        second.look()
        for stub in stubs:
            refused = failure(lambda stub=stub: Player(stub, made.match_id, invitation))  # type: ignore[misc]
            assert (refused.code, refused.reason) == ("PERMISSION_DENIED", "INVITATION_REFUSED")
        elsewhere(second, stubs[0]).look()
