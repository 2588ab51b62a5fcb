"""Fit how the other seats are taken to choose in the inferred belief, and how much of the evidence counts there.

python tools/fit_told.py choices --players 3 --rounds 300 --seed 1002
python tools/fit_told.py slopes --players 3 --rounds 2000 --seed 4001 4002
python tools/fit_told.py errors --players 3 --rounds 2000 --seed 4004

    choices   TOLD_CHOICES: temperature with k tiles on the table start * growth**k, and floor, by the likelihood of the
              search's own choices; it prints the best for each floor
    slopes    EVIDENCE_SLOPES: so that tiles are held as often as is said, from those in force on
    errors    whether the standard errors of such bins are right: by a bootstrap over rounds

sniffai/search/params.py has the numbers in force.
"""

import argparse
import itertools
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from sniffai.lab.calibration import clustered_error, hidden_places
from sniffai.lab.temperature import read_choices
from sniffai.play.levels import named_player
from sniffai.play.selfplay import Decision, decisions
from sniffai.search.inferred import calibrated
from sniffai.search.nets import load_policy
from sniffai.search.params import (
    EVIDENCE_SLOPES,
    MODEL_TEMPERATURES,
    TOLD_CHOICES,
    EvidenceSlopes,
    Limits,
    SearchParams,
)
from sniffai.seeds import derived_seed
from sniffai_ext.belief import Belief
from sniffai_ext.worlds import weighted_worlds

STARTS: Final = np.arange(0.6, 2.6, 0.05)
GROWTHS: Final = np.arange(1.0, 1.2, 0.01)
FLOORS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05)
FINE: Final = (
    0,
    0.005,
    0.02,
    0.05,
    0.1,
    0.15,
    0.2,
    0.25,
    0.3,
    0.35,
    0.4,
    0.45,
    0.5,
    0.6,
    0.7,
    0.8,
    0.9,
    0.96,
    0.99,
    1.01,
)
TENTHS: Final = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)
"""Edges of the bins that are fitted: both, as the report has the second."""
FEWEST: Final = 30
"""Tiles in a bin that counts."""
PROBE: Final = 0.08
STEPS: Final = 4
TRIES: Final = 3
LOWEST: Final = (0.2, 0.2, 0.2, 0.0)
HIGHEST: Final = (2.5, 2.5, 2.5, 0.9)
"""Of the slopes."""
WORLDS: Final = 500
SAMPLES: Final = 2000
"""Of the bootstrap."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the worlds say at one decision, uncorrected, and the truth."""

    round: int
    table: npt.NDArray[np.float64]
    exact: npt.NDArray[np.float64]
    own: int
    rows: npt.NDArray[np.int64]
    """The hidden tiles, once for each other seat."""
    columns: npt.NDArray[np.int64]
    """The seats."""
    held: npt.NDArray[np.float64]
    """1 where the seat held the tile, else 0."""


