"""What a search may spend, and how it searches."""

import math
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast, get_args

from sniffai.checks import as_real, keep, read_flag, read_real, read_whole, shown
from sniffai.errors import LimitsError
from sniffai_ext.tree_params import USUAL_MEMORY_BYTES, TreeParams

Objective: TypeAlias = Literal["match", "round"]
"""What is maximised: the chance to win the match (docs/equity.md), or the margin of the round."""

DEFAULT_SECONDS: Final = 1.0
"""The time limit where neither a time nor a number of simulations is given."""

DEFAULT_MEMORY_BYTES: Final = USUAL_MEMORY_BYTES
"""The cap of the search tree where none is given, in bytes."""

ASSUMED_SPEED: Final = 800_000
"""Simulations a second, to size the pool of worlds of a search that a clock ends."""

MIN_MEMORY_BYTES: Final = 1 << 16
MAX_SIMULATIONS: Final = 2**63 - 1
MAX_SECONDS: Final = 1_000_000_000
MAX_STANDARD_ERROR: Final = 1000
"""The largest target standard error, in points: no round's margin is so uncertain."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search ends: at the first limit that is hit. Without any, after :data:`DEFAULT_SECONDS`.

    :raises LimitsError: a limit out of range; ``field`` is its name.
    """

    simulations: int | None = None
    """Simulations, 1..2**63-1."""
    seconds: float | None = None
    """Wall-clock time, above 0 and at most 1,000,000,000."""
    memory_bytes: int | None = None
    """Hard cap of the search tree, at least 65,536 bytes; :data:`DEFAULT_MEMORY_BYTES` where not given."""
    stop_when_decided: bool = False
    """Whether the search ends when the best move is better than every other one with a probability of 0.99."""
    target_standard_error: float | None = None
    """Whether, and at which standard error of the best move's mean margin (own team) the search ends, in
    points, above 0 and at most 1,000."""

    def __post_init__(self) -> None:
        if self.simulations is not None:
            keep(self, "simulations", read_whole(self.simulations, "simulations", 1, MAX_SIMULATIONS))
        if self.memory_bytes is not None:
            most = MAX_SIMULATIONS
            keep(self, "memory_bytes", read_whole(self.memory_bytes, "memory_bytes", MIN_MEMORY_BYTES, most))
        keep(self, "stop_when_decided", read_flag(self.stop_when_decided, "stop_when_decided"))
        _keep_above_zero(self, "seconds", MAX_SECONDS, "a time is above 0 and at most {:,} seconds")
        sentence = "a target standard error is above 0 and at most {:,} points"
        _keep_above_zero(self, "target_standard_error", MAX_STANDARD_ERROR, sentence)

    def effective(self) -> "EffectiveLimits":
        """The limits in force, with the defaults filled in."""
        seconds = self.seconds
        if seconds is None and self.simulations is None:
            seconds = DEFAULT_SECONDS
        return EffectiveLimits(
            simulations=self.simulations,
            seconds=seconds,
            memory_bytes=DEFAULT_MEMORY_BYTES if self.memory_bytes is None else self.memory_bytes,
            stop_when_decided=self.stop_when_decided,
            target_standard_error=self.target_standard_error,
        )


