"""Faults of clients and of the server, as processes meet them: slots come back, memory stays, every status is proper.

Each fault hits a unary call and a stream at the same time, with both slots busy. Slots are read from the metrics port,
memory from the process.
"""

import json
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest

from benchmarks.server.process import ServerProcess
from sniffai.v1 import analysis_pb2
from sniffai.v1 import analysis_service_pb2 as pb
from tests.server.support import TIMEOUT, choice, view_message

CLIENT = Path(__file__).with_name("fault_client.py")
SERVICE = "/sniffai.v1.AnalysisService/"
METHODS = ("Analyze", "StreamAnalyze")
PINGS = {"keepalive_seconds": 1, "keepalive_timeout": 1}
"""A client that does not answer is given up after two seconds instead of eighty."""
THRIFT = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
"""For the C library: what is freed goes back at once, so that what is kept shows."""
GROWTH = 8 << 20
"""Bytes that a server may have gained over all faults since it was warm; one tree that stays would be some 20 MB."""
LONG = {"limits": {"time": {"seconds": 30}}}


def request(method: str, **fields: Any) -> bytes:
    if method == "Analyze":
        return pb.AnalyzeRequest(view=view_message(choice()), **fields).SerializeToString()
    interval = {"nanos": 50_000_000}
    return pb.StreamAnalyzeRequest(view=view_message(choice()), report_interval=interval, **fields).SerializeToString()


def analyses(method: str, answers: list[str]) -> list[analysis_pb2.Analysis]:
    kind: Any = pb.AnalyzeResponse if method == "Analyze" else pb.StreamAnalyzeResponse
    return [kind.FromString(bytes.fromhex(answer)).analysis for answer in answers]


class Client:
    """A process with one call in flight."""

    def __init__(self, address: str, method: str, timeout: float, **fields: Any) -> None:
        self.method = method
        asked = {
            "address": address,
            "method": SERVICE + method,
            "timeout": timeout,
            "request": request(method, **fields).hex(),
            "again": request(method, limits={"simulations": 50}).hex(),
        }
        command = [sys.executable, str(CLIENT), json.dumps(asked)]
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=null, text=True)

    def say(self, word: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def told(self) -> tuple[str, list[analysis_pb2.Analysis]]:
        """The status of its call, which is a proper one, and the answers; of a good call the last alone is final."""
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], TIMEOUT)[0]
        end = json.loads(self.process.stdout.readline())
        assert end["code"] not in ("UNKNOWN", "INTERNAL"), end["message"]
        found = analyses(self.method, end["answers"])
        good = end["code"] == "OK"
        assert [one.final for one in found] == [False] * (len(found) - good) + [True] * good
        return end["code"], found

    def again(self) -> None:
        """Another call over the same connection answers."""
        self.say("again")
        assert self.told()[0] == "OK"

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


class Proxy:
    """Stands between a client and the server, and reads the server's answers slowly until it is opened."""

    PIECE = 400
    PAUSE = 0.1

    def __init__(self, address: str) -> None:
        self._opened = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._server = socket.socket()
        self._server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        host, _, port = address.rpartition(":")
        self._server.connect((host, int(port)))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def open(self) -> None:
        self._opened.set()

    def close(self) -> None:
        self.open()
        for one in (self._listener, self._server):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._thread.join(TIMEOUT)

    def _serve(self) -> None:
        client, _ = self._listener.accept()
        there = threading.Thread(target=self._pass, args=(client, self._server, False), daemon=True)
        there.start()
        self._pass(self._server, client, True)
        there.join(TIMEOUT)
        client.close()

    def _pass(self, source: socket.socket, target: socket.socket, slowly: bool) -> None:
        with suppress(OSError):  # the other side may be gone
            while data := source.recv(self.PIECE if slowly and not self._opened.is_set() else 65536):
                target.sendall(data)
                if slowly:
                    self._opened.wait(self.PAUSE)
            target.shutdown(socket.SHUT_WR)


@pytest.fixture(scope="module")
def shared() -> Iterator[ServerProcess]:
    with ServerProcess(slots=2, environment=THRIFT) as server:
        warm_up(server)
        yield server
        assert server.end() == 0


@pytest.fixture(scope="module")
def warm(shared: ServerProcess) -> int:
    """Bytes that the shared server held before all faults."""
    return shared.vitals().memory


@pytest.fixture
def own(request: pytest.FixtureRequest) -> Iterator[ServerProcess]:
    """A server for one fault."""
    with ServerProcess(slots=2, environment=THRIFT, **getattr(request, "param", {})) as server:
        yield server


def warm_up(server: ServerProcess) -> None:
    """Two searches as long as any below: what the allocator keeps of their trees is kept now."""
    with both(server, timeout=2) as clients:
        assert {client.told()[0] for client in clients} == {"OK"}


