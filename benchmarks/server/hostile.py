"""What strangers can make a server hold, and keep from others: ``python -m benchmarks.server.hostile``. Linux only.

Each attack has a server of its own. Its memory is read from /proc while the attack lasts and after it. See README.md.
"""

import argparse
import sys
import time
from collections.abc import Callable
from typing import Final

import grpc
from grpc_health.v1 import health_pb2

from benchmarks.server.figures import Check, machine, verdict
from benchmarks.server.positions import leads
from benchmarks.server.process import ServerProcess
from benchmarks.server.raw import RawConnection, prefixed
from sniffai import wire
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai.v1 import analysis_service_pb2_grpc

MEGABYTE: Final = 1e6
TIMEOUT: Final = 60.0
ANALYSIS: Final = "sniffai.v1.AnalysisService"
WATCH: Final = "grpc.health.v1.Health/Watch"
LONG: Final = {"time": {"seconds": 20}}
VIEW: Final = wire.write_view(next(leads()))

MATCH: Final = "\n".join(["match players=2"])


def closed_windows() -> Check:
    """Twelve streams, one after the other, whose readers never open their windows, with a cap of 32 MB for trees."""
    with ServerProcess(slots=2, max_total_bytes=32_000_000, max_search_bytes=32_000_000) as server:
        before = server.vitals().memory
        request = pb.StreamAnalyzeRequest(
            view=VIEW, limits={"time": {"seconds": 8}}, report_interval={"nanos": 10_000_000}
        )
        with RawConnection(server.address, window=0) as connection:
            for _ in range(12):
                connection.call(f"{ANALYSIS}/StreamAnalyze", request.SerializeToString())
            grown = peak(server, 60) - before
    return Check(f"12 streams with closed windows: {grown / MEGABYTE:.0f} MB (< 80)", grown < 80e6)


def unfinished_bodies() -> Check:
    """Three hundred calls on one connection, each with a body of 1 MB less its last byte."""
    with ServerProcess() as server:
        before = server.vitals().memory
        with RawConnection(server.address) as connection:
            for _ in range(300):
                stream = connection.open(f"{ANALYSIS}/AnalyzeMatch")
                connection.data(stream, prefixed(bytes(10**6), said=10**6 + 1))
            grown = peak(server, 3) - before
    return Check(f"300 unfinished bodies of 1 MB: {grown / MEGABYTE:.0f} MB (< 64)", grown < 64e6)


def watches() -> Check:
    """Nine hundred health watches of services with names of 100 kB."""
    with ServerProcess() as server:
        before = server.vitals().memory
        with grpc.insecure_channel(server.address) as channel:
            watch = channel.unary_stream(
                f"/{WATCH}", request_serializer=health_pb2.HealthCheckRequest.SerializeToString
            )
            calls = [watch(health_pb2.HealthCheckRequest(service=f"{n:06}" + "x" * 99_994)) for n in range(900)]
            grown = peak(server, 5) - before
            for call in calls:
                call.cancel()
    return Check(f"900 watches of names of 100 kB: {grown / MEGABYTE:.0f} MB (< 40)", grown < 40e6)


def refusals() -> Check:
    """A hundred requests with 300,000 moves to include, all refused; what stays afterwards."""
    with ServerProcess() as server:
        before = server.vitals().memory
        request = pb.AnalyzeRequest(view=VIEW)
        request.include_moves.extend([""] * 300_000) if isinstance(pb.AnalyzeRequest().include_moves, list) else [
            request.include_moves.add() for _ in range(300_000)
        ]
        codes = set()
        with grpc.insecure_channel(server.address) as channel:
            stub = analysis_service_pb2_grpc.AnalysisServiceStub(channel)
            for _ in range(20):
                call = stub.Analyze.future(request, timeout=TIMEOUT)
                codes.add(call.code().name)
        time.sleep(1)
        kept = server.vitals().memory - before
    return Check(f"after 20 refused requests of 600 kB ({codes}): {kept / MEGABYTE:.0f} MB more (< 15)", kept < 15e6)


def peak(server: ServerProcess, seconds: float) -> int:
    """The most memory that a server holds for some time."""
    end, most = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        most = max(most, server.vitals().memory)
        time.sleep(0.05)
    return most


ATTACKS: Final[dict[str, Callable[[], Check]]] = {
    "windows": closed_windows,
    "bodies": unfinished_bodies,
    "watches": watches,
    "refusals": refusals,
}


def main() -> int:
    """Run the attacks; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=ATTACKS)
    chosen = parser.parse_args().only
    print(machine())
    return verdict([attack() for name, attack in ATTACKS.items() if chosen in (None, name)])


if __name__ == "__main__":
    sys.exit(main())
