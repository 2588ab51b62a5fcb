import numpy as np
import numpy.typing as npt

def fit(hands: npt.ArrayLike, logs: npt.ArrayLike, ridge: float = 2.0) -> tuple[float, npt.NDArray[np.float64]]: ...
