"""How sharply play follows the policy: the temperatures of the opponent model, fitted to decisions by likelihood.

The model (``ext/sniffai_ext/inference.pyx``) gives the probability of a choice among n distinct moves:

    P(move) = floor / n + (1 - floor) * softmax(rating / temperature)[move]

with a temperature for each phase of the round. :func:`fit_temperatures` finds those that make a player's decisions in
self-play likeliest. Decisions after a draw are left out: the drawn tile is forced, and the belief accounts for it.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sniffai.lab.arrays import ArrayHolder
from sniffai.play.selfplay import Decision
from sniffai.search.phases import phase_number
from sniffai_ext.inference import PHASE_EDGES
from sniffai_ext.policy import Policy

PHASES: Final = (
    f"fewer than {PHASE_EDGES[0]} tiles on the table",
    f"fewer than {PHASE_EDGES[1]}",
    f"{PHASE_EDGES[1]} and more",
)
"""The phases of a round in words, in the order of the temperatures."""

_RANGE: Final = (0.05, 200.0)
_GOLDEN: Final = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, slots=True, eq=False)
class Choice(ArrayHolder):
    """A decision as the policy sees it."""

    phase: int
    """0..2, see :data:`PHASES`."""
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


def read_choices(policy: Policy, decisions: Iterable[Decision]) -> list[Choice]:
    """Decisions as choices among the policy's ratings."""
    return [read_choice(policy, decision) for decision in decisions if not decision.view.core().forced >= 0]


def read_choice(policy: Policy, decision: Decision) -> Choice:
    """One decision as a choice among the policy's ratings."""
    core = decision.view.core()
    rows = policy.rate(core)
    moves = [(tile, at) for tile, at, _ in rows]
    return Choice(
        phase_number(core.layout.placed), np.array([value for _, _, value in rows]), moves.index(decision.move.codes)
    )


def fit_temperatures(choices: Sequence[Choice], floor: float) -> tuple[PhaseFit, ...]:
    """The likeliest temperature of each phase.

    :param choices: at least one for each phase.
    :param floor: share of the choices that the model takes to be random, above 0, at most 1.
    """
    return tuple(
        _fit(name, [choice for choice in choices if choice.phase == phase], floor) for phase, name in enumerate(PHASES)
    )


def mean_log_likelihood(choices: Sequence[Choice], temperature: float, floor: float) -> float:
    """Mean log-likelihood of the choices under the model, in nats."""
    return math.fsum(_log_likelihood(choice, temperature, floor) for choice in choices) / len(choices)


def _fit(name: str, choices: Sequence[Choice], floor: float) -> PhaseFit:
    temperature = _likeliest(choices, floor)
    return PhaseFit(
        phase=name,
        temperature=temperature,
        choices=len(choices),
        log_likelihood=mean_log_likelihood(choices, temperature, floor),
        blind=-math.fsum(math.log(len(choice.ratings)) for choice in choices) / len(choices),
        agreement=sum(int(choice.ratings.argmax()) == choice.picked for choice in choices) / len(choices),
    )


def _likeliest(choices: Sequence[Choice], floor: float) -> float:
    """By golden-section search over the logarithm of the temperature, where the likelihood has one peak."""
    low, high = map(math.log, _RANGE)
    while high - low > 1e-3:
        a, b = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if mean_log_likelihood(choices, math.exp(a), floor) < mean_log_likelihood(choices, math.exp(b), floor):
            low = a
        else:
            high = b
    return math.exp((low + high) / 2)


def _log_likelihood(choice: Choice, temperature: float, floor: float) -> float:
    shares = np.exp((choice.ratings - choice.ratings.max()) / temperature)
    share = float(shares[choice.picked] / shares.sum())
    return math.log(floor / len(choice.ratings) + (1 - floor) * share)
