"""How a search tree grows: parameters that the core and the library share, with their ranges and defaults."""

from dataclasses import dataclass
from typing import Any, Final

from sniffai_ext.checks import read_flag, read_real

RANGES: Final = {
    "exploration": (0.0, 1e6),
    "root_exploration": (0.0, 1e6),
    "by_spread": (0.0, 100.0),
    "root_share": (0.0, 1.0),
    "revisit": (0.0, 1.0),
    "epsilon": (0.0, 1.0),
    "follow": (0.0, 1.0),
    "floor": (1e-6, 1.0),
}
"""The least and the largest value of each number."""

USUAL_MEMORY_BYTES: Final = 256 << 20
"""The cap of the search tree where nobody gives one."""

USUAL_TEMPERATURES: Final = (3.0, 3.0, 3.0)
"""How sharply the other seats are taken to follow the policy where nobody says: by phase of the round, in points."""


@dataclass(frozen=True, slots=True)
class TreeParams:
    """How the tree grows. The defaults are the measured ones (docs/search.md).

    :raises LimitsError: a parameter is out of range; ``field`` is its name.
    """

    exploration: float = 20.0
    """Least weight of UCB1's exploration term below the root, in points: 0..1,000,000."""
    root_exploration: float = 80.0
    """The same at the root, where every move's value is shown: 0..1,000,000."""
    by_spread: float = 1.0
    """That weight in standard deviations of the node's values: 0..100. The larger of both holds."""
    root_share: float = 0.5
    """Share of the simulations that is spread evenly over the root's moves, so that none is given up early: 0..1."""
    revisit: float = 0.1
    """Every move of every node is tried at least so many times the square root of its availability, so that none is
    given up for a bad beginning: 0..1."""
    common_worlds: bool = True
    """Whether the n-th simulation of every move at the root has the same hidden hands and talon."""
    epsilon: float = 0.1
    """Chance of a random move instead of the one with the most points in a rollout: 0..1."""
    follow: float = 0.5
    """Share of their choices in which the other seats follow the policy in the tree, where a node has 500 visits; else
    they choose by UCB1 too: 0..1. Without a policy they never follow."""
    floor: float = 0.05
    """Share of the other seats' choices that is taken to be random: 0.000001..1. So no possible world is ruled out."""

    def __post_init__(self) -> None:
        for name, value in read_params(self).items():
            object.__setattr__(self, name, value)


def read_params(params: Any) -> dict[str, Any]:
    """Every parameter by name, checked; a missing one is refused as a wrong one is.

    :raises LimitsError: a parameter is out of range; ``field`` is its name.
    """
    checked: dict[str, Any] = {
        name: read_real(getattr(params, name, None), name, least, most) for name, (least, most) in RANGES.items()
    }
    return checked | {"common_worlds": read_flag(getattr(params, "common_worlds", None), "common_worlds")}
