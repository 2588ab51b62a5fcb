"""A run that is paused between two slices of its work: its answer is that of one that never was."""

import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from sniffai import DealSearcher, Limits, Round, Searcher, SearchParams
from sniffai.search.analysis import Analysis
from sniffai.search.clock import ANSWER_SECONDS

ROUND = Round.deal(2, 4)
VIEW = ROUND.view(ROUND.seat)


def timeless(analysis: Analysis) -> Analysis:
    return replace(analysis, effort=replace(analysis.effort, seconds=0.0), belief=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("limits", [{}, {"target_standard_error": 0.15}, {"stop_when_decided": True}])
def test_slices_change_nothing_in_the_answer(threads: int, limits: dict[str, Any]) -> None:
    slices = []
    asked = Limits(simulations=60_000, **limits)
    whole = Searcher(VIEW, seed=3, threads=threads).run(asked)
    cut = Searcher(VIEW, seed=3, threads=threads).run(asked, on_slice=lambda: slices.append(time.sleep(0.002)))
    assert timeless(cut) == timeless(whole)
    assert cut.deterministic == whole.deterministic
    assert slices


def test_a_pause_does_not_count_as_search_time() -> None:
    """Two pauses of 0.3 s in a search of 0.2 s: it ends later, and searches for as long."""
    pauses = iter([0.3, 0.3])
    started = time.monotonic()
    found = Searcher(VIEW).run(Limits(seconds=0.2), on_slice=lambda: time.sleep(next(pauses, 0)))
    assert time.monotonic() - started >= 0.8
    assert (found.stop_reason, 0.2 - ANSWER_SECONDS <= found.effort.seconds < 0.5) == ("time", True)


def test_the_end_that_the_caller_set_holds_in_a_pause_too() -> None:
    started = time.monotonic()
    found = Searcher(VIEW).run(Limits(seconds=5), end=started + 0.5, on_slice=lambda: time.sleep(0.15))
    assert found.stop_reason == "deadline"
    assert 0.5 <= time.monotonic() - started < 2


def test_stopped_in_a_pause() -> None:
    paused, go = threading.Event(), threading.Event()

    def wait() -> None:
        paused.set()
        go.wait(10)

    searcher = Searcher(VIEW)
    found: list[Analysis] = []
    thread = threading.Thread(target=lambda: found.append(searcher.run(Limits(seconds=30), on_slice=wait)))
    thread.start()
    assert paused.wait(10)
    searcher.stop()
    go.set()
    thread.join(10)
    assert [one.stop_reason for one in found] == ["stopped"]


@pytest.mark.parametrize(
    "searcher", [Searcher(VIEW), DealSearcher(ROUND, params=SearchParams(exact=False))], ids=["view", "deal"]
)
def test_trees_can_be_freed(searcher: Searcher) -> None:
    first = searcher.run(Limits(simulations=2000))
    assert searcher.memory_bytes > 0
    searcher.free()
    assert searcher.memory_bytes == 0
    assert timeless(searcher.run(Limits(simulations=2000))) == timeless(first)
