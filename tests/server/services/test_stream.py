"""StreamAnalyze: snapshots, one final message, slow readers, cancel, deadline, shutdown."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from sniffai.v1 import analysis_pb2
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai_server.load.latest import Latest
from tests.server.support import TIMEOUT, LoopbackServer, choice, running_server, story, stubs_of, view_message
from tests.waiting import wait_until

LONG = {"time": {"seconds": 30}}


def request(**fields: Any) -> pb.StreamAnalyzeRequest:
    values = {"view": view_message(choice()), "report_interval": {"nanos": 50_000_000}, **fields}
    return pb.StreamAnalyzeRequest(**values)


def stream(stubs: SimpleNamespace, timeout: float = TIMEOUT, **fields: Any) -> list[analysis_pb2.Analysis]:
    return [answer.analysis for answer in stubs.analysis.StreamAnalyze(request(**fields), timeout=timeout)]


def check_order(found: list[analysis_pb2.Analysis]) -> None:
    """Exactly one final message, the last; snapshots are whole and grow."""
    assert [analysis.final for analysis in found] == [False] * (len(found) - 1) + [True]
    efforts = [analysis.effort.simulations for analysis in found]
    assert efforts == sorted(efforts)
    for snapshot in found[:-1]:
        assert snapshot.stop_reason == analysis_pb2.STOP_REASON_RUNNING
        assert not snapshot.deterministic
        assert snapshot.effort.time.ToNanoseconds() > 0
        assert len(snapshot.moves) == 7
        assert len(snapshot.belief.tiles) == 28
        assert snapshot.effective_limits == found[-1].effective_limits


def test_snapshots_and_one_final_message(stubs: SimpleNamespace) -> None:
    found = stream(stubs, limits={"time": {"nanos": 400_000_000}})
    check_order(found)
    assert 3 <= len(found) <= 9
    assert found[-1].stop_reason == analysis_pb2.STOP_REASON_TIME


def test_the_final_message_is_what_analyze_answers(stubs: SimpleNamespace) -> None:
    fields = {"view": view_message(choice()), "limits": {"simulations": 120_000}, "seed": 9}
    found = stream(stubs, **fields)
    check_order(found)
    assert len(found) > 1
    whole = stubs.analysis.Analyze(pb.AnalyzeRequest(**fields), timeout=TIMEOUT).analysis
    assert found[-1].SerializeToString(deterministic=True) == whole.SerializeToString(deterministic=True)


def test_where_nothing_is_searched_there_is_one_message(stubs: SimpleNamespace) -> None:
    forced = stream(stubs, view=view_message(story()))
    assert [(one.final, one.stop_reason) for one in forced] == [(True, analysis_pb2.STOP_REASON_FORCED)]
    drawing = story()
    drawing["hand"][1] = "2|2"
    assert [one.final for one in stream(stubs, view=view_message(drawing))] == [True]


def test_a_short_search_has_no_snapshot(stubs: SimpleNamespace) -> None:
    assert [one.final for one in stream(stubs, limits={"simulations": 10})] == [True]


def test_the_interval_is_kept(stubs: SimpleNamespace) -> None:
    limits = {"time": {"nanos": 350_000_000}}
    assert len(stream(stubs, report_interval={"seconds": 5}, limits=limits)) == 1
    assert len(stream(stubs, report_interval={"nanos": 100_000_000}, limits=limits)) <= 4
    clamped = stream(stubs, report_interval={"nanos": 1_000_000}, limits=limits)
    assert 2 <= len(clamped) <= 8
    for analysis in clamped:
        assert [(warning.field, warning.reason) for warning in analysis.warnings] == [("report_interval", "CLAMPED")]


@pytest.mark.usefixtures("much_for_the_answer")
def test_the_deadline_ends_it_with_an_answer(stubs: SimpleNamespace) -> None:
    call = stubs.analysis.StreamAnalyze(request(limits=LONG), timeout=2.0)
    found = [answer.analysis for answer in call]
    check_order(found)
    assert found[-1].stop_reason == analysis_pb2.STOP_REASON_DEADLINE
    assert found[-1].effective_limits.time.seconds == 30
    assert 500 < float(dict(call.trailing_metadata())["sniffai-search-ms"]) < 1500


def test_cancel_frees_the_slot(stubs: SimpleNamespace, server: LoopbackServer) -> None:
    times = []
    for _ in range(5):
        call = stubs.analysis.StreamAnalyze(request(limits=LONG), timeout=TIMEOUT)
        next(call)
        assert server.server.searches.busy == 1
        call.cancel()
        times.append(wait_until(lambda: server.server.searches.busy == 0))
    assert min(times) < 0.05
    assert max(times) < 1


def test_shutdown_ends_it_with_an_answer() -> None:
    with running_server() as server, stubs_of(server.address) as stubs:
        call = stubs.analysis.StreamAnalyze(request(limits=LONG), timeout=TIMEOUT)
        found = [next(call).analysis]
        draining = asyncio.run_coroutine_threadsafe(server.server.drain(), server._loop)
        found += [answer.analysis for answer in call]
        draining.result(TIMEOUT)
    check_order(found)
    assert found[-1].stop_reason == analysis_pb2.STOP_REASON_SHUTDOWN


def test_a_reader_that_stops_reading_holds_no_search(server: LoopbackServer) -> None:
    """Its stream has a small window, so the server's writes soon wait; the search goes on, ends, and frees its slot."""
    options = [("grpc.http2.lookahead_bytes", 1024), ("grpc.http2.bdp_probe", 0)]
    limits = {"time": {"seconds": 1}}
    with grpc.insecure_channel(server.address, options) as channel, stubs_of(server.address) as others:
        method = channel.unary_stream(
            "/sniffai.v1.AnalysisService/StreamAnalyze",
            request_serializer=pb.StreamAnalyzeRequest.SerializeToString,
            response_deserializer=pb.StreamAnalyzeResponse.FromString,
        )
        call = method(request(limits=limits), timeout=TIMEOUT)
        found = [next(call).analysis]
        time.sleep(1.3)
        assert server.server.searches.busy == 0
        assert others.call("Analyze", pb.AnalyzeRequest(view=view_message(story()))).analysis.final
        found += [answer.analysis for answer in call]
    check_order(found)
    assert found[-1].stop_reason == analysis_pb2.STOP_REASON_TIME


