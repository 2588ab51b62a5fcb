from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sniffai_ext.policy import Policy
from sniffai_ext.view import View

MOST_WORLDS: int

class Pool:
    @property
    def players(self) -> int: ...
    @property
    def seat(self) -> int: ...
    @property
    def assignments(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def complete(self) -> bool: ...
    @property
    def effective(self) -> float: ...
    def worlds(self) -> list[tuple[int, int, int, int, int, float]]: ...
    def log_likelihoods(self) -> npt.NDArray[np.float64]: ...
    def table(self) -> npt.NDArray[np.float64]: ...

def weighted_worlds(
    view: View,
    room: int,
    seed: int,
    policy: Policy | None = None,
    temperatures: Sequence[float] = (3.0, 3.0, 3.0),
    floor: float = 0.05,
    hands: Sequence[int] | None = None,
    extra: int = 0,
) -> Pool: ...
def check_model(policy: Policy, players: int, temperatures: Sequence[float], floor: float) -> None: ...
