"""Fit what the numbers of a decision are worth, and write sniffai/data/reason_weights.json (docs/explain.md).

Rounds are played by the engine with few simulations. Each of their decisions is searched again with more, and the
margins of its moves are kept in a file, so an interrupted run can be resumed: python tools/measure_reasons.py DATA.
The numbers of the two best moves (sniffai/explain/worth.py) then predict the difference of their margins.
"""

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import sniffai
from sniffai.explain.facts import Facts
from sniffai.explain.worth import FILE, NUMBERS, numbers_of
from sniffai.play.players import SearchPlayer
from sniffai.round import Round
from sniffai.search.candidates import distinct_moves
from sniffai.search.params import Limits
from sniffai.search.searcher import analyze
from sniffai.seeds import derived_seed
from sniffai.view import View

WRITTEN = Path(sniffai.__file__).parent / FILE

FOLDS = 5
SWEEPS = 300
"""Of the descent; the weights no longer change then."""

PLAYING = Limits(simulations=300)
"""Of the players of the rounds."""


def options(args: Sequence[str]) -> argparse.Namespace:
    """The options of a command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("data", type=Path, help="file of the decisions, JSON lines; made, or added to where decisions are missing")
    add("--decisions", type=int, default=9000, help="decisions in all, as many with 2, 3 and 4 seats [9000]")
    add("--simulations", type=int, default=10_000, help="of the search of each [10000]")
    add("--seed", type=int, default=1, help="decides the deals [1]")
    return parser.parse_args(args)


def searched(players: int, deal: int, given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The decisions of one round with a choice of at least two moves, with the margins of a search."""
    seed = derived_seed(given.seed, players, deal)
    player = SearchPlayer(PLAYING)
    round_ = Round.deal(players, seed)
    number = 0
    while not round_.over:
        view = round_.view(round_.seat)
        number += 1
        if len(distinct_moves(view)) > 1:
            analysis = analyze(view, Limits(simulations=given.simulations), seed=derived_seed(seed, number))
            moves = [
                [str(entry.move), entry.expected_margin, entry.standard_error]
                for entry in analysis.moves
                if entry.expected_margin is not None and entry.standard_error is not None
            ]
            if len(moves) > 1:
                yield {"players": players, "deal": deal, "view": view.to_text(), "moves": moves}
        round_.play(player.choose(view, derived_seed(seed, number)))


def gather(given: argparse.Namespace) -> list[dict[str, Any]]:
    """The decisions: those of the file first, and what is missing searched and added to it."""
    lines = given.data.read_text(encoding="utf-8").splitlines() if given.data.exists() else []
    kept: list[dict[str, Any]] = [json.loads(line) for line in lines]
    with given.data.open("a", encoding="utf-8") as file:
        for players in (2, 3, 4):
            mine = [decision for decision in kept if decision["players"] == players]
            deal = max((decision["deal"] for decision in mine), default=-1) + 1
            while len(mine) < given.decisions // 3:
                decisions = list(searched(players, deal, given))
                file.writelines(json.dumps(decision) + "\n" for decision in decisions)
                file.flush()
                mine += decisions
                kept += decisions
                deal += 1
    return kept


@dataclass(frozen=True)
class Pairs:
    """The two best moves of each decision: how their numbers differ, and their margins."""

    numbers: npt.NDArray[np.float64]
    """``[decisions, NUMBERS]``: the best move's less the second's."""
    margins: npt.NDArray[np.float64]
    errors: npt.NDArray[np.float64]
    """Standard errors of the differences of the margins."""

    def __getitem__(self, which: npt.NDArray[np.bool_]) -> "Pairs":
        return Pairs(self.numbers[which], self.margins[which], self.errors[which])


def pairs_of(decisions: Sequence[dict[str, Any]]) -> Pairs:
    """What the facts and the searches say of the two best moves of each decision."""
    rows, margins, errors = [], [], []
    for decision in decisions:
        facts = Facts(View.from_text(decision["view"]))
        first, second = sorted(decision["moves"], key=lambda move: -move[1])[:2]
        mine, other = (numbers_of(facts, facts.find(move)) for move, _, _ in (first, second))
        rows.append([mine.get(name, 0.0) - other.get(name, 0.0) for name in NUMBERS])
        margins.append(first[1] - second[1])
        errors.append(math.hypot(first[2], second[2]))
    return Pairs(np.array(rows), np.array(margins), np.array(errors))


def fitted(pairs: Pairs) -> npt.NDArray[np.float64]:
    """The weights of least squares that are at least 0, by coordinate descent, with a ridge of one decision."""
    scale = np.sqrt((pairs.numbers**2).mean(axis=0)) + 1e-9
    scaled = pairs.numbers / scale
    square, product = scaled.T @ scaled + np.eye(len(NUMBERS)), scaled.T @ pairs.margins
    weights = np.zeros(len(NUMBERS))
    for _ in range(SWEEPS):
        for i in range(len(NUMBERS)):
            weights[i] = max(0.0, weights[i] + (product[i] - square[i] @ weights) / square[i, i])
    unscaled: npt.NDArray[np.float64] = weights / scale
    return unscaled


def predicted(pairs: Pairs) -> npt.NDArray[np.float64]:
    """The differences of the margins, each predicted by weights that were fitted without its fifth of the decisions."""
    fold = np.random.default_rng(0).integers(0, FOLDS, len(pairs.margins))
    predictions = np.zeros(len(pairs.margins))
    for i in range(FOLDS):
        predictions[fold == i] = pairs.numbers[fold == i] @ fitted(pairs[fold != i])
    return predictions


def explained(pairs: Pairs) -> dict[str, float]:
    """How well unseen differences are predicted.

    ``r2``: the share of their variance; ``share``: of their mean square, as the second move is no better by definition;
    ``noise``: the share of the variance that is the searches' own error, which nothing can predict.
    """
    margins, predictions = pairs.margins, predicted(pairs)
    missed = float(((margins - predictions) ** 2).mean())
    return {
        "r2": round(1 - missed / float(margins.var()), 3),
        "share": round(1 - missed / float((margins**2).mean()), 3),
        "noise": round(float((pairs.errors**2).mean()) / float(margins.var()), 3),
    }


def main(args: Sequence[str]) -> None:
    """Gather, fit, write, and print the tables of docs/explain.md."""
    given = options(args)
    decisions = gather(given)
    document: dict[str, Any] = {"weights": {}, "fit": {}}
    for players in (2, 3, 4):
        pairs = pairs_of([decision for decision in decisions if decision["players"] == players])
        weights = fitted(pairs)
        document["weights"][str(players)] = {name: round(float(w), 3) for name, w in zip(NUMBERS, weights, strict=True)}
        document["fit"][str(players)] = {"decisions": len(pairs.margins), **explained(pairs)}
    WRITTEN.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    for players, fit in document["fit"].items():
        print(players, fit)
    for name in NUMBERS:
        print(name, *(document["weights"][players][name] for players in document["weights"]), sep=" | ")


if __name__ == "__main__":
    main(sys.argv[1:])
