"""Fictitious play at small scale: models that learn from a search that answers those before (docs/lab.md).

python -m benchmarks.fictitious_play --folder choices --players 2

Several times over, a search plays itself. It is told that the other seats choose as the average of the policy and all
models so far. A net of the policy's form, which begins as the last model, learns its choices. Then it is measured:

    alone       what the model gains over the policy, both without search
    exploited   what the model loses at least to one that knows it, and what the average loses with the model in it;
                the same deals as for the policy
    in use      what a search gains over the search as it is with equal simulations, if the model takes the place of the
                policy, or if it is told that the others choose as the average

The choices stay in the folder; those that are there are not made again.
"""

import argparse
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from math import pi
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.choice_net import BATCH, PARTS, Batch, ChoiceNet, first_best, train
from benchmarks.history_model import ROUNDS_OF_FILE, Choices, gain
from benchmarks.search_choices import record, row_count
from sniffai.equity import load as load_equity
from sniffai.jobs.processes import Processes, available_cores
from sniffai.jobs.spec import slices
from sniffai.moves import Move
from sniffai.play.adjusted import AdjustedMean
from sniffai.play.arena import play_pairing
from sniffai.play.arena_result import Pairing
from sniffai.play.exploit import ExploitSpec
from sniffai.play.exploiter import KnowingPlayer
from sniffai.play.players import SearchPlayer
from sniffai.play.statistics import Estimate, mean_and_error
from sniffai.rules import PLAYERS
from sniffai.search.nets import load_policy
from sniffai.search.opponents import Opponent, Way
from sniffai.search.params import MODEL_TEMPERATURES, EffectiveLimits, Limits
from sniffai.search.searcher import Searcher
from sniffai.view import View
from sniffai_ext.policy import Policy, duel
from sniffai_ext.search_options import SearchOptions
from sniffai_ext.seat_model import SeatModel
from tests.reference_net import WIDE

DEVIATION: Final = pi / 6**0.5
"""Errors of which distribution make the choices of a temperature of 1 (Gumbel's) have this standard deviation."""
ALONE: Final = 20_000
"""Deals between a model and the policy."""


@dataclass(frozen=True, slots=True)
class NetOpponent(Opponent):
    """A seat that chooses by a net in place of the policy."""

    net: Policy

    def core(self, players: int) -> SeatModel:
        """See :meth:`Opponent.core`."""
        return SeatModel([(way.kind, way.number, way.share) for way in self.ways], self.net, load_equity(players).core)


def net_of(model: ChoiceNet, players: int) -> Policy:
    """A model in the form that searches take."""
    return Policy(players, np.concatenate([model.parts[name].ravel() for name in PARTS[:-1]]))


def temperatures(model: ChoiceNet) -> tuple[float, ...]:
    """How sharply a model chooses, in points, by phase."""
    return tuple(np.exp(-model.parts["sharpness"]).tolist())


def greedy(model: ChoiceNet, players: int) -> NetOpponent:
    """A seat that makes the move that a model rates highest."""
    return NetOpponent((Way("policy"),), net_of(model, players))


def mixed(model: ChoiceNet, players: int) -> NetOpponent:
    """A seat that chooses nearly by the chances of a model: its errors are normal, and as large in all phases."""
    return NetOpponent((Way("hasty", error_of(model)),), net_of(model, players))


def error_of(model: ChoiceNet) -> float:
    """The standard deviation of errors that make about a model's chances, in points."""
    return DEVIATION * float(np.mean(temperatures(model)))


