"""How much faster executors do the same jobs, measured in turns: ``python -m benchmarks.jobs local@1 local@2``.

Each executor is named as on the command line, with the number of workers after an ``@``. Each turn gives all of them
the same jobs, one executor after the other in changing order; before that each has done some small ones, so that its
processes run. Printed are the median time of a turn, the median over the turns of how much faster than the first one
each was, with the lowest and the highest, how much of the time the workers were at their jobs, and how much processor
time the decisions took, as a share of the first one's. Other work on the machine spoils the ratio, but hardly the last
two: on a machine with nothing else to do, the ratio is about the number of workers times the one by the other. The
results have to be the same.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median
from typing import Any

from sniffai.jobs import Executor, JobSpec, executor_named, in_order
from sniffai.search.params import Limits

SIMULATIONS = 60_000
"""Of each search, if nobody says: a job takes about a second."""


def jobs(numbers: range, simulations: int) -> Iterator[JobSpec]:
    """One pairing of a contest each."""
    parameters = {"a": "search", "b": "search", "players": 2, "whole_matches": False, "seed": 1, "luck": True}
    for number in numbers:
        yield JobSpec("arena", parameters, range(number, number + 1), limits=Limits(simulations=simulations))


@dataclass(frozen=True)
class Turn:
    """What an executor did in one turn."""

    seconds: float
    """From the first job given out to the last result."""
    at_work: float
    """Seconds that the jobs took, all workers together."""
    processor: float
    """Seconds of processor time that their decisions took."""
    values: list[Any]
    """What came of them."""


def turn(executor: Executor, numbers: range, simulations: int) -> Turn:
    """Let an executor do some jobs."""
    started = time.perf_counter()
    results = list(in_order(executor, jobs(numbers, simulations)))
    seconds = time.perf_counter() - started
    processor = sum(busy for result in results for pairing in result.measured["seconds"] for _, busy in pairing)
    return Turn(seconds, sum(result.seconds for result in results), processor, [result.value for result in results])


def measured(names: Sequence[str], count: int, turns: int, simulations: int) -> list[list[Turn]]:
    """The turns, by turn and executor.

    :raises AssertionError: two executors came to different results.
    """
    rows = []
    with ExitStack() as stack:
        executors = [stack.enter_context(opened(name)) for name in names]
        for executor in executors:
            turn(executor, range(count, count + 8), 10)
        for number in range(turns):
            order = range(len(names)) if number % 2 == 0 else reversed(range(len(names)))
            done = {k: turn(executors[k], range(count), simulations) for k in order}
            assert all(done[k].values == done[0].values for k in done), "the results differ"
            rows.append([done[k] for k in range(len(names))])
    return rows


def workers_of(name: str) -> int:
    """The number after the ``@``."""
    return int(name.rpartition("@")[2])


def opened(name: str) -> Executor:
    """An executor by its name with the number of workers."""
    return executor_named(name.rpartition("@")[0], workers=workers_of(name))


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("executors", nargs="*", default=["local@1", "local@2"], metavar="EXECUTOR@WORKERS")
    parser.add_argument("--jobs", type=int, default=12, help="jobs of each turn [12]")
    parser.add_argument("--turns", type=int, default=5, help="[5]")
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help=f"of each search [{SIMULATIONS}]")
    given = parser.parse_args(arguments)
    rows = measured(given.executors, given.jobs, given.turns, given.simulations)
    print(f"{given.jobs} jobs, {given.turns} turns, {median(row[0].seconds for row in rows) / given.jobs:.2f} s a job")
    for k, name in enumerate(given.executors):
        ratios = sorted(row[0].seconds / row[k].seconds for row in rows)
        busy = median(row[k].at_work / row[k].seconds for row in rows) / workers_of(name)
        times = f"{median(ratios):.3f} times ({ratios[0]:.3f} to {ratios[-1]:.3f})"
        spent = median(row[k].processor / row[0].processor for row in rows)
        shares = f"at work {100 * busy:.1f} %, processor time {spent:.3f}"
        print(f"  {name}: {median(row[k].seconds for row in rows):.2f} s, {times}, {shares}")


if __name__ == "__main__":
    main()
