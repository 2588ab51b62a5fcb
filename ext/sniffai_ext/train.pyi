from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

_State: TypeAlias = tuple[int, int, float, float, int]

def first_state(seed: int) -> _State: ...
def train_part(
    players: int,
    policy_weights: npt.NDArray[np.float32],
    world_weights: npt.NDArray[np.float32],
    rounds: int,
    start: int,
    stop: int,
    state: _State,
    first_rate: float,
    last_rate: float,
    temperature: float,
    decay: float,
    progress: Callable[[int], None] | None = None,
) -> _State: ...
def net_errors(state: _State) -> tuple[float, float]: ...
def train(
    players: int,
    policy_weights: npt.NDArray[np.float32],
    world_weights: npt.NDArray[np.float32],
    rounds: int,
    seed: int,
    first_rate: float,
    last_rate: float,
    temperature: float,
    decay: float,
    progress: Callable[[int], None] | None = None,
) -> tuple[float, float]: ...
def weight_counts(players: int) -> tuple[int, int]: ...
def first_weights(players: int, seed: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]: ...
