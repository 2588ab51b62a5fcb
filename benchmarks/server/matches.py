"""Many matches at once: how long ``PlayMove`` takes while the levels of all of them think.

``python -m benchmarks.server.matches`` plays 200 matches for half a minute against a server with a file of SQLite. Each
player moves two seconds after the level, on average (``--think``), so all are busy all the time. What a call takes has
no search in it: a level thinks after the answer.

Times of the clock depend on what else the machine does. The processor time for each move of a player, with the level's
answer to it, does so much less: that of the server's event loop, of all its threads, searches included, and of the
client, which runs on the same cores.
"""

import argparse
import asyncio
import gc
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import grpc

from benchmarks.server.figures import Check, machine, quantile, verdict
from benchmarks.server.process import Processor, ServerProcess
from sniffai.v1 import match_service_pb2 as pb
from sniffai.v1 import match_service_pb2_grpc, move_pb2

MOST: Final = 0.010
"""Seconds that PlayMove may take, p99."""
LEVEL: Final = "club"
THINK_SECONDS: Final = 2.0
"""What a quick person takes for a move, on average."""
CONNECTIONS: Final = 8
TIMEOUT: Final = 60.0


class Figures:
    """What was measured."""

    def __init__(self) -> None:
        self.play: list[float] = []
        """Seconds of each PlayMove."""
        self.watch: list[float] = []
        """Seconds from the answer of a PlayMove to the level's move in the stream."""
        self.measuring = False
        self.server = Processor(0.0, 0.0)
        """What the server used meanwhile."""
        self.client = 0.0
        """Seconds of processor time that this process used."""


async def play(stub: Any, figures: Figures, end: float, number: int, think: float) -> None:
    """Play one match after the other."""
    lots = random.Random(number)
    while time.monotonic() < end:
        seats = [pb.SeatSetup(human=pb.HumanSeat()), pb.SeatSetup(level=LEVEL)]
        made = await stub.CreateMatch(pb.CreateMatchRequest(seats=seats), timeout=TIMEOUT)
        joined = await stub.JoinMatch(
            pb.JoinMatchRequest(match_id=made.match_id, invitation=made.invitations[0].invitation), timeout=TIMEOUT
        )
        own: dict[str, Any] = {"match_id": made.match_id, "seat_token": joined.seat_token}
        stream = stub.WatchMatch(pb.WatchMatchRequest(**own), timeout=TIMEOUT * 10)
        moves, answered = 0, 0.0
        async for message in stream:
            view = message.view
            if time.monotonic() >= end:
                stream.cancel()
                break
            if not message.HasField("view") or view.action != move_pb2.ACTION_PLAY:
                continue
            if figures.measuring and answered:
                figures.watch.append(time.perf_counter() - answered)
            await asyncio.sleep(lots.uniform(0, 2 * think))
            moves += 1
            move = lots.choice(view.legal_moves).move
            request = pb.PlayMoveRequest(**own, move=move, expected_event=view.event_number, idempotency_key=str(moves))
            began = time.perf_counter()
            answer = await stub.PlayMove(request, timeout=TIMEOUT)
            answered = time.perf_counter()
            if figures.measuring:
                figures.play.append(answered - began)
            if answer.view.action == move_pb2.ACTION_PLAY:
                answered = 0.0


async def measure(server: ServerProcess, matches: int, seconds: float, settle: float, think: float) -> Figures:
    """Play matches at once, and measure after they have begun."""
    figures, address = Figures(), server.address
    end = time.monotonic() + settle + seconds
    channels = [grpc.aio.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)]) for _ in range(CONNECTIONS)]
    stubs = [match_service_pb2_grpc.MatchServiceStub(channel) for channel in channels]
    players = [
        asyncio.ensure_future(play(stubs[number % CONNECTIONS], figures, end, number, think))
        for number in range(matches)
    ]
    await asyncio.sleep(settle)
    gc.disable()  # or a call would seem to take long while this process looks for garbage
    figures.measuring = True
    before, began = server.processor(), time.process_time()
    await asyncio.sleep(seconds)
    figures.server, figures.client = server.processor() - before, time.process_time() - began
    figures.measuring = False
    gc.enable()
    await asyncio.gather(*players)
    for channel in channels:
        await channel.close()
    return figures


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=200, help="at once (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=30.0, help="to measure (default: %(default)s)")
    parser.add_argument("--settle", type=float, default=8.0, help="seconds before that (default: %(default)s)")
    parser.add_argument(
        "--think",
        type=float,
        default=THINK_SECONDS,
        help="seconds of a player for a move, on average (default: %(default)s)",
    )
    options = parser.parse_args(arguments)
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "matches_database": str(Path(folder) / "matches.db"),
            "max_matches": 4 * options.matches + 4,
            "max_match_watches": 4 * options.matches + 4,
            "max_calls": 16 * options.matches + 16,
        }
        with ServerProcess(**settings) as server:
            figures = asyncio.run(measure(server, options.matches, options.seconds, options.settle, options.think))
            stored = server.metrics()
    rate = len(figures.play) / options.seconds
    count = stored["sniffai_match_store_seconds_count"]
    mean = stored["sniffai_match_store_seconds_sum"] / count if count else 0.0
    print(
        f"{options.matches} matches, {rate:.0f} moves of players a second; a change was stored in {mean * 1e3:.1f} ms"
    )
    moves = max(1, len(figures.play))
    loop, whole, client = (spent / moves * 1e3 for spent in (figures.server.loop, figures.server.whole, figures.client))
    print(
        f"processor time for a player's move: event loop {loop:.2f} ms, whole server {whole:.2f} ms, "
        f"client {client:.2f} ms"
    )
    for name, values in (("PlayMove", figures.play), ("until the level's move", figures.watch)):
        p50, p99 = (quantile(values, share) * 1e3 for share in (0.5, 0.99))
        print(f"{name}: p50 {p50:.1f} ms, p99 {p99:.1f} ms, {len(values)} measured")
    p99 = quantile(figures.play, 0.99)
    return verdict([Check(f"PlayMove p99 {p99 * 1e3:.1f} ms, at most {MOST * 1e3:.0f} ms", p99 <= MOST)])


if __name__ == "__main__":
    sys.exit(main())
