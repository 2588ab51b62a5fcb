"""The end of a round once nothing is hidden: it is solved, not searched."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, TypeAlias

from sniffai.rules import team_of
from sniffai.search.params import Objective, SearchParams
from sniffai.search.solver import MoveValue, Solver
from sniffai.view import View
from sniffai_ext.root_statistics import told_apart
from sniffai_ext.stop import StopFlag

NODE_CAP: Final = 20_000
"""Placements tried before the search takes over: a few milliseconds. Nearly every end needs far fewer:
``python benchmarks/solver.py`` measures how many (benchmarks/solver.md)."""

TABLE_BYTES: Final = 1 << 18
"""Memory for positions that the solver has met: 16,384 of 16 bytes, nearly one for each placement tried."""


@dataclass(frozen=True, slots=True)
class Solved:
    """The result of solving."""

    moves: tuple[MoveValue, ...] | None
    """Every distinct legal move, best first; ``None`` where the solver gave up."""
    nodes: int
    """Placements tried."""
    late: bool
    """Whether it gave up because its time was over."""


Ask: TypeAlias = Callable[[Solver], tuple[MoveValue, ...] | None]
"""Puts a question to a solver."""


def solve_end(view: View, params: SearchParams, stop: StopFlag, seconds: Callable[[], float]) -> Solved | None:
    """Solve the rest of a round for a seat that is to place a tile, for what the search maximises.

    :param stop: makes it give up.
    :param seconds: how much time is left for it; infinity for no limit.
    :return: ``None`` unless there are 2 seats and the talon is empty.
    """
    if view.players != 2 or view.talon_size:
        return None

    def ask(solver: Solver) -> tuple[MoveValue, ...] | None:
        solution = solver.solve_view(view, node_cap=NODE_CAP, seconds=seconds())
        return None if solution is None else solution.moves

    return solve_for(ask, team_of(view.players, view.seat), params.objective, stop, TABLE_BYTES)


def solve_for(ask: Ask, team: int, objective: Objective, stop: StopFlag, table_bytes: int) -> Solved:
    """Ask a solver. Where several moves win the match equally often, ask a second one for points.

    :param team: the mover's.
    """
    solver = Solver(objective=objective, table_bytes=table_bytes, stop=stop)
    moves = ask(solver)
    if moves is None or objective == "round" or not has_ties(moves):
        return Solved(moves, solver.nodes, solver.late)
    plain = Solver(table_bytes=table_bytes, stop=stop)
    points = ask(plain)
    ranked = None if points is None else ties_by_margin(moves, points, team)
    return Solved(ranked, solver.nodes + plain.nodes, plain.late)


def has_ties(moves: Sequence[MoveValue]) -> bool:
    """Whether two moves win the match equally often, as far as their chances can be told apart."""
    losses = sorted(entry.loss for entry in moves)
    return any(not told_apart(after - before, 0.0) for before, after in pairwise(losses))


def ties_by_margin(moves: Sequence[MoveValue], plain: Sequence[MoveValue], team: int) -> tuple[MoveValue, ...]:
    """Moves by their chance to win the match and, where chances cannot be told apart, by their margin.

    :param moves: solved for the match, best first.
    :param plain: the same moves solved for points. Where such a line has the same chance, it is the one reported.
    :param team: the mover's.
    """
    points = {entry.move: entry for entry in plain}
    left = [_for_points(entry, points[entry.move]) for entry in moves]
    ranked: list[MoveValue] = []
    while left:
        level = [entry for entry in left if not told_apart(entry.loss - left[0].loss, 0.0)]
        best = max(level, key=lambda entry: -entry.margin if team else entry.margin)
        ranked.append(best)
        left.remove(best)
    return tuple(ranked)


def _for_points(entry: MoveValue, plain: MoveValue) -> MoveValue:
    """A move with the line that scores the most points, if that line has the same chance."""
    if told_apart(entry.chance - plain.chance, 0.0):
        return entry
    return replace(entry, margin=plain.margin, chance=plain.chance, line=plain.line)