@contextmanager
def both(server: ServerProcess, *addresses: str, timeout: float = TIMEOUT, **fields: Any) -> Iterator[list[Client]]:
    """A unary client and a streaming one, each with its search in a slot."""
    at = addresses or (server.address,) * 2
    clients = [Client(one, method, timeout, **(fields or LONG)) for one, method in zip(at, METHODS, strict=True)]
    try:
        wait_until(lambda: busy(server) == 2)
        yield clients
    finally:
        for client in clients:
            client.close()


def busy(server: ServerProcess) -> int:
    return int(server.metrics()["sniffai_slots_busy"])


def wait_until(condition: Callable[[], bool], seconds: float = TIMEOUT) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def check_answers(server: ServerProcess, limits: dict[str, Any]) -> None:
    """A new unary call and a new stream answer."""
    with grpc.insecure_channel(server.address) as channel:
        for method in METHODS:
            call = channel.unary_stream(SERVICE + method)
            answers = [answer.hex() for answer in call(request(method, limits=limits), timeout=TIMEOUT)]
            assert analyses(method, answers)[-1].final


def check_sound(server: ServerProcess, memory: int, seconds: float = 2.0) -> None:
    """Both slots come back within the time, memory stays, no call ended with a status that none should, calls answer.

    :param memory: bytes that the process held before the fault.
    """
    wait_until(lambda: busy(server) == 0, seconds)
    check_answers(server, {"simulations": 50})
    assert server.vitals().memory < memory + GROWTH
    samples = server.metrics()
    assert [name for name in samples if 'code="UNKNOWN"' in name or 'code="INTERNAL"' in name] == []
    assert samples["sniffai_tree_reserved_bytes"] == 0


def test_cancel(shared: ServerProcess, warm: int) -> None:
    with both(shared) as clients:
        for client in clients:
            client.say("cancel")
        check_sound(shared, warm)
        for client in clients:
            assert client.told()[0] == "CANCELLED"
            client.again()


def test_deadline(shared: ServerProcess, warm: int) -> None:
    with both(shared, timeout=1.5) as clients:
        for client in clients:
            code, found = client.told()
            assert code in ("OK", "DEADLINE_EXCEEDED")
            assert code != "OK" or found[-1].stop_reason == analysis_pb2.STOP_REASON_DEADLINE
            client.again()
        check_sound(shared, warm)


def test_killed_client(shared: ServerProcess, warm: int) -> None:
    with both(shared) as clients:
        for client in clients:
            client.process.send_signal(signal.SIGKILL)
        check_sound(shared, warm)


@pytest.mark.parametrize("own", [PINGS], indirect=True)
def test_stopped_client(own: ServerProcess) -> None:
    """It does not even answer pings, so its connection is given up."""
    memory = own.vitals().memory
    with both(own) as clients:
        for client in clients:
            client.process.send_signal(signal.SIGSTOP)
        check_sound(own, memory, seconds=10)
        for client in clients:
            client.process.send_signal(signal.SIGCONT)
            assert client.told()[0] in ("UNAVAILABLE", "CANCELLED")
            client.again()


def test_slow_reader(shared: ServerProcess, warm: int) -> None:
    """Its answers trickle long after the searches have ended; nothing waits for them, and they are whole."""
    proxies = [Proxy(shared.address) for _ in METHODS]
    addresses = [proxy.address for proxy in proxies]
    try:
        with both(shared, *addresses, limits={"time": {"seconds": 1}}) as clients:
            check_sound(shared, warm, seconds=4)
            for client, proxy in zip(clients, proxies, strict=True):
                assert client.process.stdout is not None
                assert not select.select([client.process.stdout], [], [], 0)[0]
                proxy.open()
                code, found = client.told()
                assert (code, found[-1].stop_reason) == ("OK", analysis_pb2.STOP_REASON_TIME)
    finally:
        for proxy in proxies:
            proxy.close()


def test_terminated_server(own: ServerProcess, warm: int) -> None:
    with both(own) as clients:
        assert own.end(signal.SIGTERM) == 0
        for client in clients:
            code, found = client.told()
            assert (code, found[-1].stop_reason) == ("OK", analysis_pb2.STOP_REASON_SHUTDOWN)
        own.start()
        for client in clients:
            client.again()
        check_sound(own, warm)


def test_killed_server(own: ServerProcess, warm: int) -> None:
    with both(own) as clients:
        assert own.end(signal.SIGKILL) == -signal.SIGKILL
        for client in clients:
            assert client.told()[0] == "UNAVAILABLE"
        own.start()
        for client in clients:
            client.again()
        check_sound(own, warm)
