"""Kills a server again and again while matches are stored, and looks whether anything was lost or came twice.

One time in three it kills the process that keeps the matches instead: the server starts another one and goes on.

``python -m benchmarks.server.kills --times 1000`` takes about an hour. Clients play without a pause and send each move
again, with its key, until it is answered. At its end every match must hold all that was ever answered, to the byte, and
every move once.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc

from benchmarks.server.process import ServerProcess
from sniffai.v1 import match_service_pb2 as pb
from sniffai.v1 import match_service_pb2_grpc, move_pb2

CLIENTS: Final = 4
SOONEST: Final = 0.02
LATEST: Final = 0.7
"""Seconds from a start to the next kill."""
KEEPER: Final = 3
"""Of so many kills one is of the process that keeps the matches."""
TIMEOUT: Final = 10.0
PATIENCE: Final = 120.0
"""Seconds after which a call must have been answered."""
AGAIN: Final = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED)
"""How calls end whose server is killed, or slow to start."""
OPTIONS: Final = [("grpc.initial_reconnect_backoff_ms", 20), ("grpc.max_reconnect_backoff_ms", 100)]


class LostError(Exception):
    """A match lost something, or has it twice."""


@dataclass
class Client:
    """Plays one match after the other, and remembers every answer."""

    address: str
    number: int
    stop: threading.Event
    answers: int = 0
    """Moves that were answered."""
    matches: int = 0
    error: Exception | None = None
    _stub: Any = None
    _events: dict[int, bytes] = field(default_factory=dict)
    """The events of the match that any answer has shown, by number."""

    def run(self) -> None:
        """Play until told to stop."""
        lots = random.Random(self.number)
        try:
            with grpc.insecure_channel(self.address, OPTIONS) as channel:
                self._stub = match_service_pb2_grpc.MatchServiceStub(channel)
                while not self.stop.is_set():
                    self._play_match(lots)
        except Exception as error:
            self.error = error

    def _play_match(self, lots: random.Random) -> None:
        prefix, key = lots.randbytes(4).hex(), 0
        request = pb.CreateMatchRequest(
            seats=[pb.SeatSetup(human=pb.HumanSeat()), pb.SeatSetup(level="casual")], scores=[150, 150], practice=True
        )
        made = self._call("CreateMatch", request)
        joined = self._call(
            "JoinMatch", pb.JoinMatchRequest(match_id=made.match_id, invitation=made.invitations[0].invitation)
        )
        own: dict[str, Any] = {"match_id": made.match_id, "seat_token": joined.seat_token}
        self._events, self.matches, moves = {}, self.matches + 1, 0
        view = joined.view
        while view.status == pb.MATCH_STATUS_PLAYING and not self.stop.is_set():
            if view.action != move_pb2.ACTION_PLAY:
                asked = pb.GetViewRequest(**own, after_event=view.event_number)
                asked.wait.FromMilliseconds(2000)
                answer = self._call("GetView", asked)
            else:
                key += 1
                named = {"expected_event": view.event_number, "idempotency_key": f"{prefix}-{key}"}
                if view.can_take_back and lots.random() < 0.1:
                    answer = self._call("TakeBack", pb.TakeBackRequest(**own, **named))
                else:
                    moves += 1
                    move = lots.choice(view.legal_moves).move
                    answer = self._call("PlayMove", pb.PlayMoveRequest(**own, move=move, **named))
                self.answers += 1
            self._remember(answer.events)
            view = answer.view
        self._check(own, moves)

    def _call(self, method: str, request: Any) -> Any:
        """Call until there is an answer: the server may be dead, or the machine busy."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return getattr(self._stub, method)(request, timeout=TIMEOUT, wait_for_ready=True)
            except grpc.RpcError as error:
                if error.code() not in AGAIN or time.monotonic() > end:
                    raise

    def _remember(self, events: Any) -> None:
        for event in events:
            data = event.SerializeToString(deterministic=True)
            if self._events.setdefault(event.number, data) != data:
                raise LostError(f"event {event.number} is another one than before")

    def _check(self, own: dict[str, Any], moves: int) -> None:
        """Compare the whole match with all that was answered."""
        events = self._call("GetView", pb.GetViewRequest(**own, after_event=0)).events
        if [event.number for event in events] != list(range(1, len(events) + 1)):
            raise LostError("the numbers of the events have gaps")
        if not set(self._events) <= {event.number for event in events}:
            raise LostError("an event that was answered is gone")
        self._remember(events)
        played = sum(event.round_event.HasField("play") and event.round_event.seat == 0 for event in events)
        if played != moves:
            raise LostError(f"{moves} moves were answered, and {played} were played")


def kill_often(file: Path, times: int, seed: int = 1, clients: int = CLIENTS) -> list[Client]:
    """Kill a server that uses a file, again and again; returns what the clients met.

    :raises Exception: what a client met: :class:`LostError` if something was lost or came twice.
    """
    lots, stop = random.Random(seed), threading.Event()
    with ServerProcess(matches_database=str(file), level_pause=0.0, slots=1, log_level="error") as server:
        players = [Client(server.address, seed * 100 + number, stop) for number in range(clients)]
        threads = [threading.Thread(target=player.run) for player in players]
        for thread in threads:
            thread.start()
        for number in range(times):
            time.sleep(lots.uniform(SOONEST, LATEST))
            if number % KEEPER == KEEPER - 1:
                for child in server.children():
                    os.kill(child, signal.SIGKILL)
            else:
                server.end(signal.SIGKILL)
                server.start()
            if any(player.error for player in players):
                break
        stop.set()
        for thread in threads:
            thread.join(2 * PATIENCE)
    for player in players:
        if player.error is not None:
            raise player.error
    return players


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=100, help="how often (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        players = kill_often(Path(folder) / "matches.db", options.times, options.seed)
    answers, matches = sum(player.answers for player in players), sum(player.matches for player in players)
    print(f"{options.times} kills, {answers} moves answered in {matches} matches: nothing lost, nothing twice")
    print(f"{time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
