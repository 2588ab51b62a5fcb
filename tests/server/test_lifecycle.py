"""The process: its command line, its start, its end."""

import contextlib
import json
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from sniffai.v1 import analysis_pb2, analysis_service_pb2, analysis_service_pb2_grpc, engine_service_pb2
from sniffai_server import cli
from sniffai_server.app import _options
from sniffai_server.listening import ListenError
from sniffai_server.settings import Settings
from tests.server.support import (
    TIMEOUT,
    LoopbackServer,
    choice,
    failure,
    recommend,
    running_server,
    stubs_of,
    view_message,
)
from tests.waiting import wait_until

COMMAND = [sys.executable, "-m", "sniffai_server"]


@contextlib.contextmanager
def running_process() -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen([*COMMAND, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True) as server:
        yield server
        server.kill()


@pytest.fixture
def process() -> Iterator["subprocess.Popen[str]"]:
    with running_process() as server:
        yield server


@pytest.fixture(scope="module")
def another() -> Iterator[SimpleNamespace]:
    """The stubs of another process, and how long its first searches took, in seconds."""
    with running_process() as server, stubs_of(address_of(server)) as stubs:
        stubs.engine.GetEngineInfo(engine_service_pb2.GetEngineInfoRequest(), timeout=TIMEOUT)
        times = []
        for _ in range(7):
            begun = time.perf_counter()
            recommend(stubs, view_message(choice()), limits={"simulations": 500})
            times.append(time.perf_counter() - begun)
        yield SimpleNamespace(stubs=stubs, times=times)


def address_of(server: "subprocess.Popen[str]") -> str:
    """The address in the line that the server prints when it listens."""
    assert server.stdout is not None
    line = server.stdout.readline()
    assert line.startswith("sniffai-server ")
    return line.split()[-1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_drains(process: "subprocess.Popen[str]", number: signal.Signals) -> None:
    """A search in flight answers with what it has; the process ends well, and soon."""
    address = address_of(process)
    with grpc.insecure_channel(address) as channel:
        stub = analysis_service_pb2_grpc.AnalysisServiceStub(channel)
        request = analysis_service_pb2.AnalyzeRequest(view=view_message(choice()), limits={"time": {"seconds": 50}})
        call = stub.Analyze.future(request, timeout=TIMEOUT)
        time.sleep(0.5)
        started = time.monotonic()
        process.send_signal(number)
        found = call.result().analysis
        assert found.stop_reason == analysis_pb2.STOP_REASON_SHUTDOWN
        assert found.effort.simulations > 0
        assert process.wait(TIMEOUT) == 0
        assert time.monotonic() - started < 5
        assert failure(lambda: stub.Analyze(request, timeout=TIMEOUT)).code == "UNAVAILABLE"


def test_another_process_gives_the_same_bytes(another: SimpleNamespace, stubs: SimpleNamespace) -> None:
    request = {"view": view_message(choice()), "limits": {"simulations": 5000}, "seed": 21}
    there = recommend(another.stubs, **request)
    assert there.SerializeToString(deterministic=True) == recommend(stubs, **request).SerializeToString(
        deterministic=True
    )


def test_drain_lets_waiting_searches_answer_too() -> None:
    with running_server(slots=1) as server, grpc.insecure_channel(server.address) as channel:
        stub = analysis_service_pb2_grpc.AnalysisServiceStub(channel)
        request = analysis_service_pb2.AnalyzeRequest(view=view_message(choice()), limits={"time": {"seconds": 50}})
        calls = [stub.Analyze.future(request, timeout=TIMEOUT) for _ in range(3)]
        time.sleep(0.3)
        drain = threading.Thread(target=server.call, args=(server.server.drain(),))
        drain.start()
        reasons = [call.result().analysis.stop_reason for call in calls]
        drain.join(TIMEOUT)
        ended = server.server.metrics.registry.get_sample_value("sniffai_searches_total", {"stop_reason": "shutdown"})
    assert (reasons, ended) == ([analysis_pb2.STOP_REASON_SHUTDOWN] * 3, 3)


def test_streams_that_last_do_not_hold_the_end(process: "subprocess.Popen[str]") -> None:
    """Whoever watches the health learns that the server goes down; neither a watch nor reflection waits for more."""
    with grpc.insecure_channel(address_of(process)) as channel:
        watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(), timeout=TIMEOUT)
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        asked = threading.Event()
        reflect = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo
        listing = reflect(questions(asked), timeout=TIMEOUT)
        assert next(listing).list_services_response.service
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert [answer.status for answer in watch] == [health_pb2.HealthCheckResponse.NOT_SERVING]
        assert watch.code() == grpc.StatusCode.OK
        assert list(listing) == []
        assert process.wait(TIMEOUT) == 0
        assert time.monotonic() - started < 4  # the grace period is 5 s
        asked.set()


def questions(end: threading.Event) -> Iterator[reflection_pb2.ServerReflectionRequest]:
    """One question, and no end of them before it is called for."""
    yield reflection_pb2.ServerReflectionRequest(list_services="")
    end.wait(TIMEOUT)


def test_load_balancers_have_time_to_notice() -> None:
    """In the delay the server says NOT_SERVING and still answers."""
    with running_server(drain_delay=1.0) as server, stubs_of(server.address) as stubs:
        health = health_pb2_grpc.HealthStub(stubs.channel)
        drain = threading.Thread(target=server.call, args=(server.server.drain(),))
        drain.start()
        wait_until(lambda: health.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT).status != 1)
        assert recommend(stubs, view_message(choice()), limits={"simulations": 10}).move.tile
        drain.join(TIMEOUT)
        assert failure(lambda: recommend(stubs, view_message(choice()))).code == "UNAVAILABLE"


