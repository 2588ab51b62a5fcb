"""Soak: a server under mixed calls, streams, cancels and faults for minutes: ``make soak``. See README.md. Linux only.

After a warm-up its memory must not grow, and its threads and descriptors, seen when nobody calls, must stay as they
are, but for threads of searches that made way for others.
``--plant-leak`` leaks on purpose: then the soak must fail.
"""

import argparse
import asyncio
import contextlib
import gc
import random
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, TypeAlias

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from benchmarks.server.figures import Check, machine, theil_sen, verdict
from benchmarks.server.leaky import LEAKS
from benchmarks.server.positions import leads
from benchmarks.server.process import COMMAND, ServerProcess, Vitals
from sniffai import wire
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai.v1 import analysis_service_pb2_grpc, rules_service_pb2, rules_service_pb2_grpc

MEGABYTE: Final = 1e6
TIMEOUT: Final = 20.0
REST_SECONDS: Final = 1.5
"""Without a call, before threads and descriptors are counted."""
SAMPLES: Final = 600
"""Looks at the memory, at most; never more often than ten times a second."""
PROPER: Final = {"OK", "CANCELLED", "DEADLINE_EXCEEDED", "INVALID_ARGUMENT", "UNAVAILABLE"}
"""All statuses that these calls may end with."""

VIEWS: Final = [wire.write_view(view) for view in islice(leads(), 32)]
Make: TypeAlias = Callable[[grpc.aio.Channel, random.Random], Awaitable[None]]


def request_fields(lots: random.Random, simulations: int) -> dict[str, Any]:
    """A view and a limit."""
    return {"view": lots.choice(VIEWS), "limits": {"simulations": simulations}, "seed": lots.getrandbits(40)}


async def recommend(channel: grpc.aio.Channel, lots: random.Random) -> None:
    """A short search."""
    request = pb.RecommendMoveRequest(**request_fields(lots, lots.randrange(1, 5000)))
    await _analysis(channel).RecommendMove(request, timeout=TIMEOUT)


async def analyze(channel: grpc.aio.Channel, lots: random.Random) -> None:
    """A longer search."""
    request = pb.AnalyzeRequest(**request_fields(lots, 20_000))
    await _analysis(channel).Analyze(request, timeout=TIMEOUT)


async def stream(channel: grpc.aio.Channel, lots: random.Random) -> None:
    """A stream, read to its end."""
    async for _ in _analysis(channel).StreamAnalyze(_stream_request(lots, 50_000), timeout=TIMEOUT):
        pass


async def cancel(channel: grpc.aio.Channel, lots: random.Random) -> None:
    """A long search, cancelled after a moment."""
    call = _analysis(channel).Analyze(pb.AnalyzeRequest(**request_fields(lots, 10**7)), timeout=TIMEOUT)
    await asyncio.sleep(lots.random() / 10)
    call.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await call
    raise _cancelled()


async def cancel_stream(channel: grpc.aio.Channel, lots: random.Random) -> None:
    """A long stream, cancelled after a snapshot or two."""
    call = _analysis(channel).StreamAnalyze(_stream_request(lots, 10**7), timeout=TIMEOUT)
    for _ in range(lots.randrange(3)):
        await call.read()
    call.cancel()
    raise _cancelled()


async def hurry(channel: grpc.aio.Channel, lots: random.Random) -> None:
    """A deadline that comes before the search is done, and one that comes at once."""
    request = pb.AnalyzeRequest(**request_fields(lots, 10**7))
    await _analysis(channel).Analyze(request, timeout=lots.choice([0.001, 0.05]))


async def err(channel: grpc.aio.Channel, lots: random.Random) -> None:
    """A request that is wrong."""
    request = rules_service_pb2.ListLegalMovesRequest(view=lots.choice(VIEWS))
    request.view.hand[3] = request.view.hand[4]
    await rules_service_pb2_grpc.RulesServiceStub(channel).ListLegalMoves(request, timeout=TIMEOUT)


async def look(channel: grpc.aio.Channel, lots: random.Random) -> None:
    """The legal moves, and the health."""
    request = rules_service_pb2.ListLegalMovesRequest(view=lots.choice(VIEWS))
    await rules_service_pb2_grpc.RulesServiceStub(channel).ListLegalMoves(request, timeout=TIMEOUT)
    health: Any = health_pb2_grpc.HealthStub(channel)
    await health.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT)


CALLS: Final[tuple[Make, ...]] = (recommend, analyze, stream, cancel, cancel_stream, hurry, err, look)


@dataclass(slots=True)
class Work:
    """Callers that work until they are told to stop."""

    address: str
    pause: float
    """Seconds between two calls of a caller."""
    statuses: Counter[str] = field(default_factory=Counter)
    """Calls by their kind and how they ended."""
    stopped: bool = False

    async def run(self, callers: int) -> None:
        """All callers, side by side."""
        self.stopped = False
        await asyncio.gather(*(self._caller(random.Random(number)) for number in range(callers)))

    async def _caller(self, lots: random.Random) -> None:
        """Random calls of all kinds; every dozen calls over a connection of their own."""
        while not self.stopped:
            options = [("grpc.use_local_subchannel_pool", 1)]
            async with grpc.aio.insecure_channel(self.address, options) as channel:
                for _ in range(lots.randrange(1, 24)):
                    if not self.stopped:
                        make = lots.choice(CALLS)
                        self.statuses[f"{make.__name__} {await _status(make(channel, lots))}"] += 1
                        await asyncio.sleep(self.pause)


