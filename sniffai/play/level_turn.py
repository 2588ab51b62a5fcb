"""One move of a level of play, in two steps: its search, which a server runs in its own time, and then its choice."""

from typing import Any

from sniffai.moves import Move
from sniffai.play.levels import Level
from sniffai.play.mixed import at_turn
from sniffai.play.players import thinker_of
from sniffai.search.analysis import Analysis
from sniffai.search.candidates import distinct_moves
from sniffai.search.params import Limits
from sniffai.search.searcher import Searcher
from sniffai.search.unsearched import UnsearchedMove
from sniffai.seeds import derived_seed
from sniffai.view import View


class LevelTurn:
    """One move of a level: run :attr:`searcher`, then ask :meth:`move`.

    The move depends on nothing but the view, the seed and the limits. Chance differs from position to position, also
    with one seed for all.

    :param seed: 0..2**64-1.
    :param inferred: whether the search's answers have the inferred belief.
    :raises SniffError: as for :class:`Searcher`.
    """

    def __init__(self, level: Level, view: View, seed: int, *, inferred: bool = True) -> None:
        self.level, self._inferred = level, inferred
        self._lots = derived_seed(seed, view.to_text())
        self._player = at_turn(level.player, self._lots)
        self._thinker = thinker_of(self._player)
        self.searcher = self._searcher(view, seed)
        """The search; for a level that does not search, it answers at once."""

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a level's turn cannot be copied or pickled: make a new one with the same view and seed")

    def _searcher(self, view: View, seed: int) -> Searcher:
        if self._thinker is not None and len(distinct_moves(view)) > 1:
            return self._thinker.searcher(view, seed, inferred=self._inferred)
        searcher = Searcher(view, seed=seed)  # it refuses a seat that is not to move
        if searcher.forced:
            return searcher
        return UnsearchedMove(view, self._player.choose(view, self._lots), seed=seed)

    @property
    def limits(self) -> Limits | None:
        """The level's own limits; ``None`` if it takes the caller's, or does not search this move."""
        thinker = self._thinker
        return thinker.limits if thinker is not None and thinker.limits != Limits() else None

    def move(self, analysis: Analysis) -> Move | None:
        """The level's choice; ``None`` if the seat must draw or pass.

        :param analysis: the answer of :attr:`searcher`, also of a run that ended early.
        """
        if analysis.best is None:
            return None
        return self._thinker.pick(analysis, self._lots) if self._thinker is not None else analysis.best.move
