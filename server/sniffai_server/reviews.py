"""Reviews of matches: many small searches on the server's slots, and a message for each piece as it is done.

The pieces of one review run side by side, no more than there are slots, and each search waits for its turn in the queue
by itself. So a review leaves room for whatever is more urgent between any two searches of its own.
"""

import asyncio
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import aclosing
from typing import Any

from sniffai import wire
from sniffai.params import Limits
from sniffai.report import Analysis
from sniffai.review import Job, Judged, Result, collected, jobs_of
from sniffai.search import Searcher
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai_server.admission import Admission, Priority, admission_of
from sniffai_server.budget import Budget, effective_limits
from sniffai_server.calls import current_call
from sniffai_server.refusals import ClosingError, ExpiredError, QueueFullError
from sniffai_server.searches import Searches
from sniffai_server.settings import Settings
from sniffai_server.trailers import add_trailers

Work = Generator[tuple[Searcher, Limits], Analysis, Result]
Done = tuple[int, Result]
"""A piece by its place in the order of play, and what came of it."""


class Reviews:
    """Answers calls of AnalyzeMatch."""

    def __init__(self, settings: Settings, searches: Searches) -> None:
        self._settings = settings
        self._searches = searches

    async def answer(self, request: pb.AnalyzeMatchRequest, context: Any) -> None:
        """Write every piece as it is done, then the whole.

        :raises WireError: something in the request is wrong.
        :raises QueueFullError: the first search finds no room to wait.
        :raises ExpiredError: the call's deadline came before the end.
        :raises ClosingError: the server goes down.
        """
        asked = await asyncio.to_thread(wire.read_review, request)
        limits, warnings = effective_limits(asked.limits, self._settings)
        wanted = Priority[asked.priority.upper()]
        admission = admission_of(context, wanted)
        if request.priority and admission.priority != wanted:
            best = admission.priority.name
            warnings.append(wire.warning("priority", "CLAMPED", f"{best} is the best that this client may ask for"))
        warnings += [*asked.warnings, *wire.unknown_fields(request)]
        jobs = await asyncio.to_thread(jobs_of, asked.subject, limits, asked.seed)
        results: list[Result] = []
        run = _Run(self._searches, jobs, admission, Budget.of(limits, context.time_remaining()).end)
        async with aclosing(run.results()) as found:
            async for index, result in found:
                results.append(result)
                message = await asyncio.to_thread(_piece, index, result, asked.language)
                message.done_count, message.total_count = len(results), len(jobs)
                await context.write(message)
        review = await asyncio.to_thread(collected, asked.subject, limits, asked.seed, results)
        summary = wire.write_summary(review, limits, warnings[: wire.MAX_WARNINGS], asked.client_tag)
        seconds = sum(analysis.effort.seconds for analysis in current_call().searched)
        add_trailers(context, sniffai_search_ms=f"{seconds * 1000:.3f}")
        await context.write(pb.AnalyzeMatchResponse(summary=summary, done_count=len(jobs), total_count=len(jobs)))


class _Run:
    """The work of one review."""

    def __init__(self, searches: Searches, jobs: Sequence[Job], admission: Admission, end: float | None) -> None:
        self._searches = searches
        self._jobs = iter(enumerate(jobs))
        self._admission = admission
        self._end = end
        self._begun = False
        self._asking = 0
        """Searches that run or wait for their turn."""
        self._done: asyncio.Queue[Done | None] = asyncio.Queue()

    async def results(self) -> AsyncGenerator[Done]:
        """The pieces as they are done. Closing the iterator stops the searches."""
        workers = [asyncio.ensure_future(self._work()) for _ in range(self._searches.queue.slots)]
        whole = asyncio.gather(*workers)
        whole.add_done_callback(lambda _: self._done.put_nowait(None))
        try:
            while (one := await self._done.get()) is not None:
                yield one
            whole.result()
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, whole, return_exceptions=True)

    async def _work(self) -> None:
        """One piece after the other."""
        for index, job in self._jobs:
            self._done.put_nowait((index, await self._piece(job)))

    async def _piece(self, job: Job) -> Result:
        work = job.work()
        step = await asyncio.to_thread(_step, work, None)
        while isinstance(step, tuple):
            step = await asyncio.to_thread(_step, work, await self._search(*step))
        return step

    async def _search(self, searcher: Searcher, limits: Limits) -> Analysis:
        """One search, in its turn. A review that has begun, or may begin yet, waits for room in the queue."""
        while True:
            self._asking += 1
            try:
                found = await self._searches.run(searcher, Budget(limits, self._end), admission=self._admission)
                break
            except QueueFullError as error:
                if not self._begun and self._asking == 1:
                    raise
                wait = error.retry_after
            finally:
                self._asking -= 1
            await asyncio.sleep(wait)
        self._begun = True
        if found.stop == "stopped":
            raise ClosingError
        if found.stop == "deadline":
            raise ExpiredError
        return found


def _step(work: Work, found: Analysis | None) -> tuple[Searcher, Limits] | Result:
    """The next search of a piece, or what came of it."""
    try:
        return next(work) if found is None else work.send(found)
    except StopIteration as done:
        result: Result = done.value
        return result


def _piece(index: int, result: Result, language: str) -> pb.AnalyzeMatchResponse:
    if isinstance(result, Judged):
        return pb.AnalyzeMatchResponse(decision=wire.write_decision(result, index, language))
    return pb.AnalyzeMatchResponse(draw=wire.write_draw(result, index))
