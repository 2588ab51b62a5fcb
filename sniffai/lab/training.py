"""Training of the nets: self-play in the core, then the policy's strength against the greedy player.

The same options give the same weights. The defaults made the nets of the package (:mod:`sniffai.search.nets`).
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

import numpy as np

from sniffai.checks import keep, read_players, read_real, read_whole
from sniffai.errors import LimitsError
from sniffai.jobs.executor import Executor, executor_or
from sniffai.jobs.spec import JobSpec, canonical, slices
from sniffai.lab.arrays import ArrayHolder, array_from_text, array_to_text
from sniffai.play.statistics import Estimate, mean_and_error
from sniffai.records.strict_json import loads
from sniffai.search.nets import Weights
from sniffai.search.params import MAX_SIMULATIONS
from sniffai.seeds import MAX_SEED
from sniffai.version import VERSION
from sniffai_ext.policy import Policy, duel
from sniffai_ext.train import first_state, first_weights, net_errors, train_part

ROUNDS: Final = {2: 3_000_000, 3: 2_500_000, 4: 2_500_000}
"""Rounds of self-play by default, by seats."""

DUELS: Final = 20_000
"""Deals on which a trained policy is measured, each in every seating."""

DUEL_SEED: Final = 99

ROUNDS_OF_JOB: Final = 100_000
"""Rounds of a part of the training, of which a kill loses at most one: some ten seconds."""

LEAST_TEMPERATURE: Final = 1e-6
MOST_TEMPERATURE: Final = 1e6


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """The options that decide the weights.

    :raises LimitsError: a number is out of range; ``field`` is its name.
    """

    players: int
    """Seats, 2..4."""
    rounds: int
    """Rounds of self-play, at least 1."""
    seed: int = 7
    """Seed of the self-play, 0..2**64-1."""
    weights_seed: int = 1
    """Seed of the first weights, 0..2**64-1."""
    first_rate: float = 0.008
    """Learning rate at the start, above 0, at most 1."""
    last_rate: float = 0.0002
    """Learning rate at the end, above 0, at most 1; it falls geometrically."""
    temperature: float = 3.0
    """Temperature of the softmax that chooses moves in self-play, in points, 0.000001..1,000,000."""
    decay: float = 0.7
    """Lambda: how much of each target comes from later placements, 0..1."""

    def __post_init__(self) -> None:
        keep(self, "players", read_players(self.players, LimitsError))
        keep(self, "rounds", read_whole(self.rounds, "rounds", -MAX_SIMULATIONS, MAX_SIMULATIONS))
        if not 1 <= self.rounds <= MAX_SIMULATIONS:
            raise LimitsError(f"at least 1 round is expected, not {self.rounds}", reason="OUT_OF_RANGE", field="rounds")
        for name in ("seed", "weights_seed"):
            keep(self, name, read_whole(getattr(self, name), name, 0, MAX_SEED))
        for name in ("first_rate", "last_rate"):
            keep(self, name, read_real(getattr(self, name), name, 0, 1, True))
        keep(self, "temperature", read_real(self.temperature, "temperature", LEAST_TEMPERATURE, MOST_TEMPERATURE))
        keep(self, "decay", read_real(self.decay, "decay", 0, 1))

    def command(self) -> str:
        """The command line that makes these weights."""
        return (
            f"sniffai train --players {self.players} --rounds {self.rounds} --seed {self.seed}"
            f" --weights-seed {self.weights_seed} --first-rate {self.first_rate:g} --last-rate {self.last_rate:g}"
            f" --temperature {self.temperature:g} --decay {self.decay:g}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class TrainedNets(ArrayHolder):
    """A pair of nets with their errors."""

    plan: TrainingPlan
    policy: Weights
    world: Weights
    policy_error: float
    """Root mean square error of the policy net in the last tenth of the rounds, in points: mostly future luck."""
    world_error: float
    """The same of the world-value net."""


def train_nets(
    plan: TrainingPlan, progress: Callable[[int], None] | None = None, executor: Executor | None = None
) -> TrainedNets:
    """Train both nets.

    Each part of the rounds goes on from the weights of the one before, so no two are done at once.

    :param progress: called now and then with the number of rounds done.
    :param executor: does the work, part by part; without it this process does.
    """
    records: tuple[str, ...] = ()
    parameters = asdict(plan)
    with executor_or(executor, 1) as open_:
        for numbers in slices(plan.rounds, ROUNDS_OF_JOB):
            with closing(open_.run([JobSpec("training", parameters, numbers, records)])) as results:
                records = tuple(next(results).value)
                if progress is not None:
                    progress(numbers.stop)
    policy, world, state = _read_part(records)
    return TrainedNets(plan, policy, world, *net_errors(state))


def train_job(job: JobSpec) -> list[str]:
    """Train for some rounds: the work of the kind ``training``. A part after the first reads what the one before made.

    :return: the weights of both nets, and the state for the next part.
    :raises SniffError: a parameter out of range, or the weights are of another kind or number.
    """
    names = [field.name for field in fields(TrainingPlan)]
    plan = TrainingPlan(**job.read(names))
    if job.pieces.start:
        policy, world, state = _read_part(job.records)
    else:
        (policy, world), state = first_weights(plan.players, plan.weights_seed), first_state(plan.seed)
    state = train_part(
        plan.players,
        policy,
        world,
        plan.rounds,
        job.pieces.start,
        job.pieces.stop,
        state,
        plan.first_rate,
        plan.last_rate,
        plan.temperature,
        plan.decay,
    )
    return [array_to_text(policy), array_to_text(world), canonical(state)]


def _read_part(records: Sequence[str]) -> tuple[Weights, Weights, Any]:
    """What :func:`train_job` made.

    :raises LimitsError: it is something else.
    """
    try:
        policy, world = (array_from_text(text, np.float32) for text in records[:2])
        (state,) = map(loads, records[2:])
    except (ValueError, RecursionError):
        message = "the weights of both nets and a state are expected, as the part before made them"
        raise LimitsError(message, reason="WRONG_WEIGHTS", field="records") from None
    return policy, world, tuple(state) if isinstance(state, list) else state


def as_stored(weights: Weights) -> Weights:
    """The weights after they were written to a file and read again: rounded to half precision."""
    return weights.astype(np.float16).astype(np.float32)


def margin_over_greedy(policy: Policy, deals: int = DUELS, seed: int = DUEL_SEED) -> Estimate:
    """The policy against the greedy player on paired deals, without search: its margin, in points a round.

    :param deals: at least 2, each in every seating (3 seats: the policy plays alone against two).
    """
    return mean_and_error(duel(policy.players, deals, seed, policy).tolist())


def label(plan: TrainingPlan, margin: Estimate, deals: int = DUELS) -> Mapping[str, Any]:
    """The description stored beside the weights: command, seeds, rounds, engine version, measured strength."""
    return {
        "command": plan.command(),
        "seed": plan.seed,
        "weights_seed": plan.weights_seed,
        "rounds": plan.rounds,
        "engine_version": VERSION,
        "over_greedy": {"margin": margin.mean, "standard_error": margin.standard_error, "deals": deals},
    }
