"""Why a move is good, and what lies on the table, for programs and in the words of three languages.

>>> import sniffai
>>> from sniffai.explain import reasons, render
>>> view = sniffai.View.from_snapshot(
...     players=2, seat=0, placements=["4|4", "4|6@4|4:LINE_A"], hand=["1|4", "0|2", "0|0", "0|1", "0|3", "3|3"],
...     hand_sizes=[6, 6], talon_size=14, scores=[0, 0],
... )
>>> [why] = [reason for reason in reasons(view, sniffai.analyze(view)) if reason.points]
>>> why.points, render(why)
(15, 'It scores 15 points.')
"""

from sniffai.explain.description import describe, sentences
from sniffai.explain.languages import LANGUAGES, read_language
from sniffai.explain.prospect import prospect
from sniffai.explain.reason import Reason, ReasonKind
from sniffai.explain.reasons import compare, reasons
from sniffai.explain.wording import render, render_all

__all__ = [
    "LANGUAGES",
    "Reason",
    "ReasonKind",
    "compare",
    "describe",
    "prospect",
    "read_language",
    "reasons",
    "render",
    "render_all",
    "sentences",
]
