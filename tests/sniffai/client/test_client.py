"""The clients against a real server on a loopback port."""

import asyncio
from collections.abc import Iterator

import pytest

import sniffai
from sniffai import wire
from sniffai.client import AsyncClient, Client, ServiceError
from sniffai.v1 import analysis_pb2, move_pb2
from tests.server.support import choice, much_for_the_answer, running_server, story, view_message

__all__ = ["much_for_the_answer"]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_server() as server:
        yield server.address


@pytest.fixture(scope="module")
def client(address: str) -> Iterator[Client]:
    with Client(address) as connected:
        yield connected


def test_recommend_for_a_library_view(client: Client) -> None:
    view = wire.read_view(view_message(choice()))
    answer = client.recommend(view, sniffai.Limits(simulations=2000), seed=3)
    assert sniffai.Move(answer.move.tile) in view.legal_moves()
    assert answer.analysis.seed == 3
    assert answer.analysis.effort.simulations == 2000
    local = sniffai.analyze(view, sniffai.Limits(simulations=2000), seed=3)
    assert [move.visits for move in local.moves] == [move.visits for move in answer.analysis.moves]


def test_a_level_chooses(client: Client) -> None:
    view = sniffai.Round.deal(players=2, seed=4).view(sniffai.Round.deal(players=2, seed=4).seat)
    answer = client.recommend(view, level="casual", seed=2)
    assert answer.level == "casual"
    assert sniffai.Move(answer.move.tile) in view.legal_moves()
    with pytest.raises(ServiceError) as error:
        client.recommend(view, level="grandmaster")
    assert (error.value.reason, error.value.violations[0].field) == ("UNKNOWN_LEVEL", "level")
    assert client.recommend(view, sniffai.Limits(simulations=50), level=None).level == ""


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
        assert client.describe_round(answer.deal).state == client.describe_round(here).state == answer.state


def _first(move: move_pb2.Move) -> tuple[str, str | None]:
    return move.tile, move.at or None


def test_validate(client: Client) -> None:
    assert client.validate(view_message(story())).valid
    broken = story()
    broken["hand"][0] = "9|9"
    assert client.validate(view_message(broken)).violations[0].field == "view.hand[0]"


def test_a_table_is_planned_and_a_text_is_read(client: Client) -> None:
    round_ = sniffai.Round.deal(players=2, seed=4)
    round_.play(round_.legal_moves()[0])
    plan = client.plan_table(round_.moves, end_room=3).plan
    assert [tile.tile for tile in plan.tiles] == [str(move.tile) for move in round_.moves]
    assert client.plan_table(map(str, round_.moves)).plan != plan
    assert client.parse_text(round_.to_text()).deal == wire.write_deal(round_)
    with pytest.raises(sniffai.LimitsError, match="text is expected"):
        client.parse_text(3)  # type: ignore[arg-type]
    with pytest.raises(sniffai.SniffError, match="end_room"):
        client.plan_table(end_room=13)


def test_info(client: Client) -> None:
    assert client.info().engine_version == sniffai.__version__


def test_an_error_has_code_reason_and_fields(client: Client) -> None:
    broken = story()
    broken["hand"][0] = "9|9"
    with pytest.raises(ServiceError) as raised:
        client.recommend(view_message(broken))
    error = raised.value
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", "UNKNOWN_TILE")
    assert [(violation.field, violation.reason) for violation in error.violations] == [("view.hand[0]", "UNKNOWN_TILE")]
    assert str(error).startswith("INVALID_ARGUMENT: view.hand[0]: ")


@pytest.mark.usefixtures("much_for_the_answer")
def test_the_timeout_of_a_call_limits_its_search(client: Client) -> None:
    answer = client.analyze(view_message(choice()), sniffai.Limits(seconds=30.0), timeout=2.0)
    assert answer.analysis.stop_reason == analysis_pb2.STOP_REASON_DEADLINE


def test_no_server() -> None:
    with Client("127.0.0.1:1", timeout=1) as client, pytest.raises(ServiceError) as raised:
        client.info()
    assert raised.value.code in ("UNAVAILABLE", "DEADLINE_EXCEEDED")
    assert raised.value.violations == ()


