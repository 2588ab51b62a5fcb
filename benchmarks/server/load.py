"""Load on a server: ``make load``, some two minutes on a machine that does nothing else. See README.md.

1. Capacity: callers in a closed loop. 2. An open loop at 0.5, 1, 2 and 4 times the capacity, health asked for all the
while. 3. What a call takes beyond its search, in calls of
a server that does nothing. 4. Simulations a second through the service and without it.
"""

import argparse
import asyncio
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from typing import Final

import grpc
from grpc_health.v1 import health_pb2

import sniffai
from benchmarks.server.echo import echoing
from benchmarks.server.figures import Check, machine, quantile, verdict
from benchmarks.server.positions import leads
from benchmarks.server.process import ServerProcess
from benchmarks.server.traffic import ANALYZE, CHECK, RateError, Sent, caller, closed_loop, goodput, open_loop
from sniffai import wire
from sniffai.client import Client
from sniffai.v1 import analysis_service_pb2
from sniffai_server.cores import usable_cores

LOADS: Final = (0.5, 1.0, 2.0, 4.0)
"""Times the capacity."""
POSITIONS: Final = 64
HEALTH_RATE: Final = 25.0
SETTLE: Final = 0.15
"""The share of a phase before its goodput counts."""
GOODPUT_LEAST: Final = 0.95
REJECT_MOST: Final = 0.020
HEALTH_MOST: Final = 0.100
OVERHEAD_MOST: Final = 5.0
"""Bare calls."""
SHARE_LEAST: Final = 0.95
SHORT: Final = sniffai.Limits(simulations=500)
"""A search to be compared with its call."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured, and for how long."""

    seconds: float
    """Of each phase."""
    search_seconds: float
    """About how long one search takes."""
    slots: int
    pairs: int
    """Short searches compared, each with its call."""
    blocks: int
    """Blocks of searches compared, each with its calls."""


@dataclass(frozen=True, slots=True)
class Phase:
    """One load and what came of it."""

    name: str
    calls: Sequence[Sent]
    health: Sequence[Sent]
    good: float
    """Good answers a second."""

    def latencies(self, code: str) -> list[float]:
        """Seconds of the calls that ended with a status."""
        return [sent.latency for sent in self.calls if sent.code == code]

    @property
    def rejects(self) -> list[float]:
        """Seconds of the calls that were refused."""
        return self.latencies("UNAVAILABLE")

    def row(self) -> str:
        """One line of the table."""
        others = Counter(sent.code for sent in self.calls) - Counter(OK=len(self.calls), UNAVAILABLE=len(self.calls))
        cells = [
            self.name,
            f"{self.good:.2f}",
            *(milliseconds(self.latencies("OK"), share) for share in (0.5, 0.9, 0.99)),
            f"{len(self.rejects)} of {len(self.calls)}",
            *(milliseconds(self.rejects, share) for share in (0.5, 0.99)),
            milliseconds([sent.latency for sent in self.health], 0.99),
            ", ".join(f"{count} {code}" for code, count in others.items()) or "none",
        ]
        return f"| {' | '.join(cells)} |"


