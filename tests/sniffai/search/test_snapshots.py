"""Snapshots of a search that goes on, the caller's end, and the target standard error."""

import time
from typing import Any

import pytest

import sniffai
from sniffai import Analysis, Limits, LimitsError, Round, Searcher, SearchParams, View, analyze
from sniffai.search.clock import ANSWER_SECONDS


def opening(players: int, seed: int = 3) -> View:
    round_ = Round.deal(players, seed)
    return round_.view(round_.seat)


@pytest.mark.parametrize("threads", [1, 2])
def test_snapshots_are_complete_and_change_nothing(threads: int) -> None:
    view, limits = opening(2), Limits(simulations=150_000)
    snapshots: list[Analysis] = []
    watched = Searcher(view, seed=1, threads=threads).run(limits, on_snapshot=snapshots.append, interval=0.01)
    assert watched.final
    assert watched.moves == analyze(view, limits, seed=1, threads=threads).moves
    assert len(snapshots) > 1
    efforts = [snapshot.effort.simulations for snapshot in snapshots]
    assert efforts == sorted(efforts)
    assert efforts[-1] <= 150_000
    for snapshot in snapshots:
        assert (snapshot.final, snapshot.stop_reason, snapshot.deterministic) == (False, "running", False)
        assert len(snapshot.moves) == len(watched.moves)
        assert sum(entry.visits for entry in snapshot.moves) == snapshot.effort.simulations


@pytest.mark.parametrize("limits", [{"stop_when_decided": True}, {"target_standard_error": 0.4}])
def test_early_stops_come_at_the_same_simulation_with_and_without_snapshots(limits: dict[str, Any]) -> None:
    for seed in range(3):
        view = opening(2, seed)
        plain = analyze(view, Limits(simulations=60_000, **limits), seed=1)
        searcher = Searcher(view, seed=1)
        watched = searcher.run(Limits(simulations=60_000, **limits), on_snapshot=lambda _: None, interval=0.003)
        assert (watched.stop_reason, watched.effort.simulations) == (plain.stop_reason, plain.effort.simulations)
        assert watched.moves == plain.moves


def test_a_forced_or_solved_answer_has_no_snapshot() -> None:
    def never(snapshot: Analysis) -> None:
        raise AssertionError(snapshot)

    round_ = Round.deal(2, 1)
    while len(round_.legal_moves()) > 1:
        round_.play(round_.legal_moves()[0])
    assert Searcher(round_.view(round_.seat)).run(on_snapshot=never, interval=1e-6).stop_reason == "forced"
    assert sniffai.DealSearcher(Round.deal(2, 1)).run(on_snapshot=never, interval=1e-6).stop_reason == "exact"


@pytest.mark.parametrize("interval", [0, -1, float("nan"), "1", True])
def test_an_interval_out_of_range_is_refused(interval: Any) -> None:
    with pytest.raises(LimitsError) as error:
        Searcher(opening(2)).run(interval=interval)
    assert error.value.field == "interval"


def test_a_given_end_is_kept_and_reported() -> None:
    searcher = Searcher(opening(2))
    end = time.monotonic() + 0.05
    found = searcher.run(Limits(seconds=30), end=end)
    assert found.stop_reason == "deadline"
    assert found.effective_limits.seconds == 30
    assert not found.deterministic
    assert -ANSWER_SECONDS <= time.monotonic() - end < 2
    assert Searcher(opening(2)).run(Limits(seconds=0.02), end=time.monotonic() + 30).stop_reason == "time"


def test_an_end_that_shrinks_the_pool_of_worlds_makes_an_answer_not_repeatable() -> None:
    """The pool is sized by the time that is left; then a clock had a part in the answer."""
    round_ = Round.deal(2, 3)
    for _ in range(6):
        round_.play(round_.legal_moves()[0])
    view = round_.view(round_.seat)
    limits = Limits(simulations=10_000)
    calm = Searcher(view).run(limits, end=time.monotonic() + 30)
    hurried = Searcher(view).run(limits, end=time.monotonic() - 1)
    assert calm.deterministic
    assert calm.moves == analyze(view, limits).moves
    assert not hurried.deterministic


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_target_standard_error_ends_the_search(players: int) -> None:
    limits = Limits(simulations=2_000_000, target_standard_error=0.8)
    found = analyze(opening(players), limits, seed=1)
    assert (found.stop_reason, found.deterministic) == ("precise", True)
    assert (found.moves[0].standard_error or 9) <= 0.8
    assert found.moves[0].visits >= 30
    assert found.effort.simulations < 2_000_000
    loose = analyze(opening(players), Limits(simulations=2_000_000, target_standard_error=2.0), seed=1)
    assert loose.effort.simulations < found.effort.simulations


@pytest.mark.parametrize("error", [0, -0.1, 1000.1, float("nan"), float("inf"), "1", True])
def test_a_target_standard_error_out_of_range_is_refused(error: Any) -> None:
    with pytest.raises(LimitsError) as refused:
        Limits(target_standard_error=error)
    assert refused.value.field == "target_standard_error"


def test_how_sure_a_loss_is() -> None:
    """A significant loss is one of more than two standard errors of the difference; few visits prove nothing."""
    found = analyze(opening(2), Limits(simulations=6000), seed=2)
    best = found.moves[0]
    assert not best.loss_significant
    for entry in found.moves[1:]:
        if entry.visits >= 30:
            lost = entry.win_probability_loss or 0
            error = ((entry.win_probability_error or 0) ** 2 + (best.win_probability_error or 0) ** 2) ** 0.5
            assert lost > 0.002
            assert entry.loss_significant == (lost > 2 * error)
            assert not (entry.loss_significant and (entry.best_probability or 0) > 0.05)
    assert any(entry.loss_significant for entry in found.moves)
    short = analyze(opening(2), Limits(simulations=8), seed=1)
    assert not any(entry.loss_significant for entry in short.moves)
    assert max(entry.best_probability or 0 for entry in short.moves) < 0.9
    assert {entry.best_probability is None for entry in short.moves if not entry.visits} <= {True}


def test_the_worlds_behind_an_answer_are_counted() -> None:
    round_ = Round.deal(2, 3)
    for _ in range(4):
        round_.play(round_.legal_moves()[0])
    found = analyze(round_.view(round_.seat), Limits(simulations=4000))
    assert found.worlds_used is not None
    assert found.effective_sample_size is not None
    assert 1 <= found.effective_sample_size <= found.worlds_used
    fresh = analyze(round_.view(round_.seat), Limits(simulations=400), params=SearchParams(inference=False))
    assert (fresh.worlds_used, fresh.effective_sample_size) == (None, None)
