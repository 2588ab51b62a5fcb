from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sniffai_ext.policy import Policy
from sniffai_ext.seat_model import SeatModel
from sniffai_ext.view import View

PHASE_EDGES: tuple[int, int]

def check_told(told: Sequence[float]) -> tuple[float, float, float]: ...
def sampled_deals(
    view: View,
    count: int,
    seed: int,
    policy: Policy,
    temperatures: Sequence[float],
    floor: float,
    models: Sequence[SeatModel | None] = (),
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8], npt.NDArray[np.float64]]: ...
def sampled_past(view: View, seed: int) -> list[tuple[int, int, int, int]]: ...
