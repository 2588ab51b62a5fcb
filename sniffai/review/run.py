"""The work of one review, in pieces that can run anywhere."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeAlias

from sniffai.checks import is_listed, read_callable, read_kind, read_whole, shown
from sniffai.errors import LimitsError, RecordError
from sniffai.jobs.executor import Executor, executor_or, in_order
from sniffai.jobs.processes import check_workers
from sniffai.jobs.spec import JobSpec, slices
from sniffai.review.draws import DrawLuck, weigh_draw
from sniffai.review.judge import Judged, judge
from sniffai.review.plain import from_plain, to_plain
from sniffai.review.story import MAX_ROUNDS, Moment, Placement, Story, Subject, story_moments
from sniffai.review.summary import Review, put_together
from sniffai.search.analysis import Analysis
from sniffai.search.params import Limits
from sniffai.search.searcher import Searcher
from sniffai.seeds import check_seed, derived_seed

DEFAULT_SIMULATIONS: Final = 20_000
"""Simulations of each survey if no limit is given."""

MOST_MOMENTS: Final = 16
"""Moments of a job, at most: it has as many as take the simulations of one with the default. Chosen by judgement."""

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
    return (_job(moment, given, seed) for moment in subject.moments())


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
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Review:
    """Review a match or a round: every placement from what its seat knew.

    With limits in simulations the same subject, limits and seed give the same review.

    :param limits: of each survey; :data:`DEFAULT_SIMULATIONS` if not given.
    :param seed: 0..2**64-1.
    :param workers: processes, 1..1024; 1 works in this one.
    :param executor: works instead of such processes; it stays open.
    :param progress: called with how many pieces are done, and how many there are.
    :raises LimitsError: the seed or the number of workers is out of range, ``limits`` is not a :class:`Limits`, or
        ``progress`` cannot be called.
    :raises RecordError: ``subject`` is not a :class:`Subject`.
    """
    read_callable(progress, "progress")
    check_workers(workers)
    asked = Asked(_read_subject(subject), _read_limits(limits), check_seed(seed))
    with executor_or(executor, workers) as open_:
        (reviewed,) = review_all([asked], open_, lambda _, done: progress and progress(done, subject.size))
    return reviewed


@dataclass(frozen=True, slots=True)
class Asked:
    """One review of several."""

    subject: Subject
    limits: Limits
    """Of each survey."""
    seed: int
    """0..2**64-1."""


def review_all(
    wanted: Sequence[Asked], executor: Executor, progress: Callable[[int, int], object] | None = None
) -> Iterator[Review]:
    """Several reviews, each as soon as it and all before it are done; the work of all of them goes on at once.

    :param progress: called with the number of the review, from 0, and how many of its pieces are done.
    """
    with closing(in_order(executor, (spec for asked in wanted for spec in _specs(asked)))) as job_results:
        for number, asked in enumerate(wanted):
            results: list[Result] = []
            moments = asked.subject.moments()
            while len(results) < asked.subject.size:
                for plain in next(job_results).value:
                    results.append(_read_result(next(moments), plain))
                    if progress is not None:
                        progress(number, len(results))
            yield collected(asked.subject, asked.limits, asked.seed, results)


def _specs(asked: Asked) -> Iterator[JobSpec]:
    """The jobs of a review, in the order of play: some moments of a round each."""
    simulations = asked.limits.simulations if asked.limits.seconds is None else None
    size = 1 if simulations is None else max(1, min(MOST_MOMENTS, DEFAULT_SIMULATIONS // simulations))
    for number, story in enumerate(asked.subject.stories):
        parameters, text = {"round": number, "seed": asked.seed}, story.text
        for numbers in slices(story.size, size):
            yield JobSpec("review", parameters, numbers, (text,), asked.limits)


def review_job(spec: JobSpec) -> list[Any]:
    """Review some moments of one round: the work of the kind ``review``.

    :raises SniffError: a parameter out of range, or the text is neither a round nor a view.
    """
    given = spec.read(("round", "seed"))
    number, seed = read_whole(given["round"], "round", 0, MAX_ROUNDS - 1), check_seed(given["seed"])
    if len(spec.records) != 1:
        raise LimitsError("one text is expected, a round or a view", reason="NOT_TEXTS", field="records")
    moments = story_moments(Story.from_text(spec.records[0]), number)
    chosen = islice(moments, spec.pieces.start, spec.pieces.stop)
    return [_plain_result(run_job(_job(moment, spec.limits, seed))) for moment in chosen]


def _job(moment: Moment, limits: Limits, seed: int) -> Job:
    return Job(moment, limits, derived_seed(seed, moment.round, moment.event))


def _plain_result(result: Result) -> Any:
    """A result as plain values, without the moment itself."""
    return to_plain(result, "placement" if isinstance(result, Judged) else "talon_draw")


def _read_result(moment: Moment, plain: Any) -> Result:
    if isinstance(moment, Placement):
        return from_plain(Judged, plain, placement=moment)
    return from_plain(DrawLuck, plain, talon_draw=moment)


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
