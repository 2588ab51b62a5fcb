"""What strangers can make a server hold: bounded, counted, given back; and nobody else is kept from it.

The callers speak HTTP/2 by hand: proper clients cannot leave a body unfinished or a window closed.
"""

import gc
import logging
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from benchmarks.server.raw import RawConnection, prefixed
from sniffai import wire
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai.v1 import rules_service_pb2
from sniffai_server.services import reviews
from tests.server.access.test_security import KeyFile, keys
from tests.server.services.test_analyze_match import ask as review
from tests.server.services.test_analyze_match import match
from tests.server.services.test_analyze_match import request as review_request
from tests.server.support import (
    TIMEOUT,
    LoopbackServer,
    choice,
    failure,
    running_server,
    story,
    stubs_of,
    told,
    view_message,
)
from tests.waiting import wait_until

__all__ = ["keys"]

ANALYSIS = "sniffai.v1.AnalysisService"
RECOMMEND = f"{ANALYSIS}/RecommendMove"
REVIEW = f"{ANALYSIS}/AnalyzeMatch"
STREAM = f"{ANALYSIS}/StreamAnalyze"
CHECK = "grpc.health.v1.Health/Check"
WATCH = "grpc.health.v1.Health/Watch"
REFLECTION = "grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
ELSEWHERE = "127.0.0.2"


def rejected(server: LoopbackServer, reason: str) -> float:
    """How many calls were refused for a reason."""
    return server.server.metrics.registry.get_sample_value("sniffai_rejected_total", {"reason": reason}) or 0.0


def held(server: LoopbackServer) -> dict[str, float]:
    """What the gauges say that callers hold."""
    sample = server.server.metrics.registry.get_sample_value
    return {what: sample("sniffai_held", {"what": what}) or 0.0 for what in ("calls", "watches", "request_bytes")}


def nothing_held(server: LoopbackServer) -> bool:
    return not any(held(server).values())


def legal_moves() -> bytes:
    return rules_service_pb2.ListLegalMovesRequest(view=view_message(story())).SerializeToString()


def moves_from(server: LoopbackServer, source: str) -> bytes:
    """What an ordinary call from an address is answered."""
    with RawConnection(server.address, source=source) as connection:
        stream = connection.call("sniffai.v1.RulesService/ListLegalMoves", legal_moves())
        assert connection.wait(stream)
        return bytes(connection.streams[stream].data)


@pytest.mark.parametrize("method", [RECOMMEND, REVIEW, STREAM, CHECK, WATCH])
@pytest.mark.parametrize("count", [0, 2])
def test_a_call_with_another_number_of_messages_gets_its_status_at_once(
    server: LoopbackServer, method: str, count: int
) -> None:
    before = rejected(server, "NOT_ONE_MESSAGE")
    with RawConnection(server.address) as connection:
        stream = connection.open(method, end=count == 0)
        if count:
            connection.data(stream, prefixed(b"") * count, end=True)
        assert connection.wait(stream, 5)
        assert not connection.streams[stream].data
    wait_until(lambda: rejected(server, "NOT_ONE_MESSAGE") == before + 1)
    wait_until(lambda: nothing_held(server))


@pytest.mark.parametrize("method", [RECOMMEND, REVIEW, STREAM, CHECK, WATCH, REFLECTION])
@pytest.mark.parametrize("body", ["none", "part", "no end"])
def test_a_request_has_a_time_to_arrive(method: str, body: str) -> None:
    with running_server(request_seconds=0.3) as server, RawConnection(server.address) as connection:
        stream = connection.open(method)
        if body == "part":
            connection.data(stream, prefixed(bytes(100), said=1000))
        elif body == "no end" and method != REFLECTION:
            connection.data(stream, prefixed(b""))
        assert connection.wait(stream, 5)
        wait_until(lambda: rejected(server, "REQUEST_TOO_SLOW") == 1)
        wait_until(lambda: nothing_held(server))


