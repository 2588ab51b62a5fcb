"""The end of a round in which nothing is hidden any more: solved instead of searched."""

from typing import Final

from sniffai.params import SearchParams
from sniffai.solver import MoveValue, Solver
from sniffai.view import View

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
    return solution.moves, solver.nodes
