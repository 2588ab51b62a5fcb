"""How well a model that sees the history foretells what a search chooses, and how it plays alone (docs/lab.md).

python -m benchmarks.history_model play --folder choices --seed 1 --rounds 20000
python -m benchmarks.history_model play --folder choices --seed 2 --rounds 1000 --again
python -m benchmarks.history_model train --folder choices --seed 1 --held-out 2 --inputs exact inferred --units 128

    play    writes the choices of a search in self-play to files, and goes on where it stopped; --again makes each
            choice a second time with another seed: as often the search agrees with itself
    train   trains a model on the choices of one seed, and prints how often it chooses as the search did on those of
            another one; with --deals it then plays against the policy, both without search
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from benchmarks.choice_net import BATCH, Batch, ChoiceNet, first_best, softmax, train
from benchmarks.search_choices import Inputs, inputs_of, record, row_count
from sniffai.jobs.processes import Processes, available_cores
from sniffai.jobs.spec import slices
from sniffai.moves import Move
from sniffai.play.adjusted import AdjustedMean
from sniffai.play.arena import Contestant, play_pairing
from sniffai.play.arena_result import ArenaSpec, take_in
from sniffai.play.levels import named_player
from sniffai.play.players import Player, SearchPlayer
from sniffai.play.statistics import Estimate, mean_and_error
from sniffai.rules import PLAYERS
from sniffai.search.nets import load_policy
from sniffai.search.params import Limits
from sniffai.search.phases import PHASES
from sniffai.view import View

OF_MOVES: Final = ("exact_replies", "inferred_replies")
EXTRA: Final = ("exact", "inferred", *OF_MOVES, "past")
"""What a model may be told besides the rows of the policy: fields of ``Inputs``, and of ``SeenMove``."""
ROUNDS_OF_FILE: Final = 200
SOFT: Final = 1.5
"""Moves nearly as good are targets as well: by softmax of the search's values, with this temperature in points."""
SAME: Final = 1e-6
"""Values of moves that differ by less, in points, are the same: in ends that were solved, several may be best."""
EVALUATED: Final = 2000
"""Choices that are rated at a time."""


@dataclass(frozen=True)
class Choices:
    """Recorded choices, see :class:`benchmarks.search_choices.Recorder`."""

    players: int
    found: dict[str, npt.NDArray[Any]]
    extra: Sequence[str]
    """Which of :data:`EXTRA` are inputs."""

    @classmethod
    def read(cls, folder: Path, players: int, seed: int, extra: Sequence[str], most: int | None = None) -> "Choices":
        """Those in the files of a seed, in the order of their rounds; no more files than ``most`` choices need."""
        parts, count = [], 0
        for file in sorted(folder.glob(f"{players}-{seed}-??????.npz")):
            with np.load(file) as data:
                parts.append(dict(data))
            count += len(parts[-1]["moves"])
            if most is not None and count >= most:
                break
        if not parts:
            raise SystemExit(f"{folder} has no choices of {players} seats and seed {seed}: make them with play")
        arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        arrays["starts"] = np.cumsum(arrays["moves"], dtype=np.int64) - arrays["moves"]
        return cls(players, arrays, extra)

    def __len__(self) -> int:
        return len(self.found["moves"])

    def batch(self, numbers: npt.NDArray[np.int64]) -> tuple[Batch, npt.NDArray[np.int64]]:
        """Some choices, and which of all moves theirs are."""
        arrays = self.found
        counts = arrays["moves"][numbers].astype(np.int64)
        starts, owner = np.cumsum(counts) - counts, np.repeat(np.arange(len(numbers)), counts)
        moves = np.arange(counts.sum()) + (arrays["starts"][numbers] - starts)[owner]
        columns = [np.unpackbits(arrays["rows"][moves], axis=1, count=row_count(self.players))]
        columns += [arrays[name][moves] if name in OF_MOVES else arrays[name][numbers][owner] for name in self.extra]
        inputs = np.concatenate([column.astype(np.float32) for column in columns], axis=1)
        target = softmax(arrays["margin"][moves] / SOFT, starts, owner)
        points = arrays["points"][moves].astype(np.float32)
        return Batch(inputs, points, starts, owner, arrays["phase"][numbers], target), moves

    def parts(self) -> Iterator[npt.NDArray[np.int64]]:
        """The numbers of all choices, some at a time."""
        for part in slices(len(self), EVALUATED):
            yield np.arange(part.start, part.stop)

    def shuffled(self, most: int, random: np.random.Generator) -> Iterator[Batch]:
        """The first ``most`` choices once, in batches; a rest is left out."""
        order = random.permutation(min(most, len(self)))
        for k in range(0, len(order) - BATCH + 1, BATCH):
            yield self.batch(order[k : k + BATCH])[0]