def test_unfinished_bodies_leave_room_for_others() -> None:
    """One address leaves 200 bodies unfinished: it holds a quarter of the room, and another is served at once."""
    with running_server(max_held_bytes=8 << 20, request_seconds=2) as server:
        with RawConnection(server.address) as connection:
            streams = [connection.open(REVIEW) for _ in range(200)]
            for stream in streams:
                connection.data(stream, prefixed(bytes(10_000), said=500_000))
            wait_until(lambda: held(server)["request_bytes"] == 2 << 20)
            wait_until(lambda: held(server)["calls"] == 200)
            assert moves_from(server, ELSEWHERE)
            wait_until(lambda: held(server)["request_bytes"] == 2 << 20)
            assert all(connection.wait(stream, 10) for stream in streams)
        reasons = ("REQUEST_TOO_SLOW", "TOO_MANY_REQUEST_BYTES")
        wait_until(lambda: sum(rejected(server, reason) for reason in reasons) == 200)
        assert all(rejected(server, reason) >= 2 for reason in reasons)
        wait_until(lambda: nothing_held(server))
        assert moves_from(server, "127.0.0.1")


def test_without_a_key_nothing_of_a_body_is_read(keys: KeyFile) -> None:
    keys.add("alice")
    with running_server(keys_file=str(keys.path)) as server, RawConnection(server.address) as connection:
        streams = [connection.open(method) for method in (RECOMMEND, REVIEW, STREAM, REFLECTION)]
        assert all(connection.wait(stream, 5) for stream in streams)
        wait_until(lambda: rejected(server, "KEY_MISSING") == 4)
        assert nothing_held(server)


def test_open_calls_are_bounded_for_each_caller_and_for_all() -> None:
    with running_server(max_calls=8) as server, RawConnection(server.address) as connection:
        streams = [connection.open(RECOMMEND) for _ in range(3)]
        assert connection.wait(streams[2], 5)
        assert held(server)["calls"] == 2
        others = [RawConnection(server.address, source=f"127.0.0.{number}") for number in range(2, 6)]
        for other in others:
            for _ in range(2):
                other.open(RECOMMEND)
        wait_until(lambda: rejected(server, "TOO_MANY_OPEN_CALLS") == 3)
        assert held(server)["calls"] == 8
        for other in others:
            other.close()
        wait_until(lambda: held(server)["calls"] == 2)
        connection.reset(streams[0])
        wait_until(lambda: held(server)["calls"] == 1)


def test_refusals_at_a_bound_say_whose_bound_and_when_to_come_back() -> None:
    with running_server(max_calls=4) as server, stubs_of(server.address) as stubs:
        request = pb.AnalyzeRequest(view=view_message(choice()), limits={"time": {"seconds": 15}})
        call = stubs.analysis.Analyze.future(request, timeout=TIMEOUT)
        wait_until(lambda: held(server)["calls"] == 1)
        refusal = failure(lambda: stubs.analysis.Analyze(request, timeout=TIMEOUT))
        assert (refusal.code, refusal.reason) == ("RESOURCE_EXHAUSTED", "TOO_MANY_OPEN_CALLS")
        assert refusal.metadata == {"limit": "1 open calls", "own": "true"}
        assert refusal.retry_after == 1
        call.cancel()
        wait_until(lambda: nothing_held(server))


