"""How long one caller waits beside a greedy one: ``python -m benchmarks.server.neighbour``. See README.md.

The greedy caller keeps more searches open than slots and queue hold, all interactive, each as long as allowed here. The
other one asks for a short search now and then. Both have keys of their own, and the same weight. With ``--jobs`` the
greedy caller has bulk work done instead: jobs on all slots, each of some seconds.
"""

import argparse
import asyncio
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from benchmarks.server.figures import Check, machine, quantile, verdict
from benchmarks.server.positions import leads
from benchmarks.server.process import ServerProcess
from sniffai import wire
from sniffai.play.arena import ArenaSpec, jobs_of
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai.v1 import limits_pb2
from sniffai.v1.job_service_pb2 import RunJobRequest
from sniffai_server.access.keys import entry_of, make_key

MOVE: Final = "/sniffai.v1.AnalysisService/RecommendMove"
JOB: Final = "/sniffai.v1.JobService/RunJob"
BULK: Final = next(jobs_of(ArenaSpec(a="search:simulations=100000", b="search:simulations=100000", pairings=1)))
"""A job of some seconds."""
JOB_BOUND: Final = 0.2
"""Seconds that the other caller may wait beside jobs: they make way within 20 ms, if the machine has time for that."""
TIMEOUT: Final = 120.0
SHORT: Final = limits_pb2.Limits(simulations=2000)
REFUSED_PAUSE: Final = 0.05
"""Seconds until the greedy caller asks again after it was refused: it does not heed what it is told."""

Metadata = list[tuple[str, str]]


class Caller:
    """A client with a key of its own.

    :param path: of the method that it calls.
    :param request: what it asks for, each time.
    """

    def __init__(self, address: str, metadata: Metadata, path: str, request: Message) -> None:
        self._channel = grpc.aio.insecure_channel(address)
        self._call: Any = self._channel.unary_unary(path)
        self._metadata = metadata
        self._request = request.SerializeToString()
        self.codes: Counter[str] = Counter()
        self.waits: list[float] = []
        """Seconds of each call that was answered, without its own search."""

    async def ask(self) -> bool:
        """One call; whether it was answered."""
        began = time.perf_counter()
        call = self._call(self._request, metadata=self._metadata, timeout=TIMEOUT)
        code = (await call.code()).name
        self.codes[code] += 1
        if code != "OK":
            return False
        trailers = dict(await call.trailing_metadata())
        self.waits.append(time.perf_counter() - began - float(trailers.get("sniffai-search-ms", 0)) / 1000)
        return True

    async def keep_asking(self) -> None:
        """One call after the other, without end."""
        while True:
            if not await self.ask():
                await asyncio.sleep(REFUSED_PAUSE)

    async def close(self) -> None:
        """End its connection."""
        await self._channel.close()


async def measure(address: str, keys: Sequence[Metadata], options: argparse.Namespace) -> tuple[Caller, Caller]:
    """The greedy caller and the other one, after the calls of the other one."""
    longest = limits_pb2.Limits(time=Duration(nanos=round(options.longest * 1e9) % 10**9, seconds=int(options.longest)))
    wanted: tuple[str, Message] = (JOB, RunJobRequest(spec=BULK.to_json())) if options.jobs else (MOVE, move(longest))
    greedy, other = Caller(address, keys[0], *wanted), Caller(address, keys[1], MOVE, move(SHORT))
    crowd = [asyncio.ensure_future(greedy.keep_asking()) for _ in range(options.open)]
    await asyncio.sleep(2 * options.longest)
    for _ in range(options.calls):
        await other.ask()
        await asyncio.sleep(options.pause)
    for task in crowd:
        task.cancel()
    await asyncio.gather(*crowd, return_exceptions=True)
    await greedy.close()
    await other.close()
    return greedy, other


def move(limits: limits_pb2.Limits) -> Message:
    """A request for a move."""
    return pb.RecommendMoveRequest(view=wire.write_view(next(leads())), limits=limits)


def neighbours(options: argparse.Namespace) -> list[Check]:
    """Measure on a server of its own."""
    with TemporaryDirectory() as folder:
        file, entries, metadata = Path(folder) / "keys.toml", [], []
        for name in ("greedy", "other"):
            key = make_key()
            entries.append(entry_of(name, key, {"jobs": True}))
            metadata.append([("authorization", f"Bearer {key}")])
        file.write_text("\n".join(entries), encoding="utf-8")
        settings = {"SNIFFAI_JOBS": "true"} if options.jobs else {}
        with ServerProcess(environment=settings, slots=options.slots, keys_file=file) as server:
            greedy, other = asyncio.run(measure(server.address, metadata, options))
    p50, p99, most = quantile(other.waits, 0.5), quantile(other.waits, 0.99), max(other.waits, default=0)
    what = "jobs" if options.jobs else f"searches of {options.longest} s"
    print(f"greedy: {options.open} open calls, {what} on {options.slots} slots: {dict(greedy.codes)}")
    print(f"other: {dict(other.codes)}, waits p50 {p50:.3f} s, p99 {p99:.3f} s, at most {most:.3f} s")
    bound = JOB_BOUND if options.jobs else 2 * options.longest
    waits = f"the other caller waits {p99:.3f} s (p99) beside {what} (<= {bound})"
    checks = [
        Check(waits, p99 <= bound),
        Check(f"no call of the other one is refused: {dict(other.codes)}", set(other.codes) == {"OK"}),
    ]
    if not options.jobs:
        refused = greedy.codes["UNAVAILABLE"]
        checks.append(Check(f"the greedy one is refused instead: {refused}", refused > 0))
    return checks


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and judge; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--open", type=int, default=100, help="calls of the greedy caller at any time")
    parser.add_argument("--longest", type=float, default=1.0, help="seconds of each of its searches")
    parser.add_argument("--calls", type=int, default=200, help="calls of the other caller, one after the other")
    parser.add_argument("--pause", type=float, default=0.1, help="seconds between two of them")
    parser.add_argument("--jobs", action="store_true", help="the greedy caller has bulk work done")
    print(machine())
    return verdict(neighbours(parser.parse_args(arguments)))


if __name__ == "__main__":
    sys.exit(main())
