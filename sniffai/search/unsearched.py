"""The answer of a player that does not search, in the form of an analysis."""

from dataclasses import replace

from sniffai.moves import Move
from sniffai.search.analysis import Analysis
from sniffai.search.clock import Run
from sniffai.search.searcher import Searcher
from sniffai.view import View


class UnsearchedMove(Searcher):
    """A move that was chosen without a search; used like :class:`Searcher`, and answered at once.

    The analysis has this move alone, without values.

    :param move: a distinct legal move of the view's seat, one of several.
    :param seed: the seed in the analysis.
    :raises SniffError: as for :class:`Searcher`.
    """

    def __init__(self, view: View, move: Move, *, seed: int = 0) -> None:
        super().__init__(view, seed=seed, include_moves=[move])

    @property
    def forced(self) -> bool:
        """Always: the move is known."""
        return True

    def _forced(self, run: Run) -> Analysis:
        return replace(
            super()._forced(run),
            source="unsearched",
            stop_reason="unsearched",
            omitted_move_count=len(self._legal) - len(self._moves),
        )