def main() -> int:
    """Measure, and print figures and verdicts; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=15.0, help="seconds of each phase (default: %(default)s)")
    parser.add_argument(
        "--search-seconds", type=float, default=0.2, help="seconds of one search (default: %(default)s)"
    )
    parser.add_argument(
        "--slots", type=int, default=usable_cores(), help="search slots of the server (default: its cores)"
    )
    parser.add_argument("--pairs", type=int, default=400, help="short searches to compare (default: %(default)s)")
    parser.add_argument("--blocks", type=int, default=6, help="blocks of searches to compare (default: %(default)s)")
    parser.add_argument(
        "--only", choices=("load", "overhead", "throughput"), help="measure only this part (default: all)"
    )
    options = vars(parser.parse_args())
    only = options.pop("only")
    plan = Plan(**options)
    print(f"{machine()}; {plan.slots} slots", flush=True)
    views = list(islice(leads(), POSITIONS))
    simulations = calibrated(views, plan)
    print(f"one search: {simulations:,} simulations", flush=True)
    parts = {"load": load, "overhead": overhead, "throughput": throughput}
    with ServerProcess(slots=plan.slots, queue_size=4 * plan.slots) as server:
        checks = [
            check
            for name, part in parts.items()
            if only in (None, name)
            for check in part(server, views, simulations, plan)
        ]
    return verdict(checks)


def calibrated(views: Sequence[sniffai.View], plan: Plan) -> int:
    """Simulations that one search does in its time while the other slots search, too."""
    limits = sniffai.Limits(seconds=plan.search_seconds)
    with ThreadPoolExecutor(plan.slots) as executor:
        analyses = list(executor.map(lambda view: sniffai.analyze(view, limits), views[: 4 * plan.slots]))
    return max(100, round(statistics.median(analysis.effort.simulations for analysis in analyses) / 100) * 100)


def load(server: ServerProcess, views: Sequence[sniffai.View], simulations: int, plan: Plan) -> list[Check]:
    """The phases: capacity, then multiples of it."""
    try:
        phases = asyncio.run(run_phases(server, requests_of(views, simulations), plan))
    except RateError as error:
        return [Check(str(error), kept=False)]
    print("| load | good answers/s | p50 ms | p90 | p99 | rejected | p50 ms | p99 | health p99 ms | other statuses |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for phase in phases:
        print(phase.row())
    peak = max(phase.good for phase in phases)
    share = phases[-1].good / peak
    reject = quantile(phases[-1].rejects, 0.99)
    health = max(quantile([sent.latency for sent in phase.health], 0.99) for phase in phases)
    codes = {sent.code for phase in phases for sent in phase.calls} - {"OK", "UNAVAILABLE"}
    return [
        Check(
            f"goodput at {LOADS[-1]:g}x: {share:.1%} of the peak (at least {GOODPUT_LEAST:.0%})", share >= GOODPUT_LEAST
        ),
        Check(
            f"rejects at {LOADS[-1]:g}x: p99 {1000 * reject:.1f} ms (below {1000 * REJECT_MOST:.0f} ms)",
            reject < REJECT_MOST,
        ),
        Check(f"health: p99 {1000 * health:.1f} ms (below {1000 * HEALTH_MOST:.0f} ms)", health < HEALTH_MOST),
        Check(f"statuses besides OK and UNAVAILABLE: {', '.join(sorted(codes)) or 'none'}", not codes),
    ]


def milliseconds(values: Sequence[float], share: float) -> str:
    """A quantile of seconds, as a cell of the table."""
    return f"{1000 * quantile(values, share):.1f}" if values else ""


async def run_phases(server: ServerProcess, requests: Sequence[bytes], plan: Plan) -> list[Phase]:
    """All phases, one after the other."""
    async with grpc.aio.insecure_channel(server.address) as channel, grpc.aio.insecure_channel(server.address) as other:
        health = caller(other, CHECK, [health_pb2.HealthCheckRequest().SerializeToString()])
        await closed_loop(caller(channel, ANALYZE, requests), plan.slots, seconds=1.0)
        phases: list[Phase] = []
        for number, times in enumerate((None, *LOADS)):
            call = caller(channel, ANALYZE, requests, seed=number)
            begin = time.perf_counter()
            if times is None:
                traffic = closed_loop(call, 2 * plan.slots, seconds=plan.seconds)
            else:
                traffic = open_loop(call, times * phases[0].good, plan.seconds)
            sent, asked = await asyncio.gather(traffic, open_loop(health, HEALTH_RATE, plan.seconds))
            good = goodput(sent, begin + SETTLE * plan.seconds, begin + plan.seconds)
            name = f"closed loop, {2 * plan.slots} callers" if times is None else f"{times:g}x"
            phases.append(Phase(name, sent, asked, good))
        return phases


def requests_of(views: Sequence[sniffai.View], simulations: int) -> list[bytes]:
    """Requests for an analysis, encoded."""
    limits = wire.write_limits(sniffai.Limits(simulations=simulations))
    messages = (
        analysis_service_pb2.AnalyzeRequest(view=wire.write_view(view), limits=limits, seed=seed)
        for seed, view in enumerate(views)
    )
    return [message.SerializeToString() for message in messages]


def overhead(server: ServerProcess, views: Sequence[sniffai.View], simulations: int, plan: Plan) -> list[Check]:
    """Short searches here and there with the same seeds, and calls of a server that does nothing, in turns."""
    here, there, bare, more = [], [], [], []
    with Client(server.address) as client, echoing() as echo:
        for number in range(-20, plan.pairs):
            view = views[number % len(views)]
            started = time.perf_counter()
            sniffai.analyze(view, SHORT, seed=number % 1000)
            searched = time.perf_counter()
            answer = client.analyze(view, SHORT, seed=number % 1000)
            ended = time.perf_counter()
            message = answer.SerializeToString()
            asked = time.perf_counter()
            echo(message)
            if number >= 0:  # those before are to get warm
                bare.append(time.perf_counter() - asked)
                here.append(searched - started)
                there.append(ended - searched)
                more.append(there[-1] - here[-1])
    print(f"a search of {SHORT.simulations} simulations here and there, {plan.pairs} times in turns:", end=" ")
    print(f"p50 {1000 * quantile(here, 0.5):.2f} ms and {1000 * quantile(there, 0.5):.2f} ms,", end=" ")
    print(f"p99 {1000 * quantile(here, 0.99):.2f} ms and {1000 * quantile(there, 0.99):.2f} ms")
    middle, alone = quantile(more, 0.5), quantile(bare, 0.5)
    print(f"a call of a server that only sends back what it gets: p50 {1000 * alone:.2f} ms")
    share = middle / alone
    text = f"a call beyond its search: p50 {1000 * middle:.2f} ms, {share:.1f} bare calls (at most {OVERHEAD_MOST:g})"
    return [Check(text, share <= OVERHEAD_MOST)]


def throughput(server: ServerProcess, views: Sequence[sniffai.View], simulations: int, plan: Plan) -> list[Check]:
    """The same searches here, by as many threads as the server has slots, and there, in turns."""
    limits = sniffai.Limits(simulations=simulations)
    work = list(enumerate(views))[: 12 * plan.slots]
    spent = {"here": 0.0, "there": 0.0}
    with ExitStack() as stack:
        client = stack.enter_context(Client(server.address))
        threads, callers = (stack.enter_context(ThreadPoolExecutor(count * plan.slots)) for count in (1, 2))
        for _ in range(plan.blocks):
            started = time.perf_counter()
            list(threads.map(lambda job: sniffai.analyze(job[1], limits, seed=job[0]), work))
            between = time.perf_counter()
            list(callers.map(lambda job: client.analyze(job[1], limits, seed=job[0]), work))
            spent["here"] += between - started
            spent["there"] += time.perf_counter() - between
    total = plan.blocks * len(work) * simulations
    share = spent["here"] / spent["there"]
    print(f"simulations/s, here by {plan.slots} threads: {total / spent['here']:,.0f};", end=" ")
    print(f"through the service: {total / spent['there']:,.0f}")
    return [
        Check(
            f"simulations/s through the service: {share:.1%} of those here (at least {SHARE_LEAST:.0%})",
            share >= SHARE_LEAST,
        )
    ]


if __name__ == "__main__":
    sys.exit(main())
