"""Iterative proportional fitting in the core against NumPy, step by step and to the last bit."""

import numpy as np
import numpy.typing as npt
import pytest

from sniffai_ext.errors import LimitsError
from sniffai_ext.proportional_fit import fit_sums

CLOSE = 1e-9

Numbers = npt.NDArray[np.float64]


def fitted(table: Numbers, rows: Numbers, columns: Numbers, rounds: int) -> Numbers:
    """The same, by whole arrays."""
    found = table.copy()
    sums = np.add.reduce(found, axis=0)
    no_column, no_row = columns == 0, np.add.reduce(found, axis=1) == 0
    for _ in range(rounds):
        found *= columns / (sums + no_column)
        found *= (rows / (np.add.reduce(found, axis=1) + no_row))[:, None]
        sums = np.add.reduce(found, axis=0)
        if np.abs(sums - columns).max() < CLOSE:
            break
    return found


@pytest.mark.parametrize("places", [1, 2, 3, 4, 5])
def test_it_is_as_with_numpy(places: int) -> None:
    rng = np.random.default_rng(places)
    for rounds in (1, 3, 500):
        goal = rng.random((28, places)) * (rng.random((28, places)) < 0.7)
        goal[rng.integers(28)] = 0
        start = goal ** rng.uniform(0.5, 2) * (goal > 0)
        rows, columns = goal.sum(axis=1), goal.sum(axis=0)
        expected = fitted(start, rows, columns, rounds)
        fit_sums(start, rows, columns, CLOSE, rounds)
        assert start.tobytes() == expected.tobytes()
        assert rounds < 500 or np.allclose(start.sum(axis=0), columns, atol=1e-6)


@pytest.mark.parametrize(
    ("table", "rows", "columns"),
    [
        (np.ones((28, 2), order="F"), np.ones(28), np.ones(2)),
        (np.ones((27, 2)), np.ones(27), np.ones(2)),
        (np.ones((28, 2)), np.ones(28), np.ones(3)),
        (np.ones((28, 6)), np.ones(28), np.ones(6)),
        (np.ones((28, 2), np.float32), np.ones(28), np.ones(2)),
        (None, np.ones(28), np.ones(2)),
    ],
)
def test_other_arrays_are_refused(table: Numbers, rows: Numbers, columns: Numbers) -> None:
    with pytest.raises(LimitsError) as raised:
        fit_sums(table, rows, columns, CLOSE, 5)
    assert raised.value.field == "table"
