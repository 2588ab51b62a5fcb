"""Time the exact solver by tiles left: ``python benchmarks/solver.py``, some minutes on one core. See solver.md.

Positions are reached from seeded deals by moves that score most, one in five at random. Each is solved once, in
processor time of its thread, by one solver that goes from position to position; what it remembers of earlier ones is of
no use.
"""

import argparse
import random
import statistics
import time
from collections.abc import Iterator

from sniffai import Round
from sniffai.equity import load
from sniffai_ext.round import Round as CoreRound
from sniffai_ext.solver import Solver

CASES = {2: (28, 24, 20, 16, 12), 4: (28, 24, 20, 16, 12)}
"""Tiles not on the table, by the number of seats."""

NODE_CAP = 20_000_000
TABLE_BYTES = 4 << 20
RANDOM_SHARE = 0.2


def positions(players: int, left: int, count: int, score: int) -> Iterator[CoreRound]:
    """Running rounds with so many tiles left, both teams having begun at a score."""
    seed = 0
    while count:
        seed += 1
        round_, rng = Round.deal(players, seed, scores=(score, score)).core(), random.Random(seed)
        while not round_.over and 28 - round_.layout.placed > left:
            round_.play(*chosen(round_, rng))
        if not round_.over:
            count -= 1
            yield round_


def chosen(round_: CoreRound, rng: random.Random) -> tuple[int, int]:
    """A random move, or one with the most points now."""
    moves, layout = round_.legal_moves(), round_.layout
    rng.shuffle(moves)
    return moves[0] if rng.random() < RANDOM_SHARE else max(moves, key=lambda move: layout.outlook(*move)[0])


def measure(players: int, left: int, count: int, score: int, match: bool) -> str:
    """One line of the table."""
    solver = Solver(table_bytes=TABLE_BYTES, equity=load(players).core, match=match)
    times, nodes, unknown = [], [], 0
    for round_ in positions(players, left, count, score):
        start = time.thread_time_ns()
        unknown += solver.solve(round_, NODE_CAP) is None
        times.append((time.thread_time_ns() - start) / 1000)
        nodes.append(solver.nodes)
    cuts = statistics.quantiles(times, n=20)
    cells = [
        f"{players} | {left} | {count} | {statistics.median(times):,.1f} | {cuts[-1]:,.0f} | {max(times):,.0f}",
        f"{statistics.median(nodes):,.0f} | {sum(nodes) / sum(times):.1f} | {unknown}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=1000, help="positions for each line (default: 1000)")
    parser.add_argument("--score", type=int, default=0, help="score of both teams before the round (default: 0)")
    parser.add_argument("--match", action="store_true", help="value the chance to win the match instead of points")
    options = parser.parse_args()
    print("| seats | tiles left | positions | median µs | p95 µs | max µs | median nodes | M nodes/s | unknown |")
    print("|---|---|---|---|---|---|---|---|---|")
    for players, cases in CASES.items():
        for left in cases:
            print(measure(players, left, options.positions, options.score, options.match), flush=True)


if __name__ == "__main__":
    main()
