"""MatchService: whole matches, and what each call does."""

import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sniffai.v1 import match_service_pb2 as pb
from tests.server.matches.support import Player, create, matches, sit_down
from tests.server.support import TIMEOUT, failure


@pytest.fixture(scope="module")
def stub() -> Iterator[Any]:
    with matches() as one:
        yield one


@pytest.mark.parametrize("seats", [("human", "casual"), ("casual", "human", "attentive"), ("human", "casual") * 2])
def test_a_whole_match(stub: Any, seats: tuple[str, ...]) -> None:
    players = sit_down(stub, *seats, scores=[150] * (3 if len(seats) == 3 else 2))
    seen: dict[int, list[pb.WatchMatchResponse]] = {}
    threads = [threading.Thread(target=_watch, args=(stub, player, seen)) for player in players]
    for thread in threads:
        thread.start()
    lots = random.Random(1)
    while players[0].look().status == pb.MATCH_STATUS_PLAYING:
        for player in players:
            player.look()
            player.go_on(lots, 1) if player.view.action == 1 else player.look(0.01)
    for thread in threads:
        thread.join(TIMEOUT)
    view = players[0].look()
    assert view.status == pb.MATCH_STATUS_FINISHED
    assert view.scores[view.winner] >= view.target
    for player in players:
        messages = seen[player.view.seat]
        events = [event for message in messages for event in message.events]
        assert [event.number for event in events] == list(range(1, view.event_number + 1))
        assert messages[-1].view == player.look()
        hidden = [
            event
            for event in events
            if event.round_event.HasField("draw") and event.round_event.seat != player.view.seat
        ]
        assert all(not event.round_event.draw.tiles for event in hidden)
    record = stub.ExportRecord(pb.ExportRecordRequest(**players[0].own), timeout=TIMEOUT)
    assert len(record.match.rounds) == view.round + 1
    assert record.text.startswith("[")
    assert not record.views


def _watch(stub: Any, player: Player, seen: dict[int, list[pb.WatchMatchResponse]]) -> None:
    stream = stub.WatchMatch(pb.WatchMatchRequest(**player.own, after_event=0), timeout=TIMEOUT)
    seen[player.view.seat] = list(stream)


def test_the_same_key_gives_the_same_answer(stub: Any) -> None:
    (player,) = sit_down(stub, "human", "casual", practice=True)
    player.go_on(random.Random(2), 3)
    while player.view.action != 1:
        player.look(1)
    number, move = player.view.event_number, player.moves[-1]
    first = player.play(move, key="again", expected=number)
    player.look(1)
    assert player.play(move, key="again", expected=number) == first
    error = failure(lambda: player.play(move, key="again", expected=number - 1))
    assert (error.code, error.violations) == ("INVALID_ARGUMENT", [("idempotency_key", "KEY_REUSED")])


def test_a_match_waits_for_all_seats(stub: Any) -> None:
    made = create(stub, "human", "human")
    first = Player(stub, made.match_id, made.invitations[0].invitation)
    assert first.view.status == pb.MATCH_STATUS_WAITING
    assert not first.view.hand
    assert not first.view.HasField("view")
    Player(stub, made.match_id, made.invitations[1].invitation)
    assert first.look().status == pb.MATCH_STATUS_PLAYING
    assert len(first.view.hand) == 7


def test_nobody_joins_a_match_that_is_over(stub: Any) -> None:
    made = create(stub, "human", "human")
    first = Player(stub, made.match_id, made.invitations[0].invitation)
    stub.Resign(pb.ResignRequest(**first.own), timeout=TIMEOUT)
    error = failure(lambda: Player(stub, made.match_id, made.invitations[1].invitation))
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "MATCH_OVER")


def test_a_move_is_refused_where_the_file_of_the_matches_is_gone(tmp_path: Path) -> None:
    kept, moved = tmp_path / "matches.db", tmp_path / "moved.db"
    with matches(matches_database=str(kept)) as stub:
        (player,) = sit_down(stub, "human", "casual", scores=[0, 0])
        player.go_on(random.Random(3), 1)
        while player.view.action != 1:
            player.look(1)
        kept.rename(moved)
        for replaced in (False, True):
            if replaced:
                kept.touch()
            assert failure(lambda: player.play(player.moves[0], key="once")).reason == "STORE_UNAVAILABLE"
        moved.rename(kept)
        assert player.play(player.moves[0], key="once").events
