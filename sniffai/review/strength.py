"""How strong a player is on the scale of the levels, by what its decisions lose.

``sniffai/data/review.json`` (``tools/measure_review.py``) has what each level loses in a decision, in points, against
players of its own level, as a review finds it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, Final

from sniffai.packaged import read_packaged_json
from sniffai.play.levels import LEVELS
from sniffai.rules import TEAMS, team_of

MEASURED: Final = "data/review.json"
"""In the package."""

LEAST_DECISIONS: Final = 20
"""With fewer decisions no strength is estimated. Chosen by judgement."""

Z: Final = 1.96
"""Standard errors of half a 95 % interval."""


@cache
def measured() -> Mapping[str, Any]:
    """What was measured of reviews."""
    return read_packaged_json(MEASURED)


@dataclass(frozen=True, slots=True)
class Strength:
    """Where a player stands on the scale: 0 is the lowest level, 1 the next, and so on."""

    scale: float
    low: float
    """The lower end of a 95 % interval."""
    high: float
    """Its upper end."""
    players: int
    """Seats: the scale is that of this number."""

    @property
    def level(self) -> str:
        """The nearest level."""
        names = level_names(self.players)
        return names[round(self.scale)]


def level_names(players: int) -> list[str]:
    """The levels that make the scale, lowest first: those that lost less than every level before them."""
    losses = measured()["losses"].get(str(players), {})
    names: list[str] = []
    for level in LEVELS:
        if level.name in losses and all(losses[level.name]["mean"] < losses[name]["mean"] for name in names):
            names.append(level.name)
    return names


def strength_of(losses: Sequence[float], players: int) -> Strength | None:
    """The strength of a player.

    :param losses: of its decisions with a choice, in points; a few below 0 are a matter of chance.
    :return: ``None`` if there are too few, or nothing was measured.
    """
    names = level_names(players)
    if len(losses) < LEAST_DECISIONS or len(names) < 2:
        return None
    mean = sum(losses) / len(losses)
    variance = sum((loss - mean) ** 2 for loss in losses) / (len(losses) - 1)
    reach = Z * math.sqrt(variance / len(losses))
    scale = [measured()["losses"][str(players)][name]["mean"] for name in names]
    return Strength(_place(scale, mean), _place(scale, mean + reach), _place(scale, mean - reach), players)


def _place(scale: Sequence[float], loss: float) -> float:
    """Where a loss lies between those of the levels, which fall from one to the next."""
    if loss >= scale[0]:
        return 0.0
    for i, (upper, lower) in enumerate(pairwise(scale)):
        if loss >= lower:
            return i + (upper - loss) / (upper - lower)
    return float(len(scale) - 1)


def lead_margins(players: int, leader: int) -> tuple[float, ...]:
    """What each team can expect of a round in points, margin of the round, by who leads."""
    by_offset: list[float] = measured()["lead_margins"].get(str(players), [])
    teams = TEAMS[players]
    if not by_offset:
        return (0.0,) * teams
    lead = team_of(players, leader)
    return tuple(by_offset[(team - lead) % teams] for team in range(teams))
