"""What every engine here can do: search a view within limits, and say the move and how many simulations it took."""

from dataclasses import replace
from typing import Final, NamedTuple, Protocol

from sniffai import Limits, Move, SearchParams, View, analyze, params
from sniffai.play.players import GreedyPlayer


class Found(NamedTuple):
    """The outcome of one search."""

    move: Move
    simulations: int
    """Simulations made; 0 where the move was forced, or known without search."""


class Engine(Protocol):
    """Something that searches."""

    name: str
    """What tables call it."""

    def search(self, view: View, limits: Limits, seed: int) -> Found:
        """The move to make.

        :param view: of a seat that is to place a tile.
        :param limits: ``simulations``, or ``seconds``.
        :param seed: 0..2**64-1.
        """
        ...


PLAIN: Final = replace(params.PLAIN, forget=False)
"""Plain ISMCTS on worlds from the exact belief: what OpenSpiel's bot does, in compiled code."""


class Sniffai:
    """Our own search, one thread."""

    def __init__(self, name: str = "sniffai", settings: SearchParams | None = None) -> None:
        self.name = name
        self._settings = settings

    def search(self, view: View, limits: Limits, seed: int) -> Found:
        """See :class:`Engine`."""
        analysis = analyze(view, limits, seed=seed, params=self._settings)
        assert analysis.best is not None, "a tile is to be placed"
        return Found(analysis.best.move, analysis.effort.simulations)


class Greedy:
    """The most points now: no search, the yardstick that every engine must beat."""

    name = "greedy"

    def search(self, view: View, limits: Limits, seed: int) -> Found:
        """See :class:`Engine`."""
        return Found(GreedyPlayer().choose(view, seed), 0)
