"""The searches of this process: a fixed number of threads, off the event loop, each to be stopped at any moment.

The compiled core lets go of the interpreter's lock while it searches, so that the event loop and the other searches
run on.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from sniffai.report import Analysis
from sniffai.search import Searcher
from sniffai.view import View
from sniffai_server.budget import Budget


class Searches:
    """Runs searches, at most ``slots`` at the same time; the others wait their turn."""

    def __init__(self, slots: int) -> None:
        self._pool = ThreadPoolExecutor(slots, thread_name_prefix="search")
        self._running: set[Searcher] = set()
        self._closing = False

    @property
    def busy(self) -> int:
        """How many searches hold a slot now."""
        return len(self._running)

    async def run(self, view: View, seed: int, budget: Budget) -> Analysis:
        """Search until the budget is spent. Cancelling the task stops the search and frees its slot at once.

        :raises SniffError: the view's seat has nothing to decide.
        """
        searcher = Searcher(view, seed=seed)
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._pool, self._search, searcher, budget)
        except asyncio.CancelledError:
            searcher.stop()
            raise

    def finish_early(self) -> None:
        """Make every search, also those that wait, answer with what it has."""
        self._closing = True
        for searcher in tuple(self._running):
            searcher.stop()

    def close(self) -> None:
        """End the threads."""
        self.finish_early()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _search(self, searcher: Searcher, budget: Budget) -> Analysis:
        """One search, in a thread of the pool."""
        self._running.add(searcher)
        try:
            if self._closing:
                searcher.stop()
            limits, by_deadline = budget.now()
            analysis = searcher.run(limits)
        finally:
            self._running.discard(searcher)
        stop = "deadline" if by_deadline and analysis.stop == "seconds" else analysis.stop
        return replace(analysis, limits=budget.limits, stop=stop)
