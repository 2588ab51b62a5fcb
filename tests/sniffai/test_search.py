"""The search: limits, stopping, determinism, forced moves, and what an answer says."""

import math
import threading
import time
from typing import Any

import pytest

import sniffai
from sniffai import Limits, Round, Searcher, SearchParams, View, analyze, recommend
from sniffai.params import MIN_MEMORY_BYTES
from sniffai.rules import PLAYERS, team_of
from sniffai.search import distinct_moves


def decisions(players: int, seed: int, least: int = 2) -> list[View]:
    """The views of one played round that leave at least so many distinct moves."""
    found = []
    round_ = Round.deal(players, seed)
    while not round_.over:
        view = round_.view(round_.seat)
        if len(distinct_moves(view)) >= least:
            found.append(view)
        round_.play(round_.legal_moves()[-1])
    return found


@pytest.mark.parametrize("players", PLAYERS)
def test_same_view_seed_and_simulations_give_the_same_answer(players: int) -> None:
    for view in decisions(players, 5):
        first, second = (analyze(view, Limits(simulations=700), seed=11) for _ in range(2))
        assert first.moves == second.moves
        assert first.root_value == second.root_value
        assert first.deterministic


def test_another_seed_gives_another_tree() -> None:
    view = Round.deal(2, 1).view(0) if Round.deal(2, 1).seat == 0 else Round.deal(2, 1).view(1)
    visits = {tuple(entry.visits for entry in analyze(view, Limits(simulations=700), seed=s).moves) for s in range(5)}
    assert len(visits) > 1


@pytest.mark.parametrize("players", PLAYERS)
def test_an_answer_adds_up(players: int) -> None:
    for view in decisions(players, 3):
        analysis = analyze(view, Limits(simulations=900), seed=2)
        assert analysis.action == "play"
        assert analysis.source == "search"
        assert analysis.stop == "simulations"
        assert analysis.effort.simulations == 900
        assert sum(entry.visits for entry in analysis.moves) == 900
        assert [entry.rank for entry in analysis.moves] == list(range(1, len(analysis.moves) + 1))
        assert [entry.visits for entry in analysis.moves] == sorted((e.visits for e in analysis.moves), reverse=True)
        named = [str(entry.move.tile) + point for entry in analysis.moves for point in entry.equal_points or [""]]
        assert sorted(named) == sorted(str(m.tile) + (m.at or "") for m in view.legal_moves())
        check_values(view, analysis)


def check_values(view: View, analysis: sniffai.Analysis) -> None:
    """Values are absolute by team: they sum to nothing over the teams, and the mover's is the headline."""
    mover = team_of(view.players, view.seat)
    for entry in analysis.moves:
        assert math.fsum(value.mean_margin for value in entry.values) == pytest.approx(0, abs=1e-6)
        assert entry.mean_margin == entry.values[mover].mean_margin
        assert entry.points_now == view.points(entry.move)
        assert entry.line[0].move == entry.move
        assert not entry.line[0].estimated
        assert all(step.estimated for step in entry.line[1:])
        assert entry.loss is not None and entry.loss >= 0
    assert analysis.moves[0].loss == 0
    total = math.fsum(entry.visits * (entry.mean_margin or 0) for entry in analysis.moves)
    assert analysis.root_value[mover].mean_margin == pytest.approx(total / 900)


def test_every_move_is_listed_even_with_one_simulation() -> None:
    view = decisions(2, 8, least=4)[0]
    analysis = analyze(view, Limits(simulations=1), seed=1)
    assert len(analysis.moves) == len(distinct_moves(view))
    assert [entry.visits for entry in analysis.moves] == [1] + [0] * (len(analysis.moves) - 1)
    unvisited = analysis.moves[-1]
    assert unvisited.values == () and unvisited.mean_margin is None and unvisited.loss is None


def test_a_forced_move_answers_at_once_and_says_so() -> None:
    round_ = Round.deal(2, 1)
    while len(distinct_moves(round_.view(round_.seat))) > 1:
        round_.play(round_.legal_moves()[0])
    analysis = analyze(round_.view(round_.seat), Limits(seconds=60))
    assert (analysis.source, analysis.stop, analysis.effort.simulations) == ("forced", "forced", 0)
    assert analysis.deterministic
    assert len(analysis.moves) == 1


def must_draw() -> View:
    """Seat 1 holds nothing that fits 6|6."""
    hand = ["0|0", "0|1", "1|1", "1|2", "2|2", "2|3", "3|3"]
    events = [{"play": "6|6", "at": None, "seat": 0}]
    return View.from_events(players=2, seat=1, leader=0, hand=hand, events=events, scores=[0, 0])


