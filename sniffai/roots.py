"""The root moves that a search found, in numbers: of one tree, or of several as if one tree had found them."""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from sniffai.report import TeamValue
from sniffai_ext.largest import best_chances
from sniffai_ext.search import STATED_DRIFTS, ranked
from sniffai_ext.search import Search as CoreSearch

FEW_VISITS: Final = 30
"""With fewer a move's own spread says little, so the spread of all simulations stands in for it."""

LEAST_VISITS: Final = 5
"""With fewer no difference is called significant."""

SIGNIFICANT: Final = 2.0
"""Standard errors of a difference from which on it is hardly chance."""


class RootMove(NamedTuple):
    """One distinct move at the root, as the core tells it."""

    tile: int
    at: int
    visits: int
    availability: int
    means: tuple[float, ...]
    """The mean margin of each team, in points."""
    deviations: tuple[float, ...]
    errors: tuple[float, ...]
    """The standard error of each mean."""
    utility: float
    """The mean utility for the mover's team, in points: what the moves are compared by."""
    utility_error: float
    chances: tuple[float, ...]
    """The mean chance of each team to win the match."""
    chance_errors: tuple[float, ...]
    drifts: tuple[float, ...]
    """How far the means moved of late, at least 0; the errors hold it once."""
    utility_drift: float
    chance_drifts: tuple[float, ...]


class Standing(NamedTuple):
    """How a move stands against the best one; ``None`` without a visit."""

    loss: float | None
    """Points less than the best move has for the mover's team; below 0 where fewer points win the match more often."""
    win_probability_loss: float | None
    significant: bool
    best_probability: float | None


UNKNOWN: Final = Standing(None, None, False, None)
"""Where nothing was searched."""


def merge_roots(cores: Sequence[CoreSearch]) -> list[RootMove]:
    """The root moves of several trees: visits add up, means and spreads are pooled. Best first."""
    if len(cores) == 1:
        return [RootMove(*row) for row in cores[0].root_moves()]
    found: dict[tuple[int, int], list[RootMove]] = {}
    for core in cores:
        for row in map(RootMove._make, core.root_moves()):
            found.setdefault((row.tile, row.at), []).append(row)
    return [RootMove(*row) for row in ranked(map(_pooled, found.values()))]


def standings(rows: Sequence[RootMove], team: int) -> list[Standing]:
    """How each move stands against the first for a team. Whether it is worse is a question of utilities."""
    spread = max([_between(rows), *(row.utility_error * math.sqrt(row.visits) for row in rows)])
    errors = [_error(row, spread) for row in rows]
    visited = [i for i, row in enumerate(rows) if row.visits]
    chances = dict(zip(visited, best_chances([(rows[i].utility, errors[i]) for i in visited]), strict=True))
    found = []
    for i, row in enumerate(rows):
        if not row.visits:
            found.append(UNKNOWN)
            continue
        loss = rows[0].means[team] - row.means[team]
        chance = rows[0].chances[team] - row.chances[team]
        lead = rows[0].utility - row.utility
        judged = i > 0 and min(row.visits, rows[0].visits) >= LEAST_VISITS
        significant = judged and lead > SIGNIFICANT * math.hypot(errors[0], errors[i])
        found.append(Standing(loss, chance, significant, chances.get(i)))
    return found


def team_values(row: RootMove) -> tuple[TeamValue, ...]:
    """A move's value for each team; empty without a visit."""
    if not row.visits:
        return ()
    return tuple(
        TeamValue(
            team,
            row.means[team],
            _stated(row.errors[team], row.drifts[team]),
            row.deviations[team],
            row.chances[team],
            _stated(row.chance_errors[team], row.chance_drifts[team]),
        )
        for team in range(len(row.means))
    )


def root_value(rows: Sequence[RootMove]) -> tuple[TeamValue, ...]:
    """Mean and spread over all simulations, put together from those of the moves; empty without any."""
    if not sum(row.visits for row in rows):
        return ()
    return team_values(_pooled(rows))


def pooled_deviation(rows: Sequence[RootMove], team: int) -> float:
    """Standard deviation of all simulations behind some rows, from the rows' own means and deviations."""
    visits = sum(row.visits for row in rows)
    mean = math.fsum(row.visits * row.means[team] for row in rows) / max(1, visits)
    within = math.fsum((row.visits - 1) * row.deviations[team] ** 2 for row in rows if row.visits)
    between = math.fsum(row.visits * (row.means[team] - mean) ** 2 for row in rows)
    return math.sqrt((within + between) / max(1, visits - 1))


def _pooled(rows: Sequence[RootMove]) -> RootMove:
    """Several rows as one: a move as several trees found it, or all moves of a root."""
    visits = sum(row.visits for row in rows)
    share = max(1, visits)
    teams = range(len(rows[0].means))
    return RootMove(
        rows[0].tile,
        rows[0].at,
        visits,
        sum(row.availability for row in rows),
        tuple(math.fsum(row.visits * row.means[team] for row in rows) / share for team in teams),
        tuple(pooled_deviation(rows, team) for team in teams),
        tuple(math.hypot(*(row.visits * row.errors[team] for row in rows)) / share for team in teams),
        math.fsum(row.visits * row.utility for row in rows) / share,
        math.hypot(*(row.visits * row.utility_error for row in rows)) / share,
        tuple(math.fsum(row.visits * row.chances[team] for row in rows) / share for team in teams),
        tuple(math.hypot(*(row.visits * row.chance_errors[team] for row in rows)) / share for team in teams),
        tuple(math.fsum(row.visits * row.drifts[team] for row in rows) / share for team in teams),
        math.fsum(row.visits * row.utility_drift for row in rows) / share,
        tuple(math.fsum(row.visits * row.chance_drifts[team] for row in rows) / share for team in teams),
    )


def _stated(error: float, drift: float) -> float:
    """The standard error that is told: a tree that still learns will drift on, and several trees drift alike."""
    return math.hypot(error, math.sqrt(STATED_DRIFTS**2 - 1) * drift)


def _between(rows: Sequence[RootMove]) -> float:
    """How far the moves' utilities lie apart, each weighing by its visits: all there is to go by after few."""
    visits = sum(row.visits for row in rows)
    mean = math.fsum(row.visits * row.utility for row in rows) / max(1, visits)
    return math.sqrt(math.fsum(row.visits * (row.utility - mean) ** 2 for row in rows) / max(1, visits - 1))


def _error(row: RootMove, spread: float) -> float:
    error = _stated(row.utility_error, row.utility_drift)
    if row.visits >= FEW_VISITS:
        return error
    return max(error, spread / math.sqrt(max(1, row.visits)))
