import numpy as np
import numpy.typing as npt

def fit(hands: npt.ArrayLike, logs: npt.ArrayLike) -> tuple[float, npt.NDArray[np.float64]]: ...