def test_a_seat_that_must_draw_is_told_so() -> None:
    analysis = analyze(must_draw(), Limits(seconds=60))
    assert (analysis.action, analysis.moves, analysis.source) == ("draw", (), "forced")
    with pytest.raises(sniffai.ViewError) as error:
        recommend(must_draw())
    assert error.value.reason == "NOT_TO_PLAY"


def test_a_seat_that_is_not_to_move_has_nothing_to_analyse() -> None:
    round_ = Round.deal(2, 1)
    with pytest.raises(sniffai.ViewError) as error:
        analyze(round_.view(1 - round_.seat))
    assert (error.value.reason, error.value.field) == ("NOT_THE_TURN", "seat")


def test_the_clock_ends_a_search() -> None:
    view = decisions(2, 1)[0]
    started = time.perf_counter()
    analysis = analyze(view, Limits(seconds=0.05))
    assert analysis.stop == "seconds"
    assert not analysis.deterministic
    assert 0.04 < analysis.effort.seconds < 5
    assert time.perf_counter() - started < 5


def test_the_memory_cap_is_kept_and_ends_the_search() -> None:
    view = decisions(2, 1)[0]
    analysis = analyze(view, Limits(simulations=10**9, memory_bytes=MIN_MEMORY_BYTES))
    assert analysis.stop == "memory"
    assert MIN_MEMORY_BYTES / 2 < analysis.effort.memory_bytes <= MIN_MEMORY_BYTES
    assert analysis.effort.memory_bytes < 32 * analysis.effort.nodes


def test_a_stop_from_another_thread_ends_the_run() -> None:
    searcher = Searcher(decisions(2, 1)[0])
    threading.Timer(0.05, searcher.stop).start()
    analysis = searcher.run(Limits(seconds=60))
    assert analysis.stop == "stopped"
    assert analysis.effort.seconds < 10
    assert analysis.effort.simulations > 0


def test_a_stop_before_the_run_ends_it_at_once() -> None:
    searcher = Searcher(decisions(2, 1)[0])
    searcher.stop()
    analysis = searcher.run(Limits(seconds=60))
    assert (analysis.stop, analysis.effort.simulations) == ("stopped", 0)
    assert analysis.root_value == ()


def test_a_second_run_goes_on_with_the_tree() -> None:
    view = decisions(2, 1)[0]
    searcher = Searcher(view, seed=4)
    searcher.run(Limits(simulations=300))
    again = searcher.run(Limits(simulations=900))
    assert again.moves == analyze(view, Limits(simulations=900), seed=4).moves


def test_runs_of_one_searcher_from_several_threads_wait_for_each_other() -> None:
    view = decisions(2, 1)[0]
    searcher = Searcher(view, seed=4)
    totals = [200, 900, 500, 700]
    threads = [threading.Thread(target=searcher.run, args=(Limits(simulations=total),)) for total in totals]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    analysis = searcher.run(Limits(simulations=900))
    assert analysis.effort.simulations == 900
    assert analysis.moves == analyze(view, Limits(simulations=900), seed=4).moves


@pytest.mark.parametrize("wrong", [{"limits": 5}, {"params": 5}, {"seed": None}, {"threads": None}])
def test_arguments_of_another_kind_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(sniffai.LimitsError) as error:
        analyze(decisions(2, 1)[0], **wrong)
    assert [error.value.field] == list(wrong)


def test_something_else_than_a_view_is_refused() -> None:
    with pytest.raises(sniffai.ViewError) as error:
        analyze("view")  # type: ignore[arg-type]
    assert error.value.field == "view"


