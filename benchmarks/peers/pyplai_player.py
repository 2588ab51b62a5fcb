"""pyplAI's single-observer ISMCTS on American Sniff. It knows wins and draws only, and no limit but the clock."""

from typing import Any

from pyplAI import SOISMCTS

from benchmarks.peers.plain_round import PlainRound
from benchmarks.peers.players import Found
from benchmarks.peers.worlds import Worlds, move_of
from sniffai import Limits, View


class Pyplai:
    """The engine. Its names are Spanish: ``jugadorActual`` is the seat to move, from 1."""

    name = "pyplai"

    def search(self, view: View, limits: Limits, seed: int) -> Found:
        """See :class:`benchmarks.peers.players.Engine`; ``limits`` give seconds. The package's lots cannot be seeded.

        :raises ValueError: there is no time limit.
        """
        if limits.seconds is None:
            raise ValueError("pyplAI stops by the clock only")
        worlds = _Counted(view, seed)
        search = SOISMCTS(
            lambda state, action: state.after(action),
            lambda state: list(state.round.legal_actions()),
            lambda state: state.round.over,
            lambda state, seat: state.round.margins()[seat - 1] > 0,
            lambda state: worlds.sample_state(),
            view.players,
            limits.seconds,
        )
        action = search.ejecuta(worlds.sample_state())
        return Found(move_of(view, action), worlds.samples - 1)


class _State:
    """A round as pyplAI wants it."""

    __slots__ = ("round",)

    def __init__(self, round_: PlainRound) -> None:
        self.round = round_

    @property
    def jugadorActual(self) -> int:  # noqa: N802  # pyplAI's name
        return self.round.seat + 1

    def after(self, action: int) -> "_State":
        """Play in place: pyplAI copies first where it needs to."""
        self.round.play(action)
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "_State":
        return _State(self.round.copy())


class _Counted(Worlds):
    samples = 0

    def sample_state(self) -> _State:
        self.samples += 1
        return _State(self.sample())
