"""A short call beside a health check: ``python -m benchmarks.server.ratios``.

One client asks on one connection, in turns: a health check, a move that is forced, one of a level that does not search,
and a search of one simulation. Other work on the machine disturbs all of them alike, so the ratios tell more than the
times.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

import sniffai
from benchmarks.server.figures import Check, machine, quantile, verdict
from benchmarks.server.process import ServerProcess
from sniffai import wire
from sniffai.v1 import analysis_service_pb2_grpc
from sniffai.v1.analysis_service_pb2 import RecommendMoveRequest

MOST: Final = {"forced": 1.4, "one simulation": 1.7}
"""How many times as long as a health check a call may take, p50."""
WARM: Final = 50
"""Turns before those that count."""


def views(*, forced: bool) -> Iterator[sniffai.View]:
    """What the seat to move knows in some rounds: where it has one move, or where it has a choice."""
    for players in (2, 3, 4):
        for seed in range(3):
            round_ = sniffai.Round.deal(players, seed)
            while not round_.over:
                moves = round_.legal_moves()
                if (len(moves) == 1) == forced and (forced or len(round_.moves) % 3 == 0):
                    yield round_.view(round_.seat)
                round_.play(moves[0])


def requests() -> dict[str, list[RecommendMoveRequest]]:
    """The requests for a move, by kind."""
    choices = [wire.write_view(view) for view in views(forced=False)]
    by_kind = {
        "forced": [RecommendMoveRequest(view=wire.write_view(view)) for view in views(forced=True)],
        "level newcomer": [RecommendMoveRequest(view=view, level="newcomer", seed=1) for view in choices],
        "one simulation": [RecommendMoveRequest(view=view, seed=1) for view in choices],
    }
    for request in by_kind["one simulation"]:
        request.limits.simulations = 1
    return by_kind


def measure(address: str, turns: int) -> dict[str, list[float]]:
    """Seconds of each call, by kind."""
    asked = requests()
    with grpc.insecure_channel(address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        health: Callable[[Any], Any] = stub.Check
        recommend: Callable[[Any], Any] = analysis_service_pb2_grpc.AnalysisServiceStub(channel).RecommendMove
        spent: dict[str, list[float]] = {"health check": [], **{kind: [] for kind in asked}}
        for turn in range(-WARM, turns):
            calls: list[tuple[str, Callable[[Any], Any], Any]] = [
                ("health check", health, health_pb2.HealthCheckRequest())
            ]
            calls += [(kind, recommend, messages[turn % len(messages)]) for kind, messages in asked.items()]
            for kind, call, message in calls:
                began = time.perf_counter()
                call(message)
                if turn >= 0:
                    spent[kind].append(time.perf_counter() - began)
    return spent


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=500, help="calls of each kind (default: %(default)s)")
    options = parser.parse_args(arguments)
    print(machine())
    with ServerProcess(slots=1, matches_database="memory") as server:
        spent = measure(server.address, options.turns)
    middle = {kind: quantile(times, 0.5) for kind, times in spent.items()}
    share = {kind: seconds / middle["health check"] for kind, seconds in middle.items()}
    for kind, seconds in middle.items():
        print(f"{kind}: p50 {1000 * seconds:.2f} ms, {share[kind]:.2f} health checks")
    return verdict(
        [Check(f"{kind}: {share[kind]:.2f}, at most {most}", share[kind] <= most) for kind, most in MOST.items()]
    )


if __name__ == "__main__":
    sys.exit(main())