def main(args: Sequence[str]) -> None:
    """Fit, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("choices", "slopes", "errors"), help="what is fitted")
    parser.add_argument("--players", type=int, default=2, help="seats, 2..4 [2]")
    parser.add_argument("--rounds", type=int, default=300, help="of self-play for each seed [300]")
    parser.add_argument("--seed", type=int, nargs="+", default=[1002], help="decides deals and searches [1002]")
    parser.add_argument("--player", default="search:simulations=1000", help="who plays, at every seat")
    given = parser.parse_args(args)
    player = named_player(given.player, Limits())
    played = [
        (seed, number, in_round)
        for seed in given.seed
        for number, in_round in enumerate(decisions(player, given.players, range(given.rounds), seed))
    ]
    if given.part == "choices":
        fit_choices(given.players, [decision for *_, in_round in played for decision in in_round])
        return
    beliefs = [
        _told(decision, given.players, count, derived_seed(seed, number, k, 2))
        for count, (seed, number, in_round) in enumerate(played)
        for k, decision in enumerate(in_round)
    ]
    (fit_slopes if given.part == "slopes" else check_errors)(given.players, beliefs)


def _told(decision: Decision, players: int, number: int, seed: int) -> Told:
    """What the worlds say.

    :param number: of the round.
    :param seed: of the worlds; that of the report.
    """
    view, params = decision.view.core(), SearchParams()
    pool = weighted_worlds(
        view,
        WORLDS,
        seed,
        load_policy(players),
        MODEL_TEMPERATURES[players],
        params.floor,
        None,
        params.extra_size(WORLDS),
        TOLD_CHOICES[players],
    )
    places = hidden_places(view)
    held = np.array([decision.hands[seat] >> tile & 1 for tile, seat in places], np.float64)
    rows, columns = np.array(places).T
    return Told(number, pool.marginals()[0], Belief(view).table(), view.seat, rows, columns, held)


def fit_choices(players: int, placements: Sequence[Decision]) -> None:
    """Print the likeliest temperatures for each floor."""
    policy = load_policy(players)
    kept = [decision for decision in placements if decision.view.core().forced < 0]
    choices = read_choices(policy, kept)
    counts = np.array([len(choice.ratings) for choice in choices])
    behind = np.full((len(choices), counts.max()), -1e9)
    for row, choice in zip(behind, choices, strict=True):
        row[: len(choice.ratings)] = choice.ratings - choice.ratings.max()
    picked = np.array([choice.picked for choice in choices])
    placed = np.array([decision.view.core().layout.placed for decision in kept])
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


def fit_slopes(players: int, beliefs: Sequence[Told]) -> None:
    """Print the slopes with which what is said is true as often, step by step.

    Least squares of how far each bin is off, in standard errors over rounds (Levenberg and Marquardt).
    """
    slopes = np.array(EVIDENCE_SLOPES[players])
    off, errors = _off(beliefs, slopes)
    damping = 0.03
    for _ in range(STEPS):
        _print_fit(slopes, off, errors)
        columns = [
            (_off(beliefs, slopes + np.where(np.arange(len(slopes)) == k, PROBE, 0))[0] - off) / PROBE
            for k in range(len(slopes))
        ]
        slope = np.stack(columns, axis=1) / errors[:, None]
        square = slope.T @ slope
        for _ in range(TRIES):
            step = np.linalg.solve(square + damping * np.diag(np.diag(square)), slope.T @ (off / errors))
            tried = np.clip(slopes - np.clip(step, -4 * PROBE, 4 * PROBE), LOWEST, HIGHEST)
            tried_off, tried_errors = _off(beliefs, tried)
            if ((tried_off / tried_errors) ** 2).sum() < ((off / errors) ** 2).sum():
                slopes, off, errors, damping = tried, tried_off, tried_errors, damping / 3
                break
            damping *= 6
        else:
            break
    _print_fit(slopes, off, errors)


def _print_fit(slopes: npt.NDArray[np.float64], off: npt.NDArray[np.float64], errors: npt.NDArray[np.float64]) -> None:
    squares = (off / errors) ** 2
    figures = ", ".join(f"{slope:.2f}" for slope in slopes)
    print(f"slopes {figures}: chi-square {squares.sum():.1f} over {len(squares)} bins", flush=True)


def _off(
    beliefs: Sequence[Told], slopes: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """By bin, the share held less the mean said, and its standard error."""
    rows = []
    for differences, rounds in _bins(beliefs, EvidenceSlopes(*slopes.tolist()), FINE, TENTHS):
        error = clustered_error(differences, rounds) if len(differences) >= FEWEST else None
        rows.append((float(differences.mean()), error) if error else (0.0, 1.0))
    return np.array([mean for mean, _ in rows]), np.array([error for _, error in rows])


def _bins(
    beliefs: Sequence[Told], slopes: EvidenceSlopes, *kinds: Sequence[float]
) -> Iterator[tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]]:
    """By bin, 1 or 0 for each tile less what was said, and its round.

    :param kinds: edges of bins.
    """
    corrected = [calibrated(belief.table, belief.exact, slopes, belief.own) for belief in beliefs]
    said = np.concatenate(
        [table[belief.rows, belief.columns] for table, belief in zip(corrected, beliefs, strict=True)]
    )
    held = np.concatenate([belief.held for belief in beliefs])
    rounds = np.concatenate([np.full(len(belief.held), belief.round) for belief in beliefs])
    for edges in kinds:
        number = np.searchsorted(edges, said, side="right")
        for k in range(1, len(edges)):
            yield (held - said)[number == k], rounds[number == k]


def check_errors(players: int, beliefs: Sequence[Told]) -> None:
    """Print by bin how the stated error compares with a bootstrap over rounds, and with that of independent tiles."""
    random = np.random.default_rng(1)
    count = max(belief.round for belief in beliefs) + 1
    for low, (differences, rounds) in zip(TENTHS, _bins(beliefs, EVIDENCE_SLOPES[players], TENTHS), strict=False):
        error = clustered_error(differences, rounds)
        if error is None:
            continue
        samples = random.multinomial(count, np.full(count, 1 / count), size=SAMPLES)
        sums, sizes = np.bincount(rounds, differences, count), np.bincount(rounds, minlength=count)
        scatter = float(((samples @ sums) / (samples @ sizes)).std())
        alone = math.sqrt(float((differences**2).mean()) / len(differences))
        alike = f"which is {error / alone:.2f} of independent tiles"
        print(f"{low:.1f}: bootstrap {scatter / error:.2f} of the error, {alike}")


if __name__ == "__main__":
    main(sys.argv[1:])
