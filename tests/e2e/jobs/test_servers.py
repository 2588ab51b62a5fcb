"""Jobs on real server processes, which are killed, drained and watched."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import grpc
import pytest

from benchmarks.server.process import ServerProcess
from sniffai import Limits, Round, View
from sniffai.client import Client, ServiceError, job_servers
from sniffai.client.executor import GrpcExecutor
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai.v1 import analysis_service_pb2_grpc as pb_grpc
from tests.e2e.jobs.work import LONG, driver, expected, short, texts
from tests.server.support import choice, running_server, view_message
from tests.waiting import TIMEOUT, wait_until

JOBS = {"SNIFFAI_JOBS": "true", "SNIFFAI_MATCHES_DATABASE": "memory", "SNIFFAI_MIN_PING_SECONDS": "0.5"}


@pytest.fixture
def servers() -> Iterator[list[ServerProcess]]:
    with ExitStack() as stack:
        yield [stack.enter_context(ServerProcess(environment=JOBS, slots=1, grace_seconds=1)) for _ in range(3)]


@pytest.fixture
def server() -> Iterator[ServerProcess]:
    with ServerProcess(environment=JOBS, slots=1) as running:
        yield running


def children(server: ServerProcess) -> dict[int, str]:
    """The processes of a server that do jobs, with the state of each: ``T`` if it is stopped."""
    assert server.process is not None
    pid, found = server.process.pid, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                state, parent, *_ = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(parent) == pid:
                found[int(folder.name)] = state
    return found


def is_there(pid: int) -> bool:
    """Whether a process runs or stands; one that has ended and was not waited for is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_one_server_killed_and_one_drained_in_mid_run(servers: list[ServerProcess]) -> None:
    """The results are those of this process, to the byte, and each is there once. A server that is back gets jobs."""
    with GrpcExecutor([server.address for server in servers]) as executor, closing(executor.run(short(24))) as results:
        found = [next(results)]
        servers[0].end(signal.SIGKILL)
        found.append(next(results))
        drained = threading.Thread(target=servers[1].end)
        drained.start()
        found += [next(results) for _ in range(4)]
        servers[0].start()
        found += results
        drained.join(TIMEOUT)
    assert texts(found) == expected(24)
    assert servers[0].metrics()['sniffai_requests_total{code="OK",method="sniffai.v1.JobService/RunJob"}'] > 0


def test_jobs_end_with_their_driver_however_it_ends(server: ServerProcess) -> None:
    for number in (signal.SIGKILL, signal.SIGINT):
        with driver(f"grpc:{server.address}") as process:
            wait_until(lambda: server.metrics()["sniffai_slots_busy"] == 1)
            process.send_signal(number)
            wait_until(lambda: server.metrics()["sniffai_slots_busy"] == 0 == server.metrics()["sniffai_jobs"])
            assert process.wait(TIMEOUT) != 0


def test_processes_of_jobs_end_with_their_server_even_if_they_stand_still(server: ServerProcess) -> None:
    """Killed in the middle of a search for which the process of a job was stopped."""
    view = Round.deal(2, seed=3, leader=0).view(0)
    asked = Client(server.address, timeout=TIMEOUT)
    with GrpcExecutor([server.address]) as executor, asked as client:
        list(executor.run(short(1)))  # now there is a process
        spread = threading.Thread(target=run, args=(executor,), daemon=True)
        spread.start()
        wait_until(lambda: children(server))
        wait_until(lambda: server.metrics()["sniffai_slots_busy"] == 1)
        search = threading.Thread(target=recommend, args=(client, view), daemon=True)
        search.start()
        wait_until(lambda: "T" in children(server).values())
        stopped = children(server)
        server.end(signal.SIGKILL)
        wait_until(lambda: not any(map(is_there, stopped)))


def run(executor: GrpcExecutor) -> None:
    with contextlib.suppress(ServiceError, ValueError):  # as in recommend(); later the connection is closed
        list(executor.run([LONG]))


def recommend(client: Client, view: View) -> None:
    with contextlib.suppress(ServiceError):  # the server is killed in the middle
        client.recommend(view, limits=Limits(seconds=TIMEOUT))


def test_a_server_that_hangs_is_passed_over(servers: list[ServerProcess], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is stopped, so that its connections stay and nothing answers: pings find out, here after two seconds."""
    names = ("grpc.keepalive_time_ms", "grpc.keepalive_timeout_ms", "grpc.http2.ping_timeout_ms")
    quick = dict(job_servers.OPTIONS) | dict.fromkeys(names, 1000)
    monkeypatch.setattr(job_servers, "OPTIONS", list(quick.items()))
    hung = servers[0].process
    assert hung is not None
    with GrpcExecutor([server.address for server in servers]) as executor, closing(executor.run(short(12))) as results:
        found = [next(results)]
        os.kill(hung.pid, signal.SIGSTOP)
        found += results
    os.kill(hung.pid, signal.SIGCONT)
    assert texts(found) == expected(12)


@pytest.mark.parametrize(("least", "code"), [(0.5, "OK"), (60.0, "UNAVAILABLE")])
def test_how_often_clients_may_ping(least: float, code: str) -> None:
    """Every second, here. gRPC's own limit is five minutes, so that the executor could not notice servers that hang."""
    pings = [("grpc.keepalive_time_ms", 1000), ("grpc.http2.max_pings_without_data", 0)]
    request = pb.AnalyzeRequest(view=view_message(choice()), limits={"time": {"seconds": 6}})
    with running_server(min_ping_seconds=least) as server, grpc.insecure_channel(server.address, pings) as channel:
        call = pb_grpc.AnalysisServiceStub(channel).Analyze.future(request, timeout=TIMEOUT)
        assert call.code().name == code


def test_a_neighbour_with_jobs_is_measured() -> None:
    """In a process of its own: a test with a browser leaves an event loop running in this one."""
    command = [sys.executable, "-m", "benchmarks.server.neighbour", "--jobs", "--calls", "3", "--open", "4"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "PASS  no call of the other one is refused: {'OK': 3}" in done.stdout, done.stderr
