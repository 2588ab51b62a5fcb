from collections.abc import Callable

import numpy as np
import numpy.typing as npt

def first_to_reach(
    teams: int, ends: npt.NDArray[np.int64], gains: npt.NDArray[np.uint16], size: int
) -> npt.NDArray[np.int64]: ...
def solve(
    teams: int,
    reach: npt.NDArray[np.int32],
    net: npt.NDArray[np.int32],
    leads: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float64],
    wins: npt.NDArray[np.float64],
    size: int,
    pad: int,
    start: npt.NDArray[np.float32] | None = None,
    tolerance: float = 2e-6,
    most_sweeps: int = 200,
    progress: Callable[[float], None] | None = None,
) -> npt.NDArray[np.float32]: ...
