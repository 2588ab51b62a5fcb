"""Runs searches in threads, off the event loop. Each can be stopped or paused at any moment.

The compiled core releases the interpreter's lock while it searches, so the event loop and the other searches continue.
A slot is held until its thread has ended or waits for its next slot. The tree is freed before the slot, so that what
the queue counts as free really is. A brief search that is the only one of its call waits for its slot, too, but stays
in the event loop: to wake a thread and to be woken by it would take as long as the search.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeVar

from sniffai.search.analysis import Analysis
from sniffai.search.clock import SNAPSHOT_SECONDS, OnSnapshot
from sniffai.search.params import EffectiveLimits
from sniffai.search.searcher import Searcher
from sniffai_server.calls.current import current_call
from sniffai_server.calls.refusals import ClosingError
from sniffai_server.load.admission import PAUSED_MOST, Admission, SlotQueue, Turn
from sniffai_server.load.budget import Budget
from sniffai_server.load.latest import Latest

Found = TypeVar("Found")


class Work(Protocol):
    """What runs on a slot."""

    def stop(self) -> None:
        """Make it end soon. May be called from any thread."""
        ...

    @property
    def memory_bytes(self) -> int:
        """Bytes of the queue's memory that it keeps while it is paused."""
        ...


class Job(Work, Protocol):
    """Work that runs in a process of its own, watched by the thread of its slot."""

    def run(self, turn: Turn, pause: Callable[[], None]) -> bytes:
        """Do it, in the thread of a slot.

        :param pause: gives up the slot if it is wanted elsewhere, and waits for the next one.
        """
        ...