@dataclass(frozen=True, slots=True)
class ChancePlayer:
    """A player that chooses as a search may be told."""

    opponent: Opponent

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`sniffai.play.players.Player`."""
        return Move.from_codes(*self.opponent.core(view.players).choose(view.core(), seed))


class NetSearcher(Searcher):
    """A search whose own model of other seats is another net."""

    model: "OwnModel"

    def _options(self, limits: EffectiveLimits) -> SearchOptions:
        made: Any = super()._options(limits).__reduce__()  # as for a pickle: the class, then its arguments
        options: SearchOptions = made[0](*made[1][:7], self.model.net, self.model.temperatures, *made[1][9:])
        return options


@dataclass(frozen=True, slots=True)
class OwnModel:
    """What takes the place of the policy."""

    net: Policy
    temperatures: tuple[float, ...]
    """By phase, in points."""


@dataclass(frozen=True, slots=True)
class NetSearchPlayer(SearchPlayer):
    """The recommended move of such a search."""

    model: OwnModel | None = None

    def searcher(self, view: View, seed: int, *, inferred: bool = True) -> Searcher:
        """See :class:`SearchPlayer`."""
        assert self.model is not None
        searcher = NetSearcher(view, seed=seed, params=self.params, inferred=inferred)
        searcher.model = self.model
        return searcher


# Learning


def policy_model(players: int) -> ChoiceNet:
    """The policy, and how sharply the search itself follows it."""
    rows = row_count(players)
    made: Any = load_policy(players).__reduce__()  # as for a pickle: the class, then seats and weights
    model = ChoiceNet(made[1][1], rows, rows, WIDE, seed=0)
    model.parts["sharpness"] = -np.log(np.array(MODEL_TEMPERATURES[players], np.float32))
    return model


def learned(
    first: ChoiceNet, recorded: Sequence[Choices], epochs: int, averaged: Sequence[ChoiceNet] = ()
) -> ChoiceNet:
    """A model that began as another one, and learned from choices.

    :param averaged: if there are any, it learns the mean of their chances there, not what the search chose.
    """
    model, random = deepcopy(first), np.random.default_rng(len(recorded))
    steps = epochs * sum(len(choices) // BATCH for choices in recorded)

    def batches() -> Iterator[Batch]:
        for _ in range(epochs):
            for choices in recorded:
                for batch in choices.shuffled(len(choices), random):
                    means = [net.chances(batch) for net in averaged]
                    yield replace(batch, target=np.mean(means, axis=0)) if means else batch

    train(model, batches(), steps)
    return model


def agreed(model: ChoiceNet, choices: Choices) -> float:
    """How often a model chooses as the search did, in %."""
    hits = []
    for numbers in choices.parts():
        batch, _ = choices.batch(numbers)
        hits.append(first_best(model.rate(batch.inputs, batch.points), batch) == choices.found["picked"][numbers])
    return 100 * float(np.concatenate(hits).mean())


# Measuring


@dataclass(frozen=True)
class Measure:
    """What is measured of every model, and how."""

    given: argparse.Namespace
    processes: Processes

    def exploited(self, opponent: NetOpponent) -> list[Pairing]:
        """The exploiter's rounds."""
        given = self.given
        spec = ExploitSpec("policy", given.players, given.exploit_deals, 31, given.exploit_simulations)
        return list(self.processes.in_order(partial(exploit_deal, spec, opponent), range(spec.deals)))

    def used(self, player: SearchPlayer) -> Estimate:
        """What a search gains over the search as it is, in points a round, less luck."""
        usual = SearchPlayer(Limits(simulations=self.given.simulations))
        return gain(self.given.players, self.given.deals, 41, usual, player)[1]

    def report(self, model: ChoiceNet, average: ChoiceNet, first: Sequence[list[Pairing]]) -> None:
        """Print what a model is worth.

        :param first: the exploiter's rounds against the policy, and against its chances.
        """
        players, limits = self.given.players, Limits(simulations=self.given.simulations)
        tell("alone against the policy", alone(net_of(model, players), players))
        own, mixture = OwnModel(net_of(model, players), temperatures(model)), mixed(average, players)
        for name, opponent, other in (("model", greedy(model, players), first[0]), ("average", mixture, first[1])):
            played = self.exploited(opponent)
            tell(f"the {name} is exploited", loss(played))
            tell("  more than the policy", loss(played, other))
        tell("the search with the model in place of the policy", self.used(NetSearchPlayer(limits, model=own)))
        tell("the search told of the average", self.used(SearchPlayer(limits, opponents=mixture)))


def exploit_deal(spec: ExploitSpec, opponent: NetOpponent, number: int) -> Pairing:
    """The exploiter's rounds of one deal."""
    return play_pairing(spec, ChancePlayer(opponent), KnowingPlayer(opponent, spec.effort), number)


