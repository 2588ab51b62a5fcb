"""Reviews of matches: many small searches on the server's slots, with one message for each finished piece.

A review is admitted before any work is done for it. If the queue is full, it is refused. If too many reviews of its
class run, or as many of its client as there are slots, it waits in a queue for reviews. Its record is read in the
thread of a slot.

The pieces of a review are created one after the other and run side by side, at most as many as there are slots, and
each search waits in the queue by itself. So memory does not grow with the work that remains. If the client does not
read, only a few pieces are computed ahead, and another review gets its place until the client reads again.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from sniffai import wire
from sniffai.review import Job, Judged, Result, Subject, collected, each_job, html_report
from sniffai.search.analysis import Analysis
from sniffai.search.params import Limits
from sniffai.search.searcher import Searcher
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai.v1 import match_service_pb2 as match_pb
from sniffai.v1 import notice_pb2
from sniffai_server.calls.current import current_call
from sniffai_server.calls.refusals import ClosingError, ExpiredError, QueueFullError, UnfinishedError
from sniffai_server.calls.trailers import add_trailers
from sniffai_server.load.admission import Admission, Priority, SlotQueue, admission_of
from sniffai_server.load.budget import Budget, effective_limits, priority_warnings
from sniffai_server.load.searches import Searches
from sniffai_server.settings import Settings

Message: TypeAlias = pb.AnalyzeMatchResponse | match_pb.ReviewMatchResponse
Reader = Callable[[], tuple[Subject, list[notice_pb2.Warning]]]
"""Reads what is to be reviewed, with a warning for each unknown field of the request."""
Work = Generator[tuple[Searcher, Limits], Analysis, Result]
Done = tuple[int, Result]
"""The index of a piece in order of play, and its result."""

UNDER_WAY: Final = 4
"""Reviews of one class that may run, for each slot. One client may run as many as there are slots."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A review that a call asks for."""

    question: wire.ReviewQuestion
    read: Reader
    """Called in the thread of a slot."""
    message: type[Message]
    """Of the pieces."""
    prioritized: bool
    """Whether the request itself names the priority."""
    page: bool = False
    """Whether the last message also holds the review as a page."""


class Reviews:
    """Answers calls for reviews."""

    def __init__(self, settings: Settings, searches: Searches) -> None:
        self._settings = settings
        self._searches = searches
        slots, size = settings.slots, settings.queue_size
        self._lines: Final = {
            priority: SlotQueue(UNDER_WAY * slots, size, memory=0, share=slots) for priority in Priority
        }
        """The running and waiting reviews by class, so that urgent ones do not wait for others."""

    async def answer(self, request: pb.AnalyzeMatchRequest, context: Any) -> None:
        """Write each piece when it is finished, then the summary.

        :raises WireError: the request is invalid.
        :raises QueueFullError: the queue is full.
        :raises ExpiredError: the call's deadline passed before the review started.
        :raises UnfinishedError: the call's deadline passed before the review was complete.
        :raises ClosingError: the server is shutting down.
        """
        read = partial(wire.read_reviewed, request)
        question = wire.read_review(request)
        await self.review(Wanted(question, read, pb.AnalyzeMatchResponse, bool(request.priority)), context)

    async def review(self, wanted: Wanted, context: Any) -> None:
        """Write each piece of a review when it is finished, then the summary; errors as :meth:`answer`."""
        question = wanted.question
        limits, warnings = effective_limits(question.limits, self._settings)
        requested = Priority[question.priority.upper()]
        admission = admission_of(context, requested)
        if wanted.prioritized:
            warnings += priority_warnings(requested, admission)
        warnings += question.warnings
        end = Budget.of(limits, context.time_remaining()).end
        self._searches.queue.check_room(admission)
        line = self._lines[admission.priority]
        async with line.slot(admission, end) as turn:
            context.on_stall, context.on_resume = partial(line.step_aside, turn), partial(line.come_back, turn)
            subject, unknown = await self._searches.read(wanted.read, admission, end)
            run = _Run(self._searches, each_job(subject, limits, question.seed), admission, end)
            results = await _write_pieces(run, subject.size, wanted, context)
            summed_up = partial(_summary, subject, limits, wanted, results, [*warnings, *unknown])
            message = await asyncio.to_thread(summed_up)
        seconds = sum(analysis.effort.seconds for analysis in current_call().searched)
        add_trailers(context, sniffai_search_ms=f"{seconds * 1000:.3f}")
        await context.write(message)


