"""How often a search that stops when decided was right: ``python benchmarks/decided.py``, some minutes on one core.

Positions are decisions of rounds that the policy plays, one a round. Each is searched until it is decided, and for long
without that; wrong is a move that the long search finds worse than its own, clearly where the difference is more than
two of its standard errors.
"""

import argparse
import random
from collections.abc import Iterator

from sniffai import Limits, Round, View, analyze
from sniffai.play.players import PolicyPlayer
from sniffai.play.statistics import wilson_interval
from sniffai.rules import PLAYERS
from sniffai.search.candidates import distinct_moves

SHORT = Limits(simulations=50_000, stop_when_decided=True)
LONG = Limits(simulations=400_000)


def positions(players: int, count: int, seed: int) -> Iterator[View]:
    """Decisions with a choice, of a round each; the rounds' deals are numbered from ``seed`` on."""
    policy = PolicyPlayer()
    while count:
        round_, lots = Round.deal(players, seed), random.Random(seed)
        seed += 1
        choices = []
        while not round_.over:
            view = round_.view(round_.seat)
            if len(distinct_moves(view)) > 1:
                choices.append(view)
            round_.play(policy.choose(view, 0))
        if choices:
            count -= 1
            yield lots.choice(choices)


def measure(players: int, count: int, seed: int) -> str:
    """One line of the table."""
    decided, wrong, clearly, spent = 0, 0, 0, []
    for view in positions(players, count, seed):
        short = analyze(view, SHORT, seed=1)
        if short.stop_reason != "decided":
            continue
        decided += 1
        spent.append(short.effort.simulations)
        long = analyze(view, LONG, seed=2)
        chosen = next(entry for entry in long.moves if entry.move == short.moves[0].move)
        wrong += chosen.rank > 1
        clearly += chosen.loss_significant
    low, high = wilson_interval(wrong, decided)
    median = sorted(spent)[len(spent) // 2]
    share = f"{wrong} ({100 * wrong / decided:.1f} %, {100 * low:.1f} to {100 * high:.1f})"
    return f"| {players} | {count} | {decided} | {median:,} | {share} | {clearly} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=600, help="positions for each line (default: 600)")
    parser.add_argument("--seed", type=int, default=1, help="number of the first deal (default: 1)")
    options = parser.parse_args()
    print("| seats | positions | decided | simulations (median) | wrong (95 %) | clearly |")
    print("|---|---|---|---|---|---|")
    for players in PLAYERS:
        print(measure(players, options.positions, options.seed), flush=True)


if __name__ == "__main__":
    main()
