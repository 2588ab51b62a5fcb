"""A player between two others: at each move it plays like the one or like the other."""

from dataclasses import dataclass
from random import Random
from typing import Final

from sniffai.checks import keep, read_real
from sniffai.moves import Move
from sniffai.play.players import Player
from sniffai.seeds import derived_seed
from sniffai.view import View

PURPOSE: Final = "mixed"
"""Sets the choice of a player apart from the players' own random choices by the same seed."""


@dataclass(frozen=True, slots=True)
class MixedPlayer:
    """Plays each move like one of two players, at random: the more often like the upper one, the nearer it is to that.

    :raises LimitsError: ``share`` is out of range.
    """

    lower: Player
    upper: Player
    share: float
    """The chance that a move is the upper player's: 0..1."""

    def __post_init__(self) -> None:
        keep(self, "share", read_real(self.share, "share", 0, 1))

    def at_turn(self, seed: int) -> Player:
        """Who plays a move.

        :param seed: of the move.
        """
        return self.upper if Random(derived_seed(PURPOSE, seed)).random() < self.share else self.lower

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`."""
        return self.at_turn(seed).choose(view, seed)


def parts_of(player: Player) -> tuple[Player, ...]:
    """Who may play a move of a player: the player itself, or the two of a mixed one."""
    return (player.lower, player.upper) if isinstance(player, MixedPlayer) else (player,)


def at_turn(player: Player, seed: int) -> Player:
    """Who plays a move of a player: the player itself, or one of the two of a mixed one.

    :param seed: of the move.
    """
    return player.at_turn(seed) if isinstance(player, MixedPlayer) else player