def test_watches_are_bounded_and_keep_nobody_from_the_health() -> None:
    with running_server(max_watches=8) as server, stubs_of(server.address) as stubs:
        health = health_pb2_grpc.HealthStub(stubs.channel)
        with RawConnection(server.address) as connection:
            watches = [connection.call(WATCH, b"") for _ in range(9)]
            wait_until(lambda: rejected(server, "TOO_MANY_WATCHES") == 7)
            assert held(server)["watches"] == 2
            reflection = connection.open(REFLECTION)
            assert connection.wait(reflection, 5)
            refusal = failure(lambda: list(health.Watch(health_pb2.HealthCheckRequest(), timeout=TIMEOUT)))
            assert refusal.reason == "TOO_MANY_WATCHES"
            assert health.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT).status == 1
            with RawConnection(server.address, source=ELSEWHERE) as other:
                stream = other.call(WATCH, b"")
                wait_until(lambda: len(other.streams[stream].data) > 0)
            assert sum(not connection.streams[watch].ended for watch in watches) == 2
        wait_until(lambda: nothing_held(server))
        assert next(iter(health.Watch(health_pb2.HealthCheckRequest(), timeout=TIMEOUT))).status == 1


@pytest.mark.parametrize("method", ["Check", "Watch"])
def test_names_of_services_are_short(server: LoopbackServer, method: str) -> None:
    with grpc.insecure_channel(server.address) as channel:
        call = getattr(health_pb2_grpc.HealthStub(channel), method)
        request = health_pb2.HealthCheckRequest(service="x" * 5000)
        refusal = failure(lambda: list(call(request, timeout=TIMEOUT)) if method == "Watch" else call(request))
        assert (refusal.code, refusal.reason) == ("RESOURCE_EXHAUSTED", "REQUEST_TOO_LARGE")


def test_calls_of_a_connection_are_bounded() -> None:
    """Also for a caller who does not heed what the server says it may have open."""
    with running_server(max_streams=10) as server, RawConnection(server.address) as connection:
        for _ in range(50):
            connection.open(RECOMMEND)
        wait_until(lambda: connection.closed or connection.ended >= 40)
        assert held(server)["calls"] <= 10


def test_connections_are_bounded() -> None:
    with running_server(max_connections=5) as server:
        connections = [RawConnection(server.address) for _ in range(5)]
        for connection in connections:
            assert connection.wait(connection.call(CHECK, b""), 5)
        with RawConnection(server.address) as further:
            wait_until(lambda: further.closed)
        for connection in connections:
            connection.close()
        wait_until(lambda: not failed(lambda: moves_from(server, "127.0.0.1")))


def failed(call: Any) -> bool:
    try:
        return not call()
    except (AssertionError, OSError):
        return True


