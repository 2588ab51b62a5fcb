"""The constants of American Sniff (docs/rules.md §1). The core applies the rules."""

from collections.abc import Sequence
from typing import Final

PLAYERS: Final = (2, 3, 4)
"""The numbers of seats that can play."""

HAND_SIZE: Final = {2: 7, 3: 6, 4: 5}
"""Tiles dealt to each seat, by the number of players."""

TALON_SIZE: Final = {2: 14, 3: 10, 4: 8}
"""Tiles left undealt, by the number of players."""

TARGET: Final = {2: 250, 3: 200, 4: 200}
"""Points that win the match, by the number of players."""

TEAMS: Final = {2: 2, 3: 3, 4: 2}
"""Teams, and so scores, by the number of players: with 4 players seats 0 and 2 play against seats 1 and 3."""


def team_of(players: int, seat: int) -> int:
    """The team of a seat: the seat itself with 2 and 3 players, ``seat % 2`` with 4 (§1)."""
    return seat % 2 if players == 4 else seat


def deduction(pips: int) -> int:
    """Points that one hand of so many pips costs at the end of a round: the nearest multiple of 5 (§6)."""
    return (pips + 2) // 5 * 5


def margins_of(gains: Sequence[float]) -> tuple[float, ...]:
    """Each team's gain less the mean of the other teams' gains, in points; together 0."""
    return tuple(own - (sum(gains) - own) / (len(gains) - 1) for own in gains)
