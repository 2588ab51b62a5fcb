"""How players choose, in the form that a search can be told."""

from collections.abc import Iterable
from typing import Final

from sniffai.play.humanlike import CarelessPlayer, HastyPlayer
from sniffai.play.mixed import MixedPlayer
from sniffai.play.players import GreedyPlayer, Player, PolicyPlayer, RandomPlayer
from sniffai.search.opponents import Opponent, Way

OWN: Final = Opponent((Way("own"),))
"""The search's own model of other seats: what a search takes for granted that is told nothing."""


def habits_of(player: Player) -> Opponent | None:
    """How a player chooses; ``None`` if that cannot be said in closed form, as for players that search."""
    if isinstance(player, MixedPlayer):
        lower, upper = habits_of(player.lower), habits_of(player.upper)
        known = (lower is not None or player.share == 1) and (upper is not None or player.share == 0)
        return mixture([(lower or OWN, 1 - player.share), (upper or OWN, player.share)]) if known else None
    if isinstance(player, RandomPlayer):
        return Opponent((Way("careless", 1.0),))
    if isinstance(player, GreedyPlayer):
        return Opponent((Way("careless", 0.0),))
    if isinstance(player, CarelessPlayer):
        return Opponent((Way("careless", player.misses),))
    if isinstance(player, PolicyPlayer):
        return Opponent((Way("policy"),))
    return Opponent((Way("hasty", player.misjudges),)) if isinstance(player, HastyPlayer) else None


def mixture(parts: Iterable[tuple[Opponent, float]]) -> Opponent:
    """Now like the one, now like the other, at random.

    :param parts: each with its share; of all together above 0.
    """
    ways: list[Way] = []
    for opponent, share in parts:
        total = sum(way.share for way in opponent.ways)
        ways += [Way(way.kind, way.number, share * way.share / total) for way in opponent.ways if share]
    return Opponent(tuple(ways))