async def _write_pieces(run: "_Run", total: int, wanted: Wanted, context: Any) -> list[Result]:
    """Write the pieces of a review as they are finished; returns all of them."""
    results: list[Result] = []
    async with aclosing(run.results()) as pieces:
        async for index, result in pieces:
            results.append(result)
            message = await asyncio.to_thread(_piece, index, result, wanted)
            message.done_count, message.total_count = len(results), total
            await context.write(message)
    return results


class _Run:
    """The work of one review."""

    def __init__(self, searches: Searches, jobs: Iterator[Job], admission: Admission, end: float | None) -> None:
        self._searches = searches
        self._jobs = enumerate(jobs)
        self._next = asyncio.Lock()
        """Held while a piece is created."""
        self._admission = admission
        self._end = end
        self._done: asyncio.Queue[Done | None] = asyncio.Queue()
        self._ahead = asyncio.Semaphore(2 * searches.queue.slots)
        """Pieces that may be created before the client has read one."""

    async def results(self) -> AsyncGenerator[Done]:
        """The pieces as they are finished, a few ahead of the client. Closing the iterator stops the searches."""
        workers = [asyncio.ensure_future(self._work()) for _ in range(self._searches.queue.slots)]
        whole = asyncio.gather(*workers)
        whole.add_done_callback(lambda _: self._done.put_nowait(None))
        try:
            while (piece := await self._done.get()) is not None:
                yield piece
                self._ahead.release()
            whole.result()
        finally:
            await _cancelled([*workers, whole])
            # An error that is raised here has this frame in its traceback, and the tasks hold the error. Without this
            # cycle the error, and the searches in its frames, are freed at once instead of by the garbage collector.
            del workers, whole

    async def _work(self) -> None:
        """Work on one piece after the other."""
        while True:
            await self._ahead.acquire()
            async with self._next:
                piece = await asyncio.to_thread(next, self._jobs, None)
            if piece is None:
                return
            index, job = piece
            self._done.put_nowait((index, await self._piece(job)))

    async def _piece(self, job: Job) -> Result:
        work = job.work()
        step = await asyncio.to_thread(_step, work, None)
        while isinstance(step, tuple):
            step = await asyncio.to_thread(_step, work, await self._search(*step))
        return step

    async def _search(self, searcher: Searcher, limits: Limits) -> Analysis:
        """One search. If the queue is full, it waits, since the review has already been admitted."""
        while True:
            try:
                analysis = await self._searches.run(
                    searcher, Budget(limits.effective(), self._end), admission=self._admission
                )
                break
            except QueueFullError as error:
                wait = error.retry_after
            except ExpiredError:
                raise UnfinishedError from None
            await asyncio.sleep(wait)
        if analysis.stop_reason == "stopped":
            raise ClosingError
        if analysis.stop_reason == "deadline":
            raise UnfinishedError
        return analysis


async def _cancelled(tasks: list["asyncio.Future[Any]"]) -> None:
    """Cancel tasks and wait for their end."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _step(work: Work, analysis: Analysis | None) -> tuple[Searcher, Limits] | Result:
    """The next search of a piece, or its result."""
    try:
        return next(work) if analysis is None else work.send(analysis)
    except StopIteration as done:
        result: Result = done.value
        return result


def _piece(index: int, result: Result, wanted: Wanted) -> Message:
    if isinstance(result, Judged):
        return wanted.message(decision=wire.write_decision(result, index, wanted.question.language_code))
    return wanted.message(draw=wire.write_draw(result, index))


def _summary(
    subject: Subject,
    limits: Limits,
    wanted: Wanted,
    results: list[Result],
    warnings: list[notice_pb2.Warning],
) -> Message:
    """The last message."""
    question = wanted.question
    review = collected(subject, limits, question.seed, results)
    summary = wire.write_summary(review, limits, warnings, question.client_tag)
    message = wanted.message(summary=summary, done_count=len(results), total_count=len(results))
    if isinstance(message, match_pb.ReviewMatchResponse) and wanted.page:
        message.page = html_report(review, question.language_code)
    return message
