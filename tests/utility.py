"""What the tree of a search maximises, and the order of its moves, told again from docs/search.md."""

import math
from collections.abc import Sequence

from sniffai.equity import load
from sniffai.rules import TEAMS
from sniffai_ext.rows import RootMove

FEW_VISITS = 30
"""Below, a move comes after those with more."""


def weights(players: int, scores: Sequence[int], team: int) -> tuple[float, float]:
    """What the match and a point are worth to a team, in points of its utility.

    :param scores: by team, where the search begins.
    """
    swing = 0.0
    for way in (1, -1):
        after = [score - way * (30 // TEAMS[players]) for score in scores]
        after[team] += way * 30
        swing += way * load(players).chance(after)[team]
    match = max(250.0, 25.0 / (swing + 60 * 4e-6))
    return match, match * 4e-6


def utility(players: int, scores: Sequence[int], team: int, chance: float, margin: float) -> float:
    """A team's utility where the chance to win the match is what counts."""
    match, point = weights(players, scores, team)
    return match * chance + point * margin


def level(gap: float, error: float) -> bool:
    """Whether two chances that differ by so much, with such an error, are not told apart."""
    return abs(gap) < 1e-4 or abs(gap) < min(0.002, 2 * error)


def in_order(rows: Sequence[RootMove], team: int, *, match: bool) -> list[RootMove]:
    """The best first.

    By chance or margin less half its error, in which drift counts once; among chances that are not told apart from the
    best one by margin. Moves with few visits come last, the most visited first.
    """

    def chance(row: RootMove) -> float:
        return row.chances[team] - row.chance_errors[team] / 2

    def margin(row: RootMove) -> float:
        return row.margins[team] - row.margin_errors[team] / 2

    often = [row for row in rows if row.visits >= FEW_VISITS]
    seldom = sorted((row for row in rows if row.visits < FEW_VISITS), key=lambda row: (-row.visits, -row.utility))
    if not match:
        return sorted(often, key=margin, reverse=True) + seldom
    found = []
    while often:
        first = max(often, key=chance)
        alike = [
            row
            for row in often
            if level(chance(first) - chance(row), math.hypot(first.chance_errors[team], row.chance_errors[team]))
        ]
        found.append(max(alike, key=margin))
        often.remove(found[-1])
    return found + seldom
