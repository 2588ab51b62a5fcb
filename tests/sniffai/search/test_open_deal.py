"""Study of rounds whose tiles are all known."""

import threading
import time

import numpy as np
import pytest

import sniffai
from sniffai import DealSearcher, Limits, Round, SearchParams, SniffError, analyze_deal
from sniffai.rules import team_of
from sniffai.search.candidates import distinct_moves
from sniffai.search.params import Objective
from sniffai.search.solver import solve_moves


def middle(players: int, seed: int, placements: int = 4) -> Round:
    round_ = Round.deal(players, seed)
    while len(round_.moves) < placements or len(distinct_moves(round_.view(round_.seat))) < 2:
        round_.play(round_.legal_moves()[0])
    return round_


@pytest.mark.parametrize("objective", ["round", "match"])
@pytest.mark.parametrize("players", [2, 4])
def test_with_two_teams_the_round_is_solved(players: int, objective: Objective) -> None:
    params = SearchParams(objective=objective)
    for seed in range(4):
        round_ = middle(players, seed)
        found = analyze_deal(round_, params=params)
        truth = solve_moves(round_, objective=objective)
        assert truth is not None
        assert (found.source, found.stop_reason, found.deterministic) == ("exact", "exact", True)
        assert [entry.move for entry in found.moves] == [entry.move for entry in truth]
        assert [entry.loss_significant for entry in found.moves] == [entry.loss > 0 for entry in truth]
        assert sum(entry.best_probability or 0 for entry in found.moves) == pytest.approx(1)
        assert not any(step.estimated for entry in found.moves for step in entry.line)
        sign = -1 if team_of(players, round_.seat) else 1
        for entry, true in zip(found.moves, truth, strict=True):
            both = [(value.expected_margin, value.win_probability) for value in entry.values]
            assert both == [(true.margin, true.chance), (-true.margin, 1 - true.chance)]
            assert entry.expected_margin == sign * true.margin
            assert entry.loss == sign * (truth[0].margin - true.margin)
            assert entry.win_probability_loss == pytest.approx(sign * (truth[0].chance - true.chance))
            assert true.loss == pytest.approx(
                entry.win_probability_loss if objective == "match" else entry.loss, abs=1e-4
            )


def test_with_three_seats_this_one_world_is_searched() -> None:
    round_ = middle(3, 2)
    first, second = (analyze_deal(round_, Limits(simulations=3000), seed=5) for _ in range(2))
    assert first.moves == second.moves
    assert (first.source, first.stop_reason) == ("search", "simulations")
    assert (first.worlds_used, first.effective_sample_size, first.belief.world_count) == (1, 1.0, 1)
    assert not any(step.estimated for entry in first.moves for step in entry.line)
    assert all(sum(value.win_probability for value in entry.values) == pytest.approx(1) for entry in first.moves)
    other = Round(
        players=3,
        hands=round_.start.hands,
        talon=round_.start.talon[::-1],
        leader=round_.start.leader,
        scores=round_.start.scores,
    )
    for move in round_.moves:
        other.play(move)
    assert analyze_deal(other, Limits(simulations=3000), seed=5).moves != first.moves


@pytest.mark.parametrize("objective", ["round", "match"])
def test_a_search_of_an_open_deal_finds_what_the_solver_proves(objective: Objective) -> None:
    agreed = 0
    for seed in range(6):
        round_ = middle(2, seed, placements=8)
        losses = {entry.move: entry.loss for entry in solve_moves(round_, objective=objective) or ()}
        searched = analyze_deal(
            round_, Limits(simulations=20_000), params=SearchParams(exact=False, objective=objective)
        )
        assert searched.source == "search"
        agreed += losses[searched.moves[0].move] == 0
    assert agreed >= 5


def test_the_belief_says_where_every_tile_lies() -> None:
    round_ = middle(4, 1)
    table = analyze_deal(round_).belief.table
    for place, tiles in enumerate([*round_.hands, round_.talon]):
        assert [sniffai.TILES[i] for i in np.flatnonzero(table[:, place])] == sorted(tiles)


def test_a_forced_move_is_answered_at_once() -> None:
    round_ = Round.deal(2, 1)
    while len(round_.legal_moves()) > 1:
        round_.play(round_.legal_moves()[0])
    found = analyze_deal(round_)
    assert (found.source, len(found.moves)) == ("forced", 1)


def test_the_round_of_the_caller_is_left_alone() -> None:
    round_ = middle(3, 2)
    text = round_.to_text()
    searcher = DealSearcher(round_)
    round_.play(round_.legal_moves()[0])
    assert searcher.run(Limits(simulations=200)).source == "search"
    assert round_.to_text() != text


def test_moves_of_a_deal_are_included_and_excluded() -> None:
    for players in (2, 3):
        round_ = middle(players, 2)
        best = analyze_deal(round_, Limits(simulations=500)).moves[0].move
        rest = analyze_deal(round_, Limits(simulations=500), exclude_moves=[best])
        assert best not in {entry.move for entry in rest.moves}
        assert rest.moves[0].loss == 0
        assert rest.omitted_move_count == 1


def test_what_is_no_round_to_study_is_refused() -> None:
    round_ = Round.deal(2, 1)
    with pytest.raises(SniffError) as error:
        analyze_deal(round_.view(0))  # type: ignore[arg-type]
    assert error.value.reason == "NOT_A_ROUND"
    while not round_.over:
        round_.play(round_.legal_moves()[0])
    with pytest.raises(SniffError) as error:
        analyze_deal(round_)
    assert error.value.reason == "ROUND_OVER"


def test_a_solver_without_time_leaves_the_rest_to_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fifth deal takes 800,000 placements; a thousandth of a second is not enough for them."""
    found = analyze_deal(Round.deal(2, 5), Limits(seconds=0.002, simulations=10))
    assert found.source == "search"
    assert not found.deterministic


def test_a_stop_ends_the_solver() -> None:
    searcher = DealSearcher(Round.deal(2, 5))
    searcher.stop()
    started = time.perf_counter()
    found = searcher.run(Limits(seconds=60))
    assert (found.source, found.stop_reason, found.effort.simulations) == ("search", "stopped", 0)
    assert time.perf_counter() - started < 5
    again = DealSearcher(Round.deal(3, 5))
    threading.Timer(0.05, again.stop).start()
    assert again.run(Limits(seconds=60)).stop_reason == "stopped"
