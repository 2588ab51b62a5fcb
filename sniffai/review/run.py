"""The work of one review, in pieces that can run anywhere."""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from sniffai.checks import is_listed, read_callable, read_kind, shown
from sniffai.errors import RecordError
from sniffai.jobs.processes import check_workers, mapped
from sniffai.review.draws import DrawLuck, weigh_draw
from sniffai.review.judge import Judged, judge
from sniffai.review.story import Moment, Placement, Subject
from sniffai.review.summary import Review, put_together
from sniffai.search.analysis import Analysis
from sniffai.search.params import Limits
from sniffai.search.searcher import Searcher
from sniffai.seeds import check_seed, derived_seed

DEFAULT_SIMULATIONS: Final = 20_000
"""Simulations of each survey if no limit is given."""

Result: TypeAlias = Judged | DrawLuck
"""The result of one piece of work."""


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of a review: a placement to judge or a draw to weigh, by itself."""

    moment: Moment
    limits: Limits
    seed: int

    @property
    def forced(self) -> bool:
        """Whether there is nothing to search."""
        return isinstance(self.moment, Placement) and self.moment.forced

    def work(self) -> Generator[tuple[Searcher, Limits], Analysis, Result]:
        """What has to be searched, one search after the other: it is sent what each found, and returns the result."""
        if isinstance(self.moment, Placement):
            return judge(self.moment, self.limits, self.seed)
        return weigh_draw(self.moment, self.limits, self.seed)


def jobs_of(subject: Subject, limits: Limits | None = None, seed: int = 0) -> list[Job]:
    """The pieces of a review, in the order of play. Each has a seed of its own.

    :param limits: of each survey; :data:`DEFAULT_SIMULATIONS` if not given.
    :param seed: 0..2**64-1.
    :raises SniffError: as for :func:`each_job`.
    """
    return list(each_job(subject, limits, seed))


def each_job(subject: Subject, limits: Limits | None = None, seed: int = 0) -> Iterator[Job]:
    """As :func:`jobs_of`, but made one at a time, so that a long match takes no more memory than a short one.

    There are :attr:`Subject.size` of them.

    :param limits: of each survey; :data:`DEFAULT_SIMULATIONS` if not given.
    :param seed: 0..2**64-1.
    :raises LimitsError: the seed is out of range, or ``limits`` is not a :class:`Limits`.
    :raises RecordError: ``subject`` is not a :class:`Subject`.
    """
    _read_subject(subject)
    check_seed(seed)
    given = _read_limits(limits)
    return (Job(moment, given, derived_seed(seed, moment.round, moment.event)) for moment in subject.moments())


def run_job(job: Job) -> Result:
    """Do one piece of work.

    :raises LimitsError: ``job`` is not a :class:`Job`.
    """
    work = read_kind(job, Job, "job", "NOT_A_JOB").work()
    try:
        searcher, limits = next(work)
        while True:
            searcher, limits = work.send(searcher.run(limits))
    except StopIteration as done:
        result: Result = done.value
        return result


def review(
    subject: Subject,
    limits: Limits | None = None,
    *,
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Review:
    """Review a match or a round: every placement from what its seat knew.

    With limits in simulations the same subject, limits and seed give the same review.

    :param limits: of each survey; :data:`DEFAULT_SIMULATIONS` if not given.
    :param seed: 0..2**64-1.
    :param workers: processes, 1..1024; 1 works in this one.
    :param progress: called with how many pieces are done, and how many there are.
    :raises LimitsError: the seed or the number of workers is out of range, ``limits`` is not a :class:`Limits`, or
        ``progress`` cannot be called.
    :raises RecordError: ``subject`` is not a :class:`Subject`.
    """
    read_callable(progress, "progress")
    check_workers(workers)
    jobs = jobs_of(subject, limits, seed)
    results: list[Result] = []
    for result in mapped(run_job, jobs, workers):
        results.append(result)
        if progress is not None:
            progress(len(results), len(jobs))
    return collected(subject, limits, seed, results)


def collected(subject: Subject, limits: Limits | None, seed: int, results: Sequence[Result]) -> Review:
    """The review of a subject from all results of its jobs, in any order.

    :raises LimitsError: the seed is out of range, or ``limits`` is not a :class:`Limits`.
    :raises RecordError: ``subject`` is not a :class:`Subject`, or ``results`` is not a list.
    """
    _read_subject(subject)
    check_seed(seed)
    if not is_listed(results):
        raise RecordError(f"a list of results is expected, not {shown(results)}", reason="NOT_RESULTS", field="results")
    judged = [result for result in results if isinstance(result, Judged)]
    drawn = [result for result in results if isinstance(result, DrawLuck)]
    return put_together(subject, _read_limits(limits), seed, judged, drawn)


def _read_subject(subject: Subject) -> Subject:
    return read_kind(subject, Subject, "subject", "NOT_A_SUBJECT", RecordError)


def _read_limits(limits: Limits | None) -> Limits:
    """The limits given, or the default."""
    if limits is None:
        return Limits(simulations=DEFAULT_SIMULATIONS)
    return read_kind(limits, Limits, "limits", "NOT_LIMITS")
