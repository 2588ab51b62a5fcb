"""How bad a placement was: classes by its loss, if the loss is significant."""

from enum import StrEnum
from typing import Final

from sniffai_ext.root_statistics import told_apart

SIGNIFICANT: Final = 2.5
"""A loss counts if it is at least this many standard errors above 0. Chosen by judgement;
``python tools/measure_review.py --false-alarms`` measures how many decisions of the search itself count."""

THRESHOLDS: Final = {"doubtful": 0.005, "error": 0.015, "blunder": 0.04}
"""The least loss of each class, in chance to win the match: docs/analysis.md says where they come from."""

POINT_WORTH: Final = 0.0035
"""What a point counts for in a match that is as good as decided, in chance to win it: as much as early in a match of 2
seats (``sniffai equity show --seats 2 --scores 5,0`` prints 51.80 %: five points are worth 1.8 %)."""


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


def verdict_of(loss: float, error: float, points: float = 0.0, points_error: float = 0.0) -> Verdict:
    """The class of a loss: of the chance to win the match or, where the chances are not told apart, of points.

    :param loss: in chance to win the match; below 0 if the placement seemed better than the best one.
    :param error: its standard error; 0 if it is exact.
    :param points: in points of the round.
    :param points_error: its standard error.
    """
    if not told_apart(loss, error):
        loss, error = POINT_WORTH * points, POINT_WORTH * points_error
    if loss <= SIGNIFICANT * error:
        return Verdict.NONE
    verdict = Verdict.NONE
    for name, least in THRESHOLDS.items():
        if loss >= least:
            verdict = Verdict(name)
    return verdict
