import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

def fit_sums(table: Numbers, rows: Numbers, columns: Numbers, close: float, rounds: int) -> None: ...
