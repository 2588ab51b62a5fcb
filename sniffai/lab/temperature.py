"""How sharply play follows the policy: the temperatures of the opponent model, fitted to decisions by likelihood.

The model (``ext/sniffai_ext/inference.pyx``) gives the probability of a choice among n distinct moves:

    P(move) = floor / n + (1 - floor) * softmax(rating / temperature)[move]

with a temperature for each phase of the round. :func:`fit_temperatures` finds those that make a player's decisions in
self-play likeliest. Decisions after a draw are left out: the drawn tile is forced, and the belief accounts for it.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sniffai.checks import read_players
from sniffai.errors import LimitsError
from sniffai.jobs.executor import Executor, executor_or, in_order
from sniffai.jobs.spec import JobSpec, slices
from sniffai.lab.arrays import ArrayHolder
from sniffai.play.levels import named_player
from sniffai.play.selfplay import Decision, decisions
from sniffai.search.nets import load_policy
from sniffai.search.params import Limits
from sniffai.search.phases import phase_number
from sniffai.seeds import check_seed
from sniffai_ext.inference import PHASE_EDGES
from sniffai_ext.policy import Policy

PHASE_NAMES: Final = (
    f"fewer than {PHASE_EDGES[0]} tiles on the table",
    f"fewer than {PHASE_EDGES[1]}",
    f"{PHASE_EDGES[1]} and more",
)
"""The phases of a round in words, in the order of the temperatures."""

ROUNDS_OF_JOB: Final = 4
"""Rounds of self-play in a job. Chosen by judgement: with the default player they take a tenth of a second."""

_RANGE: Final = (0.05, 200.0)
_GOLDEN: Final = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, slots=True, eq=False)
class RatedChoice(ArrayHolder):
    """A decision as the policy sees it."""

    phase: int
    """0..2, see :data:`PHASE_NAMES`."""
    ratings: npt.NDArray[np.float64]
    """What the policy expects of each distinct move, in points; at least two."""
    picked: int
    """The move made, as an index of the ratings."""


@dataclass(frozen=True, slots=True)
class PhaseFit:
    """The temperature of one phase, and how well it fits."""

    phase: str
    temperature: float
    """In points."""
    choices: int
    log_likelihood: float
    """Mean over the choices, in nats."""
    blind: float
    """The same for a model in which all moves are equally likely."""
    agreement: float
    """The share of choices that the policy rates best, 0..1."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def read_choices(policy: Policy, decisions: Iterable[Decision]) -> list[RatedChoice]:
    """Decisions as choices among the policy's ratings."""
    return [read_choice(policy, decision) for decision in decisions if not decision.view.core().forced >= 0]


def read_choice(policy: Policy, decision: Decision) -> RatedChoice:
    """One decision as a choice among the policy's ratings."""
    core = decision.view.core()
    rows = policy.rate(core)
    moves = [(tile, at) for tile, at, _ in rows]
    return RatedChoice(
        phase_number(core.layout.placed), np.array([value for _, _, value in rows]), moves.index(decision.move.codes)
    )


def played_choices(
    player: str,
    players: int,
    rounds: int,
    seed: int,
    *,
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[RatedChoice]:
    """The choices of a player in self-play, round by round.

    :param player: by name: see :func:`sniffai.play.levels.named_player`.
    :param players: seats, 2..4.
    :param rounds: at least 1.
    :param seed: 0..2**64-1; decides deals and random choices.
    :param executor: plays; without it this process does.
    :param progress: called with the number of rounds done since the last call.
    :raises LimitsError: there is no such player.
    """
    named_player(player, Limits())
    parameters = {"player": player, "players": players, "seed": seed}
    jobs = (JobSpec("choices", parameters, numbers) for numbers in slices(rounds, ROUNDS_OF_JOB))
    choices: list[RatedChoice] = []
    with executor_or(executor, 1) as open_:
        for result in in_order(open_, jobs):
            for round_ in result.value:
                choices.extend(RatedChoice(phase, np.array(ratings), picked) for phase, ratings, picked in round_)
            if progress is not None:
                progress(len(result.value))
    return choices


def choose_job(job: JobSpec) -> list[list[tuple[int, list[float], int]]]:
    """Play some rounds and note the choices in each: the work of the kind ``choices``.

    :raises SniffError: there is no such player, or a parameter out of range.
    """
    given = job.read(("player", "players", "seed"))
    players, seed = read_players(given["players"], LimitsError), check_seed(given["seed"])
    policy, player = load_policy(players), named_player(given["player"], Limits())
    return [
        [(choice.phase, choice.ratings.tolist(), choice.picked) for choice in read_choices(policy, in_round)]
        for in_round in decisions(player, players, job.pieces, seed)
    ]


def fit_temperatures(choices: Sequence[RatedChoice], floor: float) -> tuple[PhaseFit, ...]:
    """The likeliest temperature of each phase.

    :param choices: at least one for each phase.
    :param floor: share of the choices that the model takes to be random, above 0, at most 1.
    """
    return tuple(
        _fit(name, [choice for choice in choices if choice.phase == phase], floor)
        for phase, name in enumerate(PHASE_NAMES)
    )


def mean_log_likelihood(choices: Sequence[RatedChoice], temperature: float, floor: float) -> float:
    """Mean log-likelihood of the choices under the model, in nats."""
    return math.fsum(_log_likelihood(choice, temperature, floor) for choice in choices) / len(choices)


def _fit(name: str, choices: Sequence[RatedChoice], floor: float) -> PhaseFit:
    temperature = _likeliest(choices, floor)
    return PhaseFit(
        phase=name,
        temperature=temperature,
        choices=len(choices),
        log_likelihood=mean_log_likelihood(choices, temperature, floor),
        blind=-math.fsum(math.log(len(choice.ratings)) for choice in choices) / len(choices),
        agreement=sum(int(choice.ratings.argmax()) == choice.picked for choice in choices) / len(choices),
    )


def _likeliest(choices: Sequence[RatedChoice], floor: float) -> float:
    """By golden-section search over the logarithm of the temperature, where the likelihood has one peak."""
    low, high = map(math.log, _RANGE)
    while high - low > 1e-3:
        a, b = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if mean_log_likelihood(choices, math.exp(a), floor) < mean_log_likelihood(choices, math.exp(b), floor):
            low = a
        else:
            high = b
    return math.exp((low + high) / 2)


def _log_likelihood(choice: RatedChoice, temperature: float, floor: float) -> float:
    shares = np.exp((choice.ratings - choice.ratings.max()) / temperature)
    share = float(shares[choice.picked] / shares.sum())
    return math.log(floor / len(choice.ratings) + (1 - floor) * share)
