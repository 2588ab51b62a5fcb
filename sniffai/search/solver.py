"""Exact values of rounds whose tiles are all known, by alpha-beta: for study, and for the end of a round.

A *value* is team 0's margin over team 1 from here to the end of the round, in points, when both teams play best and see
every tile: placements, settlement (docs/rules.md §6), nothing once the target is reached (§7). On demand it is what
counts beyond the round: team 0's chance to win the match, by match equity.
Only rounds of 2 and 4 seats have one: with 3, one seat's gain is not another seat's loss.

Playing best while seeing everything is not playing best. What a *seat* can expect is exact only where it and the other
know all: :meth:`Solver.solve_view` says when. Averages of such values over the worlds that a view allows are not
offered: they suppose that every seat will see what it cannot see (*strategy fusion*), and play worse than a search.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from sniffai.checks import read_whole
from sniffai.equity import load
from sniffai.moves import Move
from sniffai.ports import point_name
from sniffai.round import Round
from sniffai.rules import team_of
from sniffai.search.params import Objective, read_objective
from sniffai.view import View
from sniffai_ext.layout import Layout as CoreLayout
from sniffai_ext.rows import SolvedMove
from sniffai_ext.solver import Solver as CoreSolver
from sniffai_ext.stop import StopFlag
from sniffai_ext.turn import Turn

CERTAIN: Final = 20_000
"""The core's value of a certain win; that of a certain loss is its negative."""

DEFAULT_NODE_CAP: Final = 20_000_000
"""Placements tried before giving up: some seconds."""

DEFAULT_TABLE_BYTES: Final = 4 << 20
"""Memory for positions met."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The value of a round, and how to get it."""

    value: float
    """Team 0's margin from here on in points, or its chance to win the match, whoever is to move."""
    move: Move
    """A best move; others may be as good."""
    nodes: int
    """Placements tried to find it."""


@dataclass(frozen=True, slots=True)
class MoveValue:
    """One move and what comes of it with best play of both teams."""

    move: Move
    equal_points: tuple[str, ...]
    """All attachment points that lead to the same future, ``move.at`` among them; empty for the lead."""
    value: float
    """Team 0's margin for the rest of the round in points, the move's own points included, or its chance to win the
    match."""
    loss: float
    """How much less value the move has for the mover's team than a best move, at least 0."""
    margin: int
    """Team 0's margin at the end of the line, in points; the same as the value where values are points."""
    chance: float
    """Team 0's chance to win the match after the line."""
    line: tuple[Move, ...]
    """Best play to the end of the round, beginning with the move itself; draws and passes are left out."""


@dataclass(frozen=True, slots=True)
class ViewSolution:
    """What one seat can be sure of."""

    exact: bool
    """Whether all seats know all, so that the values are what the moves are worth. Otherwise the seat itself knows all,
    and each value is what it can be sure of at least, should the other know all too."""
    moves: tuple[MoveValue, ...]
    """Every distinct legal move, best first."""


