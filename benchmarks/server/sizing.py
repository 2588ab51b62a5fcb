"""What one slot of a server answers, and what it takes: ``python -m benchmarks.server.sizing``, for docs/sizing.md.

A server with one slot gets the positions of whole rounds of 2, 3 and 4 seats, one call after the other, at each level
and with several limits. Beside seconds it counts processor time, which other work on the machine disturbs less.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sniffai
from benchmarks.server.figures import machine
from benchmarks.server.process import ServerProcess
from sniffai import Limits
from sniffai.client import Client
from sniffai.play.levels import LEVELS

DEALS: Final = 3
"""Rounds for each number of seats."""
LIMITS: Final[dict[str, dict[str, Any]]] = {
    **{level.name: {"level": level.name} for level in LEVELS if level.name != "full"},
    "1,000 simulations": {"limits": Limits(simulations=1000)},
    "10,000 simulations": {"limits": Limits(simulations=10_000)},
    "0.1 s": {"limits": Limits(seconds=0.1)},
    "0.5 s": {"limits": Limits(seconds=0.5)},
    "1 s": {"limits": Limits(seconds=1.0)},
    "2 s, stopped when decided": {"limits": Limits(seconds=2.0, stop_when_decided=True)},
}
MEBIBYTE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Figures:
    """What calls of one kind took."""

    calls: int
    seconds: float
    """Of all calls together, one after the other."""
    processor: float
    """Seconds of the server's processor time."""
    tree: float
    """Bytes of the trees at their ends, on average."""

    def row(self, name: str) -> list[str]:
        """The cells of a table."""
        each = self.processor / self.calls
        return [
            name,
            f"{1 / each:,.1f}" if each > 0.1 else f"{1 / each:,.0f}",
            f"{1000 * each:,.1f}",
            f"{1000 * self.seconds / self.calls:,.1f}",
            f"{self.tree / MEBIBYTE:,.1f}",
        ]


def views() -> Iterator[sniffai.View]:
    """What the seat to move knows, where it has a choice: every third placement of some rounds."""
    for players in (2, 3, 4):
        for seed in range(DEALS):
            round_ = sniffai.Round.deal(players, seed)
            while not round_.over:
                moves = round_.legal_moves()
                if len(round_.moves) % 3 == 0 and len(moves) > 1:
                    yield round_.view(round_.seat)
                round_.play(moves[0])


def measure(server: ServerProcess, client: Client, wishes: dict[str, Any], seconds: float) -> Figures:
    """Ask about all positions in turn for some time, each at least once in full rounds of them."""
    asked = list(views())
    client.recommend(asked[0], **wishes)
    before, trees, processor = time.perf_counter(), server.metrics(), _used(server)
    calls = 0
    while calls < len(asked) or calls % len(asked) or time.perf_counter() - before < seconds:
        client.recommend(asked[calls % len(asked)], **wishes)
        calls += 1
    took = time.perf_counter() - before
    after = server.metrics()
    count = after.get("sniffai_tree_bytes_count", 0) - trees.get("sniffai_tree_bytes_count", 0)
    size = after.get("sniffai_tree_bytes_sum", 0) - trees.get("sniffai_tree_bytes_sum", 0)
    return Figures(calls, took, _used(server) - processor, size / max(1, count))


def _used(server: ServerProcess) -> float:
    return server.metrics()["process_cpu_seconds_total"]


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table."""
    head = ["what is asked", "answers a second and core", "processor ms", "ms with the call", "tree, MiB"]
    for row in [head, ["---"] * len(head), *rows]:
        yield f"| {' | '.join(row)} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a table; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0, help="for each row; never less than all positions once")
    parser.add_argument("--only", choices=LIMITS, action="append", help="a row; repeat it (default: all)")
    options = parser.parse_args(arguments)
    print(machine())
    with ServerProcess(slots=1, matches_database="memory") as server, Client(server.address, 60.0) as client:
        idle = server.vitals()
        rows = [measure(server, client, LIMITS[name], options.seconds).row(name) for name in options.only or LIMITS]
        after = server.vitals()
    print(f"{len(list(views()))} positions; a server that has just started takes {idle.memory / MEBIBYTE:.0f} MiB")
    print(f"and {after.memory / MEBIBYTE:.0f} MiB after all calls")
    for line in table(rows):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
