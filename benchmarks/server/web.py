"""What a call by HTTP costs beside the same call by gRPC: 30 seconds. See README.md.

One client, one connection each, one call after the other, in turns. The server's processor time is counted by the
system, so other work on the machine hardly disturbs it.
"""

import argparse
import http.client
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import grpc
from google.protobuf import json_format

from benchmarks.server.figures import machine
from benchmarks.server.process import ServerProcess, free_ports
from sniffai import wire
from sniffai.round import Round
from sniffai.v1 import analysis_service_pb2, engine_service_pb2, limits_pb2, rules_service_pb2

PACKAGE: Final = "sniffai.v1"
TICK: Final = 1 / os.sysconf("SC_CLK_TCK")
Way = Callable[[str, Any, Any], Callable[[], None]]


def cpu_seconds(pid: int) -> float:
    """Processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def by_grpc(address: str, stack: ExitStack) -> Way:
    """Calls by gRPC."""
    channel = stack.enter_context(grpc.insecure_channel(address))

    def way(method: str, request: Any, answer: Any) -> Callable[[], None]:
        call: Any = channel.unary_unary(
            f"/{PACKAGE}.{method}", request_serializer=type(request).SerializeToString, response_deserializer=answer
        )
        return lambda: call(request, timeout=30)

    return way


def by_http(port: int, kind: str, stack: ExitStack) -> Way:
    """Calls by Connect.

    :param kind: ``"json"`` or ``"proto"``.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    stack.callback(connection.close)

    def way(method: str, request: Any, answer: Any) -> Callable[[], None]:
        body = json_format.MessageToJson(request).encode() if kind == "json" else request.SerializeToString()
        read: Callable[[bytes], Any] = json.loads if kind == "json" else answer

        def call() -> None:
            connection.request("POST", f"/{PACKAGE}.{method}", body, {"content-type": f"application/{kind}"})
            got = connection.getresponse()
            content = got.read()
            assert got.status == 200, content
            read(content)

        return call

    return way


def requests() -> dict[str, tuple[Any, Any]]:
    """A request for each method, and what decodes the answer."""
    dealt = Round.deal(players=2, seed=24)
    view = wire.write_view(dealt.view(dealt.seat))
    limits = limits_pb2.Limits(simulations=500)
    return {
        "EngineService/GetEngineInfo": (
            engine_service_pb2.GetEngineInfoRequest(),
            engine_service_pb2.GetEngineInfoResponse.FromString,
        ),
        "RulesService/ListLegalMoves": (
            rules_service_pb2.ListLegalMovesRequest(view=view),
            rules_service_pb2.ListLegalMovesResponse.FromString,
        ),
        "AnalysisService/RecommendMove": (
            analysis_service_pb2.RecommendMoveRequest(view=view, limits=limits),
            analysis_service_pb2.RecommendMoveResponse.FromString,
        ),
    }


def measure(pid: int, calls: dict[str, Callable[[], None]], turns: int, count: int) -> dict[str, tuple[float, float]]:
    """The median seconds of a call as its client sees it, and the server's processor seconds for one, by way."""
    walls: dict[str, list[float]] = {name: [] for name in calls}
    spent = dict.fromkeys(calls, 0.0)
    for _ in range(turns):
        for name, call in calls.items():
            before = cpu_seconds(pid)
            for _ in range(count):
                started = time.perf_counter()
                call()
                walls[name].append(time.perf_counter() - started)
            spent[name] += cpu_seconds(pid) - before
    return {name: (statistics.median(walls[name]), spent[name] / turns / count) for name in calls}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns the exit status."""
    parser = argparse.ArgumentParser(description="Compare calls by HTTP with calls by gRPC.")
    parser.add_argument("--turns", type=int, default=10, help="turns of each way (default: %(default)s)")
    parser.add_argument("--count", type=int, default=100, help="calls a turn (default: %(default)s)")
    options = parser.parse_args(arguments)
    print(machine())
    (port,) = free_ports(1)
    with ExitStack() as stack:
        plain, web = stack.enter_context(ServerProcess()), stack.enter_context(ServerProcess(web_port=port))
        ways = {
            "gRPC, no HTTP port": (plain, by_grpc(plain.address, stack)),
            "gRPC": (web, by_grpc(web.address, stack)),
            "Connect, binary": (web, by_http(port, "proto", stack)),
            "Connect, JSON": (web, by_http(port, "json", stack)),
        }
        for method, (request, answer) in requests().items():
            print(f"{method}: median ms of a call, and ms of the server's processor time")
            for server in (plain, web):
                assert server.process is not None
                calls = {name: way(method, request, answer) for name, (its, way) in ways.items() if its is server}
                measure(server.process.pid, calls, 1, 20)
                for name, (wall, cpu) in measure(server.process.pid, calls, options.turns, options.count).items():
                    print(f"  {name:20} {wall * 1000:7.2f} {cpu * 1000:7.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