def trained(choices: Choices, most: int, units: int, epochs: int, seed: int) -> ChoiceNet:
    """A model of the first ``most`` choices; with no epochs it is the policy."""
    made: Any = load_policy(choices.players).__reduce__()  # as for a pickle: the class, then seats and weights
    inputs = choices.batch(np.arange(1))[0].inputs.shape[1]
    net = ChoiceNet(made[1][1], row_count(choices.players), inputs, units, seed)
    random, steps = np.random.default_rng(seed), epochs * (min(most, len(choices)) // BATCH)
    train(net, (batch for _ in range(epochs) for batch in choices.shuffled(most, random)), steps)
    return net


def report(net: ChoiceNet, held_out: Choices) -> None:
    """Print how often a model chooses as the search did, and what its choices lose by the search's values."""
    places, losses = [], []
    for numbers in held_out.parts():
        batch, moves = held_out.batch(numbers)
        places.append(first_best(net.rate(batch.inputs, batch.points), batch))
        margin = held_out.found["margin"][moves]
        picked = margin[batch.starts + held_out.found["picked"][numbers]]
        losses.append(picked - margin[batch.starts + places[-1]])
    loss = np.concatenate(losses)
    print(f"  the model {_agreement(held_out, np.concatenate(places))}")
    print(f"  it loses {np.maximum(0, loss).mean():.3f} points a choice by the search's values,", end=" ")
    print(f"and with moves of the same value it agrees in {100 * (abs(loss) < SAME).mean():.2f} %")


def _agreement(held_out: Choices, places: npt.NDArray[Any]) -> str:
    """How often some choices are the search's, in all and by phase."""
    agreed, phase = places == held_out.found["picked"], held_out.found["phase"]
    shares = [f"{100 * agreed.mean():.2f} ± {100 * agreed.std() / len(agreed) ** 0.5:.2f} %"]
    shares += [f"{name} {100 * agreed[phase == k].mean():.1f}" for k, name in enumerate(PHASES) if (phase == k).any()]
    return ", ".join(shares)


class ModelPlayer:
    """The move that a model rates highest, without any search.

    :param extra: which of :data:`EXTRA` it is told.
    """

    def __init__(self, net: ChoiceNet, extra: Sequence[str]) -> None:
        self._net, self._extra = net, extra

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`sniffai.play.players.Player`."""
        seen = inputs_of(view, seed)
        rating = self._net.rate(told(seen, self._extra), np.array([move.points for move in seen.moves], np.float32))
        return Move.from_codes(*seen.moves[int(rating.argmax())].codes)


def told(seen: Inputs, extra: Sequence[str]) -> npt.NDArray[np.float32]:
    """The inputs by move, in the order of :meth:`Choices.batch`."""
    rows = [[move.rows, *[getattr(move if name in OF_MOVES else seen, name) for name in extra]] for move in seen.moves]
    return np.array([np.concatenate(row) for row in rows], np.float32)


def gain(players: int, deals: int, seed: int, usual: Player, player: Player) -> tuple[Estimate, Estimate]:
    """What a player gains over another one in points a round, and the same less luck."""
    spec = ArenaSpec("policy", "policy", players, deals, seed=seed)  # the names stand for nothing here
    contestants = Contestant(usual), Contestant(player)
    mean, margins = AdjustedMean(), []
    for number in range(deals):
        pairing = play_pairing(spec, *contestants, number)
        take_in(mean, pairing, "points")
        margins.append(sum(game.margins[team] for team, game in enumerate(pairing)) / len(pairing))
    return mean_and_error(margins), mean.estimate


def duel(players: int, deals: int, seed: int, model: ModelPlayer) -> None:
    """Print what a model gains over the policy, both without search."""
    plain, less = gain(players, deals, seed, named_player("policy"), model)
    print(f"  alone against the policy, {deals} deals: {plain.mean:+.2f} ± {plain.standard_error:.2f}", end=" ")
    print(f"points a round, less luck {less.mean:+.2f} ± {less.standard_error:.2f}")


def _record(given: argparse.Namespace, numbers: range) -> int:
    file = given.folder / f"{given.players}-{given.seed}-{numbers.start:06}.npz"
    player = SearchPlayer(Limits(simulations=given.simulations))
    return record(player, given.players, numbers, given.seed, given.again, file)


def play(given: argparse.Namespace) -> None:
    """Write choices to files."""
    given.folder.mkdir(parents=True, exist_ok=True)
    with Processes(given.workers) as processes:
        for _ in processes.spread(partial(_record, given), slices(given.rounds, ROUNDS_OF_FILE)):
            pass


def learn(given: argparse.Namespace) -> None:
    """Train a model, and print how good it is."""
    choices = Choices.read(given.folder, given.players, given.seed, given.inputs, given.choices)
    held_out = Choices.read(given.folder, given.players, given.held_out, given.inputs)
    most = min(given.choices or len(choices), len(choices))
    net = trained(choices, most, given.units, given.epochs, given.seed)
    print(f"{given.players} seats, {given.units} units, rows {' '.join(given.inputs)}, {most} choices,", end=" ")
    print(f"{len(held_out)} held out:")
    if (held_out.found["again"] != held_out.found["picked"]).any():
        print(f"  the search again {_agreement(held_out, held_out.found['again'])}")
    report(net, held_out)
    if given.deals:
        duel(given.players, given.deals, given.held_out, ModelPlayer(net, given.inputs))


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, and do one of both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    for name, work in (("play", play), ("train", learn)):
        part = parts.add_parser(name)
        part.set_defaults(work=work)
        part.add_argument("--folder", type=Path, required=True, help="of the files")
        part.add_argument("--players", type=int, default=2, choices=PLAYERS, help="seats [2]")
        part.add_argument("--seed", type=int, default=1, help="of the deals [1]")
    playing, training = (parts.choices[name] for name in ("play", "train"))
    playing.add_argument("--rounds", type=int, default=1000, help="in all, with those already there [1000]")
    playing.add_argument("--simulations", type=int, default=1000, help="of a search [1000]")
    playing.add_argument("--again", action="store_true", help="make each choice twice")
    playing.add_argument("--workers", type=int, default=available_cores(), help="processes [one for each core]")
    training.add_argument("--held-out", type=int, default=2, help="seed of the deals that it is judged by [2]")
    training.add_argument("--inputs", nargs="*", default=EXTRA, choices=EXTRA, help="besides the policy's [all]")
    training.add_argument("--units", type=int, default=128, help="in the first layer, at least 64 [128]")
    training.add_argument("--choices", type=int, help="to train on at most [all]")
    training.add_argument("--epochs", type=int, default=4, help="times through the choices; 0 is the policy [4]")
    training.add_argument("--deals", type=int, default=0, help="to play alone against the policy [0]")
    given = parser.parse_args(arguments)
    given.work(given)


if __name__ == "__main__":
    main()
