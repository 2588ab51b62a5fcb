"""Faults of clients and of the server, as processes meet them: slots come back, memory stays, every status is proper.

Each fault hits a unary call and a stream at the same time, then the review of a match, with both slots busy. Slots are
read from the metrics port, memory from the process.
"""

import json
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest

from benchmarks.server.process import ServerProcess
from sniffai import Round, wire
from sniffai.v1 import analysis_pb2
from sniffai.v1 import analysis_service_pb2 as pb
from tests.server.support import TIMEOUT, choice, view_message
from tests.waiting import wait_until

CLIENT = Path(__file__).with_name("fault_client.py")
SERVICE = "/sniffai.v1.AnalysisService/"
METHODS = ("Analyze", "StreamAnalyze", "AnalyzeMatch")
PAIR = METHODS[:2]
"""A search in each slot."""
REVIEW = METHODS[2:]
"""As many searches as there are slots."""
TOGETHER = pytest.mark.parametrize("methods", [PAIR, REVIEW], ids=["analyses", "review"])
RESPONSES: dict[str, Any] = {
    "Analyze": pb.AnalyzeResponse,
    "StreamAnalyze": pb.StreamAnalyzeResponse,
    "AnalyzeMatch": pb.AnalyzeMatchResponse,
}
PINGS = {"keepalive_seconds": 1, "keepalive_timeout": 1}
"""A client that does not answer is given up after two seconds instead of eighty."""
THRIFT = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
"""For the C library: what is freed goes back at once, so that what is kept shows."""
GROWTH = 8 << 20
"""Bytes that a server may have gained over all faults since it was warm; one tree that stays would be some 20 MB."""
MOVES = 6
"""Of the round that is reviewed."""
LONG = {"limits": {"time": {"seconds": 30}}}


def request(method: str, **fields: Any) -> bytes:
    if method == "Analyze":
        return pb.AnalyzeRequest(view=view_message(choice()), **fields).SerializeToString()
    if method == "AnalyzeMatch":
        return pb.AnalyzeMatchRequest(match=wire.write_record([begun()]), **fields).SerializeToString()
    interval = {"nanos": 50_000_000}
    return pb.StreamAnalyzeRequest(view=view_message(choice()), report_interval=interval, **fields).SerializeToString()


def begun() -> Round:
    """A round after its first moves."""
    round_ = Round.deal(2, seed=1)
    for _ in range(MOVES):
        round_.play(round_.legal_moves()[0])
    return round_


def read(method: str, answers: list[str]) -> list[Any]:
    return [RESPONSES[method].FromString(bytes.fromhex(answer)) for answer in answers]


def is_last(answer: Any) -> bool:
    """Whether nothing may come after it."""
    if isinstance(answer, pb.AnalyzeMatchResponse):
        return answer.HasField("summary")
    final: bool = answer.analysis.final
    return final


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

    def told(self) -> tuple[str, list[Any]]:
        """The status of its call, which is a proper one, and the answers; a good call has one that ends it."""
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], TIMEOUT)[0]
        end = json.loads(self.process.stdout.readline())
        assert end["code"] not in ("UNKNOWN", "INTERNAL"), end["message"]
        found = read(self.method, end["answers"])
        good = end["code"] == "OK"
        assert [is_last(one) for one in found] == [False] * (len(found) - good) + [True] * good
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

    PIECE = 100
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
    with holding(server, PAIR, limits={"time": {"seconds": 1, "nanos": 500_000_000}}) as clients:
        assert {client.told()[0] for client in clients} == {"OK"}
    check_answers(server, {"simulations": 50})


@contextmanager
def holding(
    server: ServerProcess, methods: Sequence[str], *addresses: str, timeout: float = TIMEOUT, **fields: Any
) -> Iterator[list[Client]]:
    """A client for each method; together they hold both slots."""
    at = addresses or (server.address,) * len(methods)
    clients = [Client(one, method, timeout, **(fields or LONG)) for one, method in zip(at, methods, strict=True)]
    try:
        wait_until(lambda: busy(server) == 2)
        yield clients
    finally:
        for client in clients:
            client.close()


def busy(server: ServerProcess) -> int:
    return int(server.metrics()["sniffai_slots_busy"])


def reviewing(server: ServerProcess) -> bool:
    """Whether the server works at a review."""
    return server.metrics()['sniffai_requests_in_flight{method="sniffai.v1.AnalysisService/AnalyzeMatch"}'] > 0