@dataclass(frozen=True, slots=True)
class EffectiveLimits(Limits):
    """The limits in force in a search: a time, a number of simulations or both, and always a cap of memory."""

    memory_bytes: int = DEFAULT_MEMORY_BYTES

    @property
    def most_simulations(self) -> int:
        """The limit of simulations; without one the largest number that the core counts to."""
        return MAX_SIMULATIONS if self.simulations is None else self.simulations

    @property
    def most_seconds(self) -> float:
        """The limit of time in seconds; infinity without one."""
        return math.inf if self.seconds is None else self.seconds

    @property
    def likely_simulations(self) -> float:
        """As many simulations as the limits allow at ``ASSUMED_SPEED``; infinity without a limit."""
        simulations = math.inf if self.simulations is None else self.simulations
        return min(simulations, self.most_seconds * ASSUMED_SPEED)

    def share(self, trees: int) -> "EffectiveLimits":
        """The part of one of several trees that grow side by side."""
        if trees == 1:
            return self
        return replace(
            self,
            simulations=None if self.simulations is None else -(-self.simulations // trees),
            memory_bytes=max(MIN_MEMORY_BYTES, self.memory_bytes // trees),
        )


MODEL_TEMPERATURES: Final = {2: (2.1, 3.9, 6.2), 3: (1.55, 2.4, 3.4), 4: (1.55, 3.25, 4.3)}
"""How sharply the search itself follows the policy, in points, by number of seats and by phase (fewer than 8 tiles on
the table, fewer than 16, and later): fitted by likelihood on its own play (docs/policy.md)."""

TOLD_CHOICES: Final = {2: (1.9, 1.08, 0.01), 3: (0.9, 1.1, 0.005), 4: (1.35, 1.09, 0.002)}
"""How the other seats are taken to choose in the inferred belief, by number of seats: ``(start, growth, floor)``. With
k tiles on the table the policy's temperature is ``start * growth**k``, in points; ``floor`` is the share of choices
taken to be random. Fitted by likelihood on the search's own play (docs/policy.md). The search keeps its own model."""


class EvidenceSlopes(NamedTuple):
    """How much of the evidence counts in the inferred belief; the defaults change nothing.

    The first three are powers of how many times a place is likelier than by the rules alone.
    """

    against: float = 1.0
    """Of a seat that is less likely to hold the tile, above 0."""
    toward: float = 1.0
    """Of a place where the tile is likelier to be."""
    talon_against: float = 1.0
    """Of the talon, where the tile is less likely to be in it."""
    certain: float = 0.0
    """What is taken off all powers of a tile that a seat is as good as certain to hold, 0..1."""


EVIDENCE_SLOPES: Final = {
    2: EvidenceSlopes(1.36, 0.67, 0.74, 0.35),
    3: EvidenceSlopes(1.19, 0.5, 1.07, 0.47),
    4: EvidenceSlopes(1.16, 0.66, 0.73, 0.31),
}
"""How much of the evidence counts in the inferred belief, by number of seats. Fitted so that what is said with some
probability is true as often (docs/policy.md)."""


@dataclass(frozen=True, slots=True)
class SearchParams(TreeParams):
    """How the tree grows and what its leaves are worth. The defaults are the measured ones (docs/search.md).

    :raises LimitsError: a parameter out of range; ``field`` is its name.
    """

    net_leaf: bool = True
    """Whether leaves are valued by the world-value net; else they are rolled out."""
    inference: bool = True
    """Whether worlds are weighted by how likely the policy makes the other seats' past choices."""
    forget: bool = False
    """Whether draws and passes are ignored, so that a hidden tile may be anywhere. Only for comparisons."""
    exact: bool = True
    """Whether a round is solved once nothing is hidden (2 seats with an empty talon)."""
    pool_share: float = 0.05
    """Weighted worlds for each simulation that the limits allow: 0..1. At least 64, at most 4,096 worlds: the share and
    both ends were chosen by judgement."""
    extra_worlds: float = 16.0
    """Further worlds for each of these, weighted by a fit to them: 0..100. At most 16,384.

    docs/strength.md has what they gain; how many was chosen by judgement."""
    temperature: float = 1.0
    """Factor on :data:`MODEL_TEMPERATURES`: above 1, the other seats are taken to follow the policy less sharply.
    0.01..1,000."""
    objective: Objective = "match"
    """What is maximised."""

    def __post_init__(self) -> None:
        TreeParams.__post_init__(self)
        for name, (least, most) in _RANGES.items():
            keep(self, name, read_real(getattr(self, name), name, least, most))
        for name in ("net_leaf", "inference", "forget", "exact"):
            keep(self, name, read_flag(getattr(self, name), name))
        read_objective(self.objective)

    def pool_size(self, simulations: float) -> int:
        """Worlds to weigh for so many simulations; 0 where all worlds weigh the same."""
        return min(4096, max(64, int(simulations * self.pool_share))) if self.inference else 0

    def extra_size(self, pool_size: int) -> int:
        """Worlds to add to a pool of this size."""
        return min(16_384, int(pool_size * self.extra_worlds))


_RANGES: Final = {"pool_share": (0, 1), "extra_worlds": (0, 100), "temperature": (0.01, 1000)}


def read_objective(value: Any) -> Objective:
    """The objective itself.

    :raises LimitsError: it is none.
    """
    if not isinstance(value, str) or value not in get_args(Objective):
        names = ", ".join(get_args(Objective))
        raise LimitsError(f"{shown(value)} is not one of {names}", reason="UNKNOWN_OBJECTIVE", field="objective")
    return cast(Objective, value)


def check_threads(threads: int) -> int:
    """The number of threads itself.

    :raises LimitsError: it is not a whole number in 1..64.
    """
    return read_whole(threads, "threads", 1, 64)


def _keep_above_zero(limits: Limits, field: str, most: int, sentence: str) -> None:
    value = getattr(limits, field)
    if value is None:
        return
    number = as_real(value)
    if number is None:
        raise LimitsError(f"a number is expected, not {shown(value)}", reason="NOT_A_NUMBER", field=field)
    if not 0 < number <= most:
        raise LimitsError(f"{sentence.format(most)}, not {shown(value)}", reason="OUT_OF_RANGE", field=field)
    keep(limits, field, number)


PLAIN: Final = SearchParams(
    exploration=40.0,
    root_exploration=40.0,
    by_spread=0.0,
    root_share=0.0,
    revisit=0.0,
    common_worlds=False,
    epsilon=1.0,
    net_leaf=False,
    inference=False,
    follow=0.0,
    forget=True,
    exact=False,
    objective="round",
)
"""Plain ISMCTS: random rollouts, a belief that ignores draws and passes, the margin of the round as utility."""
