"""Named levels of play, from any legal move to full strength, and players by name.

The weaker levels err as people do: they miss points, look no further than the next placement, and ignore what draws
and passes show. How many matches each wins against the one below was measured (docs/strength.md).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, TypeAlias

from sniffai.checks import read_kind, shown
from sniffai.errors import LimitsError
from sniffai.packaged import read_packaged_json
from sniffai.play.humanlike import CarelessPlayer, ForgetfulPlayer
from sniffai.play.players import (
    NUMBER,
    SEARCH_PARAMETERS,
    GreedyPlayer,
    Player,
    PolicyPlayer,
    RandomPlayer,
    SearchPlayer,
    Thinker,
    read_parameters,
    search_player,
)
from sniffai.play.statistics import wilson_interval
from sniffai.search.params import Limits

THINKER_SIMULATIONS: Final = 500
"""Simulations of a level that searches, unless it plays at full strength."""

MEASURED: Final = "data/levels.json"
"""Beside this module; ``tools/measure_levels.py`` writes it."""


@dataclass(frozen=True, slots=True)
class Score:
    """Matches of a level against the one below it, with seats swapped on the same deals."""

    players: int
    """Seats, 2..4. With 3 two of the level play against one of the level below as often as one against two: so half is
    even with every number of seats."""
    won: int
    matches: int

    @property
    def rate(self) -> float:
        """The share won, 0..1."""
        return self.won / self.matches

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share."""
        return wilson_interval(self.won, self.matches)


def _thinker(misjudges: float) -> ForgetfulPlayer:
    return ForgetfulPlayer(SearchPlayer(Limits(simulations=THINKER_SIMULATIONS)), misjudges)


@cache
def _measured() -> dict[str, Any]:
    return read_packaged_json(MEASURED)


@dataclass(frozen=True, slots=True)
class Level:
    """One level of play."""

    name: str
    """A lower-case word."""
    description: str
    """One line that helps to choose an opponent."""
    player: Player
    """How it plays; a search without limits uses the caller's."""

    @property
    def scores(self) -> tuple[Score, ...]:
        """Measured against the level below, by number of seats; empty for the lowest."""
        won = _measured()["scores"].get(self.name, {})
        return tuple(Score(int(players), *score) for players, score in won.items())

    @property
    def max_simulations(self) -> int | None:
        """The most simulations of one move: 0 if it does not search, ``None`` if it takes the caller's limits."""
        return self.player.limits.simulations if isinstance(self.player, Thinker) else 0

    @property
    def plays_best(self) -> bool:
        """Whether it always plays the first move of its analysis."""
        return isinstance(self.player, SearchPlayer)


LEVELS: Final = (
    Level("newcomer", "plays any legal move", RandomPlayer()),
    Level("casual", "takes the most points it sees, and overlooks seven chances in ten", CarelessPlayer(0.7)),
    Level("attentive", "takes the most points it sees, and overlooks one chance in three", CarelessPlayer(0.33)),
    Level("club", "thinks ahead, but misjudges by a few points and forgets draws and passes", _thinker(4.0)),
    Level("full", "full strength, within the limits given", SearchPlayer()),
)
"""Weakest first."""


def level_player(name: str, defaults: Limits | None = None) -> Player:
    """The player of a level.

    :param defaults: limits of a level without limits.
    :raises LimitsError: there is no such level.
    """
    return _limited(find_level(name).player, defaults or Limits())


def find_level(name: str) -> Level:
    """A level by its name.

    :raises LimitsError: there is no such level; the message lists the levels.
    """
    read_kind(name, str, "level", "NOT_A_TEXT")
    for level in LEVELS:
        if level.name == name:
            return level
    known = ", ".join(level.name for level in LEVELS)
    raise LimitsError(f"{shown(name)} is not one of {known}", reason="UNKNOWN_LEVEL", field="level")


def _limited(player: Player, limits: Limits) -> Player:
    if isinstance(player, SearchPlayer) and player.limits == Limits():
        return replace(player, limits=limits)
    return player


Reader: TypeAlias = Callable[[str, Limits | None], Player]
"""Makes a player from its parameters in text and the limits of a search that sets none."""


def named_player(text: str, defaults: Limits | None = None) -> Player:
    """A player by name, with parameters after a colon, such as ``"search:simulations=1000,exploration=40"``.

    - ``random``, ``greedy``, ``policy``: see :mod:`sniffai.play.players`;
    - ``search``: a :class:`SearchPlayer`, with the limits and parameters of a search;
    - ``careless:misses=0.3``: a :class:`CarelessPlayer`;
    - ``forgetful:misjudges=4,simulations=100``: a :class:`ForgetfulPlayer`, with the parameters of ``search`` as well;
    - ``level:casual``: a level.

    :param defaults: limits of a search that sets none.
    :raises LimitsError: the name or a parameter is unknown or out of range; ``field`` is the parameter, else
        ``"player"``.
    """
    name, _, parameters = read_kind(text, str, "player", "NOT_A_TEXT").partition(":")
    if name not in _READERS:
        raise LimitsError(f"{shown(name)} is not one of {', '.join(_READERS)}", reason="UNKNOWN_PLAYER", field="player")
    return _READERS[name](parameters, defaults)


def _without_parameters(name: str, player: Player) -> Reader:
    def read(parameters: str, defaults: Limits | None) -> Player:
        read_parameters(name, parameters, {})
        return player

    return read


def _search_player(parameters: str, defaults: Limits | None) -> SearchPlayer:
    return search_player(read_parameters("search", parameters, SEARCH_PARAMETERS), defaults)


def _careless_player(parameters: str, defaults: Limits | None) -> CarelessPlayer:
    return CarelessPlayer(**read_parameters("careless", parameters, {"misses": NUMBER}))


def _forgetful_player(parameters: str, defaults: Limits | None) -> ForgetfulPlayer:
    """``misjudges`` is its own; the other parameters are those of the search."""
    given = read_parameters("forgetful", parameters, {"misjudges": NUMBER, **SEARCH_PARAMETERS})
    misjudges = given.pop("misjudges", 0.0)
    return ForgetfulPlayer(search_player(given, defaults), misjudges)


_READERS: Final[Mapping[str, Reader]] = {
    "random": _without_parameters("random", RandomPlayer()),
    "greedy": _without_parameters("greedy", GreedyPlayer()),
    "policy": _without_parameters("policy", PolicyPlayer()),
    "search": _search_player,
    "careless": _careless_player,
    "forgetful": _forgetful_player,
    "level": level_player,
}
