"""The chances from the rounds, backwards over the scores: see :mod:`sniffai_ext.equity_solve` for the equation."""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from sniffai.lab.arrays import ArrayHolder
from sniffai.lab.equity.rounds import BY_LOT, ScoredRounds, Whole
from sniffai.rules import TEAMS
from sniffai_ext.equity_solve import first_to_reach, solve

Chances = npt.NDArray[np.float32]

WARM_UP: Final = 20
"""The first solution uses one in so many rounds."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes(ArrayHolder):
    """Equal rounds counted together: the same points by team, scored and within reach, and the same next lead."""

    reach: Whole
    """``[outcomes, teams]``: the highest score that a team had or could have had, in fives."""
    net: Whole
    """``[outcomes, teams]``: what the round changed, settlement included, in fives."""
    leads: Whole
    """``[outcomes]``: the team that leads next; the number of teams for a random seat."""
    weights: npt.NDArray[np.float64]
    """``[outcomes]``: their share of the rounds, together 1."""

    @classmethod
    def of(cls, rounds: ScoredRounds) -> Self:
        """The outcomes of some rounds."""
        teams = TEAMS[rounds.players]
        leads = rounds.leads.astype(np.int64)
        rows = np.column_stack([rounds.reach(), rounds.net(), np.where(leads == BY_LOT, teams, leads)])
        lowest, span = rows.min(axis=0), np.ptp(rows, axis=0) + 1
        keys = np.ravel_multi_index(tuple((rows - lowest).T), tuple(span))
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        kept = rows[first]
        return cls(kept[:, :teams], kept[:, teams:-1], kept[:, -1], counts / len(rounds))


def solve_rounds(
    rounds: ScoredRounds, size: int, start: Chances | None = None, tolerance: float = 1e-5, sweeps: int = 200
) -> Chances:
    """The chances relative to the lead, ``[n, n]`` or ``[n, n, n, 2]`` as :mod:`sniffai_ext.equity` has them.

    :param rounds: at least 1.
    :param size: scores of a team, in steps of 5, up to 5 below the target. A score that falls below the lowest stands
        there.
    :param start: chances to begin with; some of the rounds make them where none are given.
    :param tolerance: the sweeps end when none of the chances changes by more.
    :param sweeps: or after so many.
    """
    if start is None and len(rounds) >= 1000 * WARM_UP:
        start = solve_rounds(rounds.part(0, len(rounds) // WARM_UP), size, tolerance=1e-4)
    teams = TEAMS[rounds.players]
    outcomes = Outcomes.of(rounds)
    counts = first_to_reach(teams, rounds.ends, rounds.gains, size)
    wins = np.flip(counts, axis=tuple(range(1, teams + 1))) / len(rounds)
    return solve(
        teams,
        outcomes.reach.astype(np.int32),
        outcomes.net.astype(np.int32),
        outcomes.leads.astype(np.int32),
        outcomes.weights,
        wins,
        size,
        max(0, -int(outcomes.net.min())),
        start,
        tolerance,
        sweeps,
    )


def made_monotone(chances: Chances) -> Chances:
    """The nearest chances from above that never fall when a team's own score rises, nor rise when another's does.

    Those of a solution do neither, but for the last digit; this takes care of that digit.
    """
    if chances.ndim == 2:
        return _monotone(chances, 0)
    return np.stack([_monotone(chances[..., 0], 0), _monotone(chances[..., 1], 1)], axis=-1)


def _monotone(chances: Chances, own: int) -> Chances:
    risen = np.maximum.accumulate(chances, axis=own)
    for axis in range(chances.ndim):
        if axis != own:
            risen = np.minimum.accumulate(risen, axis=axis)
    return risen
