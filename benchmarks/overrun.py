"""How far searches run over their time, and how soon they stop: ``python -m benchmarks.overrun``, some four minutes.

Every search has a limit in seconds and nothing else. The overrun is the time from the call to the answer, less the
limit. ``library`` calls :func:`sniffai.analyze`; ``server`` takes the server's limits, budget and threads, all but the
network. The machine is idle, or has a process on every core that does nothing but count.

What any program is late by on this machine, at this moment, is told by the control, right after each search: a loop
that only reads the clock, for as long, called here or sent to the server's threads. A promise is kept where searches
are late by no more than that beyond the control; on a machine that does nothing else the control is next to nothing.

Stops come while the worlds are weighed; the delay is the time from the stop to the end of the call. Their control is
the time from the setting of an event to the end of a thread that waits for it.
"""

import argparse
import asyncio
import multiprocessing
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from benchmarks.server.figures import Check, machine, quantile, verdict
from sniffai import Limits, Round, Searcher, SearchParams, View
from sniffai.rules import PLAYERS
from sniffai.search.analysis import Analysis
from sniffai.search.candidates import distinct_moves
from sniffai_server.calls.callers import Priority
from sniffai_server.cores import usable_cores
from sniffai_server.load.admission import Admission, SlotQueue
from sniffai_server.load.budget import Budget, effective_limits
from sniffai_server.load.searches import Searches
from sniffai_server.settings import Settings

LIMITS_MS: Final = (1, 5, 20, 50)
PROMISED_MS: Final = {"idle": 3.0, "busy": 10.0}
"""Of the overruns and of the stops, the 99th of a hundred."""
MANY_THREADS: Final = 64
PROMISED_TO_MANY_MS: Final = {"idle": 10.0, "busy": 50.0}
"""Of the stops of so many threads: each must have a core once more before it ends."""
THREADS: Final = (1, 4, MANY_THREADS)

EARLY, MIDDLE = 2, 10
"""Placements before the view that is searched."""

Search = Callable[[View, Limits, int], Analysis]
Control = Callable[[float], float]


@dataclass(slots=True)
class Late:
    """How late searches were and how late the control was, in milliseconds."""

    searches: list[float] = field(default_factory=list)
    control: list[float] = field(default_factory=list)

    def row(self) -> str:
        """Cells of the table."""
        cells = [f"{quantile(some, share):.2f}" for some in (self.searches, self.control) for share in (0.5, 0.99, 1)]
        return " | ".join(cells)

    def check(self, name: str, promised: float) -> Check:
        """Whether the promise is kept."""
        late, control = quantile(self.searches, 0.99), quantile(self.control, 0.99)
        text = f"{name}: p99 {late:.2f} ms, the control {control:.2f} ms; at most {promised:g} ms more than the control"
        return Check(text, late - control <= promised)


def views() -> list[View]:
    """Decisions with a choice, early and in the middle of a round, of each number of seats."""
    chosen = []
    for players in PLAYERS:
        for placements in (EARLY, MIDDLE):
            for seed in range(1000):
                lots = random.Random(seed)
                round_ = Round.deal(players, seed)
                for _ in range(placements):
                    if not round_.over:
                        round_.play(lots.choice(round_.legal_moves()))
                if round_.over:
                    continue
                view = round_.view(round_.seat)
                if len(distinct_moves(view)) > 2 and (view.talon_size or players > 2):
                    chosen.append(view)
                    break
    return chosen


def by_library(view: View, limits: Limits, seed: int) -> Analysis:
    """As :func:`sniffai.analyze` does it."""
    return Searcher(view, seed=seed).run(limits)


@contextmanager
def by_server() -> Iterator[tuple[Search, Control]]:
    """As the server does it, with one search at a time."""
    settings = Settings(slots=usable_cores())
    queue = SlotQueue(settings.slots, settings.queue_size, settings.search_memory)
    admission = Admission("", Priority.INTERACTIVE)

    async def search(view: View, limits: Limits, seed: int) -> Analysis:
        budget = Budget.of(effective_limits(limits, settings)[0], None)
        return await searches.run(Searcher(view, seed=seed), budget, admission=admission)

    async def control(seconds: float) -> float:
        started = time.monotonic()
        await searches.read(lambda: lateness(seconds), admission, None)
        return 1000 * (time.monotonic() - started - seconds)

    # No asyncio.Runner: it writes out what a task returns, an analysis in two milliseconds, as it looks up a signal.
    loop, searches = asyncio.new_event_loop(), Searches(queue)
    try:
        yield lambda *args: loop.run_until_complete(search(*args)), lambda left: loop.run_until_complete(control(left))
    finally:
        searches.close()
        loop.close()


