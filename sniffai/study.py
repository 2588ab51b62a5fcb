"""Study of a round whose tiles are all known: what the seat to move could make of it, everyone seeing everything.

With 2 and 4 seats the round is solved (:mod:`sniffai.solver`), nearly always within milliseconds. Where that takes too
many placements, and with 3 seats, where nobody's gain is one other's loss, the search plays out this one world.

This is no advice for a seat in play: it does not know what it uses here. For that there is
:func:`sniffai.analyze`.
"""

from collections.abc import Sequence
from threading import Timer
from typing import Any, Final

import numpy as np

from sniffai.choice import Moves
from sniffai.errors import ViewError
from sniffai.exact import has_ties, ties_by_margin
from sniffai.params import Limits, SearchParams
from sniffai.report import Analysis, BeliefTable
from sniffai.round import Round
from sniffai.rules import team_of
from sniffai.run import Run
from sniffai.search import Searcher
from sniffai.shown import shown
from sniffai.solver import MoveValue, Solver
from sniffai_ext.view import View as CoreView

NODE_CAP: Final = 4_000_000
"""Placements tried before the search takes over: some tenths of a second. Nearly every whole deal takes far fewer."""

SOLVER_SHARE: Final = 0.5
"""The part of the time that the solver may take, so that there is some left to search."""


class DealSearcher(Searcher):
    """One study of a round, all hands known; used as :class:`Searcher`.

    :param round_: it is not over; the seat to move is the one whose moves are evaluated.
    :raises ViewError: the round is over.
    :raises MoveError: a move to include or exclude is not legal or named twice, or none is left.
    :raises LimitsError: the seed or the number of threads is out of range.
    """

    _hidden = False

    def __init__(
        self,
        round_: Round,
        *,
        seed: int = 0,
        params: SearchParams | None = None,
        threads: int = 1,
        include: Moves = None,
        exclude: Moves = None,
    ) -> None:
        if not isinstance(round_, Round):
            raise ViewError(f"a Round is expected, not {shown(round_)}", reason="NOT_A_ROUND", field="round")
        if round_.over:
            raise ViewError("there is nothing to decide: the round is over", reason="ROUND_OVER")
        view = round_.view(round_.seat)
        super().__init__(view, seed=seed, params=params, threads=threads, include=include, exclude=exclude)
        self._round = round_.copy()
        self._solver: Solver | None = None

    def stop(self) -> None:
        """End the run within a millisecond, or at once when it starts. May be called from any thread."""
        super().stop()
        if self._solver is not None:
            self._solver.stop()

    def _solve(self, run: Run) -> tuple[Sequence[MoveValue], int] | None:
        if self._round.players == 3:
            return None
        self._solver = Solver(match=self._params.match)
        if self._stopped:
            self._solver.stop()
        hurry = Timer(min(run.left * SOLVER_SHARE, 1e6), self._hurry)
        hurry.daemon = True
        hurry.start()
        try:
            found = self._solver.solve_moves(self._round, node_cap=NODE_CAP)
            nodes = self._solver.nodes
            if found is not None and self._params.match and has_ties(found):
                self._solver = Solver()
                if self._stopped or self._hurried:
                    self._solver.stop()
                points = self._solver.solve_moves(self._round, node_cap=NODE_CAP)
                nodes += self._solver.nodes
                team = team_of(self._round.players, self._round.seat)
                found = None if points is None else ties_by_margin(found, points, team)
        finally:
            hurry.cancel()
        return None if found is None else (found, nodes)

    def _hurry(self) -> None:
        """Make the solver give up: the clock wants it."""
        self._hurried = True
        if self._solver is not None:
            self._solver.stop()

    def _options(self, share: Limits) -> dict[str, Any]:
        options = super()._options(share)
        hands = [sum(1 << tile.index for tile in hand) for hand in self._round.hands]
        world = hands, [tile.index for tile in self._round.talon]
        return {**options, "pool": 0, "policy": None, "follow": 0.0, "world": world}

    def _seen(self) -> CoreView:
        return self._view.core()

    def _belief(self) -> BeliefTable:
        table = np.zeros((28, self._round.players + 1))
        for place, tiles in enumerate([*self._round.hands, self._round.talon]):
            table[[tile.index for tile in tiles], place] = 1.0
        table.setflags(write=False)
        return BeliefTable(table, 1)

    def _worlds(self) -> tuple[int, float] | None:
        return 1, 1.0


def analyze_deal(
    round_: Round,
    limits: Limits | None = None,
    *,
    seed: int = 0,
    params: SearchParams | None = None,
    threads: int = 1,
    include: Moves = None,
    exclude: Moves = None,
) -> Analysis:
    """Evaluate every legal move of a round's seat to move, all hands and the talon known to everyone.

    ``source`` is ``"exact"`` where the round was solved, else ``"search"`` (or ``"forced"``).

    :raises SniffError: see :class:`DealSearcher`.
    """
    searcher = DealSearcher(round_, seed=seed, params=params, threads=threads, include=include, exclude=exclude)
    return searcher.run(limits)
