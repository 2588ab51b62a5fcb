"""What every engine here can do: search a view within limits, and say the move and how many simulations it took."""

from typing import NamedTuple, Protocol

from sniffai import Limits, Move, View, analyze
from sniffai.players import GreedyPlayer


class Found(NamedTuple):
    """The outcome of one search."""

    move: Move
    simulations: int
    """Simulations made; 0 where the move was forced."""


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


class Sniffai:
    """Our own search, one thread."""

    name = "sniffai"

    def search(self, view: View, limits: Limits, seed: int) -> Found:
        """See :class:`Engine`."""
        analysis = analyze(view, limits, seed=seed)
        assert analysis.best is not None, "a tile is to be placed"
        return Found(analysis.best.move, analysis.effort.simulations)


class Greedy:
    """The most points now: no search, the yardstick that every engine must beat."""

    name = "greedy"

    def search(self, view: View, limits: Limits, seed: int) -> Found:
        """See :class:`Engine`."""
        return Found(GreedyPlayer().choose(view, seed), 0)