def test_the_keywords_of_a_call(client: Client) -> None:
    view = wire.read_view(view_message(choice()))
    some = client.recommend(
        view, sniffai.Limits(simulations=300), include_moves=["6|6", "0|1"], client_tag="t"
    ).analysis
    assert {entry.move.tile for entry in some.moves} == {"6|6", "0|1"}
    assert some.client_tag == "t"
    rest = client.analyze(
        view, sniffai.Limits(simulations=300), exclude_moves=[sniffai.Move("6|6")], max_moves=2
    ).analysis
    assert len(rest.moves) == 2
    assert rest.omitted_move_count == 5
    told = [
        client.recommend(view, sniffai.Limits(simulations=300), language_code=code).analysis.moves[0].reasons[0].text
        for code in ("en", "ja")
    ]
    assert told[0] != told[1]
    plain, known = (
        client.analyze(view, sniffai.Limits(simulations=300), opponents=opponents).analysis
        for opponents in (None, {1 - view.seat: "casual"})
    )
    assert list(known.moves) != list(plain.moves)
    bulk = client.analyze(view, sniffai.Limits(simulations=300, target_standard_error=900.0), priority="bulk").analysis
    assert bulk.stop_reason == analysis_pb2.STOP_REASON_PRECISE


def test_an_open_deal_is_studied(client: Client) -> None:
    round_ = sniffai.Round.deal(players=2, seed=4)
    here = sniffai.analyze_deal(round_)
    for deal in (round_, wire.write_deal(round_)):
        found = client.analyze(deal).analysis
        assert found.source == analysis_pb2.SOURCE_EXACT
        assert [entry.loss for entry in found.moves] == [entry.loss for entry in here.moves]


def test_a_stream_ends_with_the_answer(client: Client) -> None:
    limits = sniffai.Limits(simulations=60_000)
    view = view_message(choice())
    with client.stream_analyze(view, limits, interval=0.05, seed=2) as stream:
        found = list(stream)
    assert [analysis.final for analysis in found] == [False] * (len(found) - 1) + [True]
    assert found[-1] == client.analyze(view, limits, seed=2).analysis
    assert list(stream) == []


def test_a_stream_can_be_closed(client: Client) -> None:
    limits = sniffai.Limits(seconds=30)
    stream = client.stream_analyze(view_message(choice()), limits, interval=0.05)
    seen = 0
    for analysis in stream:
        assert not analysis.final
        seen += 1
        if seen == 2:
            stream.close()
    assert seen == 2
    with client.stream_analyze(view_message(choice()), limits, interval=0.05) as left:
        for _ in left:
            break


def test_a_stream_reports_what_is_wrong(client: Client) -> None:
    with pytest.raises(ServiceError) as raised:
        list(client.stream_analyze(view_message(choice()), exclude_moves=["3|3"]))
    assert [(v.field, v.reason) for v in raised.value.violations] == [("exclude_moves[0]", "MOVE_NOT_LEGAL")]


async def test_a_round_played_with_asyncio(address: str) -> None:
    async with AsyncClient(address) as client:
        table = await client.deal(players=3, seed=5)
        while not table.state.over:
            view = table.state.views[table.state.seat_to_move]
            assert (await client.validate(view)).valid
            answer = await client.recommend(view, sniffai.Limits(simulations=100), seed=1)
            assert answer.move in [legal.move for legal in (await client.legal_moves(view)).moves]
            table = await client.apply(table.deal, answer.move)
        assert (await client.info()).engine_version == sniffai.__version__
    assert len(table.state.settlement) == 3 or table.state.HasField("match_winner")


async def test_an_asyncio_stream_ends_with_the_answer_or_when_closed(address: str) -> None:
    view, limits = view_message(choice()), sniffai.Limits(simulations=60_000)
    async with AsyncClient(address) as client:
        async with client.stream_analyze(view, limits, interval=0.05, seed=2) as stream:
            found = [analysis async for analysis in stream]
        assert [analysis.final for analysis in found] == [False] * (len(found) - 1) + [True]
        assert found[-1] == (await client.analyze(view, limits, seed=2)).analysis
        seen = 0
        stream = client.stream_analyze(view, sniffai.Limits(seconds=30), interval=0.05)
        async for analysis in stream:
            seen += not analysis.final
            if seen == 2:
                stream.close()
        assert seen == 2
        with pytest.raises(ServiceError) as raised:
            await client.analyze(view, exclude_moves=["3|3"])
        assert raised.value.reason == "MOVE_NOT_LEGAL"


async def test_cancelling_a_task_ends_its_stream(address: str) -> None:
    async with AsyncClient(address) as client:

        async def read() -> None:
            async for _ in client.stream_analyze(view_message(choice()), sniffai.Limits(seconds=30), interval=0.05):
                read_one.set()

        read_one = asyncio.Event()
        task = asyncio.create_task(read())
        await asyncio.wait_for(read_one.wait(), 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
