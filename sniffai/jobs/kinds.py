"""The kinds of jobs, and the functions that do them."""

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sniffai.checks import shown
from sniffai.errors import LimitsError

if TYPE_CHECKING:
    from sniffai.jobs.spec import JobSpec

Work: TypeAlias = "Callable[[JobSpec], Any]"
"""Does a job: its result as plain values for JSON, or a :class:`Measured`. A pure function: the same job gives the same
value in every process, unless a clock ends its searches. It opens no file that the spec names."""

KINDS: Final = {
    "arena": "sniffai.play.arena:play_job",
    "beliefs": "sniffai.lab.belief_report:judge_job",
    "choices": "sniffai.lab.temperature:choose_job",
    "equity-matches": "sniffai.lab.equity.check:play_job",
    "equity-rounds": "sniffai.lab.equity.rounds:play_job",
    "exploit": "sniffai.play.exploit:play_job",
    "review": "sniffai.review.run:review_job",
    "training": "sniffai.lab.training:train_job",
}
"""Module and function by kind; modules are imported when they are used."""


def check_kind(kind: object) -> str:
    """The kind itself.

    :raises LimitsError: there is no such kind.
    """
    if not isinstance(kind, str) or kind not in KINDS:
        message = f"{shown(kind)} is not one of {', '.join(KINDS)}"
        raise LimitsError(message, reason="UNKNOWN_JOB", field="kind")
    return kind


def work_of(kind: str) -> Work:
    """The function that does the jobs of a kind.

    :raises LimitsError: there is no such kind.
    """
    module, _, name = KINDS[check_kind(kind)].partition(":")
    work: Work = getattr(importlib.import_module(module), name)
    return work
