"""Matches created as fast as a client can: what it costs, and whether others are still served.

``python -m benchmarks.server.creates`` makes 10,000 calls of CreateMatch twice, each time against a server of its own
with a file of SQLite: first as one client, which soon has as many matches as one client may, so that most calls are
refused; then as fifty clients, all of whose matches fit. Meanwhile another client creates one match after the other,
joins it, looks at it and resigns.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import grpc

from benchmarks.server.figures import Check, machine, quantile, verdict
from benchmarks.server.process import ServerProcess
from sniffai.v1 import match_service_pb2 as pb
from sniffai.v1 import match_service_pb2_grpc
from sniffai_server.access.keys import entry_of, make_key

AT_ONCE: Final = 16
"""Calls under way."""
MOST_PROCESSOR: Final = 0.010
"""Seconds of the server's processor time for a call, those of the other client included."""
MOST_LATER: Final = 2.0
"""How many times as long as a created match a refusal, and a call of another client, may take at the median."""
MOST_SLOWER: Final = 3.0
"""How many times as long the last tenth of the matches may take as the first."""
MOST_DISK: Final = 8192
"""Bytes of the database for a match that nobody has joined."""
MOST_MEMORY: Final = 200 << 20
"""Bytes by which the process may grow: it keeps 2,000 matches in memory, of 100 kB each at most."""
REFUSED: Final = "RESOURCE_EXHAUSTED"
PAUSE: Final = 0.1
TIMEOUT: Final = 60.0
NEW: Final = pb.CreateMatchRequest(seats=[pb.SeatSetup(human=pb.HumanSeat()), pb.SeatSetup(level="casual")])


class Client:
    """One client, with its key, on a channel that others use, too."""

    def __init__(self, channel: Any, key: str) -> None:
        self._stub = match_service_pb2_grpc.MatchServiceStub(channel)
        self._metadata = (("authorization", f"Bearer {key}"),)

    async def create(self) -> tuple[str, float]:
        """Create a match; the status and the seconds that it took."""
        began = time.perf_counter()
        try:
            await self._stub.CreateMatch(NEW, timeout=TIMEOUT, metadata=self._metadata)
        except grpc.aio.AioRpcError as error:
            return error.code().name, time.perf_counter() - began
        return "OK", time.perf_counter() - began

    async def play(self) -> list[float]:
        """Create a match, sit down, look at it and resign; the seconds of each call."""
        seconds, options = [], {"timeout": TIMEOUT, "metadata": self._metadata}

        async def ask(method: Any, request: Any) -> Any:
            began = time.perf_counter()
            answer = await method(request, **options)
            seconds.append(time.perf_counter() - began)
            return answer

        made = await ask(self._stub.CreateMatch, NEW)
        request = pb.JoinMatchRequest(match_id=made.match_id, invitation=made.invitations[0].invitation)
        own = {"match_id": made.match_id, "seat_token": (await ask(self._stub.JoinMatch, request)).seat_token}
        await ask(self._stub.GetView, pb.GetViewRequest(**own))
        await ask(self._stub.Resign, pb.ResignRequest(**own))
        return seconds


async def flood(clients: Sequence[Client], count: int) -> list[tuple[str, float]]:
    """Create matches, so many at a time; status and seconds of each, in order."""
    numbers = iter(range(count))
    calls: list[tuple[str, float]] = []

    async def worker() -> None:
        for number in numbers:
            call = await clients[number % len(clients)].create()
            calls.append(call)

    await asyncio.gather(*(worker() for _ in range(AT_ONCE)))
    return calls


async def beside(client: Client, ended: asyncio.Event) -> list[float]:
    """What another client waits for its calls, until the flood has ended."""
    seconds: list[float] = []
    while True:
        seconds += await client.play()
        if ended.is_set():
            return seconds
        await asyncio.sleep(PAUSE)


