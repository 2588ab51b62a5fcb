"""What strangers can make a server hold, and keep from others: ``python -m benchmarks.server.hostile``. Linux only.

Each attack has a server of its own. Its resident memory is read from /proc while the attack lasts. See README.md.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import grpc
from google.protobuf.duration_pb2 import Duration
from grpc_health.v1 import health_pb2, health_pb2_grpc

import sniffai
from benchmarks.server.figures import Check, machine, quantile, verdict
from benchmarks.server.positions import leads
from benchmarks.server.process import ServerProcess
from benchmarks.server.raw import RawConnection, prefixed
from sniffai import wire
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai.v1 import analysis_service_pb2_grpc, limits_pb2, move_pb2
from sniffai_server.access.keys import entry_of, make_key

MEGABYTE: Final = 1e6
TIMEOUT: Final = 60.0
ANALYSIS: Final = "sniffai.v1.AnalysisService"
BODY: Final = 10**6
"""Bytes of a large request."""
VIEW: Final = wire.write_view(next(leads()))
SHORT: Final = limits_pb2.Limits(simulations=2000)


def closed_windows() -> list[Check]:
    """Twelve streams whose readers never open their windows, searched two at a time; all trees have 32 MB together."""
    request = pb.StreamAnalyzeRequest(view=VIEW, limits=_time(8), report_interval=Duration(nanos=50_000_000))
    with ServerProcess(slots=2, max_total_bytes=32_000_000, max_search_bytes=32_000_000) as server:
        before = server.vitals().memory
        with RawConnection(server.address, window=0) as connection:
            for _ in range(12):
                connection.call(f"{ANALYSIS}/StreamAnalyze", request.SerializeToString())
            grown = _peak(server, 55) - before
    return [_bound("12 streams with closed windows, trees of 32 MB together", grown, 80)]


def unfinished_bodies() -> list[Check]:
    """Three hundred calls on each of ten connections of one address, each with a body of 1 MB less its last byte."""
    with ServerProcess() as server:
        before = server.vitals().memory
        connections = [RawConnection(server.address) for _ in range(10)]
        for connection in connections:
            for _ in range(300):
                stream = connection.open(f"{ANALYSIS}/AnalyzeMatch")
                connection.data(stream, prefixed(bytes(BODY), said=BODY + 1))
        grown = _peak(server, 8) - before
        p99 = quantile(_health_waits(server.address), 0.99)
        for connection in connections:
            connection.close()
    return [
        _bound("3,000 unfinished bodies of 1 MB from one address", grown, 64),
        Check(f"health meanwhile: p99 {1000 * p99:.1f} ms (< 100)", p99 < 0.1),
    ]


def watches() -> list[Check]:
    """Nine hundred health watches of services with names of 100 kB."""
    with ServerProcess() as server:
        before = server.vitals().memory
        with grpc.insecure_channel(server.address) as channel:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            calls = [stub.Watch(health_pb2.HealthCheckRequest(service=f"{n:06}" + "x" * 99_994)) for n in range(900)]
            grown = _peak(server, 5) - before
            for call in calls:
                call.cancel()
    return [_bound("900 watches of names of 100 kB", grown, 40)]


def refusals() -> list[Check]:
    """Requests with 300,000 moves to include, one after the other, all refused: what stays afterwards."""
    request = pb.AnalyzeRequest(view=VIEW, include_moves=[move_pb2.Move()] * 300_000)
    with ServerProcess() as server:
        before = server.vitals().memory
        with grpc.insecure_channel(server.address) as channel:
            stub = analysis_service_pb2_grpc.AnalysisServiceStub(channel)
            for _ in range(50):
                stub.Analyze.future(request, timeout=TIMEOUT).exception()
        time.sleep(1)
        kept = server.vitals().memory - before
    return [_bound("after 50 refused requests of 600 kB", kept, 20)]


def stalled_reviews() -> list[Check]:
    """Six reviews whose readers take nothing, and one that is read."""
    with ServerProcess(slots=2) as server, RawConnection(server.address, window=0) as connection:
        request = pb.AnalyzeMatchRequest(match=_match(), limits=SHORT)
        for _ in range(6):
            connection.call(f"{ANALYSIS}/AnalyzeMatch", request.SerializeToString())
        time.sleep(1)
        with grpc.insecure_channel(server.address) as channel:
            started = time.perf_counter()
            answers = list(
                analysis_service_pb2_grpc.AnalysisServiceStub(channel).AnalyzeMatch(request, timeout=TIMEOUT)
            )
            took = time.perf_counter() - started
    whole = bool(answers) and answers[-1].HasField("summary")
    return [Check(f"a review beside six that nobody reads: {took:.1f} s, whole: {whole} (< 20)", whole and took < 20)]


def many_searches() -> list[Check]:
    """One client with 66 searches of a minute, while another asks for short ones."""
    request = pb.AnalyzeRequest(view=VIEW, limits=_time(60))
    with _two_clients(slots=2) as (stub, busy, other):
        calls = [stub.Analyze.future(request, metadata=busy) for _ in range(66)]
        check = _short_ones(stub, other, "66 searches of a minute by another client")
        for call in calls:
            call.cancel()
    return [check]


def long_review() -> list[Check]:
    """One client with a bulk review of a minute a placement, while another asks for short analyses."""
    request = pb.AnalyzeMatchRequest(match=_match(), limits=_time(60))
    with _two_clients(slots=1) as (stub, busy, other):
        review = stub.AnalyzeMatch(request, metadata=busy)
        check = _short_ones(stub, other, "a bulk review of a minute a placement by another client")
        review.cancel()
    return [check]


def _short_ones(stub: Any, metadata: Any, beside: str) -> Check:
    """How long short analyses take beside something else."""
    time.sleep(1)
    waits, codes = [], set()
    for _ in range(20):
        started = time.perf_counter()
        asked = stub.Analyze.future(pb.AnalyzeRequest(view=VIEW, limits=SHORT), metadata=metadata, timeout=TIMEOUT)
        codes.add(asked.code().name)
        waits.append(time.perf_counter() - started)
    p50, most = quantile(waits, 0.5), max(waits)
    text = f"short analyses beside {beside}: p50 {1000 * p50:.0f} ms, at most {1000 * most:.0f} ms (< 1000), {codes}"
    return Check(text, codes == {"OK"} and most < 1)


ATTACKS: Final[dict[str, Callable[[], list[Check]]]] = {
    "windows": closed_windows,
    "bodies": unfinished_bodies,
    "watches": watches,
    "refusals": refusals,
    "reviews": stalled_reviews,
    "searches": many_searches,
    "review": long_review,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the attacks; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=ATTACKS)
    chosen = parser.parse_args(arguments).only
    print(machine())
    return verdict([check for name, attack in ATTACKS.items() if chosen in (None, name) for check in attack()])


@contextmanager
def _two_clients(slots: int) -> Iterator[tuple[Any, Any, Any]]:
    """The stub of a server that takes two keys, and the metadata of each."""
    with TemporaryDirectory() as folder:
        file, metadata = Path(folder) / "keys.toml", []
        entries = []
        for name in ("one", "other"):
            key = make_key()
            entries.append(entry_of(name, key, {}))
            metadata.append([("authorization", f"Bearer {key}")])
        file.write_text("\n".join(entries), encoding="utf-8")
        with ServerProcess(slots=slots, keys_file=file) as server, grpc.insecure_channel(server.address) as channel:
            yield analysis_service_pb2_grpc.AnalysisServiceStub(channel), metadata[0], metadata[1]


def _peak(server: ServerProcess, seconds: float) -> int:
    """The most memory that a server holds for some time, in bytes."""
    end, most = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        most = max(most, server.vitals().memory)
        time.sleep(0.05)
    return most


def _health_waits(address: str) -> list[float]:
    """How long answers about the health take, in seconds."""
    waits = []
    with grpc.insecure_channel(address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        for _ in range(100):
            started = time.perf_counter()
            stub.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT)
            waits.append(time.perf_counter() - started)
    return waits


def _match() -> Any:
    """A match of one round, played by a rule."""
    round_ = sniffai.Round.deal(2, 1)
    while not round_.over:
        round_.play(round_.legal_moves()[0])
    return wire.write_record([round_])


def _time(seconds: int) -> limits_pb2.Limits:
    return limits_pb2.Limits(time=Duration(seconds=seconds))


def _bound(text: str, grown: int, most: float) -> Check:
    return Check(f"{text}: {grown / MEGABYTE:.0f} MB (< {most})", grown < most * MEGABYTE)


if __name__ == "__main__":
    sys.exit(main())
