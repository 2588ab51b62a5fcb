"""Search: what a seat should play, and how sure that is.

:mod:`~sniffai.search.searcher` searches what one seat knows, :mod:`~sniffai.search.open_deal` studies rounds whose
tiles are all known, and :mod:`~sniffai.search.analysis` is the answer of both.
"""

from typing import TYPE_CHECKING, Final

from sniffai.lazy import lazy_names

if TYPE_CHECKING:
    from sniffai.search.analysis import (
        Analysis,
        BeliefTable,
        Effort,
        InferredBelief,
        LineStep,
        MoveEvaluation,
        TeamValue,
    )
    from sniffai.search.careless import ContrastSearcher, analyze_contrast
    from sniffai.search.nets import load_policy
    from sniffai.search.open_deal import DealSearcher, analyze_deal
    from sniffai.search.opponents import Opponent
    from sniffai.search.params import Limits, Objective, SearchParams
    from sniffai.search.searcher import Searcher, analyze, recommend
    from sniffai.search.solver import Solver

_MODULES: Final = {
    "analysis": (
        "Analysis",
        "BeliefTable",
        "Effort",
        "InferredBelief",
        "LineStep",
        "MoveEvaluation",
        "TeamValue",
    ),
    "careless": (
        "ContrastSearcher",
        "analyze_contrast",
    ),
    "nets": ("load_policy",),
    "open_deal": (
        "DealSearcher",
        "analyze_deal",
    ),
    "opponents": ("Opponent",),
    "params": (
        "Limits",
        "Objective",
        "SearchParams",
    ),
    "searcher": (
        "Searcher",
        "analyze",
        "recommend",
    ),
    "solver": ("Solver",),
}
"""The public names by the module that defines them."""

__all__ = [
    "Analysis",
    "BeliefTable",
    "ContrastSearcher",
    "DealSearcher",
    "Effort",
    "InferredBelief",
    "Limits",
    "LineStep",
    "MoveEvaluation",
    "Objective",
    "Opponent",
    "SearchParams",
    "Searcher",
    "Solver",
    "TeamValue",
    "analyze",
    "analyze_contrast",
    "analyze_deal",
    "load_policy",
    "recommend",
]

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
