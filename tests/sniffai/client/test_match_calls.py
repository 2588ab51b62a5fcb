"""The clients' calls about hosted matches."""

import asyncio
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import sniffai
from sniffai.client import AsyncClient, Client, ServiceError, UnknownArgumentError, make_player_token
from sniffai.client.match_requests import create_request, join_request
from sniffai.v1 import match_service_pb2 as pb
from sniffai.v1 import move_pb2
from tests.server.support import running_server

NOWHERE = "127.0.0.1:1"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_server(level_pause=0.0) as server:
        yield server.address


def test_a_match_by_the_blocking_client(address: str) -> None:
    lots = random.Random(1)
    with Client(address) as client:
        made = client.create_match(
            ["human", "casual"], names=["Ann"], scores=[200, 200], hints=True, practice=True, seed=5
        )
        joined = client.join_match(made.match_id, made.invitations[0].invitation, player_token=made.player_token)
        seat = (made.match_id, joined.seat_token)
        view, hinted, taken = joined.view, False, False
        with client.watch_match(*seat, after_event=0) as stream:
            first = next(iter(stream))
        assert [event.number for event in first.events] == list(range(1, first.view.event_number + 1))
        while view.status == pb.MATCH_STATUS_PLAYING:
            if view.action != move_pb2.ACTION_PLAY:
                view = client.get_view(*seat, after_event=view.event_number, wait=5).view
                continue
            if view.can_take_back and not taken:
                back = client.take_back(*seat, view.event_number)
                taken = [event.taken_back.seat for event in back.events] == [0]
                view = back.view
                continue
            if not hinted:
                hint = client.request_hint(*seat, sniffai.Limits(simulations=50), max_moves=1, language_code="ja")
                hinted = hint.event_number == view.event_number and len(hint.analysis.moves) == 1
            move = lots.choice(view.legal_moves).move
            view = client.play_move(*seat, move, view.event_number).view
        assert hinted
        assert taken
        assert client.resign(*seat).view == client.get_view(*seat).view
        assert client.export_record(*seat).match.names == ["Ann", "casual"]
        (listed,) = client.list_matches(made.player_token, page_size=5).matches
        assert (listed.match_id, listed.winner) == (made.match_id, view.winner)
        assert not client.list_matches(made.player_token, running_only=True).matches
        pieces = list(client.review_match(*seat, sniffai.Limits(simulations=10), page=True, language_code="zh-CN"))
        assert pieces[-1].page.startswith("<!doctype html>")


async def test_a_match_by_the_client_for_asyncio(address: str) -> None:
    async with AsyncClient(address) as client:
        made = await client.create_match(["human", "human"], player_token=None)
        seats = [
            (made.match_id, (await client.join_match(made.match_id, one.invitation)).seat_token)
            for one in made.invitations
        ]
        views = [(await client.get_view(*seat)).view for seat in seats]
        mover = views[0].seat_to_move
        stream = client.watch_match(*seats[1 - mover])
        watched = asyncio.ensure_future(_collect(stream))
        view = views[mover]
        answer = await client.play_move(*seats[mover], view.legal_moves[0].move, view.event_number, idempotency_key="k")
        again = await client.play_move(*seats[mover], view.legal_moves[0].move, view.event_number, idempotency_key="k")
        assert answer == again
        with pytest.raises(ServiceError) as stale:
            await client.play_move(*seats[mover], view.legal_moves[0].move, view.event_number)
        assert stale.value.reason == "NOT_YOUR_TURN"
        assert stale.value.view == (await client.get_view(*seats[mover])).view
        await client.resign(*seats[0])
        messages = await watched
        assert messages[-1].view.winner == 1
        assert [event.number for message in messages for event in message.events] == list(
            range(view.event_number + 1, messages[-1].view.event_number + 1)
        )


def test_the_first_match_is_safe_to_create_again(address: str) -> None:
    token = make_player_token()
    with Client(address) as client:
        first, again = (client.create_match(["human", "casual"], player_token=token, request_id="1") for _ in range(2))
        assert (first.match_id, first.player_token) == (again.match_id, token)
        alone = client.create_match(["human", "casual"])
        assert len(alone.player_token) == len(token)
        with pytest.raises(ServiceError) as error:
            client.create_match(["human", "casual"], request_id="1")
        assert [one.field for one in error.value.violations] == ["player_token"]