async def test_the_latest_wins() -> None:
    latest: Latest[int] = Latest()
    read = []

    async def reader() -> None:
        async for value in latest:
            read.append(value)
            await asyncio.sleep(0.05)

    task = asyncio.create_task(reader())
    latest.put(1)
    await asyncio.sleep(0.01)
    for value in range(2, 100):
        latest.put(value)
    await asyncio.sleep(0.1)
    latest.put(100)
    latest.close()
    await asyncio.wait_for(task, TIMEOUT)
    assert read == [1, 99]


async def test_a_slow_reader_of_a_stream_misses_snapshots_never_the_answer(server: LoopbackServer) -> None:
    """Driven without a network: the reader takes a fifth of a second for each snapshot of a fiftieth."""
    searches = server.server.searches

    async def read() -> list[bool]:
        job = _job(server)
        finals = []
        async for analysis in searches.stream(*job[:2], admission=job[2], interval=0.02):
            finals.append(analysis.final)
            await asyncio.sleep(0.2)
        return finals

    finals = await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(read(), server._loop))
    assert finals[-1] and not any(finals[:-1])
    assert 2 <= len(finals) <= 5


def _job(server: LoopbackServer) -> tuple[Any, Any, Any]:
    from sniffai import Limits, Searcher, wire
    from sniffai_server.load.admission import Admission, Priority
    from sniffai_server.load.budget import Budget

    searcher = Searcher(wire.read_view(view_message(choice())))
    return searcher, Budget.of(Limits(seconds=0.5).effective(), None), Admission("test", Priority.ANALYSIS)


@pytest.mark.parametrize("fields", [{"limits": {"simulations": 0}}, {"report_interval": {"seconds": -1}}])
def test_errors_of_a_stream_come_before_any_message(stubs: SimpleNamespace, fields: dict[str, Any]) -> None:
    with pytest.raises(grpc.RpcError) as raised:
        stream(stubs, **fields)
    assert raised.value.code().name == "INVALID_ARGUMENT"