async def run(address: str, keys: Sequence[str], count: int) -> tuple[list[tuple[str, float]], list[float]]:
    """Flood a server; what came of the calls, and what another client waited."""
    async with grpc.aio.insecure_channel(address) as channel, grpc.aio.insecure_channel(f"dns:{address}") as apart:
        ended = asyncio.Event()
        other = asyncio.ensure_future(beside(Client(apart, keys[0]), ended))
        calls = await flood([Client(channel, key) for key in keys[1:]], count)
        ended.set()
        return calls, await other


def measured(name: str, clients: int, count: int, most: int) -> list[Check]:
    """Flood a server of its own as so many clients.

    :param most: the matches that it takes.
    """
    with tempfile.TemporaryDirectory() as folder:
        keys = [make_key() for _ in range(clients + 1)]
        file, database = Path(folder) / "keys.toml", Path(folder) / "matches.db"
        file.write_text("\n".join(entry_of(f"client{i}", key, {}) for i, key in enumerate(keys)), encoding="utf-8")
        file.chmod(0o600)
        settings: dict[str, Any] = {
            "matches_database": database,
            "max_matches": most,
            "level_pause": 0,
            "keys_file": file,
        }
        with ServerProcess(**settings) as server:
            asyncio.run(run(server.address, keys, 0))  # loads what the first call loads
            before, began, spent = server.vitals().memory, time.monotonic(), server.processor()
            calls, other = asyncio.run(run(server.address, keys, count))
            took, grown = time.monotonic() - began, server.vitals().memory - before
            processor = (server.processor() - spent).whole / count
            server.end()
        disk = sum(path.stat().st_size for path in Path(folder).glob("matches.db*"))
    print(f"{name}: {count:,} calls in {took:.1f} s, {count / took:,.0f} a second")
    return judged(name, calls, other, processor, grown, disk)


def judged(
    name: str, calls: Sequence[tuple[str, float]], other: Sequence[float], processor: float, grown: int, disk: int
) -> list[Check]:
    """Print what was measured; what must be true of it.

    :param processor: seconds of the server's processor time for each call.
    """
    codes = Counter(code for code, _ in calls)
    created, refused = ([seconds for code, seconds in calls if code == status] for status in ("OK", REFUSED))
    tenth = max(1, len(created) // 10)
    first, last = (quantile(part, 0.5) for part in (created[:tenth], created[-tenth:]))
    usual, each = quantile(created, 0.5), disk / max(1, len(created))
    print(f"  created {shown(created)}; refused {shown(refused)}; calls of another client {shown(other)}")
    print(f"  first tenth of the created ones {first * 1e3:.1f} ms, last {last * 1e3:.1f} ms (p50)")
    checks = [
        (f"every call is answered or refused: {dict(codes)}", set(codes) <= {"OK", REFUSED}),
        (f"{processor * 1e3:.1f} ms of processor time for a call", processor <= MOST_PROCESSOR),
        (f"the last matches take {last / first:.1f} times as long as the first", last <= MOST_SLOWER * first),
        (f"memory grows by {grown / 2**20:.0f} MiB", grown <= MOST_MEMORY),
        (f"{disk / 2**20:.1f} MiB of disk, {each:,.0f} bytes a match", each <= MOST_DISK),
    ]
    for who, seconds in (("a refusal", refused), ("a call of another client", other)):
        if seconds:
            times = quantile(seconds, 0.5) / usual
            checks.append((f"{who} takes {times:.1f} times as long as a new match", times <= MOST_LATER))
    return [Check(f"{name}: {text}", kept) for text, kept in checks]


def shown(seconds: Sequence[float]) -> str:
    """Quantiles of times in words."""
    if not seconds:
        return "none"
    middle, slow = (quantile(seconds, share) * 1e3 for share in (0.5, 0.99))
    return f"{len(seconds):,} of {middle:.1f} ms (p50), {slow:.1f} ms (p99)"


def main(arguments: Sequence[str]) -> int:
    """Measure; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10_000, help="calls of CreateMatch each time [10000]")
    parser.add_argument("--clients", type=int, default=50, help="clients the second time [50]")
    given = parser.parse_args(arguments)
    print(machine())
    checks = measured("one client", 1, given.calls, 1000)
    checks += measured(f"{given.clients} clients", given.clients, given.calls, 4 * given.calls)
    return verdict(checks)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
