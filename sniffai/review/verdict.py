"""How bad a placement was: classes by its loss, if the loss is significant."""

from enum import StrEnum
from typing import Final

from sniffai.equity.worth import POINT_WORTH
from sniffai_ext.root_statistics import told_apart

SIGNIFICANT: Final = 2.5
"""A loss counts if it is at least this many standard errors above 0. Chosen by judgement;
``python tools/measure_review.py --false-alarms`` measures how many decisions of the search itself count."""

THRESHOLDS: Final = {"doubtful": 0.005, "error": 0.015, "blunder": 0.04}
"""The least loss of each class, in chance to win the match: docs/analysis.md says where they come from."""

LOPSIDED: Final = 0.9
"""A match is lopsided for a team whose chance to win it is at least this, or at most 1 less this. Then chances tell
mistakes apart too little, and points count as well, as much as in an even match. Chosen by judgement."""


class Verdict(StrEnum):
    """The class of a placement."""

    NONE = "none"
    """No loss, or none that is significant."""
    DOUBTFUL = "doubtful"
    ERROR = "error"
    BLUNDER = "blunder"

    @property
    def mistake(self) -> bool:
        """Whether it counts as an error: an error or a blunder."""
        return self in (Verdict.ERROR, Verdict.BLUNDER)


def verdict_of(
    loss: float, error: float, points: float = 0.0, points_error: float = 0.0, chance: float | None = None
) -> Verdict:
    """The class of a loss: by the chance to win the match and, where that says little, by points as well.

    Points count where the chances are not told apart. They also count where the match is lopsided, unless the placement
    seems to win it more often: then the worse of the two classes is the class.

    :param loss: in chance to win the match; below 0 if the placement seemed better than the best one.
    :param error: its standard error; 0 if it is exact.
    :param points: in points of the round.
    :param points_error: its standard error.
    :param chance: the team's chance to win the match before the placement, 0..1; ``None`` if it is not known.
    """
    by_points = _class_of(POINT_WORTH * points, POINT_WORTH * points_error)
    if not told_apart(loss, error):
        return by_points
    by_chance = _class_of(loss, error)
    if chance is None or 1 - LOPSIDED < chance < LOPSIDED or loss <= 0:
        return by_chance
    return max(by_chance, by_points, key=list(Verdict).index)


def _class_of(loss: float, error: float) -> Verdict:
    """The class of a loss that has a standard error."""
    if loss <= SIGNIFICANT * error:
        return Verdict.NONE
    reached = [Verdict(name) for name, least in THRESHOLDS.items() if loss >= least]
    return reached[-1] if reached else Verdict.NONE
