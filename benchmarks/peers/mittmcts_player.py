"""mittmcts's ISMCTS on American Sniff. It counts wins and draws only, and grows its tree to the end of the round."""

import random
from collections.abc import Sequence

from mittmcts import MCTS, Draw

from benchmarks.peers.plain_round import PlainRound
from benchmarks.peers.players import Found
from benchmarks.peers.worlds import Worlds, move_of
from sniffai import Limits, View


class Mittmcts:
    """The engine."""

    name = "mittmcts"

    def search(self, view: View, limits: Limits, seed: int) -> Found:
        """See :class:`benchmarks.peers.players.Engine`."""
        random.seed(seed)  # the package draws from Python's common generator
        worlds = Worlds(view, seed)
        start = worlds.sample()
        options = start.legal_actions()
        if len(options) == 1:
            return Found(move_of(view, options[0]), 0)
        search = MCTS(_Game(worlds), start)
        result = search.get_simulation_result(
            iterations=limits.simulations or 1, actual_options=options, max_seconds=limits.seconds
        )
        return Found(move_of(view, result.move), result.root.visits)


class _Game:
    """The rules by mittmcts's names; a state is a round, and stays as it is."""

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds

    def determine(self, state: PlainRound) -> PlainRound:
        return self._worlds.sample()

    def get_moves(self, state: PlainRound) -> tuple[bool, Sequence[int]]:
        return False, state.legal_actions()

    def apply_move(self, state: PlainRound, action: int) -> PlainRound:
        after = state.copy()
        after.play(action)
        return after

    def current_player(self, state: PlainRound) -> int:
        return state.seat

    def get_winner(self, state: PlainRound) -> object:
        if not state.over:
            return None
        margins = state.margins()
        best = max(margins)
        return margins.index(best) if best > 0 else Draw
