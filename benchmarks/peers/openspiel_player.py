"""OpenSpiel's Python ISMCTS on American Sniff, as it is shipped and as well as it can be made to play.

======================  ===============================================================================================
``openspiel``           the bot as shipped with random rollouts through the game API; nodes keyed by the mover's
                        information state
``openspiel-rollouts``  the same with our own rollouts on the plain round, and Python's lots for numpy's
``openspiel-searcher``  the same with nodes keyed by the public record and the searcher's hand: its strongest
======================  ===============================================================================================

All of them sample worlds from the exact belief (:mod:`benchmarks.peers.worlds`): none sees a hidden tile. The C++ bot
cannot play a Python game.
"""

import time
from collections.abc import Callable
from random import Random
from typing import Any, Final

import numpy as np
from open_spiel.python.algorithms.ismcts import ISMCTSBot, ISMCTSNode
from open_spiel.python.algorithms.mcts import Evaluator, RandomRolloutEvaluator

from benchmarks.peers.openspiel_sniff import SniffGame, SniffState
from benchmarks.peers.plain_round import PlainRound
from benchmarks.peers.players import Found
from benchmarks.peers.worlds import Worlds, move_of
from sniffai import Limits, View

EXPLORATION: Final = 40.0
"""The bot's ``uct_c``, in points."""
UNBOUNDED: Final = 10**9
"""Simulations where only the clock ends a search."""


class LimitedBot(ISMCTSBot):
    """The bot with a clock: it makes the shipped bot's simulations until a limit is hit, and counts them."""

    def __init__(self, limits: Limits, **settings: Any) -> None:
        super().__init__(max_simulations=limits.simulations or UNBOUNDED, **settings)
        self._seconds = limits.seconds
        self.simulations = 0

    def run_search(self, state: SniffState) -> list[tuple[int, float]]:
        """The shipped method's steps; returns actions with their shares of the final choice."""
        started = time.perf_counter()
        self.reset()
        legal_actions = state.legal_actions()
        if len(legal_actions) == 1:
            return [(legal_actions[0], 1.0)]
        self._root_node = self.create_new_node(state)
        while self.simulations < self._max_simulations:
            self.run_simulation(self.sample_root_state(state))
            self.simulations += 1
            if self._seconds is not None and time.perf_counter() - started >= self._seconds:
                break
        return list(self.get_final_policy(state, self._root_node))


class SearcherBot(LimitedBot):
    """Nodes are keyed by the public record and the searcher's hand: what the other seats hold is not assumed known."""

    def __init__(self, limits: Limits, searcher: int, **settings: Any) -> None:
        super().__init__(limits, allow_inconsistent_action_sets=True, **settings)
        self._searcher = searcher

    def get_state_key(self, state: SniffState) -> tuple[int, str]:
        """The key of a state's node."""
        round_ = state.round
        assert round_ is not None
        return round_.hands[self._searcher], round_.record

    def filter_illegals(self, node: ISMCTSNode, legal_actions: list[int]) -> ISMCTSNode:
        """The node with its legal children only; the shipped method copies the whole node deeply first."""
        legal = ISMCTSNode()
        legal.child_info = {action: child for action, child in node.child_info.items() if action in legal_actions}
        legal.total_visits = sum(child.visits for child in legal.child_info.values())
        return legal


class PlainRollouts(Evaluator):
    """Random rollouts of the round itself, without a game state around it."""

    def __init__(self, lots: Random) -> None:
        self._random = lots.random

    def evaluate(self, state: SniffState) -> list[float]:
        """Each seat's margin at the end of one rollout, in points."""
        assert state.round is not None
        return rollout(state.round.copy(), self._random)

    def prior(self, state: SniffState) -> list[tuple[int, float]]:
        """Every action alike."""
        assert state.round is not None
        actions = state.round.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]


def rollout(round_: PlainRound, random: Callable[[], float]) -> list[float]:
    """Play a round to its end at random; each seat's margin in points."""
    legal_actions, play = round_.legal_actions, round_.play
    while not round_.over:
        actions = legal_actions()
        play(actions[int(random() * len(actions))])
    return round_.margins()


class Lots:
    """Python's generator under the names of numpy's that the bot calls; for short lists it is several times faster."""

    def __init__(self, lots: Random) -> None:
        self._random = lots.random
        self.shuffle = lots.shuffle

    def randint(self, count: int) -> int:
        """A number below ``count``."""
        return int(self._random() * count)


class OpenSpiel:
    """The engine by one of the names above."""

    def __init__(self, name: str = "openspiel", exploration: float = EXPLORATION) -> None:
        self.name = name
        self._exploration = exploration
        self._games: dict[int, SniffGame] = {}

    def search(self, view: View, limits: Limits, seed: int) -> Found:
        """See :class:`benchmarks.peers.players.Engine`."""
        worlds = Worlds(view, seed)
        game = self._games.setdefault(view.players, SniffGame({"players": view.players}))
        bot = self._bot(game, view, limits, seed)
        bot.set_resampler(lambda state, player: game.state_of(worlds.sample()))
        policy = bot.get_policy(game.state_of(worlds.sample()))
        action, _ = max(policy, key=lambda choice: choice[1])
        return Found(move_of(view, action), bot.simulations)

    def _bot(self, game: SniffGame, view: View, limits: Limits, seed: int) -> LimitedBot:
        settings: dict[str, Any] = {"game": game, "uct_c": self._exploration}
        if self.name == "openspiel":
            lots = np.random.RandomState(seed % 2**32)
            return LimitedBot(limits, evaluator=RandomRolloutEvaluator(1, lots), random_state=lots, **settings)
        own = Random(seed)
        settings |= {"evaluator": PlainRollouts(own), "random_state": Lots(own)}
        if self.name == "openspiel-rollouts":
            return LimitedBot(limits, **settings)
        return SearcherBot(limits, view.seat, **settings)
