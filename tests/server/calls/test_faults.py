"""What clients do wrong or suddenly, and what goes wrong inside: nothing leaks, nothing stays busy."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from sniffai.v1 import analysis_pb2, analysis_service_pb2, engine_service_pb2, rules_service_pb2, view_pb2
from sniffai_server.app import JOB_SERVICE, SERVICES
from sniffai_server.calls import errors
from sniffai_server.calls.refusals import ExpiredError
from sniffai_server.services import rules as rules_service
from tests.server.support import (
    TIMEOUT,
    LoopbackServer,
    choice,
    failure,
    recommend,
    running_server,
    snapshot,
    story,
    stubs_of,
    told,
    view_message,
)
from tests.spending import at_most
from tests.waiting import wait_until

LONG = {"time": {"seconds": 30}}
METHODS = [
    f"/{service}/{method}"
    for service, methods in (
        ("sniffai.v1.AnalysisService", ("RecommendMove", "Analyze")),
        ("sniffai.v1.RulesService", ("ListLegalMoves", "ApplyMove", "DescribeRound", "ValidateView", "DealRound")),
        ("sniffai.v1.EngineService", ("GetEngineInfo",)),
        ("sniffai.v1.MatchService", ("CreateMatch", "JoinMatch", "GetView", "PlayMove", "ListMatches")),
        ("sniffai.v1.JobService", ("RunJob",)),
        ("grpc.health.v1.Health", ("Check",)),
    )
    for method in methods
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("data", [b"\xff\xff\xff", b"\x0a\x05abc"], ids=["no tag", "cut off"])
def test_undecodable_bytes(stubs: SimpleNamespace, method: str, data: bytes) -> None:
    error = failure(lambda: stubs.channel.unary_unary(method)(data, timeout=TIMEOUT))
    assert (error.code, error.reason, error.domain) == ("INVALID_ARGUMENT", "UNDECODABLE", "sniffai")


def test_text_that_is_not_utf8(stubs: SimpleNamespace) -> None:
    call = stubs.channel.unary_unary("/sniffai.v1.RulesService/ListLegalMoves")
    data = view_message({"hand": ["0|0"]}).SerializeToString().replace(b"0|0", b"\xff|0")
    error = failure(lambda: call(b"\x0a" + bytes([len(data)]) + data, timeout=TIMEOUT))
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", "UNDECODABLE")


def test_undecodable_bytes_on_streams(stubs: SimpleNamespace) -> None:
    watch = stubs.channel.unary_stream("/grpc.health.v1.Health/Watch")
    assert failure(lambda: list(watch(b"\xff\xff", timeout=TIMEOUT))).code == "INVALID_ARGUMENT"
    name = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
    reflect = stubs.channel.stream_stream(name)
    assert failure(lambda: list(reflect(iter([b"\xff\xff"]), timeout=TIMEOUT))).code == "INVALID_ARGUMENT"


def test_unknown_method(stubs: SimpleNamespace) -> None:
    call = stubs.channel.unary_unary("/sniffai.v1.RulesService/Cheat")
    assert failure(lambda: call(b"", timeout=TIMEOUT)).code == "UNIMPLEMENTED"


def test_oversized_request(stubs: SimpleNamespace) -> None:
    view = story()
    view["hand"] = ["0|0"] * 300_000
    error = failure(lambda: recommend(stubs, view_message(view)))
    assert error.code == "RESOURCE_EXHAUSTED"
    assert recommend(stubs, view_message(story())).move.tile == "5|6"


def hand_of(count: int) -> view_pb2.PlayerView:
    view = view_message(story())
    view.hand[:] = [""] * count
    return view


def suits_of(count: int) -> view_pb2.PlayerView:
    view = view_message(snapshot())
    view.snapshot.voids[0].suits[:] = [9] * count
    return view


def voids_of(count: int) -> view_pb2.PlayerView:
    view = view_message(snapshot())
    view.snapshot.voids.extend([view_pb2.SeatVoids()] * count)
    return view


def drawn_of(count: int) -> view_pb2.PlayerView:
    view = view_message(story())
    view.record.events[1].draw.tiles[:] = ["9|9"] * count
    return view


@pytest.mark.parametrize(
    ("view_of", "count", "field"),
    [
        (hand_of, 500_000, "view.hand"),
        (suits_of, 1_000_000, "view.snapshot.voids[0].suits"),
        (voids_of, 500_000, "view.snapshot.voids"),
        (drawn_of, 200_000, "view.record.events[1].draw.tiles"),
    ],
    ids=["hand", "suits", "voids", "drawn tiles"],
)
def test_largest_requests_are_refused_at_once(
    stubs: SimpleNamespace, view_of: Callable[[int], view_pb2.PlayerView], count: int, field: str
) -> None:
    """Nobody else waits for them: processor time, as the clock of a machine with other things to do tells little.

    Reading such a list entry by entry took ten times as long as is allowed here.
    """
    view = view_of(count)
    with at_most(0.1):
        refused = failure(lambda: recommend(stubs, view))
    assert refused.violations == [(field, "TOO_MANY")]


def test_many_unknown_fields_take_no_time(stubs: SimpleNamespace) -> None:
    request = rules_service_pb2.ListLegalMovesRequest(view=view_message(story()))
    request.view.MergeFromString(b"\xb8\x06\x01" * 300_000)
    with at_most(0.1):
        (warning,) = stubs.rules.ListLegalMoves(request, timeout=TIMEOUT).warnings
    assert (warning.reason, "878 KiB" in warning.description) == ("UNKNOWN_FIELD", True)


def test_internal_failure_leaks_nothing(
    stubs: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(view: object) -> None:
        raise ValueError("secret of /etc/passwd")

    monkeypatch.setattr(rules_service, "Belief", fail)
    request = rules_service_pb2.ValidateViewRequest(view=view_message(story()))
    with caplog.at_level(logging.ERROR):
        error = failure(lambda: stubs.rules.ValidateView(request, timeout=TIMEOUT))
    assert (error.code, error.reason) == ("INTERNAL", "INTERNAL")
    assert error.message == f"internal error {error.metadata['id']}"
    assert "secret" not in str(error)
    assert error.metadata["id"] in caplog.text
    assert "secret of /etc/passwd" in caplog.text


class Over:
    """The context of a call that is over: nothing can be told any more."""

    def trailing_metadata(self) -> tuple[()]:
        return ()

    async def abort(self, *_: object) -> None:
        raise grpc.aio.InternalError('Failed "execute_batch"')


@pytest.mark.parametrize("error", [ExpiredError(), ValueError("a fault"), grpc.aio.InternalError("a write failed")])
async def test_an_error_after_the_end_of_a_call_is_not_internal(error: Exception) -> None:
    with pytest.raises(asyncio.CancelledError):
        await errors.abort(Over(), error)


def test_deadlines_in_the_moment_of_a_refusal(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever is first, gRPC or the queue: the client learns of its deadline, and nothing is logged as a failure."""
    with running_server(slots=1) as server, stubs_of(server.address) as stubs:
        running = search(stubs)
        wait_until(lambda: server.server.searches.busy == 1)
        request = analysis_service_pb2.AnalyzeRequest(view=view_message(choice()), limits=LONG)
        with caplog.at_level(logging.ERROR):
            calls = [stubs.analysis.Analyze.future(request, timeout=0.001 + i / 4000) for i in range(200)]
            codes = {told(call.exception()).code for call in calls}
            running.cancel()
            wait_until(lambda: server.server.searches.busy == 0)
        assert codes <= {"DEADLINE_EXCEEDED", "UNAVAILABLE"}
        assert caplog.records == []