class Searches:
    """Runs searches on the slots of a queue."""

    def __init__(self, queue: SlotQueue) -> None:
        self.queue = queue
        self._pool = ThreadPoolExecutor(queue.slots + PAUSED_MOST, thread_name_prefix="search")
        self._running: dict[Work, Turn] = {}
        self._closing = False

    @property
    def busy(self) -> int:
        """How many searches hold a slot now."""
        return self.queue.busy

    def check_room(self, searcher: Searcher, admission: Admission) -> None:
        """Refuse a search early, before more work is done for it, if it could not even wait.

        :raises QueueFullError: no slot is free and the queue is full.
        """
        if not searcher.forced:
            current_call().priority = admission.priority
            self.queue.check_room(admission)

    async def run(
        self,
        searcher: Searcher,
        budget: Budget,
        *,
        admission: Admission,
        on_snapshot: OnSnapshot | None = None,
        interval: float = SNAPSHOT_SECONDS,
        alone: bool = False,
    ) -> Analysis:
        """Wait for a slot, then search until the budget is spent. Cancelling the task stops the search at once.

        If there is nothing to search, no slot is needed.

        :param on_snapshot: called with snapshots every ``interval`` seconds, in the thread that searches.
        :param alone: the call makes no other search, so a brief one may stay in the event loop.
        :raises QueueFullError: the queue is full.
        :raises ExpiredError: the call's deadline passed before the search got a slot.
        """
        if searcher.forced:
            analysis = searcher.run(budget.limits)
        else:
            limits = budget.for_the_tree
            async with self._turn(searcher, budget.end, admission, limits.memory_bytes or 0) as turn:
                if alone and searcher.is_brief(limits):
                    analysis = _freeing(searcher, partial(searcher.run, limits, end=budget.end))
                else:
                    work = partial(
                        searcher.run,
                        limits,
                        end=budget.end,
                        on_snapshot=on_snapshot and _with_limits(on_snapshot, budget.limits),
                        interval=interval,
                        on_slice=_pausing(self.queue, turn, searcher),
                    )
                    analysis = await self._off_loop(searcher, turn, work)
                analysis = replace(analysis, effective_limits=budget.limits)
        current_call().searched.append(analysis)
        return analysis

    async def stream(
        self, searcher: Searcher, budget: Budget, *, admission: Admission, interval: float
    ) -> AsyncGenerator[Analysis]:
        """Snapshots of a search, then its answer, which alone is ``final``. A slow reader skips snapshots.

        The search never waits for the reader. Closing the iterator stops it.

        :param interval: seconds between two snapshots, above 0.
        :raises QueueFullError: as :meth:`run`.
        :raises ExpiredError: as :meth:`run`.
        """
        latest: Latest[Analysis] = Latest()
        loop = asyncio.get_running_loop()

        def tell(snapshot: Analysis) -> None:
            loop.call_soon_threadsafe(latest.put, snapshot)

        search = asyncio.ensure_future(
            self.run(searcher, budget, admission=admission, on_snapshot=tell, interval=interval)
        )
        search.add_done_callback(lambda _: latest.close())
        try:
            async for snapshot in latest:
                yield snapshot
            yield search.result()
        finally:
            search.cancel()
            await asyncio.gather(search, return_exceptions=True)

    async def read(self, work: Callable[[], Found], admission: Admission, end: float | None) -> Found:
        """Wait for a slot, then do work in its thread that comes before a search.

        :param work: should take no more than a few tenths of a second, since it cannot be stopped.
        :param end: the latest moment at which it may start, in seconds of ``time.monotonic()``.
        :raises QueueFullError: as :meth:`run`.
        :raises ExpiredError: as :meth:`run`.
        :raises ClosingError: the server is shutting down.
        """
        current_call().priority = admission.priority
        async with self.queue.slot(admission, end) as turn:
            current_call().queue_wait = turn.waited
            if self._closing:
                raise ClosingError
            done = self._pool.submit(work)
            try:
                await _end_of(done)
            except asyncio.CancelledError:
                await _end_of(done)
                raise
            return done.result()

    async def run_job(self, job: Job, admission: Admission, start_by: float) -> bytes:
        """Wait for a slot, then do a job. Cancelling the task stops it and waits for the thread to end.

        :param start_by: the latest moment at which it may start, in seconds of ``time.monotonic()``.
        :raises QueueFullError: as :meth:`run`.
        :raises ExpiredError: that moment passed before a slot was free.
        """
        async with self._turn(job, start_by, admission, 0) as turn:
            turn.deadline = None  # once begun it may be paused for any time
            done = self._pool.submit(job.run, turn, _pausing(self.queue, turn, job))
            await self._end_of_work(done, job, turn)
            try:
                return done.result()
            finally:
                del done  # as in _off_loop

    def finish_early(self) -> None:
        """Make every search answer with what it has, waiting ones included. Jobs go on: :mod:`sniffai_server.jobs`."""
        self._closing = True
        for work, turn in tuple(self._running.items()):
            if isinstance(work, Searcher):
                work.stop()
                turn.wake()

    def close(self) -> None:
        """End the threads. May be called from any thread."""
        self.finish_early()
        for work, turn in tuple(self._running.items()):
            work.stop()
            turn.wake()
        self._pool.shutdown(wait=True, cancel_futures=True)

    @asynccontextmanager
    async def _turn(self, work: Work, end: float | None, admission: Admission, memory: int) -> AsyncIterator[Turn]:
        """The turn of a search or a job, with its memory, from its first slot to its end.

        :raises QueueFullError: the queue is full.
        :raises ExpiredError: the call's deadline passed before the search got a slot.
        """
        current_call().priority = admission.priority
        async with self.queue.slot(admission, end, memory) as turn:
            current_call().queue_wait = turn.waited
            self._running[work] = turn
            try:
                if self._closing:
                    work.stop()
                yield turn
            finally:
                del self._running[work]

    async def _off_loop(self, searcher: Searcher, turn: Turn, work: Callable[[], Analysis]) -> Analysis:
        """Run a search in a thread. Cancelling stops the search and waits for the thread to end.

        The tree is freed in the thread. The result of a cancelled search is not sent, but its effort is counted.
        """
        done = self._pool.submit(_freeing, searcher, work)
        try:
            await self._end_of_work(done, searcher, turn)
        except asyncio.CancelledError:
            if done.exception() is None:
                current_call().searched.append(done.result())
            raise
        try:
            return done.result()
        finally:
            del done  # otherwise an error's traceback would keep this frame, the error and the search alive

    async def _end_of_work(self, done: "Future[Any]", work: Work, turn: Turn) -> None:
        """Wait for the end of work in a thread. Cancelling stops it, and waits for its end all the same."""
        try:
            await _end_of(done)
        except asyncio.CancelledError:
            work.stop()
            self.queue.leave(turn)
            await _end_of(done)
            raise


def _freeing(searcher: Searcher, work: Callable[[], Found]) -> Found:
    """Run a search, then free its trees at once: the searcher itself may live until the client has read the answer."""
    try:
        return work()
    finally:
        searcher.free()


def _with_limits(on_snapshot: OnSnapshot, limits: EffectiveLimits) -> OnSnapshot:
    """Pass snapshots on with the limits of the request and the server."""
    return lambda snapshot: on_snapshot(replace(snapshot, effective_limits=limits))


def _pausing(queue: SlotQueue, turn: Turn, work: Work) -> Callable[[], None]:
    """A function for work to call between two slices: it waits while the slot is needed elsewhere."""
    loop = asyncio.get_running_loop()

    def hand_over() -> None:
        loop.call_soon_threadsafe(queue.hand_over, turn, work.memory_bytes)

    def pause() -> None:
        if turn.wanted:
            left = None if turn.deadline is None else turn.deadline - time.monotonic()
            if not turn.pause(hand_over, left):
                loop.call_soon_threadsafe(queue.leave, turn)

    return pause


async def _end_of(done: "Future[Any]") -> None:
    """Wait for the end of work in a thread. Cancelling ends only the wait.

    It takes one turn of the event loop; :func:`asyncio.wrap_future` with :func:`asyncio.shield` would take three.
    """
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    done.add_done_callback(lambda _: loop.call_soon_threadsafe(_wake, ended))
    await ended


def _wake(ended: "asyncio.Future[None]") -> None:
    if not ended.done():
        ended.set_result(None)
