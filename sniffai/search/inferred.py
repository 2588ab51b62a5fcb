"""The inferred belief: what the worlds that a search weighs say about single tiles.

The search follows the weights as they are. What is told has a model of its own, which follows choices more closely
(:data:`sniffai.search.params.TOLD_CHOICES`), and is corrected tile by tile, so that what is said with some probability
is true as often (:func:`calibrated`).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sniffai.search.analysis import InferredBelief
from sniffai.search.params import EvidenceSlopes
from sniffai_ext.proportional_fit import fit_sums
from sniffai_ext.worlds import Pool

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Table = npt.NDArray[np.float64]

POLICY_MODEL: Final = "policy"
"""The model of play that weighs the worlds where the search is told nothing about the other seats."""

TOLD_MODEL: Final = "opponents"
"""The models of other seats that the search is told (:mod:`sniffai.search.opponents`), the policy for the rest."""

CLOSE: Final = 1e-9
"""How near the sizes of hands the sums of a corrected table must come."""

SURE: Final = 0.7
"""From this probability on, a seat is taken to be as good as certain to hold a tile; more so the nearer it is to 1."""

UNCHANGED: Final = EvidenceSlopes()

MOST_ROUNDS: Final = 500
"""Rounds of the correction at most. Some ten are usual."""


def inferred_belief(
    pools: Sequence[Pool], exact: "Table", slopes: EvidenceSlopes = UNCHANGED, model: str = POLICY_MODEL
) -> InferredBelief | None:
    """The belief of pools of the same view, each counted by how exact it is; ``None`` where choices say nothing.

    :param pools: of the trees that have one. A pool that has every world stands for all.
    :param exact: the exact belief of the view, ``[28, players + 1]``.
    :param slopes: see :func:`calibrated`.
    :param model: the name of the model of play that weighs the worlds.
    """
    if not pools or not any(pool.informed for pool in pools):
        return None
    if pools[0].complete:
        pools = pools[:1]
    estimates = [pool.marginals(1.0) for pool in pools]
    total = sum(independent for _, independent in estimates)
    table = estimates[0][0]
    if len(estimates) > 1:
        table = sum(marginals * (independent / total) for marginals, independent in estimates[1:]) + table * (
            estimates[0][1] / total
        )
    own = pools[0].seat
    return InferredBelief(calibrated(table, exact, slopes, own), total, sum(pool.size for pool in pools), model)


def calibrated(table: "Table", exact: "Table", slopes: EvidenceSlopes, own: int) -> "Table":
    """Marginals with another weight of the evidence that is in them.

    By how many times a place is likelier than by the rules alone is raised to a power: one for seats where it is less
    likely, one for the talon if it is less likely there, and one for places where it is likelier. For a tile that one
    seat holds with more than :data:`SURE`, all powers fall, by ``slopes.certain`` of them at 1. Then rows and columns
    are scaled in turn (iterative proportional fitting, Deming and Stephan 1940), until every tile is somewhere and
    every hand has its size again.

    :param table: the marginals, ``[28, players + 1]``.
    :param exact: the exact belief.
    :param own: the seat that knows its own column.
    """
    import numpy as np

    if slopes == UNCHANGED:
        return table
    places = [place for place in range(table.shape[1]) if place != own]
    inferred, rules = table[:, places], exact[:, places]
    rows, columns = inferred.sum(axis=1), inferred.sum(axis=0)
    ratio = np.divide(inferred, rules, out=np.ones_like(inferred), where=rules > 0)
    less = np.full(ratio.shape, slopes.against)
    less[:, -1] = slopes.talon_against
    sure = np.maximum(inferred[:, :-1].max(axis=1) - SURE, 0.0) / (1.0 - SURE)
    powers = np.where(ratio < 1, less, slopes.toward) * (1.0 - slopes.certain * sure)[:, None]
    fitted = np.where(inferred > 0, rules * ratio**powers, 0.0)
    fit_sums(fitted, rows, columns, CLOSE, MOST_ROUNDS)
    corrected = table.copy()
    corrected[:, places] = np.minimum(fitted, 1.0)
    return corrected
