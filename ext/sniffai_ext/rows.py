"""Rows in which the core answers: plain numbers, each with a name.

A move is ``(tile, at)``: the index of the tile, 0..27, and the lowest of the equal attachment points, -1 for the lead.
"""

from typing import NamedTuple


class RootMove(NamedTuple):
    """What a search found of one distinct move at its root.

    All numbers but ``availability`` are 0 without a visit; with one, no error is 0.
    """

    tile: int
    at: int
    visits: int
    """Simulations that began with the move."""
    availability: int
    """Simulations that could have begun with it."""
    margins: tuple[float, ...]
    """By team: the expected margin, in points."""
    margin_deviations: tuple[float, ...]
    """By team: the standard deviation of a simulation's margin."""
    margin_errors: tuple[float, ...]
    """By team: the standard error of the expected margin."""
    utility: float
    """What the search maximises, for the searching team: expected, in points."""
    utility_error: float
    chances: tuple[float, ...]
    """By team: the expected chance to win the match; empty without an equity table."""
    chance_errors: tuple[float, ...]
    margin_drifts: tuple[float, ...]
    """How far each expected margin has moved recently, at least 0; the errors count it once."""
    utility_drift: float
    chance_drifts: tuple[float, ...]
    proven: bool
    """Whether every line of play was seen to its end: the expected values are then the values with best play of all."""


class LineMove(NamedTuple):
    """One placement of an expected line of play."""

    tile: int
    at: int
    visits: int
    """Simulations that came through it."""
    estimated: bool
    """Whether it depends on hidden tiles."""


class SolvedMove(NamedTuple):
    """One distinct move of a solved round. All values are team 0's, with best play of both teams after the move."""

    tile: int
    at: int
    value: int
    """What was asked for: points to the end of the round, or -20,000..20,000, from a certain loss of the match to a
    certain win."""
    margin: int
    """Points less team 1's from the move on to the end of the line."""
    chance: float
    """Chance to win the match after the line; -1 without an equity table."""
    line: tuple[tuple[int, int], ...]
    """The placements to the end of the round, each ``(tile, at)``, the move itself first."""