def loss(played: Sequence[Pairing], other: Sequence[Pairing] | None = None) -> Estimate:
    """What is lost to an exploiter in points a round, less luck; or how much more than in other rounds of the deals."""
    mean = AdjustedMean()
    for number, pairing in enumerate(played):
        margins, luck = won(pairing)
        less = won(other[number]) if other is not None else (0.0, 0.0)
        mean.add(margins - less[0], len(pairing), luck - less[1])
    return mean.estimate


def won(pairing: Pairing) -> tuple[float, float]:
    """The exploiter's margins in all seatings of a deal together, and its luck."""
    games = list(enumerate(pairing))
    return sum(game.margins[team] for team, game in games), sum(game.luck[team] for team, game in games)


def alone(net: Policy, players: int) -> Estimate:
    """What a net gains over the policy, both without search, in points a round."""
    return mean_and_error(duel(players, ALONE, 51, net, load_policy(players)).tolist())


def tell(name: str, estimate: Estimate) -> None:
    """Print a figure."""
    print(f"  {name}: {estimate.mean:+.2f} ± {estimate.standard_error:.2f}", flush=True)


# Playing


def choose(given: argparse.Namespace, opponent: NetOpponent, seed: int, numbers: range) -> int:
    """Write the choices of some rounds to a file."""
    player = SearchPlayer(Limits(simulations=given.simulations), opponents=opponent)
    file = given.folder / f"{given.players}-{seed}-{numbers.start:06}.npz"
    return record(player, given.players, numbers, seed, False, file)


def fictitious_play(given: argparse.Namespace, processes: Processes) -> None:
    """Do it, and print how good each model is."""
    measure, players = Measure(given, processes), given.players
    models, recorded = [policy_model(players)], list[Choices]()
    average = models[0]
    first = [measure.exploited(opponent(average, players)) for opponent in (greedy, mixed)]
    print("the policy:")
    print(f"  its chances are told as errors of {error_of(average):.1f} points")
    tell("exploited", loss(first[0]))
    tell("exploited, if it chooses by its chances", loss(first[1]))
    player = SearchPlayer(Limits(simulations=given.simulations), opponents=mixed(average, players))
    tell("the search told of its chances", measure.used(player))
    for seed in range(given.seed, given.seed + given.times):
        work = partial(choose, given, mixed(average, players), seed)
        for _ in processes.spread(work, slices(given.rounds, ROUNDS_OF_FILE)):
            pass
        recorded.append(Choices.read(given.folder, players, seed, ()))
        shares = [agreed(model, recorded[-1]) for model in (models[0], models[-1])]
        models.append(learned(models[-1], recorded[-1:], given.epochs))
        average = learned(average, recorded, given.epochs, models)
        print(f"model {len(recorded)}, from {len(recorded[-1])} choices:")
        print(f"  the search chose as the policy in {shares[0]:.1f} %, as the model before in {shares[1]:.1f} %")
        print(f"  the chances of the average are told as errors of {error_of(average):.1f} points")
        measure.report(models[-1], average, first)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options and begin."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="of the choices")
    parser.add_argument("--players", type=int, default=2, choices=PLAYERS, help="seats [2]")
    parser.add_argument("--seed", type=int, default=101, help="of the first deals; then one more each time [101]")
    parser.add_argument("--times", type=int, default=3, help="how many models are learned [3]")
    parser.add_argument("--rounds", type=int, default=3000, help="of self-play for each [3000]")
    parser.add_argument("--simulations", type=int, default=1000, help="of a search [1000]")
    parser.add_argument("--epochs", type=int, default=4, help="times through the choices [4]")
    parser.add_argument("--exploit-deals", type=int, default=200, help="of the exploiter [200]")
    parser.add_argument("--exploit-simulations", type=int, help="of each of its searches [as sniffai exploit]")
    parser.add_argument("--deals", type=int, default=800, help="between searches [800]")
    parser.add_argument("--workers", type=int, default=available_cores(), help="processes [one for each core]")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    with Processes(given.workers) as processes:
        fictitious_play(given, processes)


if __name__ == "__main__":
    main()
