"""Levels of play: named ones, from any legal move to full strength, those in between by number, and players by name.

The weaker levels err as people do: they misjudge moves, look no further than their first impression, and ignore what
draws and passes show. How many matches each wins against others was measured (docs/strength.md).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, TypeAlias

from sniffai.checks import read_kind, shown
from sniffai.errors import LimitsError
from sniffai.play.habits import OWN, habits_of, mixture
from sniffai.play.humanlike import CarelessPlayer, ForgetfulPlayer, HastyPlayer
from sniffai.play.mixed import MixedPlayer
from sniffai.play.players import (
    FLAG,
    NUMBER,
    SEARCH_PARAMETERS,
    TEXT,
    WHOLE,
    FlatPlayer,
    GreedyPlayer,
    Player,
    PolicyPlayer,
    RandomPlayer,
    SearchPlayer,
    read_parameters,
    search_player,
    thinker_of,
)
from sniffai.play.ratings import MoveTime, Score, expected_rate, move_time_of, rating_of, score_of
from sniffai.rules import PLAYERS
from sniffai.search.opponents import Opponent
from sniffai.search.params import Limits


def _searching(simulations: int, misjudges: float, forgets: bool) -> ForgetfulPlayer:
    return ForgetfulPlayer(SearchPlayer(Limits(simulations=simulations)), misjudges, forgets)


@dataclass(frozen=True, slots=True)
class Level:
    """One level of play."""

    name: str
    """A lower-case word; for a level between two named ones its rating, such as ``"1350"``."""
    description: str
    """One line that helps to choose an opponent."""
    player: Player
    """How it plays; a search without limits uses the caller's."""

    @property
    def rating(self) -> float:
        """Its strength in rating points: see :mod:`sniffai.play.ratings`."""
        return rating_of(self.name) if self in LEVELS else float(self.name)

    @property
    def scores(self) -> tuple[Score, ...]:
        """Measured against the named level below, by number of seats; empty for the lowest and for unnamed levels."""
        if self not in LEVELS[1:]:
            return ()
        below = LEVELS[LEVELS.index(self) - 1].name
        scores = (score_of(self.name, below, players) for players in PLAYERS)
        return tuple(score for score in scores if score is not None)

    @property
    def max_simulations(self) -> int | None:
        """The most simulations of one move: 0 if it does not search, ``None`` if it takes the caller's limits."""
        return _most_simulations(self.player)

    @property
    def move_time(self) -> MoveTime | None:
        """What a move takes; ``None`` if that depends on the caller's limits, and for unnamed levels."""
        return move_time_of(self.name) if self in LEVELS else None

    @property
    def plays_best(self) -> bool:
        """Whether it always plays the first move of its analysis."""
        return isinstance(self.player, SearchPlayer)


def _most_simulations(player: Player) -> int | None:
    if isinstance(player, MixedPlayer):
        bounds = _most_simulations(player.lower), _most_simulations(player.upper)
        return None if None in bounds else max(bound for bound in bounds if bound is not None)
    thinker = thinker_of(player)
    return 0 if thinker is None else thinker.limits.simulations


LEVELS: Final = (
    Level("newcomer", "knows the rules, and plays nearly any legal move", HastyPlayer(120)),
    Level("beginner", "has some idea of what is good, and is often far off", HastyPlayer(55)),
    Level("casual", "sees what is plainly best, and misses much", HastyPlayer(30)),
    Level("steady", "takes most chances, and weighs what is left in the hand", HastyPlayer(18)),
    Level("attentive", "overlooks little, but plays the first good move it sees", HastyPlayer(12)),
    Level("skilled", "knows good moves at sight, and misjudges only what is close", HastyPlayer(7.5)),
    Level("club", "thinks ahead, but misjudges a little and forgets draws and passes", _searching(300, 6, True)),
    Level("expert", "thinks ahead, forgets nothing, and errs only where moves are close", _searching(500, 4, False)),
    Level("full", "full strength, within the limits given", SearchPlayer()),
)
"""Weakest first."""

_RATING: Final = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?")


def level_player(name: str, defaults: Limits | None = None) -> Player:
    """The player of a level.

    :param name: as for :func:`find_level`.
    :param defaults: limits of a level without limits.
    :raises LimitsError: there is no such level.
    """
    return _limited(find_level(name).player, defaults or Limits())


def find_level(name: str) -> Level:
    """A level by its name, or by a number of rating points.

    A number between the ratings of two named levels is a level between them: it plays each move like the one or like
    the other, at random.

    :raises LimitsError: there is no such level; the message lists the levels and the range of ratings.
    """
    read_kind(name, str, "level", "NOT_A_TEXT")
    for level in LEVELS:
        if level.name == name:
            return level
    if _RATING.fullmatch(name):
        return _rated(float(name))
    lowest, highest = rating_range()
    known = ", ".join(level.name for level in LEVELS)
    message = f"{shown(name)} is not one of {known}, nor a rating in {lowest}..{highest}"
    raise LimitsError(message, reason="UNKNOWN_LEVEL", field="level")


def names_level(text: str) -> bool:
    """Whether a text is the name of a level, or a number that may be a rating."""
    return any(level.name == text for level in LEVELS) or _RATING.fullmatch(text) is not None


def rating_range() -> tuple[int, int]:
    """The ratings of the lowest and of the highest level, in points."""
    return rating_of(LEVELS[0].name), rating_of(LEVELS[-1].name)


