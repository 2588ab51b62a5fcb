"""Matches reviewed: what each placement lost, what was luck and what was skill, how strong the players are.

>>> import sniffai
>>> from sniffai.review import Subject, review
>>> round_ = sniffai.Round.deal(players=2, seed=1)
>>> while not round_.over:
...     points = round_.play(round_.legal_moves()[0])
>>> found = review(Subject.of_rounds([round_]), sniffai.Limits(simulations=200), seed=1)
>>> found.account.residual < 1e-9
True

docs/analysis.md says how to read it.
"""

from typing import TYPE_CHECKING, Final

from sniffai.lazy import lazy_names

if TYPE_CHECKING:
    from sniffai.review.judge import Judged
    from sniffai.review.ledger import Account, Step, StepKind
    from sniffai.review.page import html_report
    from sniffai.review.progress import PlayerMatch, PlayerProgress, ReviewedMatch, progress_dict, progress_of
    from sniffai.review.progress_page import progress_report
    from sniffai.review.run import DEFAULT_SIMULATIONS, Job, Result, collected, each_job, jobs_of, review, run_job
    from sniffai.review.source import of_record, read_subject
    from sniffai.review.story import Subject
    from sniffai.review.strength import Strength
    from sniffai.review.summary import DecisionTally, PlayerSummary, Review, decision_dict
    from sniffai.review.values import Value
    from sniffai.review.verdict import SIGNIFICANT, THRESHOLDS, Verdict
    from sniffai.search.phases import PHASES

_MODULES: Final = {
    "judge": ("Judged",),
    "ledger": ("Account", "Step", "StepKind"),
    "page": ("html_report",),
    "progress": ("PlayerMatch", "PlayerProgress", "ReviewedMatch", "progress_dict", "progress_of"),
    "progress_page": ("progress_report",),
    "run": ("DEFAULT_SIMULATIONS", "Job", "Result", "collected", "each_job", "jobs_of", "review", "run_job"),
    "source": ("of_record", "read_subject"),
    "story": ("Subject",),
    "strength": ("Strength",),
    "summary": ("DecisionTally", "PlayerSummary", "Review", "decision_dict"),
    "values": ("Value",),
    "verdict": ("SIGNIFICANT", "THRESHOLDS", "Verdict"),
    ".search.phases": ("PHASES",),
}
"""The public names by the module that defines them."""

__all__ = [
    "DEFAULT_SIMULATIONS",
    "PHASES",
    "SIGNIFICANT",
    "THRESHOLDS",
    "Account",
    "DecisionTally",
    "Job",
    "Judged",
    "PlayerMatch",
    "PlayerProgress",
    "PlayerSummary",
    "Result",
    "Review",
    "ReviewedMatch",
    "Step",
    "StepKind",
    "Strength",
    "Subject",
    "Value",
    "Verdict",
    "collected",
    "decision_dict",
    "each_job",
    "html_report",
    "jobs_of",
    "of_record",
    "progress_dict",
    "progress_of",
    "progress_report",
    "read_subject",
    "review",
    "run_job",
]

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
