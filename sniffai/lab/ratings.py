"""Ratings fitted to contests by likelihood: Bradley–Terry, with one spread for each number of seats.

The odds that b beats a are 10 to the power of ``spread(seats) · (rating(b) − rating(a)) / 400``. The spread says how
much the better player shows with so many seats; that of 2 seats is 1.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sniffai.errors import LimitsError
from sniffai.play.ratings import TENFOLD

ROUNDS: Final = 200
"""Most alternations of the fit; it converges in about 20."""

EXACT: Final = 1e-6
"""The fit ends when no rating changes by more than this, in points."""

NATURAL: Final = np.log(10) / TENFOLD
"""A rating point in natural logarithms of odds."""


@dataclass(frozen=True, slots=True)
class Contest:
    """Matches between two players."""

    players: int
    """Seats, 2..4."""
    a: str
    b: str
    won: int
    """Matches that b won."""
    matches: int
    """At least 1."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """The fit."""

    points: dict[str, float]
    """By player, in points; the first player has 0."""
    errors: dict[str, float]
    """Standard error of each, given the spreads; the first player's is 0."""
    spreads: dict[int, float]
    """By number of seats; that of 2 is 1."""

    def expected(self, contest: Contest) -> float:
        """The share of a contest that b should win, 0..1."""
        gap = self.spreads[contest.players] * (self.points[contest.b] - self.points[contest.a])
        return float(1 / (1 + 10 ** (-gap / TENFOLD)))

    def misfit(self, contests: Sequence[Contest]) -> float:
        """How far the shares won lie from those expected, in standard errors: root mean square, 1 by chance alone."""
        expected = np.array([self.expected(contest) for contest in contests])
        matches = np.array([contest.matches for contest in contests])
        shares = np.array([contest.won for contest in contests]) / matches
        return float(np.sqrt(np.mean((shares - expected) ** 2 * matches / (expected * (1 - expected)))))


def contests_of(rows: Iterable[Mapping[str, Any]]) -> list[Contest]:
    """The contests of rows with ``players``, ``a``, ``b``, ``won`` by b, and ``matches``, such that half is even.

    With 3 seats b plays alone against two of a, so a third is even: such a row is added to the one with the sides
    swapped, and left out where there is none.
    """
    contests = [Contest(row["players"], row["a"], row["b"], row["won"], row["matches"]) for row in rows]
    even = [contest for contest in contests if contest.players != 3]
    alone: dict[tuple[str, str], Contest] = {}
    for contest in contests:
        if contest.players != 3:
            continue
        other = alone.get((contest.b, contest.a))
        if other is None:
            alone[contest.a, contest.b] = contest
        else:
            won = other.won + contest.matches - contest.won
            even.append(replace(other, won=won, matches=other.matches + contest.matches))
    return even


def fit_ratings(contests: Sequence[Contest], names: Sequence[str]) -> Ratings:
    """The most likely ratings and spreads.

    :param contests: some of them with 2 seats.
    :param names: all players; contests must link each to the others.
    :raises LimitsError: contests do not link all players, or a player won or lost everything.
    """
    tables = sorted({contest.players for contest in contests} | {2})
    gaps = np.zeros((len(contests), len(names)))
    for row, contest in zip(gaps, contests, strict=True):
        row[names.index(contest.b)], row[names.index(contest.a)] = 1.0, -1.0
    won = np.array([contest.won for contest in contests], np.float64)
    matches = np.array([contest.matches for contest in contests], np.float64)
    table = np.array([tables.index(contest.players) for contest in contests])
    points, spreads = np.zeros(len(names) - 1), np.ones(len(tables))
    for _ in range(ROUNDS):
        weighted = spreads[table][:, None] * gaps[:, 1:]
        fitted, covariance = _logistic(weighted, won, matches, points)
        moved = float(np.abs(fitted - points).max())
        points = fitted
        for i, players in enumerate(tables):
            if players != 2:
                here = table == i
                column = (gaps[here, 1:] @ points)[:, None]
                (spreads[i],), _ = _logistic(column, won[here], matches[here], spreads[i : i + 1])
        if moved < EXACT:
            break
    errors = np.sqrt(np.diag(covariance))
    return Ratings(
        dict(zip(names, [0.0, *map(float, points)], strict=True)),
        dict(zip(names, [0.0, *map(float, errors)], strict=True)),
        dict(zip(tables, map(float, spreads), strict=True)),
    )


Vector = npt.NDArray[np.float64]


def _logistic(rows: Vector, won: Vector, matches: Vector, start: Vector) -> tuple[Vector, Vector]:
    """Logistic regression without a constant by Newton's method; the weights, in rating points, and their covariance.

    :raises LimitsError: the weights are not determined.
    """
    weights, rows = start.copy(), rows * NATURAL
    for _ in range(ROUNDS):
        share = 1 / (1 + np.exp(-rows @ weights))
        information = rows.T @ ((matches * share * (1 - share))[:, None] * rows)
        if not np.isfinite(information).all() or np.linalg.cond(information) > 1e12:
            raise LimitsError("the contests do not rate every player", reason="NO_VALUES", field="contests")
        step = np.linalg.solve(information, rows.T @ (won - matches * share))
        weights = weights + np.clip(step, -TENFOLD, TENFOLD)
        if float(np.abs(step).max()) < EXACT:
            break
    return weights, np.asarray(np.linalg.inv(information), np.float64)
