"""How good beliefs are: how likely they make the true hidden hands, and how well calibrated they are.

Four beliefs of the same decisions are compared, each with more evidence than the one before it:

- ``uniform``: hand sizes only; every hidden tile is equally likely to be anywhere;
- ``voids``: the exact belief, with what draws and passes show (:class:`sniffai.Belief`);
- ``weighted``: that belief weighted by how likely the policy makes the other seats' past choices, as in the search;
- ``inferred``: what an answer tells of it (:class:`sniffai.InferredBelief`): with worlds that a fit weighs, by a model
  of its own, and corrected tile by tile.

The log-likelihood is that of all hidden hands together, in nats per decision. If W of N assignments deal the true
hands, it is log(W / N) for ``voids``. ``weighted`` adds the log of a ratio: the mean likelihood of the past choices
over those W by the mean over all N. If N exceeds the pool, both means are over samples, and the true hands count as one
more sample in the second mean, so that an error does not favour ``weighted``. For ``inferred`` it is the same with
the likelihoods of its model; the correction of single tiles has no part in it.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from sniffai.lab.arrays import ArrayHolder
from sniffai.play.players import Player
from sniffai.play.selfplay import Decision, decisions
from sniffai.play.statistics import Estimate, ratio_and_error
from sniffai.search.inferred import UNCHANGED, calibrated
from sniffai.search.params import EvidenceSlopes, SearchParams
from sniffai.seeds import derived_seed
from sniffai_ext.belief import Belief as CoreBelief
from sniffai_ext.policy import Policy
from sniffai_ext.view import View as CoreView
from sniffai_ext.worlds import Pool, weighted_worlds

BELIEFS: Final = ("uniform", "voids", "weighted", "inferred")
"""The beliefs compared, by name."""

BINS: Final = 10
"""Bins of equal width, from 0 to 1, in a reliability table."""

Table = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PlayerModel:
    """How the other seats are taken to choose, and how many worlds are weighed by it."""

    policy: Policy
    temperatures: tuple[float, float, float]
    """Temperatures of the choices by phase of the round, in points."""
    floor: float = SearchParams().floor
    """Share of the choices that is taken to be random, above 0, at most 1."""
    worlds: int = 1000
    """Most worlds in a pool, at least 1."""
    told: tuple[float, float, float] | None = None
    """How they are taken to choose in ``inferred``, see :data:`sniffai.search.params.TOLD_CHOICES`; ``None``: as
    above."""
    share: float = 1.0
    """Of each log-likelihood, what counts in ``inferred``."""
    slopes: EvidenceSlopes = UNCHANGED
    """What counts of the evidence of single tiles in ``inferred``, see
    :data:`sniffai.search.params.EVIDENCE_SLOPES`."""
    extra: int = 0
    """Further worlds in ``inferred``, weighted by a fit."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions that a seat holds a hidden tile, all with about the same probability."""

    low: float
    high: float
    count: int
    """Number of predictions, one for each decision, seat and tile."""
    said: float | None
    """Their mean probability; ``None`` if there are none."""
    held: float | None
    """The share that came true."""
    error: float | None
    """Standard error of ``held`` less ``said``, over rounds; ``None`` with predictions in fewer than two rounds."""

    @property
    def off(self) -> float | None:
        """How many standard errors ``held`` is above ``said``; ``None`` where the error is, or is 0."""
        if self.said is None or self.held is None or not self.error:
            return None
        return (self.held - self.said) / self.error