def check_answers(server: ServerProcess, limits: dict[str, Any]) -> None:
    """New calls of all methods answer."""
    with grpc.insecure_channel(server.address) as channel:
        for method in METHODS:
            call = channel.unary_stream(SERVICE + method)
            answers = [answer.hex() for answer in call(request(method, limits=limits), timeout=TIMEOUT)]
            assert is_last(read(method, answers)[-1])


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


@TOGETHER
def test_cancel(shared: ServerProcess, warm: int, methods: Sequence[str]) -> None:
    with holding(shared, methods) as clients:
        for client in clients:
            client.say("cancel")
        check_sound(shared, warm)
        for client in clients:
            assert client.told()[0] == "CANCELLED"
            client.again()


@TOGETHER
def test_deadline(shared: ServerProcess, warm: int, methods: Sequence[str]) -> None:
    """A review has no answer before its end."""
    with holding(shared, methods, timeout=1.5) as clients:
        for client in clients:
            code, found = client.told()
            assert code == "DEADLINE_EXCEEDED" or (methods == PAIR and code == "OK")
            assert code != "OK" or found[-1].analysis.stop_reason == analysis_pb2.STOP_REASON_DEADLINE
            client.again()
        check_sound(shared, warm)


@TOGETHER
def test_killed_client(shared: ServerProcess, warm: int, methods: Sequence[str]) -> None:
    with holding(shared, methods) as clients:
        for client in clients:
            client.process.send_signal(signal.SIGKILL)
        check_sound(shared, warm)


@TOGETHER
@pytest.mark.parametrize("own", [PINGS], indirect=True)
def test_stopped_client(own: ServerProcess, methods: Sequence[str]) -> None:
    """It does not even answer pings, so its connection is given up."""
    memory = own.vitals().memory
    with holding(own, methods) as clients:
        for client in clients:
            client.process.send_signal(signal.SIGSTOP)
        check_sound(own, memory, seconds=10)
        for client in clients:
            client.process.send_signal(signal.SIGCONT)
            assert client.told()[0] in ("UNAVAILABLE", "CANCELLED")
            client.again()


@pytest.mark.parametrize(("methods", "seconds"), [(PAIR, 1.0), (REVIEW, 0.1)], ids=["analyses", "review"])
def test_slow_reader(shared: ServerProcess, warm: int, methods: Sequence[str], seconds: float) -> None:
    """Its answers trickle long after the searches have ended; nothing waits for them, and they are whole."""
    proxies = [Proxy(shared.address) for _ in methods]
    addresses = [proxy.address for proxy in proxies]
    try:
        with holding(shared, methods, *addresses, limits=time_limit(seconds)) as clients:
            if methods == REVIEW:  # between two of its searches no slot is busy either
                wait_until(lambda: not reviewing(shared), seconds=4)
            check_sound(shared, warm, seconds=4)
            for client, proxy in zip(clients, proxies, strict=True):
                assert client.process.stdout is not None
                assert not select.select([client.process.stdout], [], [], 0)[0]
                proxy.open()
                code, found = client.told()
                assert code == "OK"
                if methods == PAIR:
                    assert found[-1].analysis.stop_reason == analysis_pb2.STOP_REASON_TIME
                else:
                    assert len(found) - 1 == found[-1].total_count >= MOVES
    finally:
        for proxy in proxies:
            proxy.close()


def time_limit(seconds: float) -> dict[str, Any]:
    return {"time": {"seconds": int(seconds), "nanos": round(seconds % 1 * 1e9)}}


@TOGETHER
def test_terminated_server(own: ServerProcess, warm: int, methods: Sequence[str]) -> None:
    """Searches answer with what they have; a review cannot."""
    with holding(own, methods) as clients:
        assert own.end(signal.SIGTERM) == 0
        for client in clients:
            code, found = client.told()
            assert code == ("OK" if methods == PAIR else "UNAVAILABLE")
            assert code != "OK" or found[-1].analysis.stop_reason == analysis_pb2.STOP_REASON_SHUTDOWN
        own.start()
        for client in clients:
            client.again()
        check_sound(own, warm)


@TOGETHER
def test_killed_server(own: ServerProcess, warm: int, methods: Sequence[str]) -> None:
    with holding(own, methods) as clients:
        assert own.end(signal.SIGKILL) == -signal.SIGKILL
        for client in clients:
            assert client.told()[0] == "UNAVAILABLE"
        own.start()
        for client in clients:
            client.again()
        check_sound(own, warm)