def test_every_request_for_a_match_names_player_and_request() -> None:
    """A call that is sent again by itself then creates no second match."""
    made = create_request(["human", "casual"], (), (), None, False, False, None, None, None, {})
    assert made.player_token and made.request_id
    assert join_request("m", "i", None, None, {}).player_token


async def _collect(stream: Any) -> list[pb.WatchMatchResponse]:
    return [message async for message in stream]


SEAT = ("m", "t")
WRONG: list[tuple[str, Callable[[Any], Any]]] = [
    ("seats", lambda client: client.create_match(5)),
    ("seats", lambda client: client.create_match([5])),
    ("names", lambda client: client.create_match(["human"], names=["a", "b"])),
    ("names", lambda client: client.create_match(["human"], names=["x" * 65])),
    ("scores", lambda client: client.create_match(["human"], scores=["x"])),
    ("seed", lambda client: client.create_match(["human"], seed=-1)),
    ("hints", lambda client: client.create_match(["human"], hints=1)),
    ("practice", lambda client: client.create_match(["human"], practice="yes")),
    ("limits", lambda client: client.create_match(["human"], level_limits=5)),
    ("player_token", lambda client: client.create_match(["human"], player_token=5)),
    ("request_id", lambda client: client.create_match(["human"], request_id="x" * 65)),
    ("human", lambda client: client.create_match([], human=1)),
    ("match_id", lambda client: client.join_match(5, "i")),
    ("invitation", lambda client: client.join_match("m", b"i")),
    ("name", lambda client: client.join_match("m", "i", name="x" * 65)),
    ("seat_token", lambda client: client.get_view("m", 5)),
    ("after_event", lambda client: client.get_view(*SEAT, after_event=-1)),
    ("wait", lambda client: client.get_view(*SEAT, wait=31)),
    ("wait", lambda client: client.get_view(*SEAT, wait="1")),
    ("move.tile", lambda client: client.play_move(*SEAT, "9|9", 1)),
    ("expected_event", lambda client: client.play_move(*SEAT, "0|0", "1")),
    ("idempotency_key", lambda client: client.play_move(*SEAT, "0|0", 1, idempotency_key=5)),
    ("after_event", lambda client: client.watch_match(*SEAT, after_event=1.5)),
    ("max_moves", lambda client: client.request_hint(*SEAT, max_moves=-1)),
    ("language_code", lambda client: client.request_hint(*SEAT, language_code=5)),
    ("expected_event", lambda client: client.take_back(*SEAT, None)),
    ("key", lambda client: client.take_back(*SEAT, 1, key="x")),
    ("seat", lambda client: client.resign(*SEAT, seat=1)),
    ("player_token", lambda client: client.list_matches(5)),
    ("page_size", lambda client: client.list_matches("p", page_size=101)),
    ("running_only", lambda client: client.list_matches("p", running_only=0)),
    ("match", lambda client: client.export_record(*SEAT, match=1)),
    ("page", lambda client: client.review_match(*SEAT, page="yes")),
]


@pytest.mark.parametrize(("field", "call"), WRONG, ids=[field for field, _ in WRONG])
def test_a_wrong_argument_is_refused_by_name(field: str, call: Callable[[Any], Any]) -> None:
    async def ask() -> None:
        async with AsyncClient(NOWHERE) as client:
            made = call(client)
            if not hasattr(made, "close") or asyncio.iscoroutine(made):
                await made

    with Client(NOWHERE) as client, pytest.raises(sniffai.SniffError) as blocking:
        call(client)
    with pytest.raises(sniffai.SniffError) as waiting:
        asyncio.run(ask())
    assert str(blocking.value) == str(waiting.value)
    if field in ("human", "key", "seat", "match"):
        assert isinstance(blocking.value, UnknownArgumentError)
    assert blocking.value.field.split("[")[0] == field