def test_without_limits_the_default_time_holds() -> None:
    limits = Limits().effective()
    assert limits.seconds == 1.0
    assert limits.memory_bytes
    assert Limits(simulations=5).effective().seconds is None


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"simulations": 0}, "simulations"),
        ({"simulations": -1}, "simulations"),
        ({"simulations": 2**63}, "simulations"),
        ({"simulations": True}, "simulations"),
        ({"simulations": 1.5}, "simulations"),
        ({"seconds": 0}, "seconds"),
        ({"seconds": -0.1}, "seconds"),
        ({"seconds": math.inf}, "seconds"),
        ({"seconds": math.nan}, "seconds"),
        ({"seconds": "1"}, "seconds"),
        ({"seconds": 1e305}, "seconds"),
        ({"seconds": 10**400}, "seconds"),
        ({"simulations": 10**5000}, "simulations"),
        ({"stop_when_decided": "yes"}, "stop_when_decided"),
        ({"memory_bytes": MIN_MEMORY_BYTES - 1}, "memory_bytes"),
    ],
)
def test_limits_out_of_range_name_the_field(arguments: dict[str, object], field: str) -> None:
    with pytest.raises(sniffai.LimitsError) as error:
        Limits(**arguments)  # type: ignore[arg-type]
    assert error.value.field == field


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "7", True])
def test_a_seed_out_of_range_is_refused(seed: object) -> None:
    with pytest.raises(sniffai.LimitsError) as error:
        analyze(decisions(2, 1)[0], seed=seed)  # type: ignore[arg-type]
    assert error.value.field == "seed"


@pytest.mark.parametrize(
    "params",
    [{"exploration": -1.0}, {"exploration": math.nan}, {"epsilon": 1.01}, {"net_leaf": "x"}, {"inference": 1}],
)
def test_search_parameters_out_of_range_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(sniffai.LimitsError) as error:
        SearchParams(**params)
    assert [error.value.field] == list(params)


@pytest.mark.parametrize(
    "change",
    [
        {"exploration": 5.0},
        {"root_exploration": 5.0},
        {"inference": False},
        {"follow": True},
        {"forget": True},
        {"pool_share": 0.5},
        {"floor": 0.9},
        {"temperature": 0.5},
        {"lead_value": 100.0},
    ],
)
def test_each_search_parameter_changes_the_search(change: dict[str, Any]) -> None:
    """Where tiles are excluded, choices were made and going out is near; net leaves hide what rollouts would do."""
    view = decisions(2, 2)[4]
    for net_leaf in (False, True):
        plain, changed = (
            analyze(view, Limits(simulations=4000), seed=1, params=SearchParams(net_leaf=net_leaf, **params))
            for params in ({}, change)
        )
        assert plain.moves != changed.moves


@pytest.mark.parametrize("players", PLAYERS)
def test_leaves_are_valued_by_the_net_where_that_measures_better(players: int) -> None:
    view = decisions(players, 2)[2]
    shipped, rollouts, net = (
        analyze(view, Limits(simulations=1000), params=SearchParams(net_leaf=net_leaf)).moves
        for net_leaf in (None, False, True)
    )
    assert rollouts != net
    assert shipped == (net if players == 2 else rollouts)


def test_epsilon_changes_rollouts() -> None:
    view = decisions(2, 2)[0]
    greedy, random = (
        analyze(view, Limits(simulations=500), params=SearchParams(net_leaf=False, epsilon=epsilon))
        for epsilon in (0.0, 1.0)
    )
    assert greedy.moves != random.moves


@pytest.mark.parametrize("players", PLAYERS)
def test_threads_give_one_answer_again_and_again(players: int) -> None:
    view = decisions(players, 4)[1]
    first, second = (analyze(view, Limits(simulations=1001), seed=3, threads=3) for _ in range(2))
    assert first.moves == second.moves
    assert first.effort.simulations == 1001
    assert sum(entry.visits for entry in first.moves) == 1001
    assert {entry.availability for entry in first.moves} == {1001}
    assert first.moves != analyze(view, Limits(simulations=1001), seed=3).moves


def test_trees_put_together_have_the_mean_and_spread_of_all_their_simulations() -> None:
    view = decisions(2, 4)[1]
    searcher = Searcher(view, seed=3, threads=2)
    merged = searcher.run(Limits(simulations=1000)).moves
    single = analyze(view, Limits(simulations=1000), seed=3).moves
    by_move = {entry.move: entry for entry in single}
    for entry in merged[:2]:
        assert entry.mean_margin == pytest.approx(by_move[entry.move].mean_margin, abs=6)
        assert entry.values[0].standard_deviation == pytest.approx(
            by_move[entry.move].values[0].standard_deviation, rel=0.5
        )


@pytest.mark.parametrize("threads", [0, 65, 1.5, True])
def test_a_wrong_number_of_threads_is_refused(threads: Any) -> None:
    with pytest.raises(sniffai.LimitsError) as error:
        Searcher(decisions(2, 1)[0], threads=threads)
    assert error.value.field == "threads"


