"""How exact the marginals of a pool of worlds are: ``python benchmarks/marginals.py``.

Positions are reached from seeded deals by the policy. In each, a pool is filled many times, once with worlds straight
from the belief (*weighed alone*) and once as a search fills it, with samples that a fit proposes and extends it by. The
marginals of each are compared with those of ``--truth`` weighed worlds: the root of the mean squared error over hidden
tiles and seats. *stated* is the error that a pool expects of itself, from the number of independent worlds that it
claims to be worth. See marginals.md.
"""

import argparse
import math
from collections.abc import Iterator, Sequence

import numpy as np

from sniffai import Round
from sniffai.play.levels import named_player
from sniffai.rules import PLAYERS
from sniffai.search.candidates import distinct_moves
from sniffai.search.nets import load_policy
from sniffai.search.params import MODEL_TEMPERATURES, SearchParams
from sniffai.seeds import derived_seed
from sniffai_ext.view import View
from sniffai_ext.worlds import Pool, weighted_worlds

LEAST, MOST = 3, 12
"""Placements before a position."""

SPREAD = 0.05
"""Positions in which the log-likelihoods deviate by less are left out: there, nothing is to be weighed."""


def positions(players: int, count: int) -> Iterator[View]:
    """What the seat to move knows, where it has a choice and the pool cannot hold all worlds."""
    player, accepted, deal = named_player("policy"), 0, 0
    while accepted < count:
        deal += 1
        round_ = Round.deal(players, derived_seed("marginals", players, deal), leader=deal % players)
        for number in range(LEAST + deal % (MOST - LEAST + 1)):
            if round_.over:
                break
            round_.play(player.choose(round_.view(round_.seat), derived_seed(deal, number)))
        if round_.over or len(distinct_moves(round_.view(round_.seat))) < 2:
            continue
        view = round_.view(round_.seat).core()
        probe = pool_of(view, players, 2000, 0)
        if not probe.complete and probe.log_likelihoods().std() >= SPREAD:
            accepted += 1
            yield view


def pool_of(view: View, players: int, worlds: int, seed: int, extra: int = 0) -> Pool:
    """A pool of a position."""
    return weighted_worlds(
        view, worlds, seed, load_policy(players), MODEL_TEMPERATURES[players], SearchParams().floor, extra=extra
    )


def hidden(view: View) -> tuple[list[int], list[int]]:
    """The tiles that the seat does not see, and the seats that may hold them."""
    seen = view.hand | view.layout.tiles
    return [tile for tile in range(28) if not seen >> tile & 1], [
        seat for seat in range(view.players) if seat != view.seat
    ]


def measure(players: int, count: int, sizes: Sequence[int], repeats: int, truth_worlds: int) -> None:
    """Print a row for each size."""
    squares: dict[tuple[int, str], list[float]] = {
        (size, way): [] for size in sizes for way in ("alone", "pool", "stated alone", "stated pool")
    }
    for view in positions(players, count):
        cells = np.ix_(*hidden(view))
        truth = pool_of(view, players, truth_worlds, 1).table()[cells]
        spread = (truth * (1 - truth)).mean()
        for size in sizes:
            for seed in range(repeats):
                for way, extra in (("alone", 0), ("pool", SearchParams().extra_size(size))):
                    pool = pool_of(view, players, size, seed + 2, extra)
                    squares[size, way].append(((pool.table()[cells] - truth) ** 2).mean())
                    squares[size, f"stated {way}"].append(spread / pool.independent)
    for size in sizes:
        alone, stated_alone, blended, stated_blend = (
            math.sqrt(np.mean(squares[size, way])) for way in ("alone", "stated alone", "pool", "stated pool")
        )
        print(
            f"| {players} | {size:,} | {alone:.3f} | {stated_alone:.3f} | {blended:.3f} | {stated_blend:.3f} "
            f"| {(blended / alone) ** 2:.2f} |",
            flush=True,
        )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=24, help="for each number of seats (default: %(default)s)")
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[64, 150, 500, 2000], help="worlds that the policy weighs"
    )
    parser.add_argument("--repeats", type=int, default=6, help="pools of each size (default: %(default)s)")
    parser.add_argument("--truth", type=int, default=60_000, help="worlds of the truth (default: %(default)s)")
    options = parser.parse_args()
    print("| seats | worlds | alone | stated | sample | stated | squared error: sample / alone |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for players in PLAYERS:
        measure(players, options.positions, options.sizes, options.repeats, options.truth)


if __name__ == "__main__":
    main()