class Solver:
    """Solves one position after another; what it remembers of one speeds up the next.

    Whether it gives up may depend on earlier questions; an answer never does. It may be asked from several threads:
    a question waits for the one before it. A question asked from within another one (by the handler of a signal) is
    refused with a BusyError.

    :param objective: what a value is: ``"match"``, the chance to win the match, or ``"round"``, the margin.
    :param table_bytes: memory for positions met, 64..2**40; the largest power of two below is used.
    :param stop: stops it together with all else that looks at it; by default it has one of its own.
    :raises LimitsError: a number out of range.
    """

    def __init__(
        self,
        *,
        objective: Objective = "round",
        table_bytes: int = DEFAULT_TABLE_BYTES,
        stop: StopFlag | None = None,
    ) -> None:
        table_bytes = read_whole(table_bytes, "table_bytes", 64, 1 << 40)
        self._match = read_objective(objective) == "match"
        self._table_bytes = table_bytes
        self._cores: dict[int, CoreSolver] = {}
        self._stop = stop or StopFlag()
        self._turn = Turn("the solver")
        self.nodes = 0
        """Placements tried for the last question."""
        self.late = False
        """Whether it gave up the last question because its time was over."""

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a solver cannot be copied or pickled: make a new one")

    def stop(self) -> None:
        """Make the present question and all later ones give up at once. May be called from any thread."""
        self._stop.stop()

    def _core(self, players: int) -> CoreSolver:
        """The core solver for a number of seats, made when first needed."""
        if players not in self._cores:
            equity = load(players).core
            self._cores[players] = CoreSolver(
                table_bytes=self._table_bytes, equity=equity, match=self._match, stop=self._stop
            )
        return self._cores[players]

    def solve(self, round_: Round, *, node_cap: int = DEFAULT_NODE_CAP, seconds: float = math.inf) -> Solution | None:
        """The value of a round and a best move; ``None`` when it gave up.

        :param node_cap: placements tried before giving up, 1..2**63-1.
        :param seconds: time before giving up; infinity for none.
        :raises ViewError: the round is over, or has 3 seats.
        :raises LimitsError: the cap is out of range.
        """
        with self._turn:
            core = self._core(round_.players)
            answer = core.solve(round_.core(), node_cap, seconds)
            nodes = self._noted(core)
        if answer is None:
            return None
        value, move = answer
        return Solution(self._in_units(value), Move.from_codes(*move), nodes)

    def solve_moves(
        self, round_: Round, *, node_cap: int = DEFAULT_NODE_CAP, seconds: float = math.inf
    ) -> tuple[MoveValue, ...] | None:
        """Every distinct legal move of a round with its value, best first; ``None`` when it gave up.

        Parameters and errors as :meth:`solve`, which costs less.
        """
        with self._turn:
            core = self._core(round_.players)
            rows = core.solve_moves(round_.core(), node_cap, seconds)
            self._noted(core)
        if rows is None:
            return None
        return self._ranked(rows, round_.core().layout, team_of(round_.players, round_.seat))

    def solve_view(
        self, view: View, *, node_cap: int = DEFAULT_NODE_CAP, seconds: float = math.inf
    ) -> ViewSolution | None:
        """Every distinct legal move of a seat that can infer where every tile lies; ``None`` when it gave up.

        That takes 2 seats and a talon that is empty (then both know all, and the values are exact), or holds one tile
        while the draws so far tell the seat which (then the values are what it can be sure of).

        :raises ViewError: the seat is not to place a tile, or cannot know where every tile lies.
        :raises HistoryError: no deal explains the view.
        :raises LimitsError: the cap is out of range.
        """
        with self._turn:
            core = self._core(view.players)
            exact, rows = core.solve_view(view.core(), node_cap, seconds)
            self._noted(core)
        if rows is None:
            return None
        return ViewSolution(exact, self._ranked(rows, view.core().layout, team_of(view.players, view.seat)))

    def _noted(self, core: CoreSolver) -> int:
        """Keep the effort of a core's last question; returns the placements tried."""
        self.nodes, self.late = core.nodes, core.late
        return self.nodes

    def _ranked(self, rows: Iterable[SolvedMove], layout: CoreLayout, team: int) -> tuple[MoveValue, ...]:
        """Best first for a team; equal values by tile, then attachment point."""
        sign = -1 if team else 1
        ranked = sorted(rows, key=lambda row: -sign * row.value)
        best = self._in_units(ranked[0].value)
        return tuple(
            MoveValue(
                Move.from_codes(row.tile, row.at),
                tuple(str(point_name(point)) for point in layout.equal_points(row.tile, row.at)),
                self._in_units(row.value),
                abs(best - self._in_units(row.value)),
                row.margin,
                row.chance,
                tuple(Move.from_codes(*move) for move in row.line),
            )
            for row in ranked
        )

    def _in_units(self, value: int) -> float:
        """The core's value in points, or as a chance to win the match."""
        return (value / CERTAIN + 1) / 2 if self._match else value


def solve(round_: Round, *, node_cap: int = DEFAULT_NODE_CAP, objective: Objective = "round") -> Solution | None:
    """:meth:`Solver.solve` of a fresh solver."""
    return Solver(objective=objective).solve(round_, node_cap=node_cap)


def solve_moves(
    round_: Round, *, node_cap: int = DEFAULT_NODE_CAP, objective: Objective = "round"
) -> tuple[MoveValue, ...] | None:
    """:meth:`Solver.solve_moves` of a fresh solver."""
    return Solver(objective=objective).solve_moves(round_, node_cap=node_cap)


def solve_view(view: View, *, node_cap: int = DEFAULT_NODE_CAP, objective: Objective = "round") -> ViewSolution | None:
    """:meth:`Solver.solve_view` of a fresh solver."""
    return Solver(objective=objective).solve_view(view, node_cap=node_cap)