def test_a_decided_search_stops_early_with_the_move_of_a_long_one() -> None:
    """Where one move is far better than the rest, a small part of the simulations says so."""
    decided = 0
    for view in decisions(2, 6) + decisions(4, 6):
        analysis = analyze(view, Limits(simulations=100_000, stop_when_decided=True), seed=1)
        if analysis.stop == "decided":
            decided += 1
            assert analysis.effort.simulations < 100_000
            assert analysis.deterministic
            best = analyze(view, Limits(simulations=100_000), seed=2).moves[0]
            same = next(entry for entry in analysis.moves if entry.move == best.move)
            assert same.rank == 1 or (same.loss or 0) < 2
    assert decided >= 3


def test_the_winning_placement_is_preferred_to_a_larger_margin() -> None:
    """At 240 a placement for 10 wins the match; a margin of many points later does not make up for it (rules §7)."""
    view = View.from_text(
        "view players=2 seat=1 leader=0 scores=225,230 hand=0|2,0|6,1|2,2|2,2|3,2|6,6|6 : 4|6 2|6@4|6:HIGH 3|4@4|6:LOW "
        "2|3@2|6:LOW 0|3@2|3:HIGH 0|2@0|3:LOW 2|5@0|2:HIGH +0|5 0|5@2|5:HIGH 0|4@0|5:LOW +2|4 2|4@0|4:HIGH +1 "
        "3|6@3|4:LOW"
    )
    best = analyze(view, Limits(simulations=20_000), seed=1).moves[0]
    assert (str(best.move), best.points_now) == ("2|2@2|4:LOW", 10)
    margin_only = SearchParams(lead_value=0.0, target_value=0.0)
    assert analyze(view, Limits(simulations=20_000), seed=1, params=margin_only).moves[0].move != best.move


def ends(count: int) -> list[View]:
    """Decisions with 2 seats and an empty talon."""
    found: list[View] = []
    seed = 0
    while len(found) < count:
        found += [view for view in decisions(2, seed) if view.talon_size == 0]
        seed += 1
    return found


def test_an_end_without_hidden_tiles_is_solved() -> None:
    """Exact values: no error, the best move's loss is 0, and a long search that may not solve agrees."""
    for view in ends(12):
        analysis = analyze(view, Limits(seconds=60))
        assert (analysis.source, analysis.stop, analysis.effort.simulations) == ("exact", "exact", 0)
        assert analysis.deterministic
        assert analysis.moves[0].loss == 0
        assert all(value.standard_error == 0 for entry in analysis.moves for value in entry.values)
        assert all(entry.line[0].move == entry.move and len(entry.line) >= 1 for entry in analysis.moves)
        searched = analyze(view, Limits(simulations=20_000), params=SearchParams(exact=False))
        losses = {entry.move: entry.loss for entry in analysis.moves}
        assert losses[searched.moves[0].move] == 0
        assert all(not step.estimated for step in searched.moves[0].line)


def test_the_stated_error_covers_the_long_run_difference() -> None:
    """Over repeated searches the 95 % interval of the difference between the two best moves holds nine times in ten."""
    held = tried = 0
    for players in (2, 4):
        for deal in range(3):
            view = decisions(players, 30 + deal)[1]
            long = analyze(view, Limits(simulations=200_000), seed=99)
            first, second = (entry.move for entry in long.moves[:2])
            truth = (long.moves[0].mean_margin or 0) - (long.moves[1].mean_margin or 0)
            for seed in range(10):
                found = {e.move: e for e in analyze(view, Limits(simulations=2000), seed=seed).moves}
                gap = (found[first].mean_margin or 0) - (found[second].mean_margin or 0)
                error = math.hypot(found[first].standard_error or 0, found[second].standard_error or 0)
                held += abs(gap - truth) <= 1.96 * error
                tried += 1
    assert held >= 0.9 * tried, held


def test_a_target_within_reach_ends_the_round_there() -> None:
    """At 235 the 15 points that 4|1@4|4 scores win the match; nothing that follows counts (rules §7)."""
    events = [
        {"play": "4|4", "at": None, "seat": 0},
        {"play": "4|6", "at": "4|4:LINE_A", "seat": 1},
    ]
    hand = ["1|4", "0|4", "5|5", "5|6", "3|3", "2|2", "4|4"]
    view = View.from_events(players=2, seat=0, leader=0, hand=hand, events=events, scores=[235, 0])
    entry = next(entry for entry in analyze(view, Limits(simulations=2000)).moves if str(entry.move.tile) == "1|4")
    assert entry.points_now == 15
    assert (entry.mean_margin, entry.values[0].standard_deviation) == (15.0, 0.0)
    assert len(entry.line) == 1