def search(stubs: SimpleNamespace, **fields: Any) -> Any:
    """A long search as a call in flight."""
    request = analysis_service_pb2.AnalyzeRequest(view=view_message(choice()), limits=LONG, **fields)
    return stubs.analysis.Analyze.future(request, timeout=TIMEOUT)


@pytest.fixture
def busy(server: LoopbackServer) -> Iterator[Callable[[], int]]:
    """How many searches run; none must be left when the test ends."""
    yield lambda: server.server.searches.busy
    wait_until(lambda: server.server.searches.busy == 0)


def test_cancel_frees_the_slot(stubs: SimpleNamespace, busy: Callable[[], int]) -> None:
    times = []
    for _ in range(5):
        call = search(stubs)
        wait_until(lambda: busy() == 1)
        call.cancel()
        times.append(wait_until(lambda: busy() == 0))
    assert min(times) < 0.05
    assert max(times) < 1


def test_closed_connection_frees_the_slot(server: LoopbackServer, busy: Callable[[], int]) -> None:
    with grpc.insecure_channel(server.address) as channel:
        request = analysis_service_pb2.AnalyzeRequest(view=view_message(choice()), limits=LONG)
        call = channel.unary_unary("/sniffai.v1.AnalysisService/Analyze").future(request.SerializeToString())
        wait_until(lambda: busy() == 1)
    assert wait_until(lambda: busy() == 0) < 1
    assert call.done()


def test_a_cancelled_call_that_waited_is_never_searched(stubs: SimpleNamespace, busy: Callable[[], int]) -> None:
    running = [search(stubs), search(stubs)]
    wait_until(lambda: busy() == 2)
    waiting = search(stubs)
    time.sleep(0.1)
    waiting.cancel()
    for call in running:
        call.cancel()
    wait_until(lambda: busy() == 0)
    time.sleep(0.1)
    assert busy() == 0


def test_full_slots_do_not_slow_the_rest(stubs: SimpleNamespace, busy: Callable[[], int]) -> None:
    running = [search(stubs), search(stubs)]
    wait_until(lambda: busy() == 2)
    health = health_pb2_grpc.HealthStub(stubs.channel)
    times = []
    for _ in range(50):
        started = time.perf_counter()
        assert health.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT).status == 1
        stubs.engine.GetEngineInfo(engine_service_pb2.GetEngineInfoRequest(), timeout=TIMEOUT)
        times.append(time.perf_counter() - started)
    for call in running:
        call.cancel()
    assert sorted(times)[25] < 0.1


def test_waiting_searches_take_their_turn(stubs: SimpleNamespace, busy: Callable[[], int]) -> None:
    request = analysis_service_pb2.AnalyzeRequest(view=view_message(choice()), limits={"time": {"nanos": 100_000_000}})
    calls = [stubs.analysis.Analyze.future(request, timeout=TIMEOUT) for _ in range(6)]
    reasons = {call.result().analysis.stop_reason for call in calls}
    assert reasons == {analysis_pb2.STOP_REASON_TIME}


def test_deadline_while_waiting(stubs: SimpleNamespace, busy: Callable[[], int]) -> None:
    running = [search(stubs), search(stubs)]
    wait_until(lambda: busy() == 2)
    request = analysis_service_pb2.AnalyzeRequest(view=view_message(choice()), limits=LONG)
    waiting = stubs.analysis.Analyze.future(request, timeout=0.2)
    assert told(waiting.exception()).code == "DEADLINE_EXCEEDED"
    for call in running:
        call.cancel()


def test_every_service_is_named(stubs: SimpleNamespace) -> None:
    assert {method.split("/")[1] for method in METHODS} == {*SERVICES, JOB_SERVICE, "grpc.health.v1.Health"}