def test_a_refused_request_is_not_kept(server: LoopbackServer, stubs: SimpleNamespace) -> None:
    """Its message goes with its refusal, not when the garbage collector comes by."""
    request = pb.AnalyzeRequest(view=view_message(choice()))
    for _ in range(1000):
        request.include_moves.add()

    def kept() -> int:
        return sum(isinstance(one, pb.AnalyzeRequest) for one in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before = kept()
        for _ in range(3):
            call = stubs.channel.unary_unary(f"/{ANALYSIS}/Analyze")
            refusal = failure(lambda call=call: call(request.SerializeToString(), timeout=TIMEOUT))
            assert refusal.reason == "TOO_MANY"
        wait_until(lambda: kept() <= before)
    finally:
        gc.enable()
    wait_until(lambda: nothing_held(server))


# Readers who take nothing


@pytest.fixture
def impatient() -> Iterator[LoopbackServer]:
    with running_server(write_seconds=0.6) as server:
        yield server


def stream_request(seconds: float) -> bytes:
    limits = {"time": {"seconds": int(seconds), "nanos": int(seconds % 1 * 1e9)}}
    return pb.StreamAnalyzeRequest(
        view=view_message(choice()), limits=limits, report_interval={"nanos": 50_000_000}
    ).SerializeToString()


@pytest.mark.parametrize("seconds", [0.5, 15])
def test_a_stream_whose_reader_takes_nothing_ends(impatient: LoopbackServer, seconds: float) -> None:
    """Whether its search has ended or goes on; and neither its slot nor its tree waits for the reader."""
    queue = impatient.server.searches.queue
    with RawConnection(impatient.address, window=0) as connection:
        stream = connection.call(STREAM, stream_request(seconds))
        wait_until(lambda: rejected(impatient, "READER_STALLED") == 1)
        assert (queue.busy, queue.reserved) == (0, 0)
        assert held(impatient)["calls"] == 1  # its status waits for the reader
        connection.open_window(stream, 10**6)
        assert connection.wait(stream, 5)
        wait_until(lambda: nothing_held(impatient))


def test_a_stalled_reader_gets_the_reason(impatient: LoopbackServer) -> None:
    options = [("grpc.http2.lookahead_bytes", 1024), ("grpc.http2.bdp_probe", 0)]
    with grpc.insecure_channel(impatient.address, options) as channel:
        call = channel.unary_stream(f"/{STREAM}")(stream_request(15), timeout=TIMEOUT)
        next(call)
        wait_until(lambda: rejected(impatient, "READER_STALLED") == 1)
        with pytest.raises(grpc.RpcError) as raised:
            list(call)
        refusal = told(raised.value)
        assert (refusal.code, refusal.reason) == ("DEADLINE_EXCEEDED", "READER_STALLED")
        assert refusal.message == "the client read nothing for 0.6 s"
        assert refusal.trailers["x-request-id"]


def test_an_answer_that_nobody_takes_counts_until_its_reader_hangs_up(caplog: pytest.LogCaptureFixture) -> None:
    request = pb.AnalyzeRequest(view=view_message(choice()), limits={"simulations": 100}).SerializeToString()
    with running_server() as server, caplog.at_level(logging.WARNING):
        with RawConnection(server.address, window=0) as connection:
            for _ in range(5):
                connection.call(f"{ANALYSIS}/Analyze", request)
            sample = server.server.metrics.registry.get_sample_value
            told = {"method": f"{ANALYSIS}/Analyze", "code": "OK"}
            wait_until(lambda: sample("sniffai_requests_total", told) == 5)
            assert held(server)["calls"] == 5
            assert (server.server.searches.busy, server.server.searches.queue.reserved) == (0, 0)
        wait_until(lambda: nothing_held(server))
    assert caplog.records == []


def test_stalled_readers_do_not_delay_other_reviews() -> None:
    """Of one class and one caller: as many as there are slots, and more, and all of them stall at once."""
    with running_server(slots=2, write_seconds=15) as server, stubs_of(server.address) as stubs:
        searches, stalls = server.server.searches, server.server.stalls
        with RawConnection(server.address, window=0) as connection:
            record = wire.write_record(match(rounds=1))
            request = review_request(match=record).SerializeToString()
            streams = [connection.call(REVIEW, request) for _ in range(4)]
            wait_until(lambda: stalls.count == 4 and searches.busy == 0)
            assert review(stubs, match=record)[-1].HasField("summary")
            for stream in streams:
                connection.open_window(stream, 10**8)
            assert all(connection.wait(stream) for stream in streams)
            assert stalls.count == 0
        wait_until(lambda: nothing_held(server))


def test_a_review_makes_few_pieces_ahead_of_its_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as many as there are slots, and no more while the reader takes nothing."""
    made: list[int] = []
    piece = reviews._piece

    def noted(index: int, *rest: Any) -> Any:
        made.append(index)
        return piece(index, *rest)

    monkeypatch.setattr(reviews, "_piece", noted)
    with running_server(slots=1, write_seconds=15) as server, RawConnection(server.address, window=0) as connection:
        stream = connection.call(REVIEW, review_request(limits={"simulations": 2000}).SerializeToString())
        wait_until(lambda: server.server.stalls.count == 1 and server.server.searches.busy == 0)
        written = len(made)
        time.sleep(0.3)
        searches = server.server.searches
        assert (len(made), searches.busy, searches.queue.reserved, server.server.stalls.count) == (written, 0, 0, 1)
        connection.open_window(stream, 10**8)
        assert connection.wait(stream)
        assert len(made) > written + 5
