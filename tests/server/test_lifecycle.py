"""The process: its command line, its start, its end."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import grpc
import pytest

from sniffai.v1 import analysis_pb2, analysis_service_pb2, analysis_service_pb2_grpc
from sniffai_server import cli
from sniffai_server.app import ListenError
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

COMMAND = [sys.executable, "-m", "sniffai_server"]


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([*COMMAND, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True) as server:
        yield server
        server.kill()


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


def test_another_process_gives_the_same_bytes(process: "subprocess.Popen[str]", stubs: SimpleNamespace) -> None:
    request = {"view": view_message(choice()), "limits": {"simulations": 5000}, "seed": 21}
    with stubs_of(address_of(process)) as others:
        there = recommend(others, **request)
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
    assert reasons == [analysis_pb2.STOP_REASON_SHUTDOWN] * 3


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
