"""Searches by several threads that end by themselves: what all trees together found must bear it out."""

import pytest

from sniffai import Analysis, Limits, Round, Searcher, analyze
from sniffai.equity import load
from sniffai.search.searcher import DECIDED_AT
from sniffai_ext.search import Search
from sniffai_ext.search_options import SearchOptions

THREADS = pytest.mark.parametrize("threads", [2, 4])


def opening(players: int, deal: int) -> Searcher:
    round_ = Round.deal(players, deal)
    return Searcher(round_.view(round_.seat), seed=deal, threads=2)


@THREADS
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_target_error_holds_for_all_trees_together(players: int, threads: int) -> None:
    stopped = 0
    for deal in range(6):
        round_ = Round.deal(players, deal)
        for target in (2.0, 1.0):
            limits = Limits(simulations=200_000, target_standard_error=target)
            found = analyze(round_.view(round_.seat), limits, seed=deal, threads=threads)
            assert found.stop_reason in ("precise", "simulations")
            if found.stop_reason == "precise":
                stopped += 1
                assert (found.moves[0].standard_error or 9) <= target
                assert found.effort.simulations < 200_000
            else:
                assert found.effort.simulations == 200_000
    assert stopped >= 10


@THREADS
def test_a_decision_holds_for_all_trees_together(threads: int) -> None:
    stopped = 0
    for players in (2, 3, 4):
        for deal in range(5, 10):
            round_ = Round.deal(players, deal)
            searcher = Searcher(round_.view(round_.seat), seed=deal, threads=threads)
            found = searcher.run(Limits(simulations=40_000, stop_when_decided=True))
            if found.stop_reason == "decided":
                stopped += 1
                assert searcher._root().decided(DECIDED_AT)
                firsts = [core.root_moves()[0][:2] for core in searcher._cores]
                assert found.moves[0].move.codes in firsts
            assert found.effort.simulations <= 40_000
    assert stopped >= 5


@pytest.mark.parametrize("limits", [{"target_standard_error": 0.5}, {"stop_when_decided": True}])
def test_snapshots_do_not_change_where_a_search_ends(limits: dict[str, float]) -> None:
    told: list[Analysis] = []
    for deal in range(2):
        whole, sliced = (opening(2, deal) for _ in range(2))
        one = whole.run(Limits(simulations=100_000, **limits))  # type: ignore[arg-type]
        other = sliced.run(
            Limits(simulations=100_000, **limits),  # type: ignore[arg-type]
            on_snapshot=told.append,
            interval=0.001,
        )
        assert (one.stop_reason, one.moves, one.effort.simulations) == (
            other.stop_reason,
            other.moves,
            other.effort.simulations,
        )
        assert one.deterministic
        assert other.deterministic
    assert told


def test_limits_still_hold_where_the_trees_go_on() -> None:
    """A target out of reach: the number of simulations ends the search, and a stop does at once."""
    searcher = opening(2, 1)
    found = searcher.run(Limits(simulations=20_001, target_standard_error=1e-3))
    assert (found.stop_reason, found.effort.simulations) == ("simulations", 20_001)
    searcher.stop()
    assert searcher.run(Limits(simulations=10**9, target_standard_error=1e-3)).stop_reason == "stopped"
    timed = opening(2, 1).run(Limits(seconds=0.05, target_standard_error=1e-3))
    assert timed.stop_reason == "time"


def test_a_search_told_to_go_on_continues_its_tree() -> None:
    round_ = Round.deal(2, 1)
    search = Search(round_.view(round_.seat).core(), 1, SearchOptions(equity=load(2).core))
    assert search.run(100_000, 60.0, 0.0, 5.0) == "precise"
    known = search.simulations
    assert search.run(100_000, 60.0, 0.0, 5.0) == "precise"
    assert search.simulations == known
    assert search.run(100_000, 60.0, 0.0, 5.0, 1, known + 1000) == "precise"
    assert known + 1000 <= search.simulations < known + 1100
