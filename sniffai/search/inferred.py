"""The inferred belief: what the worlds that a search weighs say about single tiles.

The search follows the weights as they are. What is told is tempered: only a share of each log-likelihood counts
(:data:`sniffai.search.params.EVIDENCE_SHARES`), so that what is said with some probability is true as often.
"""

from collections.abc import Sequence
from typing import Final

from sniffai.search.analysis import InferredBelief
from sniffai_ext.worlds import Pool

POLICY_MODEL: Final = "policy"
"""The model of play that weighs the worlds where the search is told nothing about the other seats."""

TOLD_MODEL: Final = "opponents"
"""The models of other seats that the search is told (:mod:`sniffai.search.opponents`), the policy for the rest."""


def inferred_belief(pools: Sequence[Pool], share: float, model: str = POLICY_MODEL) -> InferredBelief | None:
    """The belief of pools of the same view, each counted by how exact it is; ``None`` where choices say nothing.

    :param pools: of the trees that have one. A pool that has every world stands for all.
    :param share: of the log-likelihoods that counts, 0..4.
    :param model: the name of the model of play that weighs the worlds.
    """
    if not pools or not any(pool.informed for pool in pools):
        return None
    if pools[0].complete:
        pools = pools[:1]
    found = [pool.marginals(share) for pool in pools]
    total = sum(independent for _, independent in found)
    table = found[0][0]
    if len(found) > 1:
        table = sum(marginals * (independent / total) for marginals, independent in found[1:]) + table * (
            found[0][1] / total
        )
    return InferredBelief(table, total, sum(pool.size for pool in pools), model)
