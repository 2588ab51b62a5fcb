"""Three servers, killed, drained and restarted under load: ``python -m benchmarks.server.replicas``. See README.md.

Clients of the library ask one thing after the other, balanced over all servers by ``round_robin``. No call may fail
for them.
"""

import argparse
import asyncio
import signal
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.server.figures import Check, machine, quantile, verdict
from benchmarks.server.positions import leads
from benchmarks.server.process import ServerProcess
from sniffai import Limits
from sniffai.client import AsyncClient, ServiceError

CALLERS: Final = 9
LIMITS: Final = Limits(simulations=1000)
TIMEOUT: Final = 10.0
AGES: Final[dict[str, Any]] = {"drain_delay": 0.5, "max_connection_seconds": 2, "matches_database": "memory"}
CALLS: Final = 'sniffai_requests_total{code="OK",method="sniffai.v1.AnalysisService/RecommendMove"}'


@dataclass
class Phase:
    """What became of the calls in one part of the run."""

    name: str
    seconds: list[float] = field(default_factory=list)
    """Of each call that was answered."""
    failed: Counter[str] = field(default_factory=Counter)
    """Calls that failed for the client, after its retries."""
    calls: list[int] = field(default_factory=list)
    """Answers of each server that was up from the phase's beginning to its end."""

    def __str__(self) -> str:
        p50, p99, most = quantile(self.seconds, 0.5), quantile(self.seconds, 0.99), max(self.seconds, default=0)
        by = f", by server {self.calls}" if self.calls else ""
        return (
            f"{self.name}: {len(self.seconds)} calls, p50 {1000 * p50:.0f} ms, p99 {1000 * p99:.0f} ms,"
            f" at most {1000 * most:.0f} ms, failed {dict(self.failed) or 'none'}{by}"
        )


class Load:
    """Callers that ask one thing after the other, and the phase that they are in."""

    def __init__(self, address: str, callers: int, pause: float, settled: float) -> None:
        self.client = AsyncClient(address, TIMEOUT)
        self.phase = Phase("start")
        self._settled = settled
        view = next(leads())

        async def keep_asking(number: int) -> None:
            seed = number
            while True:
                began = time.perf_counter()
                try:
                    await self.client.recommend(view, LIMITS, seed=seed)
                except ServiceError as error:
                    self.phase.failed[error.code] += 1
                else:
                    self.phase.seconds.append(time.perf_counter() - began)
                seed += callers
                await asyncio.sleep(pause)

        self._tasks = [asyncio.ensure_future(keep_asking(number)) for number in range(callers)]

    async def during(self, name: str, work: Awaitable[None]) -> Phase:
        """The phase in which some work is done."""
        self.phase = phase = Phase(name)
        await work
        await asyncio.sleep(self._settled)
        return phase

    async def close(self) -> None:
        """End the calls."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.client.close()


def served(servers: Sequence[ServerProcess]) -> list[int]:
    """How many calls each server has answered."""
    return [round(server.metrics().get(CALLS, 0)) for server in servers]


async def changes(servers: Sequence[ServerProcess], address: str, options: argparse.Namespace) -> list[Phase]:
    """All phases, one after the other."""
    loop = asyncio.get_running_loop()

    async def off_loop(work: Callable[[], object]) -> None:
        await loop.run_in_executor(None, work)

    async def again(server: ServerProcess, number: signal.Signals, away: float) -> None:
        await off_loop(lambda: server.end(number))
        await asyncio.sleep(away)
        await off_loop(server.start)

    async def roll() -> None:
        for server in servers:
            await again(server, signal.SIGTERM, 0)
            await asyncio.sleep(options.settled)

    load = Load(address, options.callers, options.pause, options.settled)
    try:
        await load.during("start", asyncio.sleep(options.settled))
        before = await loop.run_in_executor(None, served, servers)
        steady = await load.during("steady", asyncio.sleep(options.seconds))
        after = await loop.run_in_executor(None, served, servers)
        steady.calls = [late - early for early, late in zip(before, after, strict=True)]
        phases = [
            steady,
            await load.during("one is killed", again(servers[0], signal.SIGKILL, options.away)),
            await load.during("one is drained", again(servers[1], signal.SIGTERM, options.away)),
            await load.during("all are restarted, one after the other", roll()),
        ]
        before = await loop.run_in_executor(None, served, servers)
        phases.append(await load.during("all are back", asyncio.sleep(options.seconds)))
        after = await loop.run_in_executor(None, served, servers)
        phases[-1].calls = [late - early for early, late in zip(before, after, strict=True)]
        return phases
    finally:
        await load.close()


def judge(phases: Sequence[Phase], *, slowest: float) -> list[Check]:
    """What is promised: no call fails, none takes long, and each server gets its part."""
    failed = sum((phase.failed for phase in phases), Counter())
    most = max(max(phase.seconds, default=0) for phase in phases)
    checks = [
        Check(f"calls that failed for the client: {dict(failed) or 'none'}", not failed),
        Check(f"the slowest call: {most:.2f} s (< {slowest})", most < slowest),
    ]
    for phase in phases:
        if phase.calls:
            share = min(phase.calls) / max(1, sum(phase.calls))
            checks.append(Check(f"{phase.name}: the least busy server has {100 * share:.0f} % (> 20)", share > 0.2))
    return checks


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and judge; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callers", type=int, default=CALLERS, help="calls at any time")
    parser.add_argument("--seconds", type=float, default=5.0, help="of the phases without a change")
    parser.add_argument("--away", type=float, default=2.0, help="seconds until a server is started again")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds from an answer to a caller's next call")
    parser.add_argument("--settled", type=float, default=1.0, help="seconds after a change until the next one")
    parser.add_argument("--slowest", type=float, default=3.0, help="seconds that a call may take at most")
    options = parser.parse_args(arguments)
    print(machine())
    with ExitStack() as stack:
        servers = [stack.enter_context(ServerProcess(slots=2, **AGES)) for _ in range(3)]
        address = "ipv4:" + ",".join(server.address for server in servers)
        phases = asyncio.run(changes(servers, address, options))
    for phase in phases:
        print(phase)
    return verdict(judge(phases, slowest=options.slowest))


if __name__ == "__main__":
    sys.exit(main())