def count_for_ever() -> None:
    """What keeps a core busy."""
    number = 0
    while True:
        number += 1


@contextmanager
def load(name: str) -> Iterator[None]:
    """An idle machine, or a process that never rests on every core."""
    count = (os.cpu_count() or 1) if name == "busy" else 0
    processes = [multiprocessing.get_context("spawn").Process(target=count_for_ever, daemon=True) for _ in range(count)]
    for process in processes:
        process.start()
    try:
        time.sleep(1.0 if count else 0)
        yield
    finally:
        for process in processes:
            process.kill()
            process.join()


def overruns(search: Search, control: Control, seen: list[View], milliseconds: int, count: int) -> Late:
    """How late ``count`` searches of each view were."""
    late, seconds = Late(), milliseconds / 1000
    limits = Limits(seconds=seconds)
    for seed in range(count):
        for view in seen:
            started = time.monotonic()
            analysis = search(view, limits, seed)
            late.searches.append(1000 * (time.monotonic() - started - seconds))
            if analysis.stop_reason != "time":
                raise SystemExit(f"a search ended by {analysis.stop_reason}, not by its time")
            late.control.append(control(seconds))
    return late


def lateness(seconds: float) -> float:
    """By how many milliseconds a loop that only reads the clock is late."""
    end = time.monotonic() + seconds
    while (now := time.monotonic()) < end:
        pass
    return 1000 * (now - end)


def stops(seen: list[View], threads: int, count: int) -> Late:
    """How long searches took to end that were stopped while their worlds were weighed."""
    late, lots = Late(), random.Random(threads)
    params = SearchParams(pool_share=1)
    while len(late.searches) < count:
        searcher = Searcher(lots.choice(seen), seed=len(late.searches), params=params, threads=threads)
        ended: list[tuple[float, Analysis]] = []

        def run(searcher: Searcher = searcher, ended: list[tuple[float, Analysis]] = ended) -> None:
            analysis = searcher.run(Limits(simulations=10**12))
            ended.append((time.monotonic(), analysis))

        thread = threading.Thread(target=run)
        thread.start()
        time.sleep(lots.uniform(0, 0.01 * threads**0.5))
        stopped = time.monotonic()
        searcher.stop()
        thread.join()
        moment, analysis = ended[0]
        if not analysis.effort.simulations:
            late.searches.append(1000 * (moment - stopped))
            late.control.append(waking())
    return late


def waking() -> float:
    """How many milliseconds a thread takes to end that waits for an event."""
    event = threading.Event()
    thread = threading.Thread(target=event.wait)
    thread.start()
    time.sleep(0.001)
    started = time.monotonic()
    event.set()
    thread.join()
    return 1000 * (time.monotonic() - started)


def main() -> None:
    """Print the tables, then whether each promise is kept; exit 1 if one is not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--searches", type=int, default=40, help="searches of each view and limit (default: 40)")
    parser.add_argument(
        "--stops", type=int, default=200, help="searches to stop, for each number of threads (default: 200)"
    )
    parser.add_argument("--load", choices=tuple(PROMISED_MS), help="measure only under this load (default: under both)")
    parser.add_argument("--only", choices=("library", "server", "stop"), help="measure only this (default: all)")
    options = parser.parse_args()
    seen = views()
    for view in seen:  # the first search with a number of seats reads its nets
        by_library(view, Limits(simulations=100), 0)
    checks = []
    print(f"{machine()}; load average {os.getloadavg()[0]:.1f}\n")
    print("| machine | what | | p50 | p99 | max | control p50 | p99 | max |")
    print("|---|---|---|---|---|---|---|---|---|")

    def tell(name: str, what: str, which: str, late: Late, promised: dict[str, float] = PROMISED_MS) -> None:
        print(f"| {name} | {what} | {which} | {late.row()} |", flush=True)
        checks.append(late.check(f"{name}, {what}, {which}", promised[name]))

    for name in PROMISED_MS if options.load is None else [options.load]:
        with load(name), by_server() as server:
            for what, (search, control) in (("library", (by_library, lateness)), ("server", server)):
                if options.only in (None, what):
                    for limit in LIMITS_MS:
                        tell(name, what, f"{limit} ms", overruns(search, control, seen, limit, options.searches))
            if options.only in (None, "stop"):
                for threads in THREADS:
                    promised = PROMISED_TO_MANY_MS if threads == MANY_THREADS else PROMISED_MS
                    tell(name, "stop", f"{threads} threads", stops(seen, threads, options.stops), promised)
    print(f"\nload average {os.getloadavg()[0]:.1f}")
    raise SystemExit(verdict(checks))


if __name__ == "__main__":
    main()
