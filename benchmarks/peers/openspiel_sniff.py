"""American Sniff as a game of OpenSpiel, written against its Python game API.

The deal is 28 chance nodes, a tile each: a hand after the other, the talon last. From then on every node is a decision:
draws and passes are forced, so they happen inside an action. Points, settlement and the end of the match are those of
docs/rules.md; returns are each seat's margin of the round in points, which sum to 0.

``pyspiel.load_game("python_american_sniff", {"players": 2, "leader": 1, "scores": "215 10"})``
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import pyspiel

from benchmarks.peers.plain_round import ACTIONS, PLAY_TEXTS, TEXTS, PlainRound, tiles_of
from sniffai.rules import PLAYERS, TEAMS

TILES: Final = 28

GAME_TYPE: Final = pyspiel.GameType(
    short_name="python_american_sniff",
    long_name="Python American Sniff",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=max(PLAYERS),
    min_num_players=min(PLAYERS),
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=False,
    provides_factored_observation_string=True,
    parameter_specification={"players": 2, "leader": 0, "scores": ""},
)

MOST_POINTS: Final = 28 * 168 + 4 * 170
"""A bound on a margin: no placement counts more than the pips of the set, no hand costs more."""


class SniffGame(pyspiel.Game):
    """One round of American Sniff.

    :param params: ``players`` 2..4, ``leader`` a seat, ``scores`` the teams' points before the round (empty: all 0).
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {"players": 2, "leader": 0, "scores": "", **(params or {})}
        self.players = int(given["players"])
        self.leader = int(given["leader"])
        scores = str(given["scores"]).split()
        self.scores = tuple(map(int, scores)) or (0,) * TEAMS[self.players]
        info = pyspiel.GameInfo(
            num_distinct_actions=ACTIONS,
            max_chance_outcomes=TILES,
            num_players=self.players,
            min_utility=-MOST_POINTS,
            max_utility=MOST_POINTS,
            utility_sum=0.0,
            max_game_length=TILES,
        )
        super().__init__(GAME_TYPE, info, given)

    def new_initial_state(self) -> "SniffState":
        """Nothing is dealt yet."""
        return SniffState(self)

    def state_of(self, round_: PlainRound) -> "SniffState":
        """The state of a round that is already dealt. It has no history of actions; nothing else tells it apart."""
        state = SniffState(self)
        state.round = round_
        return state

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "SniffObserver":
        """What the strings of a state are made by."""
        return SniffObserver(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class SniffState(pyspiel.State):
    """A node of the game. ``clone`` copies attributes with ``deepcopy``, which a :class:`PlainRound` makes cheap."""

    def __init__(self, game: SniffGame) -> None:
        super().__init__(game)
        self.deal: tuple[int, ...] = ()
        """Tiles dealt so far; empty again once all are."""
        self.round: PlainRound | None = None
        """The round, once all are dealt."""

    def current_player(self) -> int:
        """The seat to decide, or chance, or the end."""
        if self.round is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.round.over else self.round.seat

    def is_terminal(self) -> bool:
        """Whether the round is over."""
        return self.round is not None and self.round.over

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every tile not dealt yet, equally likely."""
        left = [tile for tile in range(TILES) if tile not in self.deal]
        return [(tile, 1 / len(left)) for tile in left]

    def returns(self) -> list[float]:
        """Each seat's margin in points; 0 before the end."""
        assert self.round is not None or not self.is_terminal()
        if self.round is None or not self.round.over:
            return [0.0] * self.num_players()
        return self.round.margins()

    def _legal_actions(self, player: int) -> Sequence[int]:
        assert self.round is not None
        return self.round.legal_actions()

    def _apply_action(self, action: int) -> None:
        if self.round is not None:
            self.round.play(action)
            return
        self.deal += (action,)
        if len(self.deal) == TILES:
            game = self.get_game()
            self.round = PlainRound.dealt(game.players, self.deal, game.leader, game.scores)
            self.deal = ()

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {TEXTS[action]}"
        return PLAY_TEXTS[action].strip()

    def __str__(self) -> str:
        if self.round is None:
            return f"dealt {' '.join(TEXTS[tile] for tile in self.deal)}"
        hands = "/".join(hand_text(hand) for hand in self.round.hands)
        talon = ",".join(TEXTS[tile] for tile in reversed(self.round.talon))
        return f"hands={hands} talon={talon} scores={self.round.scores}:{self.round.record}"


class SniffObserver:
    """The strings of a state: what a player knows, with perfect recall or only the table as it lies.

    With perfect recall, a hand and the public record: the tiles that a player was dealt and drew are its hand and what
    it placed. Which of them came in which draw is left out, since nothing depends on it.
    """

    def __init__(self, iig_obs_type: Any, params: Any) -> None:
        if params:
            raise ValueError(f"there are no parameters, but {params} was given")
        self.perfect_recall = iig_obs_type.perfect_recall
        self.own = iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self.tensor = None
        self.dict: dict[str, Any] = {}

    def set_from(self, state: SniffState, player: int) -> None:
        """There are no tensors."""

    def string_from(self, state: SniffState, player: int) -> str:
        """What ``player`` knows."""
        round_ = state.round
        if round_ is None:
            return f"{player} dealt {len(state.deal)}"
        hand = hand_text(round_.hands[player]) if self.own else ""
        return f"{player} {hand}:{round_.record if self.perfect_recall else table_text(round_)}"


@lru_cache(maxsize=1 << 17)
def hand_text(hand: int) -> str:
    """A hand's tiles, ascending."""
    return ",".join(TEXTS[tile] for tile in tiles_of(hand))


def table_text(round_: PlainRound) -> str:
    """All that is public now and matters for the rest of the round."""
    sizes = ",".join(str(hand.bit_count()) for hand in round_.hands)
    places = f"{round_.arms:x} {round_.plain:x} {round_.sniff}{'w' if round_.whole else ''}"
    return f"{sizes} {len(round_.talon)} {places} {round_.gains}"


pyspiel.register_game(GAME_TYPE, SniffGame)
