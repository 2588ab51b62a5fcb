"""The thin client against a real server on a loopback port."""

from collections.abc import Iterator

import pytest

import sniffai
from sniffai import wire
from sniffai.client import Client, ServiceError
from sniffai.v1 import analysis_pb2, move_pb2
from tests.server.support import choice, running_server, story, view_message


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with running_server() as server, Client(server.address) as connected:
        yield connected


def test_recommend_for_a_library_view(client: Client) -> None:
    view = wire.read_view(view_message(choice()))
    answer = client.recommend(view, sniffai.Limits(simulations=2000), seed=3)
    assert sniffai.Move(answer.move.tile) in view.legal_moves()
    assert answer.analysis.seed == 3
    assert answer.analysis.effort.simulations == 2000
    local = sniffai.analyze(view, sniffai.Limits(simulations=2000), seed=3)
    assert [move.visits for move in local.moves] == [move.visits for move in answer.analysis.moves]


def test_analyze_for_a_message(client: Client) -> None:
    answer = client.analyze(view_message(story()))
    assert answer.analysis.source == analysis_pb2.SOURCE_FORCED


def test_a_round_played_over_the_wire(client: Client) -> None:
    here = sniffai.Round.deal(players=2, seed=4)
    dealt = client.deal(players=2, seed=4)
    assert dealt.deal == wire.write_deal(here)
    while not here.over:
        view = here.view(here.seat)
        move = sniffai.Move(*_first(client.legal_moves(view).moves[0].move))
        answer = client.apply(here, move)
        assert answer.points == here.play(move)
        assert answer.state == wire.write_state(here)


def _first(move: move_pb2.Move) -> tuple[str, str | None]:
    return move.tile, move.at or None


def test_validate(client: Client) -> None:
    assert client.validate(view_message(story())).valid
    broken = story()
    broken["hand"][0] = "9|9"
    assert client.validate(view_message(broken)).violations[0].field == "view.hand[0]"


def test_info(client: Client) -> None:
    assert client.info().engine_version == sniffai.__version__


def test_error_tells_code_reason_and_fields(client: Client) -> None:
    broken = story()
    broken["hand"][0] = "9|9"
    with pytest.raises(ServiceError) as raised:
        client.recommend(view_message(broken))
    error = raised.value
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", "UNKNOWN_TILE")
    assert [(violation.field, violation.reason) for violation in error.violations] == [("view.hand[0]", "UNKNOWN_TILE")]
    assert str(error).startswith("INVALID_ARGUMENT: view.hand[0]: ")


def test_timeout_bounds_the_search(client: Client) -> None:
    answer = client.analyze(view_message(choice()), sniffai.Limits(seconds=30.0), timeout=0.3)
    assert answer.analysis.stop_reason == analysis_pb2.STOP_REASON_DEADLINE


def test_no_server() -> None:
    with Client("127.0.0.1:1", timeout=1) as client, pytest.raises(ServiceError) as raised:
        client.info()
    assert raised.value.code in ("UNAVAILABLE", "DEADLINE_EXCEEDED")
    assert raised.value.violations == ()