async def _status(call: Awaitable[None]) -> str:
    """How a call ended."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return error.code().name
    return "OK"


def _cancelled() -> grpc.aio.AioRpcError:
    nothing = grpc.aio.Metadata()
    return grpc.aio.AioRpcError(grpc.StatusCode.CANCELLED, nothing, nothing)


def _analysis(channel: grpc.aio.Channel) -> Any:
    return analysis_service_pb2_grpc.AnalysisServiceStub(channel)


def _stream_request(lots: random.Random, simulations: int) -> pb.StreamAnalyzeRequest:
    interval: Any = {"nanos": 50_000_000}
    return pb.StreamAnalyzeRequest(**request_fields(lots, simulations), report_interval=interval)


@dataclass(frozen=True, slots=True)
class Found:
    """What a soak saw."""

    samples: Sequence[tuple[float, int]]
    """Minutes since the warm-up, and resident bytes."""
    before: Vitals
    """At rest, after the warm-up."""
    after: Vitals
    """At rest, at the end."""
    statuses: Counter[str]
    faults: int
    """Calls that the server itself counts as UNKNOWN or INTERNAL."""


async def soak(server: ServerProcess, minutes: float, warm_up: float, callers: int, pause: float = 0.0) -> Found:
    """Work for some minutes, the first share of which is to get warm."""
    work, samples = Work(server.address, pause), []
    async with _working(work, callers):
        await asyncio.sleep(60 * minutes * warm_up)
    before = await _at_rest(server)
    work.statuses.clear()
    seconds = 60 * minutes * (1 - warm_up)
    start = time.monotonic()
    async with _working(work, callers):
        while (passed := time.monotonic() - start) < seconds:
            samples.append((passed / 60, server.vitals().memory))
            await asyncio.sleep(max(0.1, seconds / SAMPLES))
    after = await _at_rest(server)
    counts = server.metrics()
    faults = sum(value for name, value in counts.items() if 'code="UNKNOWN"' in name or 'code="INTERNAL"' in name)
    return Found(samples, before, after, work.statuses, round(faults))


@contextlib.asynccontextmanager
async def _working(work: Work, callers: int) -> AsyncIterator[None]:
    """Callers at work in the background; at the end their last calls end."""
    task = asyncio.create_task(work.run(callers))
    yield
    work.stopped = True
    await task


async def _at_rest(server: ServerProcess) -> Vitals:
    gc.collect()  # some closed channels of this side go only now, and their connections with them
    await asyncio.sleep(REST_SECONDS)
    return server.vitals()


def checks(soaked: Found, limit: float, spare: int = 0) -> list[Check]:
    """The promises: memory, threads, descriptors, statuses.

    :param limit: MB a minute.
    :param spare: threads that may be added. A search that makes way for another keeps its thread, so the server makes
        one more where it has none left, up to one for each caller.
    """
    times, memory = zip(*soaked.samples, strict=True)
    slope, low, high = (value / MEGABYTE for value in theil_sen(times, memory))
    before, after = soaked.before, soaked.after
    codes = Counter[str]()
    for name, count in soaked.statuses.items():
        codes[name.split()[1]] += count
    totals = ", ".join(f"{count} {code}" for code, count in codes.most_common())
    return [
        Check(f"memory: {slope:+.2f} MB/min, 95 % within {low:+.2f}..{high:+.2f} (below {limit:g})", high < limit),
        Check(
            f"threads at rest: {before.threads}, then {after.threads} (at most {spare} more)",
            after.threads <= before.threads + spare,
        ),
        Check(
            f"descriptors at rest: {before.descriptors}, then {after.descriptors}",
            after.descriptors <= before.descriptors,
        ),
        Check(f"calls: {totals}", set(codes) <= PROPER),
        Check(f"calls that the server counts as UNKNOWN or INTERNAL: {soaked.faults}", not soaked.faults),
    ]


def main() -> int:
    """Soak a server, and print verdicts; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--minutes", type=float, default=10.0, help="minutes to run, warm-up included (default: %(default)s)"
    )
    parser.add_argument(
        "--warm-up", type=float, default=0.2, help="share of the time for the warm-up (default: %(default)s)"
    )
    parser.add_argument(
        "--limit", type=float, default=1.0, help="most growth of memory, in MB a minute (default: %(default)s)"
    )
    parser.add_argument("--callers", type=int, default=6, help="callers at the same time (default: %(default)s)")
    parser.add_argument(
        "--pause", type=float, default=0.0, help="seconds that a caller waits between two calls (default: %(default)s)"
    )
    parser.add_argument(
        "--plant-leak", choices=list(LEAKS), help="make the server leak this on purpose: the run must then fail"
    )
    options = parser.parse_args()
    leak = options.plant_leak
    command = (COMMAND[0], "-m", "benchmarks.server.leaky", leak, "serve") if leak else COMMAND
    print(f"{machine()}; {options.minutes:g} minutes, {options.callers} callers", flush=True)
    with ServerProcess(command) as server:
        soaked = asyncio.run(soak(server, options.minutes, options.warm_up, options.callers, options.pause))
    for name, count in sorted(soaked.statuses.items()):
        print(f"{count:7d} {name}")
    return verdict(checks(soaked, options.limit, options.callers))


if __name__ == "__main__":
    sys.exit(main())
