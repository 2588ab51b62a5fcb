"""Study of a round whose tiles are all known: the values of the moves if every seat sees every tile.

With 2 and 4 seats the round is solved (:mod:`sniffai.search.solver`), nearly always within milliseconds. Where that
takes too many placements, and with 3 seats, where one seat's gain is not another seat's loss, it is searched in this
one world.

This is not advice for a seat in play, which does not know these tiles. For that, use :func:`sniffai.analyze`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Unpack

import numpy as np

from sniffai.checks import shown
from sniffai.errors import ViewError
from sniffai.round import Round
from sniffai.rules import team_of
from sniffai.search.analysis import Analysis, BeliefTable
from sniffai.search.clock import Run
from sniffai.search.endgame import solve_for
from sniffai.search.params import EffectiveLimits, Limits
from sniffai.search.searcher import Searcher, SearchSettings, World
from sniffai.search.solver import DEFAULT_TABLE_BYTES, MoveValue

NODE_CAP: Final = 4_000_000
"""Placements tried before the search takes over: a few tenths of a second. Nearly every whole deal needs far fewer."""


class DealSearcher(Searcher):
    """One study of a round whose hands are all known; used like :class:`Searcher`.

    :param round_: a round that is not over. The moves of the seat to move are evaluated.
    :param settings: as for :class:`Searcher`.
    :raises ViewError: the round is over.
    :raises MoveError: a move to include or exclude is not legal or named twice, or none is left.
    :raises LimitsError: the seed or the number of threads is out of range.
    """

    _hidden = False

    def __init__(self, round_: Round, **settings: Unpack[SearchSettings]) -> None:
        if not isinstance(round_, Round):
            raise ViewError(f"a Round is expected, not {shown(round_)}", reason="NOT_A_ROUND", field="round")
        if round_.over:
            raise ViewError("there is nothing to decide: the round is over", reason="ROUND_OVER")
        super().__init__(round_.view(round_.seat), **settings)
        self._round = round_.copy()
        # Nothing is hidden: there are no worlds to weigh, and the other seats need no model.
        self._params = replace(self._params, inference=False, follow=0.0, forget=False)

    def is_brief(self, limits: EffectiveLimits) -> bool:
        """Never: a deal is solved where it can be."""
        return False

    def _solve(self, run: Run) -> tuple[Sequence[MoveValue], int] | None:
        if self._round.players == 3:
            return None
        solved = solve_for(
            lambda solver: solver.solve_moves(self._round, node_cap=NODE_CAP, seconds=run.solver_seconds),
            team_of(self._round.players, self._round.seat),
            self._params.objective,
            self._stop,
            DEFAULT_TABLE_BYTES,
        )
        self._hurried |= solved.late
        return None if solved.moves is None else (solved.moves, solved.nodes)

    def _world(self) -> World:
        hands = [sum(1 << tile.index for tile in hand) for hand in self._round.hands]
        return hands, [tile.index for tile in self._round.talon]

    def _belief(self) -> BeliefTable:
        table = np.zeros((28, self._round.players + 1))
        for place, tiles in enumerate([*self._round.hands, self._round.talon]):
            table[[tile.index for tile in tiles], place] = 1.0
        table.setflags(write=False)
        return BeliefTable(table, 1)

    def _worlds(self) -> tuple[int, float] | None:
        return 1, 1.0


def analyze_deal(round_: Round, limits: Limits | None = None, **settings: Unpack[SearchSettings]) -> Analysis:
    """Evaluate every legal move of a round's seat to move, all hands and the talon known to everyone.

    ``source`` is ``"exact"`` where the round was solved, else ``"search"`` (or ``"forced"``).

    :param settings: as for :class:`DealSearcher`.
    :raises SniffError: see :class:`DealSearcher`.
    """
    return DealSearcher(round_, **settings).run(limits)
