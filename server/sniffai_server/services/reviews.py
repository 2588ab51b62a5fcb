"""Reviews of matches: many small searches on the server's slots, and a message for each piece as it is done.

A review is admitted before anything is done for it: where the queue is full, it is refused; where as many reviews of
its class are under way as may be, or as many of its caller's as there are slots, it waits in a line of their own. Its
record is read in the thread of a slot. The pieces of one review are made one after the other and run side by side, no
more than there are slots, and each search waits for its turn in the queue by itself. So what it takes of memory does
not grow with what is still to be done. Where its reader takes nothing, few pieces are made ahead, and its place in the
line is another's until the reader goes on.
"""

import asyncio
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import aclosing
from functools import partial
from typing import Any, Final

from sniffai import wire
from sniffai.review import Job, Judged, Result, Subject, collected, each_job
from sniffai.search.analysis import Analysis
from sniffai.search.params import Limits
from sniffai.search.searcher import Searcher
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai.v1 import notice_pb2
from sniffai_server.calls.current import current_call
from sniffai_server.calls.refusals import ClosingError, ExpiredError, QueueFullError, UnfinishedError
from sniffai_server.calls.trailers import add_trailers
from sniffai_server.load.admission import Admission, Priority, SlotQueue, admission_of
from sniffai_server.load.budget import Budget, effective_limits
from sniffai_server.load.searches import Searches
from sniffai_server.settings import Settings

Work = Generator[tuple[Searcher, Limits], Analysis, Result]
Done = tuple[int, Result]
"""A piece by its place in the order of play, and what came of it."""

UNDER_WAY: Final = 4
"""Reviews of one class that may be under way, for each slot; one caller may have as many as there are slots."""


class Reviews:
    """Answers calls of AnalyzeMatch."""

    def __init__(self, settings: Settings, searches: Searches) -> None:
        self._settings = settings
        self._searches = searches
        slots, size = settings.slots, settings.queue_size
        self._lines: Final = {
            priority: SlotQueue(UNDER_WAY * slots, size, memory=0, share=slots) for priority in Priority
        }
        """The reviews under way and those that wait, by class: what is urgent does not wait for what is not."""

    async def answer(self, request: pb.AnalyzeMatchRequest, context: Any) -> None:
        """Write every piece as it is done, then the whole.

        :raises WireError: something in the request is wrong.
        :raises QueueFullError: there is no room to wait.
        :raises ExpiredError: the call's deadline came before its turn.
        :raises UnfinishedError: the call's deadline came before the end.
        :raises ClosingError: the server is shutting down.
        """
        asked = wire.read_review(request)
        limits, warnings = effective_limits(asked.limits, self._settings)
        wanted = Priority[asked.priority.upper()]
        admission = admission_of(context, wanted)
        if request.priority and admission.priority != wanted:
            best = admission.priority.name
            warnings.append(wire.warning("priority", "CLAMPED", f"{best} is the best that this client may ask for"))
        warnings += asked.warnings
        end = Budget.of(limits, context.time_remaining()).end
        self._searches.queue.check_room(admission)
        line = self._lines[admission.priority]
        async with line.slot(admission, end) as turn:
            context.on_stall, context.on_resume = partial(line.step_aside, turn), partial(line.come_back, turn)
            subject, unknown = await self._searches.read(partial(_read, request), admission, end)
            run = _Run(self._searches, each_job(subject, limits, asked.seed), admission, end)
            results = await _told(run, subject.size, asked.language_code, context)
            summed_up = partial(_summary, subject, limits, asked, results, [*warnings, *unknown])
            message = await asyncio.to_thread(summed_up)
        seconds = sum(analysis.effort.seconds for analysis in current_call().searched)
        add_trailers(context, sniffai_search_ms=f"{seconds * 1000:.3f}")
        await context.write(message)


async def _told(run: "_Run", total: int, language_code: str, context: Any) -> list[Result]:
    """Write the pieces of a review as they are done; returns them all."""
    results: list[Result] = []
    async with aclosing(run.results()) as found:
        async for index, result in found:
            results.append(result)
            message = await asyncio.to_thread(_piece, index, result, language_code)
            message.done_count, message.total_count = len(results), total
            await context.write(message)
    return results


class _Run:
    """The work of one review."""

    def __init__(self, searches: Searches, jobs: Iterator[Job], admission: Admission, end: float | None) -> None:
        self._searches = searches
        self._jobs = enumerate(jobs)
        self._next = asyncio.Lock()
        """Held while a piece is made."""
        self._admission = admission
        self._end = end
        self._done: asyncio.Queue[Done | None] = asyncio.Queue()
        self._ahead = asyncio.Semaphore(2 * searches.queue.slots)
        """Pieces that may be made before the reader has taken one."""

    async def results(self) -> AsyncGenerator[Done]:
        """The pieces as they are done, few of them ahead of the reader. Closing the iterator stops the searches."""
        workers = [asyncio.ensure_future(self._work()) for _ in range(self._searches.queue.slots)]
        whole = asyncio.gather(*workers)
        whole.add_done_callback(lambda _: self._done.put_nowait(None))
        try:
            while (one := await self._done.get()) is not None:
                yield one
                self._ahead.release()
            whole.result()
        finally:
            await _cancelled([*workers, whole])
            # An error on its way up has this frame in its traceback, and the tasks have the error: without them it, and
            # the searches that its frames hold, go as soon as it is told, not when the garbage collector comes by.
            del workers, whole

    async def _work(self) -> None:
        """One piece after the other."""
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
        """One search, in its turn. Where the queue is full, it waits for room: the review has been admitted."""
        while True:
            try:
                found = await self._searches.run(
                    searcher, Budget(limits.effective(), self._end), admission=self._admission
                )
                break
            except QueueFullError as error:
                wait = error.retry_after
            except ExpiredError:
                raise UnfinishedError from None
            await asyncio.sleep(wait)
        if found.stop_reason == "stopped":
            raise ClosingError
        if found.stop_reason == "deadline":
            raise UnfinishedError
        return found


async def _cancelled(tasks: list["asyncio.Future[Any]"]) -> None:
    """Cancel tasks, and wait for their end."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _read(request: pb.AnalyzeMatchRequest) -> tuple[Subject, list[notice_pb2.Warning]]:
    """What is to be reviewed, and a warning for each field that this version does not know.

    :raises WireError: it is missing, or not true.
    """
    return wire.read_reviewed(request), [*wire.unknown_fields(request)]


def _step(work: Work, found: Analysis | None) -> tuple[Searcher, Limits] | Result:
    """The next search of a piece, or what came of it."""
    try:
        return next(work) if found is None else work.send(found)
    except StopIteration as done:
        result: Result = done.value
        return result


def _piece(index: int, result: Result, language_code: str) -> pb.AnalyzeMatchResponse:
    if isinstance(result, Judged):
        return pb.AnalyzeMatchResponse(decision=wire.write_decision(result, index, language_code))
    return pb.AnalyzeMatchResponse(draw=wire.write_draw(result, index))


def _summary(
    subject: Subject,
    limits: Limits,
    asked: wire.ReviewQuestion,
    results: list[Result],
    warnings: list[notice_pb2.Warning],
) -> pb.AnalyzeMatchResponse:
    """The last message."""
    review = collected(subject, limits, asked.seed, results)
    summary = wire.write_summary(review, limits, warnings[: wire.MAX_WARNINGS], asked.client_tag)
    return pb.AnalyzeMatchResponse(summary=summary, done_count=len(results), total_count=len(results))