@dataclass(frozen=True, slots=True)
class BeliefQuality:
    """How good one of the beliefs was."""

    name: str
    log_likelihood: Estimate
    """Log-likelihood of the true hidden hands, in nats per decision; the error is over rounds."""
    gain: Estimate
    """How much more that is than for the belief before it, over the same rounds; 0 for the first."""
    brier: float
    """Brier score: mean squared error of the probabilities, over tiles and seats; lower is better."""
    reliability: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """The comparison of the beliefs over some rounds."""

    players: int
    rounds: int
    decisions: int
    beliefs: tuple[BeliefQuality, ...]
    effective: float
    """Mean effective sample size of the weighted pools, as a share of their size, 0..1."""
    complete: float
    """The share of the pools that held every assignment, 0..1."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class Judgement(ArrayHolder):
    """The beliefs at one decision, and the truth."""

    log_likelihoods: tuple[float, ...]
    """Of the true hidden hands, in nats."""
    said: tuple[Table, ...]
    """The probability of every hidden tile at every other seat."""
    held: Table
    """1 where the seat held the tile, else 0, in the same order."""
    effective: float
    complete: bool

    def to_list(self) -> list[Any]:
        """Plain values, for JSON: numbers come back exactly."""
        said = [table.tolist() for table in self.said]
        return [list(self.log_likelihoods), said, self.held.tolist(), self.effective, self.complete]

    @classmethod
    def from_list(cls, values: Sequence[Any]) -> Self:
        """Read :meth:`to_list` back."""
        logs, said, held, effective, complete = values
        return cls(tuple(logs), tuple(map(np.array, said)), np.array(held), effective, complete)


def calibrate(
    player: Player,
    model: PlayerModel,
    rounds: int,
    seed: int,
    progress: Callable[[int], None] | None = None,
) -> CalibrationReport:
    """Compare the beliefs at every decision of some self-play.

    :param player: sits at every seat; its decisions are the evidence that ``weighted`` reads.
    :param rounds: at least 1.
    :param seed: 0..2**64-1; decides deals, random choices and sampled worlds.
    :param progress: called with the number of rounds done.
    """
    played = []
    for judgements in judged_rounds(player, model, range(rounds), seed):
        played.append(judgements)
        if progress is not None:
            progress(len(played))
    return report_of(model.policy.players, played)


def judged_rounds(player: Player, model: PlayerModel, numbers: Iterable[int], seed: int) -> Iterator[list[Judgement]]:
    """The beliefs at every decision of some rounds of self-play.

    :param numbers: which rounds, from 0: each is the same whichever others are played.
    """
    numbers = list(numbers)
    for number, in_round in zip(numbers, decisions(player, model.policy.players, numbers, seed), strict=True):
        yield [judge(decision, model, derived_seed(seed, number, k, 2)) for k, decision in enumerate(in_round)]


def judge(decision: Decision, model: PlayerModel, seed: int) -> Judgement:
    """Evaluate the beliefs at one decision."""
    view = decision.view.core()
    everything, truth = (_pool(view, model, seed, hands) for hands in (None, decision.hands))
    uniform, exact = _uniform_log_likelihood(view), _log_ratio(truth.assignments, everything.assignments)
    inferred_pool = _pool(view, model, seed, None, model.extra) if model.extra else everything
    rules = CoreBelief(view).table()
    inferred = calibrated(inferred_pool.marginals(model.share)[0], rules, model.slopes, view.seat)
    tables = [_uniform_table(view), rules, everything.table(), inferred]
    places = hidden_places(view)
    held = np.array([decision.hands[seat] >> tile & 1 for tile, seat in places], np.float64)
    return Judgement(
        (
            uniform,
            exact,
            exact + _lift(everything, everything.log_likelihoods(), truth.log_likelihoods()),
            exact + _lift(everything, *(model.share * pool.told_log_likelihoods() for pool in (everything, truth))),
        ),
        tuple(np.array([table[place] for place in places]) for table in tables),
        held,
        everything.effective / everything.size,
        everything.complete,
    )


def _pool(view: CoreView, model: PlayerModel, seed: int, hands: Sequence[int] | None, extra: int = 0) -> Pool:
    return weighted_worlds(
        view, model.worlds, seed, model.policy, model.temperatures, model.floor, hands, extra, model.told
    )


def _lift(everything: Pool, logs: Table, true_logs: Table) -> float:
    """The log of the ratio: likelihood of the past choices with the true hands by that with hands on average.

    :param logs: the log-likelihoods by world.
    :param true_logs: by world that deals the true hands.
    """
    true = _log_mean(true_logs)
    return true - _log_mean(logs if everything.complete else np.append(logs, true))


def _log_mean(logs: Table) -> float:
    most = float(logs.max())
    return most + math.log(float(np.exp(logs - most).mean()))


def _log_ratio(part: int, whole: int) -> float:
    return math.log(part) - math.log(whole)


def _others(view: CoreView) -> list[int]:
    return [seat for seat in range(view.players) if seat != view.seat]


def _hidden(view: CoreView) -> list[int]:
    seen = view.hand | view.layout.tiles
    return [tile for tile in range(28) if not seen >> tile & 1]


def hidden_places(view: CoreView) -> list[tuple[int, int]]:
    """Every hidden tile at every other seat, as ``(tile, seat)``."""
    return [(tile, seat) for tile in _hidden(view) for seat in _others(view)]


def _uniform_log_likelihood(view: CoreView) -> float:
    """Log-likelihood of any hands of the right sizes: all deals of the hidden tiles are equally likely."""
    sizes = [*(view.hand_sizes[seat] for seat in _others(view)), view.talon_size]
    return math.fsum(math.lgamma(size + 1) for size in sizes) - math.lgamma(sum(sizes) + 1)


def _uniform_table(view: CoreView) -> Table:
    hidden = _hidden(view)
    table = np.zeros((28, view.players + 1))
    for seat in _others(view):
        table[hidden, seat] = view.hand_sizes[seat] / len(hidden)
    return table


def report_of(players: int, rounds: Iterable[Sequence[Judgement]]) -> CalibrationReport:
    """The comparison over some rounds; those without a decision do not count."""
    played = [judgements for judgements in rounds if judgements]
    everything = [judgement for judgements in played for judgement in judgements]
    return CalibrationReport(
        players=players,
        rounds=len(played),
        decisions=len(everything),
        beliefs=tuple(_quality(kind, played) for kind in range(len(BELIEFS))),
        effective=float(np.mean([judgement.effective for judgement in everything])),
        complete=float(np.mean([judgement.complete for judgement in everything])),
    )


def _quality(kind: int, played: Sequence[Sequence[Judgement]]) -> BeliefQuality:
    """The quality of one belief, an index of :data:`BELIEFS`."""
    everything = [judgement for judgements in played for judgement in judgements]
    said = np.concatenate([judgement.said[kind] for judgement in everything])
    held = np.concatenate([judgement.held for judgement in everything])
    rounds = np.concatenate([np.full(len(item.held), number) for number, group in enumerate(played) for item in group])
    return BeliefQuality(
        name=BELIEFS[kind],
        log_likelihood=_mean(played, lambda judgement: judgement.log_likelihoods[kind]),
        gain=_mean(played, lambda item: item.log_likelihoods[kind] - item.log_likelihoods[max(0, kind - 1)]),
        brier=float(np.mean((said - held) ** 2)),
        reliability=tuple(_bins(said, held, rounds)),
    )


def _mean(played: Sequence[Sequence[Judgement]], value: Callable[[Judgement], float]) -> Estimate:
    """The mean over decisions; the error is over rounds, whose decisions depend on each other."""
    totals = [math.fsum(map(value, judgements)) for judgements in played]
    return ratio_and_error(totals, [len(judgements) for judgements in played])


def _bins(said: Table, held: Table, rounds: npt.NDArray[np.int64]) -> Iterable[Bin]:
    number = np.minimum((said * BINS).astype(int), BINS - 1)
    for k in range(BINS):
        here = number == k
        count = int(here.sum())
        mean_said, mean_held = (float(said[here].mean()), float(held[here].mean())) if count else (None, None)
        yield Bin(
            k / BINS, (k + 1) / BINS, count, mean_said, mean_held, clustered_error((held - said)[here], rounds[here])
        )


def clustered_error(differences: Table, rounds: npt.NDArray[np.int64]) -> float | None:
    """Standard error of the mean difference: what happens in one round is not independent."""
    numbers, places = np.unique(rounds, return_inverse=True)
    if len(numbers) < 2:
        return None
    counts = np.bincount(places)
    return ratio_and_error(list(np.bincount(places, differences)), list(counts)).standard_error
