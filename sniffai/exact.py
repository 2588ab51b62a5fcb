"""The end of a round in which nothing is hidden any more: solved instead of searched."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from sniffai.params import SearchParams
from sniffai.rules import team_of
from sniffai.solver import MoveValue, Solver
from sniffai.view import View
from sniffai_ext.search import told_apart

NODE_CAP: Final = 20_000
"""Placements tried before the search takes over: some milliseconds. Nearly every end takes far fewer."""

TABLE_BYTES: Final = 1 << 18


def solve_end(view: View, params: SearchParams) -> tuple[tuple[MoveValue, ...], int] | None:
    """Solve the rest of a round for a seat that is to place a tile, for what the search maximises.

    :return: every distinct legal move, best first, and the placements tried; ``None`` unless there are 2 seats and the
        talon is empty, and where the solver gave up.
    """
    if view.players != 2 or view.talon_size:
        return None
    solver = Solver(match=params.match, table_bytes=TABLE_BYTES)
    solution = solver.solve_view(view, node_cap=NODE_CAP)
    if solution is None or not solution.exact:
        return None
    if not params.match or not has_ties(solution.moves):
        return solution.moves, solver.nodes
    plain = Solver(table_bytes=TABLE_BYTES)
    points = plain.solve_view(view, node_cap=NODE_CAP)
    if points is None:
        return None
    team = team_of(view.players, view.seat)
    return ties_by_margin(solution.moves, points.moves, team), solver.nodes + plain.nodes


def has_ties(moves: Sequence[MoveValue]) -> bool:
    """Whether some move wins the match as often as another, as far as that can be told."""
    losses = sorted(entry.loss for entry in moves)
    return any(not told_apart(after - before, 0.0) for before, after in pairwise(losses))


def ties_by_margin(moves: Sequence[MoveValue], plain: Sequence[MoveValue], team: int) -> tuple[MoveValue, ...]:
    """Moves by their chance to win the match and, where chances are not told apart, by their margin.

    :param moves: solved for the match, best first.
    :param plain: the same moves solved for points. Where that line leaves the same chance, it is what is played.
    :param team: the mover's.
    """
    points = {entry.move: entry for entry in plain}
    left = [_for_points(entry, points[entry.move]) for entry in moves]
    found: list[MoveValue] = []
    while left:
        level = [entry for entry in left if not told_apart(entry.loss - left[0].loss, 0.0)]
        best = max(level, key=lambda entry: -entry.margin if team else entry.margin)
        found.append(best)
        left.remove(best)
    return tuple(found)


def _for_points(entry: MoveValue, plain: MoveValue) -> MoveValue:
    """A move with the line that brings the most points, if that leaves the chance as it is."""
    if told_apart(entry.chance - plain.chance, 0.0):
        return entry
    return replace(entry, margin=plain.margin, chance=plain.chance, line=plain.line)
