"""How strong the levels of play are, as measured: contests, rating points, and the time they take.

A rating is a number on one scale for all numbers of seats. The lowest level has :data:`LOWEST` points. The levels'
points were fitted to all contests together (Bradley–Terry: ``tools/measure_levels.py``).
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sniffai.checks import as_whole, shown
from sniffai.errors import LimitsError
from sniffai.packaged import read_packaged_json
from sniffai.play.statistics import wilson_interval
from sniffai.rules import PLAYERS

MEASURED: Final = "data/levels.json"
"""In the package; ``tools/measure_levels.py`` writes it."""

LOWEST: Final = 1000
"""The rating of the lowest level, in points."""

TENFOLD: Final = 400
"""So many points more are odds of ten to one, with 2 seats."""


@dataclass(frozen=True, slots=True)
class Score:
    """Matches of a level against another one, with seats swapped on the same deals."""

    players: int
    """Seats, 2..4. With 3 two of the level play against one of the other as often as one against two: so half is even
    with every number of seats."""
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


@dataclass(frozen=True, slots=True)
class MoveTime:
    """What a move with a choice takes, in seconds of processor time on the machine of the measurements."""

    mean: float
    longest: float
    """The longest of those measured."""


@cache
def measured() -> dict[str, Any]:
    """What was measured of the levels."""
    return read_packaged_json(MEASURED)


def score_of(level: str, other: str, players: int) -> Score | None:
    """The matches of a level against another one; ``None`` if none were measured."""
    won = matches = 0
    for contest in measured()["contests"]:
        if contest["players"] == players and {contest["a"], contest["b"]} == {level, other}:
            matches += contest["matches"]
            won += contest["won"] if contest["b"] == level else contest["matches"] - contest["won"]
    return Score(players, won, matches) if matches else None


def rating_of(level: str) -> int:
    """The rating of a named level, in points."""
    return int(measured()["ratings"][level])


def move_time_of(level: str) -> MoveTime | None:
    """What a move of a named level takes; ``None`` if it depends on the caller's limits."""
    milliseconds = measured()["milliseconds"].get(level)
    return milliseconds and MoveTime(milliseconds["mean"] / 1000, milliseconds["longest"] / 1000)


def expected_rate(rating: float, other: float, players: int) -> float:
    """The share of matches that a player of one rating wins against one of another, 0..1.

    With 3 seats the two players sit two against one, the one as often as the other: half is even.

    :param players: seats, 2..4.
    :raises LimitsError: not 2, 3 or 4 seats.
    """
    return 1 / (1 + math.pow(10, rating_spread(players) * (other - rating) / TENFOLD))


def rating_spread(players: int) -> float:
    """How much a difference of rating points counts with so many seats; 1 with 2.

    :raises LimitsError: not 2, 3 or 4 seats.
    """
    seats = as_whole(players)
    if seats not in PLAYERS:
        raise LimitsError(f"2, 3 or 4 seats, not {shown(players)}", reason="PLAYERS_OUT_OF_RANGE", field="players")
    return float(measured()["spreads"][str(seats)])
