"""The end of a round in which nothing is hidden any more: solved instead of searched.

The solver maximises the search's utility: the margin, and what the next lead and the match are worth. Margins are
multiples of 5 (docs/rules.md §4, §6). So the stakes are rounded to numbers that are not, each with a remainder of its
own modulo 5, and a value tells by its remainder how the round ends, and with that its margin.
"""

from dataclasses import dataclass
from typing import Final

from sniffai.moves import Move
from sniffai.params import SearchParams
from sniffai.solver import Solver, Stakes
from sniffai.view import View

NODE_CAP: Final = 20_000
"""Placements tried before the search takes over: some milliseconds. Nearly every end takes far fewer."""

TABLE_BYTES: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class ExactMove:
    """What one move is worth with best play of both teams."""

    move: Move
    margin: int
    """Team 0's margin for the rest of the round, in points."""
    loss: int
    """How much less utility it has for the mover than a best move, in points, at least 0."""


@dataclass(frozen=True, slots=True)
class ExactEnd:
    """Every distinct legal move, best first."""

    moves: tuple[ExactMove, ...]
    nodes: int
    """Placements tried."""


def solve_end(view: View, params: SearchParams) -> ExactEnd | None:
    """Solve the rest of a round for a seat that is to place a tile.

    :return: ``None`` unless there are 2 seats and the talon is empty, and where the solver gave up.
    """
    if view.players != 2 or view.talon_size:
        return None
    stakes = decodable_stakes(params)
    solver = Solver(stakes=stakes, table_bytes=TABLE_BYTES)
    solution = solver.solve_view(view, node_cap=NODE_CAP)
    if solution is None or not solution.exact:
        return None
    moves = tuple(ExactMove(value.move, margin_of(value.value, stakes), value.loss) for value in solution.moves)
    return ExactEnd(moves, solver.nodes)


def decodable_stakes(params: SearchParams) -> Stakes:
    """The parameters' values of lead and target, rounded to remainders 1 and 2 modulo 5."""
    return Stakes(5 * round((params.lead_value - 1) / 5) + 1, 5 * round((params.target_value - 2) / 5) + 2)


def margin_of(value: int, stakes: Stakes) -> int:
    """The margin in a value of the solver with decodable stakes, for team 0."""
    prize = {0: 0, 1: stakes.lead_value, 2: stakes.target_value, 3: -stakes.target_value, 4: -stakes.lead_value}
    return value - prize[value % 5]
