"""Compare the speed of two versions on a machine with other work: ``python -m benchmarks.turns OTHER``.

OTHER is a folder with another version's ``sniffai`` and a built ``sniffai_ext`` (side by side, or that in ``ext``).
Each version works in a process of its own. The two take turns with the same piece of work, some hundredths of a second
long, and its processor time counts. So both meet the same machine, and what is printed is how many times as fast this
version is: the median of all turns, and the middle half of them.
"""

import argparse
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from benchmarks.versions import VersionProcess
from sniffai.rules import PLAYERS

WORKS: Final = {
    "random": "random rollouts of a whole round",
    "greedy": "mostly greedy rollouts",
    "shipped": "simulations from a fresh deal, as shipped",
    "no_nets": "the same without nets, greedy rollouts",
    "policy": "decisions of the policy without search",
    "replies": "replies of another seat, by the policy",
    "values": "known worlds valued by the net",
    "set_up": "searches of a single simulation",
    "samples": "belief samples where tiles are excluded",
    "free_samples": "belief samples, nothing excluded",
}
"""What can be measured, by its name on the command line."""

WORKER: Final = """
import math, sys, time
from sniffai import Round
from sniffai.search.nets import load_policy, load_world_value
from sniffai.search.params import Limits, SearchParams
from sniffai.search.searcher import search_options
from sniffai_ext.belief import Belief
from sniffai_ext.rollout import rollouts
from sniffai_ext.search import Search

players = int(sys.argv[1])
views = []
for seed in range(6):
    round_ = Round.deal(players, seed, leader=0)
    while not round_.over:
        moves = round_.legal_moves()
        if len(moves) > 1:
            views.append(round_.view(round_.seat).core())
        round_.play(moves[0])
fresh = [Round.deal(players, seed, leader=0).view(0).core() for seed in range(20)]

def options(simulations, **changes):
    return search_options(SearchParams(**changes), players, Limits(simulations=simulations).effective())

def search(view, seed, options, simulations):
    Search(view, seed, options).run(simulations, math.inf)
    return simulations

def set_up(i):
    for k in range(16):
        search(views[(16 * i + k) % len(views)], i, short, 1)
    return 16

beliefs = list(map(Belief, views))
limited = [belief for belief in beliefs if belief.constrained]
free = [belief for belief in beliefs if not belief.constrained]

def samples(beliefs, i):
    for belief in beliefs:
        belief.sample(400, i)
    return 400 * len(beliefs)

policy, world_value = load_policy(players), load_world_value(players)
shipped, short = options(10_000), options(1_000)
no_nets = options(10_000, net_leaf=False, inference=False, follow=0.0)
works = {
    "random": lambda i: rollouts(players, 20_000, i, 1.0) and 20_000,
    "greedy": lambda i: rollouts(players, 20_000, i, 0.1) and 20_000,
    "shipped": lambda i: search(fresh[i % 20], i, shipped, 10_000),
    "no_nets": lambda i: search(fresh[i % 20], i, no_nets, 10_000),
    "policy": lambda i: policy.play_rounds(1_000, i)[0],
    "replies": lambda i: policy.draw_replies(2_000, 20, i),
    "values": lambda i: world_value.judge_positions(2_000, 60, i)[0],
    "set_up": set_up,
    "samples": lambda i: samples(limited, i),
    "free_samples": lambda i: samples(free, i),
}
for line in sys.stdin:
    name, i = line.split()
    started = time.process_time()
    done = works[name](int(i))
    print(done / (time.process_time() - started), flush=True)
"""


class Version(VersionProcess):
    """The worker of one version, for one number of seats."""

    def __init__(self, folder: Path, players: int) -> None:
        super().__init__(folder, WORKER, str(players))

    def speed(self, work: str, turn: int) -> float:
        """Do a piece of work, and return how much was done in a second of processor time."""
        return float(self.ask(work, turn))


def ratios(this: Version, other: Version, work: str, turns: int) -> Iterator[float]:
    """The speed of this version over the other's, turn by turn; who is first changes with every turn."""
    for version in (this, other):
        version.speed(work, 0)
    for turn in range(turns):
        order = (this, other) if turn % 2 else (other, this)
        speeds = {version: version.speed(work, turn) for version in order}
        yield speeds[this] / speeds[other]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each kind of work and number of seats."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="folder of the other version")
    parser.add_argument("--only", choices=WORKS, nargs="+", default=list(WORKS), help="what to measure (default: all)")
    parser.add_argument("--players", type=int, nargs="+", choices=PLAYERS, default=PLAYERS, help="seats (default: all)")
    parser.add_argument("--turns", type=int, default=21, help="turns of each kind of work (default: 21)")
    options = parser.parse_args(arguments)
    print("| times as fast, median (middle half) | seats | |\n|---|---:|---:|")
    for players in options.players:
        this, other = Version(Path.cwd(), players), Version(options.other, players)
        for work in options.only:
            low, middle, high = statistics.quantiles(ratios(this, other, work, options.turns), n=4)
            print(f"| {WORKS[work]} | {players} | {middle:.2f} ({low:.2f} to {high:.2f}) |", flush=True)
        this.close()
        other.close()


if __name__ == "__main__":
    main()