def test_a_watch_is_cancelled_like_any_call(server: LoopbackServer) -> None:
    with grpc.insecure_channel(server.address) as channel:
        watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(), timeout=TIMEOUT)
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        watch.cancel()
        wait_until(lambda: not server.server._watches._open)


def test_the_first_call_is_as_quick_as_the_others(another: SimpleNamespace) -> None:
    """Tables and nets are loaded before the server says that it serves."""
    assert another.times[0] < 5 * statistics.median(another.times[1:]) + 0.05


def test_old_connections_are_closed_in_good_order() -> None:
    with running_server(max_connection_seconds=1.0) as server, stubs_of(server.address) as stubs:
        peers, end = set(), time.monotonic() + 3
        while time.monotonic() < end:
            metadata = (("x-request-id", "age"),)
            request = engine_service_pb2.GetEngineInfoRequest()
            _, call = stubs.engine.GetEngineInfo.with_call(request, timeout=TIMEOUT, metadata=metadata)
            peers.add(call.code())
            time.sleep(0.02)
    assert peers == {grpc.StatusCode.OK}


def test_machinery_options() -> None:
    options = dict(_options(Settings(keepalive_seconds=1.5, max_seconds=10.0, max_connection_seconds=86_400.0)))
    assert options["grpc.so_reuseport"] == 0
    assert options["grpc.keepalive_time_ms"] == 1500
    assert options["grpc.keepalive_timeout_ms"] == 20_000
    assert options["grpc.http2.ping_timeout_ms"] == 20_000
    assert options["grpc.http2.min_ping_interval_without_data_ms"] == 20_000
    assert options["grpc.max_connection_age_ms"] == 86_400_000
    assert options["grpc.max_connection_age_grace_ms"] >= 10_000
    assert options["grpc.max_receive_message_length"] == 1 << 20


def test_port_clash_fails(server: LoopbackServer) -> None:
    port = server.address.rpartition(":")[2]
    done = subprocess.run(
        [*COMMAND, "serve", "--port", port], capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    assert done.returncode == 1
    assert f"cannot listen on {server.address}" in done.stderr
    with pytest.raises(ListenError), running_server(port=int(port)):
        pass


def test_health_command(server: LoopbackServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["health", "--address", server.address]) == 0
    assert cli.main(["health", "--port", server.address.rpartition(":")[2]]) == 0
    assert cli.main(["health", "--address", "127.0.0.1:1", "--timeout", "0.5"]) == 1
    assert capsys.readouterr().out == "SERVING\nSERVING\nNOT SERVING\n"


def test_info_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", "--slots", "3"]) == 0
    assert json.loads(capsys.readouterr().out)["search_slot_count"] == 3


@pytest.mark.parametrize("arguments", [[], ["fly"], ["serve", "--port", "70000"], ["serve", "--slots", "0"]])
def test_wrong_arguments(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert "usage: sniffai-server" in capsys.readouterr().err