def _rated(rating: float) -> Level:
    """The level of a rating."""
    for below, above in pairwise(LEVELS):
        low, high = below.rating, above.rating
        if low <= rating <= high:
            player = MixedPlayer(below.player, above.player, (rating - low) / (high - low))
            return Level(f"{rating:.9g}", f"plays now like {below.name}, now like {above.name}", player)
    lowest, highest = rating_range()
    known = ", ".join(f"{level.name} {level.rating}" for level in LEVELS)
    message = f"a rating is in {lowest}..{highest}, not {rating:.9g}; the levels have {known}"
    raise LimitsError(message, reason="RATING_OUT_OF_RANGE", field="level")


def expected_result(level: Level, other: Level, players: int) -> float:
    """The share of matches that a level wins against another one, 0..1, by their ratings.

    :param players: seats, 2..4; with 3 as :func:`sniffai.play.ratings.expected_rate` says.
    """
    return expected_rate(level.rating, other.rating, players)


def _limited(player: Player, limits: Limits) -> Player:
    if isinstance(player, MixedPlayer):
        return replace(player, lower=_limited(player.lower, limits), upper=_limited(player.upper, limits))
    if isinstance(player, SearchPlayer) and player.limits == Limits():
        return replace(player, limits=limits)
    return player


def opponent_named(name: str) -> Opponent:
    """How another seat chooses, by name, for a search that is told so.

    For players that search, and ``"search"`` itself, that is the search's own model
    (:data:`sniffai.play.habits.OWN`). A level between one that searches and one that does not is a mixture.

    :param name: a level or a rating (``"casual"``, ``"1350"``), or a player as for :func:`named_player`
        (``"policy"``, ``"hasty:misjudges=5"``).
    :raises LimitsError: there is no such player or level; ``field`` is ``"opponent"``.
    """
    read_kind(name, str, "opponent", "NOT_A_TEXT")
    try:
        player = find_level(name).player if names_level(name) else named_player(name)
    except LimitsError as error:
        levels = ", ".join(level.name for level in LEVELS)
        advice = f"; the levels are {levels}" if error.reason == "UNKNOWN_PLAYER" else ""
        raise LimitsError(error.message + advice, reason=error.reason, field="opponent") from None
    if not isinstance(player, MixedPlayer):
        return habits_of(player) or OWN
    parts = ((player.lower, 1 - player.share), (player.upper, player.share))
    return mixture((habits_of(part) or OWN, share) for part, share in parts)


Reader: TypeAlias = Callable[[str, Limits | None], Player]
"""Makes a player from its parameters in text and the limits of a search that sets none."""


def named_player(text: str, defaults: Limits | None = None) -> Player:
    """A player by name, with parameters after a colon, such as ``"search:simulations=1000,exploration=40"``.

    - ``random``, ``greedy``, ``policy``: see :mod:`sniffai.play.players`;
    - ``flat:worlds=200``: a :class:`FlatPlayer`;
    - ``search``: a :class:`SearchPlayer`, with the limits and parameters of a search; ``opponents=casual`` tells it how
      the seats of other teams choose, see :func:`opponent_named`;
    - ``careless:misses=0.3``: a :class:`CarelessPlayer`;
    - ``hasty:misjudges=8``: a :class:`HastyPlayer`;
    - ``forgetful:misjudges=4,forgets=0,simulations=100``: a :class:`ForgetfulPlayer`, with the parameters of ``search``
      as well;
    - ``level:casual``, ``level:1350``: a level by name, or by a number of rating points.

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
    """``opponents`` is how the seats of other teams choose, by name; the other parameters are the search's."""
    given = read_parameters("search", parameters, {**SEARCH_PARAMETERS, "opponents": TEXT})
    known = given.pop("opponents", None)
    player = search_player(given, defaults)
    return player if known is None else replace(player, opponents=opponent_named(known))


def _careless_player(parameters: str, defaults: Limits | None) -> CarelessPlayer:
    return CarelessPlayer(**read_parameters("careless", parameters, {"misses": NUMBER}))


def _forgetful_player(parameters: str, defaults: Limits | None) -> ForgetfulPlayer:
    """``misjudges`` and ``forgets`` are its own; the other parameters are those of the search."""
    given = read_parameters("forgetful", parameters, {"misjudges": NUMBER, "forgets": FLAG, **SEARCH_PARAMETERS})
    misjudges, forgets = given.pop("misjudges", 0.0), given.pop("forgets", True)
    return ForgetfulPlayer(search_player(given, defaults), misjudges, forgets)


def _flat_player(parameters: str, defaults: Limits | None) -> FlatPlayer:
    return FlatPlayer(**read_parameters("flat", parameters, {"worlds": WHOLE}))


def _hasty_player(parameters: str, defaults: Limits | None) -> HastyPlayer:
    return HastyPlayer(**read_parameters("hasty", parameters, {"misjudges": NUMBER}))


_READERS: Final[Mapping[str, Reader]] = {
    "random": _without_parameters("random", RandomPlayer()),
    "greedy": _without_parameters("greedy", GreedyPlayer()),
    "policy": _without_parameters("policy", PolicyPlayer()),
    "flat": _flat_player,
    "search": _search_player,
    "careless": _careless_player,
    "hasty": _hasty_player,
    "forgetful": _forgetful_player,
    "level": level_player,
}
