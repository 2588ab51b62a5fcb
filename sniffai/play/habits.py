"""How players choose, in the form that a search can be told."""

from sniffai.play.humanlike import CarelessPlayer, HastyPlayer
from sniffai.play.mixed import MixedPlayer
from sniffai.play.players import GreedyPlayer, Player, PolicyPlayer, RandomPlayer
from sniffai.search.opponents import Opponent, Way


def habits_of(player: Player) -> Opponent | None:
    """How a player chooses; ``None`` if that cannot be said in closed form, as for players that search."""
    if isinstance(player, RandomPlayer):
        return Opponent((Way("careless", 1.0),))
    if isinstance(player, GreedyPlayer):
        return Opponent((Way("careless", 0.0),))
    if isinstance(player, CarelessPlayer):
        return Opponent((Way("careless", player.misses),))
    if isinstance(player, PolicyPlayer):
        return Opponent((Way("policy"),))
    if isinstance(player, HastyPlayer):
        return Opponent((Way("hasty", player.misjudges),))
    return _mixed(player) if isinstance(player, MixedPlayer) else None


def _mixed(player: MixedPlayer) -> Opponent | None:
    ways: list[Way] = []
    for part, share in ((player.lower, 1 - player.share), (player.upper, player.share)):
        habits = habits_of(part) if share else None
        if habits is None and share:
            return None
        if habits is not None:
            total = sum(way.share for way in habits.ways)
            ways += [Way(way.kind, way.number, share * way.share / total) for way in habits.ways]
    return Opponent(tuple(ways))
