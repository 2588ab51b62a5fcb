"""What a search may spend, and how it searches."""

import math
from dataclasses import dataclass
from typing import Final

from sniffai.errors import LimitsError

DEFAULT_SECONDS: Final = 1.0
"""The time limit where neither a time nor a number of simulations is given."""

DEFAULT_MEMORY_BYTES: Final = 256 << 20
"""The cap of the search tree where none is given, in bytes."""

MIN_MEMORY_BYTES: Final = 1 << 16
MAX_SIMULATIONS: Final = 2**63 - 1
MAX_SEED: Final = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search ends: at the first limit that is hit. Without any, after :data:`DEFAULT_SECONDS`.

    :raises LimitsError: a limit out of range; ``field`` is its name.
    """

    simulations: int | None = None
    """Simulations, 1..2**63-1."""
    seconds: float | None = None
    """Wall-clock time, above 0."""
    memory_bytes: int | None = None
    """Hard cap of the search tree, at least 65,536 bytes; :data:`DEFAULT_MEMORY_BYTES` where not given."""

    def __post_init__(self) -> None:
        _check_whole("simulations", self.simulations, 1, MAX_SIMULATIONS)
        _check_whole("memory_bytes", self.memory_bytes, MIN_MEMORY_BYTES, MAX_SIMULATIONS)
        seconds = self.seconds
        if seconds is None:
            return
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
            raise LimitsError(f"a number is expected, not {seconds!r}", reason="NOT_A_NUMBER", field="seconds")
        if not (math.isfinite(seconds) and seconds > 0):
            raise LimitsError(f"a time is above 0 and finite, not {seconds}", reason="OUT_OF_RANGE", field="seconds")

    def effective(self) -> "Limits":
        """The limits in force, the defaults filled in."""
        seconds = self.seconds
        if seconds is None and self.simulations is None:
            seconds = DEFAULT_SECONDS
        return Limits(self.simulations, seconds, self.memory_bytes or DEFAULT_MEMORY_BYTES)


@dataclass(frozen=True, slots=True)
class SearchParams:
    """How the tree grows. The defaults are the measured ones (docs/search.md).

    :raises LimitsError: a parameter out of range.
    """

    exploration: float = 40.0
    """Weight of UCB1's exploration term, in points: 0..1,000,000."""
    epsilon: float = 0.1
    """Chance of a random move instead of the one with the most points in a rollout: 0..1."""

    def __post_init__(self) -> None:
        for name, value, most in (("exploration", self.exploration, 1e6), ("epsilon", self.epsilon, 1.0)):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= most:
                raise LimitsError(f"0..{most:g} is expected, not {value!r}", reason="OUT_OF_RANGE", field=name)


def check_seed(seed: int) -> int:
    """The seed itself.

    :raises LimitsError: it is not a whole number in 0..2**64-1.
    """
    _check_whole("seed", seed, 0, MAX_SEED)
    return seed


def _check_whole(field: str, value: int | None, least: int, most: int) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int):
        raise LimitsError(f"a whole number is expected, not {value!r}", reason="NOT_A_NUMBER", field=field)
    if not least <= value <= most:
        raise LimitsError(f"{least}..{most} is expected, not {value}", reason="OUT_OF_RANGE", field=field)
