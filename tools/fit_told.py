"""Fit how the other seats are taken to choose in the inferred belief, and how much of the evidence counts there.

python tools/fit_told.py --players 3 --rounds 300 --seed 1002

    choices   TOLD_CHOICES: temperature with k tiles on the table start * growth**k, and floor, by the likelihood of the
              search's own choices
    slopes    EVIDENCE_SLOPES: against a place and for it, by the log loss of single tiles at the same decisions

It prints the best of each, and what is near it. sniffai/search/params.py has the numbers in force.
"""

import argparse
import itertools
import sys
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from sniffai.lab.calibration import hidden_places
from sniffai.lab.temperature import read_choices
from sniffai.play.levels import named_player
from sniffai.play.selfplay import Decision, decisions
from sniffai.search.inferred import calibrated
from sniffai.search.nets import load_policy
from sniffai.search.params import MODEL_TEMPERATURES, TOLD_CHOICES, Limits, SearchParams
from sniffai.seeds import derived_seed
from sniffai_ext.belief import Belief
from sniffai_ext.worlds import weighted_worlds

STARTS: Final = np.arange(0.6, 2.6, 0.05)
GROWTHS: Final = np.arange(1.0, 1.2, 0.01)
FLOORS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05)
AGAINST: Final = (0.9, 1.0, 1.1, 1.15, 1.2, 1.3, 1.5)
FOR: Final = (0.6, 0.65, 0.7, 0.8, 0.9, 1.0)
WORLDS: Final = 500
LEAST: Final = 1e-4
"""Probabilities count as at least this, and at most 1 less this."""


def main(args: Sequence[str]) -> None:
    """Fit both, and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=2, help="seats, 2..4 [2]")
    parser.add_argument("--rounds", type=int, default=300, help="of self-play [300]")
    parser.add_argument("--seed", type=int, default=1002, help="decides deals and searches [1002]")
    parser.add_argument("--player", default="search:simulations=1000", help="who plays, at every seat")
    given = parser.parse_args(args)
    player = named_player(given.player, Limits())
    found = [one for in_round in decisions(player, given.players, range(given.rounds), given.seed) for one in in_round]
    fit_choices(given.players, found)
    fit_slopes(given.players, found, given.seed)


def fit_choices(players: int, found: Sequence[Decision]) -> None:
    """Print the likeliest temperatures for each floor."""
    policy = load_policy(players)
    kept = [one for one in found if one.view.core().forced < 0]
    choices = read_choices(policy, kept)
    counts = np.array([len(choice.ratings) for choice in choices])
    behind = np.full((len(choices), counts.max()), -1e9)
    for row, choice in zip(behind, choices, strict=True):
        row[: len(choice.ratings)] = choice.ratings - choice.ratings.max()
    picked = np.array([choice.picked for choice in choices])
    placed = np.array([one.view.core().layout.placed for one in kept])
    for floor in FLOORS:
        best = max(
            (_likelihood(behind, picked, counts, start * growth**placed, floor), start, growth)
            for start, growth in itertools.product(STARTS, GROWTHS)
        )
        print(f"floor {floor}: start {best[1]:.2f}, growth {best[2]:.2f}, {best[0]:.5f} nats a choice", flush=True)


def _likelihood(
    behind: npt.NDArray[np.float64],
    picked: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    temperatures: npt.NDArray[np.float64],
    floor: float,
) -> float:
    """Mean log-likelihood of the choices.

    :param behind: by choice and move, how far the policy's rating is behind the best one.
    """
    shares = np.exp(behind / temperatures[:, None])
    chances = shares[np.arange(len(picked)), picked] / shares.sum(axis=1)
    return float(np.log(floor / counts + (1 - floor) * chances).mean())


def fit_slopes(players: int, found: Sequence[Decision], seed: int) -> None:
    """Print the log loss of single tiles for each pair of slopes, least first."""
    policy, params = load_policy(players), SearchParams()
    pairs = list(itertools.product(AGAINST, FOR))
    losses, tiles = dict.fromkeys(pairs, 0.0), 0
    for number, decision in enumerate(found):
        view = decision.view.core()
        pool = weighted_worlds(
            view,
            WORLDS,
            derived_seed(seed, number, "told"),
            policy,
            MODEL_TEMPERATURES[players],
            params.floor,
            None,
            params.extra_size(WORLDS),
            TOLD_CHOICES[players],
        )
        table, exact = pool.marginals()[0], Belief(view).table()
        places = hidden_places(view)
        held = np.array([decision.hands[seat] >> tile & 1 for tile, seat in places], bool)
        tiles += len(places)
        for pair in pairs:
            told = calibrated(table, exact, pair, view.seat)
            said = np.clip([told[place] for place in places], LEAST, 1 - LEAST)
            losses[pair] -= float(np.log(np.where(held, said, 1 - said)).sum())
    for pair in sorted(pairs, key=losses.__getitem__)[:8]:
        print(f"against {pair[0]}, for {pair[1]}: log loss {losses[pair] / tiles:.5f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
