"""The search: limits, stopping, determinism, forced moves, and what an answer says."""

import math
import threading
import time
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import sniffai
from sniffai import Limits, Move, MoveEvaluation, Round, Searcher, SearchParams, View, analyze, recommend
from sniffai.play.levels import named_player
from sniffai.rules import PLAYERS, TARGET, TEAMS, team_of
from sniffai.search.candidates import distinct_moves
from sniffai.search.params import MIN_MEMORY_BYTES, Objective
from sniffai_ext.root_statistics import MATCH_POINTS, ranked
from sniffai_ext.rows import RootMove
from tests import long_runs
from tests.long_runs import decisions
from tests.utility import in_order

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("players", PLAYERS)
def test_same_view_seed_and_simulations_give_the_same_answer(players: int) -> None:
    for view in decisions(players, 5):
        first, second = (analyze(view, Limits(simulations=700), seed=11) for _ in range(2))
        assert first.moves == second.moves
        assert first.root_values == second.root_values
        assert first.deterministic


def test_another_seed_gives_another_tree() -> None:
    view = Round.deal(2, 1).view(0) if Round.deal(2, 1).seat == 0 else Round.deal(2, 1).view(1)
    visits = {tuple(entry.visits for entry in analyze(view, Limits(simulations=700), seed=s).moves) for s in range(5)}
    assert len(visits) > 1


@pytest.mark.parametrize("objective", ["round", "match"])
@pytest.mark.parametrize("players", PLAYERS)
def test_an_answer_adds_up(players: int, objective: Objective) -> None:
    for view in decisions(players, 3):
        searcher = Searcher(view, seed=2, params=SearchParams(objective=objective))
        analysis = searcher.run(Limits(simulations=900))
        rows = searcher._cores[0].root_moves()
        assert analysis.action == "play"
        assert analysis.source == "search"
        assert analysis.stop_reason == "simulations"
        assert analysis.effort.simulations == 900
        assert sum(entry.visits for entry in analysis.moves) == 900
        assert [entry.rank for entry in analysis.moves] == list(range(1, len(analysis.moves) + 1))
        assert [entry.move.codes for entry in analysis.moves] == [
            (row.tile, row.at) for row in in_order(rows, team_of(players, view.seat), match=objective == "match")
        ]
        for entry, row in zip(analysis.moves, rows, strict=True):
            check_errors(entry, row, team_of(players, view.seat))
        named = [str(entry.move.tile) + point for entry in analysis.moves for point in entry.equal_points or [""]]
        assert sorted(named) == sorted(str(m.tile) + (m.at or "") for m in view.legal_moves())
        check_values(view, analysis)


def check_errors(entry: MoveEvaluation, row: RootMove, team: int) -> None:
    """Drift counts three times in what is told."""
    for error, once, drift in (
        (entry.standard_error, row.margin_errors[team], row.margin_drifts[team]),
        (entry.win_probability_error, row.chance_errors[team], row.chance_drifts[team]),
    ):
        assert error == pytest.approx(math.sqrt(once**2 + (3**2 - 1) * drift**2))


def check_values(view: View, analysis: sniffai.Analysis) -> None:
    """Values are absolute by team: margins sum to 0 over the teams, chances to 1; the mover's are the headline."""
    mover = team_of(view.players, view.seat)
    best = analysis.moves[0]
    for entry in analysis.moves:
        assert [value.team for value in entry.values] == list(range(TEAMS[view.players]))
        assert math.fsum(value.expected_margin for value in entry.values) == pytest.approx(0, abs=1e-6)
        assert math.fsum(value.win_probability for value in entry.values) == pytest.approx(1, abs=1e-6)
        assert all(0 <= value.win_probability <= 1 for value in entry.values)
        own = entry.values[mover]
        assert (entry.expected_margin, entry.standard_error) == (own.expected_margin, own.standard_error)
        assert (entry.win_probability, entry.win_probability_error) == (own.win_probability, own.win_probability_error)
        assert entry.points_now == view.points(entry.move)
        assert entry.line[0].move == entry.move
        assert not entry.line[0].estimated
        assert all(step.estimated for step in entry.line[1:])
        assert entry.loss == pytest.approx((best.expected_margin or 0) - own.expected_margin)
        assert entry.win_probability_loss == pytest.approx((best.win_probability or 0) - own.win_probability)
    assert (best.loss, best.win_probability_loss, best.loss_significant) == (0, 0, False)
    assert math.fsum(entry.best_probability or 0 for entry in analysis.moves) == pytest.approx(1)
    root = analysis.root_values[mover]
    for told, name in ((root.expected_margin, "expected_margin"), (root.win_probability, "win_probability")):
        assert told == pytest.approx(math.fsum(entry.visits * getattr(entry, name) for entry in analysis.moves) / 900)
    assert math.fsum(value.win_probability for value in analysis.root_values) == pytest.approx(1, abs=1e-6)


def test_every_move_is_listed_even_with_one_simulation() -> None:
    view = decisions(2, 8, least=4)[0]
    analysis = analyze(view, Limits(simulations=1), seed=1)
    assert len(analysis.moves) == len(distinct_moves(view))
    assert [entry.visits for entry in analysis.moves] == [1] + [0] * (len(analysis.moves) - 1)
    unvisited = analysis.moves[-1]
    assert unvisited.values == () and unvisited.expected_margin is None and unvisited.loss is None
    assert (unvisited.win_probability, unvisited.win_probability_error) == (None, None)
    assert (unvisited.win_probability_loss, unvisited.best_probability) == (None, None)


def test_a_forced_move_answers_at_once_and_says_so() -> None:
    round_ = Round.deal(2, 1)
    while len(distinct_moves(round_.view(round_.seat))) > 1:
        round_.play(round_.legal_moves()[0])
    analysis = analyze(round_.view(round_.seat), Limits(seconds=60))
    assert (analysis.source, analysis.stop_reason, analysis.effort.simulations) == ("forced", "forced", 0)
    assert analysis.deterministic
    assert len(analysis.moves) == 1


def must_draw() -> View:
    """Seat 1 holds nothing that fits 6|6."""
    hand = ["0|0", "0|1", "1|1", "1|2", "2|2", "2|3", "3|3"]
    events = [{"play": "6|6", "at": None, "seat": 0}]
    return View.from_events(players=2, seat=1, leader=0, hand=hand, events=events, scores=[0, 0])


def test_a_seat_that_must_draw_gets_that_answer() -> None:
    analysis = analyze(must_draw(), Limits(seconds=60))
    assert (analysis.action, analysis.moves, analysis.source) == ("draw", (), "forced")
    with pytest.raises(sniffai.ViewError) as error:
        recommend(must_draw())
    assert error.value.reason == "NOT_TO_PLAY"
    with pytest.raises(sniffai.ViewError) as error:
        Searcher(must_draw()).choose()
    assert error.value.reason == "NOT_TO_PLAY"


@pytest.mark.parametrize("players", PLAYERS)
def test_the_choice_is_the_first_move_of_the_analysis(players: int) -> None:
    sources = {chosen(view, excluded) for view in decisions(players, 5, least=1) for excluded in ((), last_move(view))}
    assert sources == {"search", "forced"}


def last_move(view: View) -> list[Move]:
    return distinct_moves(view)[1:][-1:]


def chosen(view: View, excluded: Sequence[Move]) -> str:
    """The source of an analysis whose first move is the one that is chosen."""
    limits = Limits(simulations=300)
    analysis = analyze(view, limits, seed=7, threads=2, exclude_moves=excluded)
    searcher = Searcher(view, seed=7, threads=2, exclude_moves=excluded)
    assert analysis.best is not None
    assert searcher.choose(limits) == analysis.best.move
    assert searcher.simulations == analysis.effort.simulations
    return analysis.source


def test_a_run_goes_on_after_a_choice() -> None:
    view = decisions(2, 5)[0]
    searcher = Searcher(view, seed=7)
    searcher.choose(Limits(simulations=300))
    assert searcher.run(Limits(simulations=300)).moves == analyze(view, Limits(simulations=300), seed=7).moves
    with pytest.raises(sniffai.LimitsError) as error:
        searcher.choose(300)  # type: ignore[arg-type]
    assert (error.value.field, error.value.reason) == ("limits", "NOT_LIMITS")


def test_a_seat_that_is_not_to_move_has_nothing_to_analyse() -> None:
    round_ = Round.deal(2, 1)
    with pytest.raises(sniffai.ViewError) as error:
        analyze(round_.view(1 - round_.seat))
    assert (error.value.reason, error.value.field) == ("NOT_THE_TURN", "seat")


def test_the_clock_ends_a_search() -> None:
    view = decisions(2, 1)[0]
    started = time.perf_counter()
    analysis = analyze(view, Limits(seconds=0.05))
    assert analysis.stop_reason == "time"
    assert not analysis.deterministic
    assert 0.04 < analysis.effort.seconds < 5
    assert time.perf_counter() - started < 5


def test_the_memory_cap_is_kept_and_ends_the_search() -> None:
    view = decisions(2, 1)[0]
    analysis = analyze(view, Limits(simulations=10**9, memory_bytes=MIN_MEMORY_BYTES))
    assert analysis.stop_reason == "memory"
    assert MIN_MEMORY_BYTES / 2 < analysis.effort.memory_bytes <= MIN_MEMORY_BYTES
    assert analysis.effort.memory_bytes < 32 * analysis.effort.node_count


def test_a_stop_from_another_thread_ends_the_run() -> None:
    searcher = Searcher(decisions(2, 1)[0])
    threading.Timer(0.05, searcher.stop).start()
    analysis = searcher.run(Limits(seconds=60))
    assert analysis.stop_reason == "stopped"
    assert analysis.effort.seconds < 10
    assert analysis.effort.simulations > 0


def test_a_stop_before_the_run_ends_it_at_once() -> None:
    searcher = Searcher(decisions(2, 1)[0])
    searcher.stop()
    analysis = searcher.run(Limits(seconds=60))
    assert (analysis.stop_reason, analysis.effort.simulations) == ("stopped", 0)
    assert analysis.root_values == ()


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


def test_only_a_view_is_accepted() -> None:
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
    ("params", "reason"),
    [
        ({"exploration": -1.0}, "OUT_OF_RANGE"),
        ({"exploration": math.nan}, "OUT_OF_RANGE"),
        ({"exploration": "wide"}, "NOT_A_NUMBER"),
        ({"exploration": None}, "NOT_A_NUMBER"),
        ({"root_exploration": 1e7}, "OUT_OF_RANGE"),
        ({"root_exploration": True}, "NOT_A_NUMBER"),
        ({"by_spread": -0.1}, "OUT_OF_RANGE"),
        ({"by_spread": 101}, "OUT_OF_RANGE"),
        ({"by_spread": math.inf}, "OUT_OF_RANGE"),
        ({"root_share": 1.01}, "OUT_OF_RANGE"),
        ({"root_share": -0.01}, "OUT_OF_RANGE"),
        ({"root_share": False}, "NOT_A_NUMBER"),
        ({"epsilon": 1.01}, "OUT_OF_RANGE"),
        ({"pool_share": 2}, "OUT_OF_RANGE"),
        ({"extra_worlds": -1}, "OUT_OF_RANGE"),
        ({"extra_worlds": 101}, "OUT_OF_RANGE"),
        ({"extra_worlds": [16]}, "NOT_A_NUMBER"),
        ({"floor": 0}, "OUT_OF_RANGE"),
        ({"temperature": 0}, "OUT_OF_RANGE"),
        ({"net_leaf": "x"}, "NOT_A_FLAG"),
        ({"inference": 1}, "NOT_A_FLAG"),
        ({"objective": 1}, "UNKNOWN_OBJECTIVE"),
        ({"objective": None}, "UNKNOWN_OBJECTIVE"),
        ({"objective": "points"}, "UNKNOWN_OBJECTIVE"),
    ],
)
def test_search_parameters_out_of_range_are_refused(params: dict[str, Any], reason: str) -> None:
    with pytest.raises(sniffai.LimitsError) as error:
        SearchParams(**params)
    assert [error.value.field] == list(params)
    assert error.value.reason == reason


@pytest.mark.parametrize("name", ["lead_value", "target_value"])
def test_the_removed_parameters_are_refused(name: str) -> None:
    """What counts beyond the round is match equity; nobody sets numbers of points for it."""
    with pytest.raises(TypeError):
        SearchParams(**{name: 6.0})
    with pytest.raises(sniffai.LimitsError, match=name):
        named_player(f"search:{name}=6")


@pytest.mark.parametrize(
    "change",
    [
        {"exploration": 160.0},
        {"root_exploration": 160.0},
        {"by_spread": 3.0},
        {"root_share": 0.9},
        {"common_worlds": False},
        {"inference": False},
        {"follow": 1.0},
        {"forget": True},
        {"pool_share": 0.5},
        {"extra_worlds": 0.0},
        {"floor": 0.9},
        {"temperature": 0.5},
        {"objective": "round"},
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
def test_leaves_are_valued_by_the_net_or_rolled_out(players: int) -> None:
    view = decisions(players, 2)[2]
    shipped, rollouts, net = (
        analyze(view, Limits(simulations=1000), params=params).moves
        for params in (SearchParams(), SearchParams(net_leaf=False), SearchParams(net_leaf=True))
    )
    assert shipped == net != rollouts


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
        assert entry.expected_margin == pytest.approx(by_move[entry.move].expected_margin, abs=6)
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
        analysis = analyze(view, Limits(simulations=50_000, stop_when_decided=True), seed=1)
        if analysis.stop_reason == "decided":
            decided += 1
            assert analysis.effort.simulations < 50_000
            assert analysis.deterministic
            long = analyze(view, Limits(simulations=50_000), seed=2)
            same = next(entry for entry in long.moves if entry.move == analysis.moves[0].move)
            assert same.rank == 1 or MATCH_POINTS * (same.win_probability_loss or 0) < 2
    assert decided >= 10


def test_the_winning_placement_is_preferred_to_a_larger_margin() -> None:
    """At 240 a placement for 10 wins the match; a margin of many points later does not make up for it (rules §7)."""
    view = View.from_text(
        "view players=2 seat=1 leader=0 scores=225,230 hand=0|2,0|6,1|2,2|2,2|3,2|6,6|6 : 4|6 2|6@4|6:HIGH 3|4@4|6:LOW "
        "2|3@2|6:LOW 0|3@2|3:HIGH 0|2@0|3:LOW 2|5@0|2:HIGH +0|5 0|5@2|5:HIGH 0|4@0|5:LOW +2|4 2|4@0|4:HIGH +1 "
        "3|6@3|4:LOW"
    )
    best = analyze(view, Limits(simulations=20_000), seed=1).moves[0]
    assert (str(best.move), best.points_now) == ("2|2@2|4:LOW", 10)
    assert best.win_probability == 1.0
    assert 0 < (best.win_probability_error or 0) < 1e-4
    by_margin = analyze(view, Limits(simulations=20_000), seed=1, params=SearchParams(objective="round")).moves[0]
    assert by_margin.move != best.move
    assert (by_margin.expected_margin or 0) > (best.expected_margin or 0)
    assert (by_margin.win_probability or 0) < 1


def near_the_target(players: int, count: int) -> list[View]:
    """Decisions 10 points before the target, for everyone, in which some move scores as much and some does not."""
    found: list[View] = []
    for seed in range(100):
        round_ = Round.deal(players, seed)
        while not round_.over:
            view = round_.view(round_.seat)
            points = [view.points(move) for move in distinct_moves(view)]
            if len(round_.moves) >= 2 and max(points) >= 10 > min(points):
                found.append(at_scores(round_, [TARGET[players] - 10] * TEAMS[players]))
                break
            round_.play(round_.legal_moves()[-1])
        if len(found) == count:
            return found
    raise AssertionError("too few positions")


def at_scores(round_: Round, scores: list[int]) -> View:
    """What the seat to move knows of a round, with other scores now."""
    view = round_.view(round_.seat)
    before = [
        now - (scored - start) for now, scored, start in zip(scores, round_.scores, round_.start.scores, strict=True)
    ]
    return View.from_events(
        players=view.players, seat=view.seat, leader=view.leader, hand=view.dealt, events=view.events, scores=before
    )


@pytest.mark.parametrize("net_leaf", [False, True])
@pytest.mark.parametrize("players", PLAYERS)
def test_a_move_that_reaches_the_target_now_is_first_and_certain(players: int, net_leaf: bool) -> None:
    """At 240 each, or 190: it ends the match at once (rules §7), whatever a leaf of another move may be worth."""
    for view in near_the_target(players, 6):
        assert set(view.scores_now) == {TARGET[players] - 10}
        team = team_of(players, view.seat)
        analysis = analyze(view, Limits(simulations=3000), seed=3, params=SearchParams(net_leaf=net_leaf))
        assert analysis.moves[0].points_now >= 10
        for entry in analysis.moves:
            assert math.fsum(value.win_probability for value in entry.values) == pytest.approx(1, abs=1e-6)
            if entry.points_now >= 10:
                assert [value.win_probability for value in entry.values] == [
                    float(k == team) for k in range(TEAMS[players])
                ]
                assert all(0 < value.win_probability_error < 0.001 for value in entry.values)
                assert len(entry.line) == 1
            else:
                assert (entry.win_probability or 0) < 1
                assert entry.loss_significant


def ends(count: int) -> list[View]:
    """Decisions with 2 seats and an empty talon."""
    found: list[View] = []
    seed = 0
    while len(found) < count:
        found += [view for view in decisions(2, seed) if view.talon_size == 0]
        seed += 1
    return found


@pytest.mark.parametrize("objective", ["round", "match"])
def test_an_end_without_hidden_tiles_is_solved(objective: Objective) -> None:
    """Exact values: no error, the best move's loss is 0, and a long search that may not solve agrees."""
    for view in ends(12):
        analysis = analyze(view, Limits(seconds=60), params=SearchParams(objective=objective))
        assert (analysis.source, analysis.stop_reason, analysis.effort.simulations) == ("exact", "exact", 0)
        assert analysis.deterministic
        assert (analysis.moves[0].loss, analysis.moves[0].win_probability_loss) == (0, 0)
        values = [value for entry in analysis.moves for value in entry.values]
        assert {(value.standard_error, value.win_probability_error) for value in values} == {(0, 0)}
        assert all(entry.line[0].move == entry.move and len(entry.line) >= 1 for entry in analysis.moves)
        searched = analyze(view, Limits(simulations=20_000), params=SearchParams(exact=False, objective=objective))
        found = next(entry for entry in analysis.moves if entry.move == searched.moves[0].move)
        assert not found.loss_significant
        assert (found.win_probability_loss if objective == "match" else found.loss) == pytest.approx(0, abs=1e-4)
        assert all(not step.estimated for step in searched.moves[0].line)


@pytest.mark.parametrize(("simulations", "threads"), [(2000, 1), (10_000, 1), (2000, 4), (10_000, 2)])
def test_the_stated_error_covers_the_long_run_difference(simulations: int, threads: int) -> None:
    """Over repeated searches the 95 % interval of the difference between the two best moves holds nine times in ten.

    Of their margins, and of their chances to win the match. The long runs are recorded (tests/long_runs.py).
    """
    held = {"margin": 0, "chance": 0}
    tried = 0
    limits = Limits(simulations=simulations)
    for run in long_runs.recorded()["runs"]:
        view = View.from_text(run["view"])
        for seed in range(3):
            moves = {str(e.move): e for e in analyze(view, limits, seed=seed, threads=threads).moves}
            pair = [moves[name] for name in run["moves"]]
            margins = [(entry.expected_margin or 0, entry.standard_error or 0) for entry in pair]
            chances = [(entry.win_probability or 0, entry.win_probability_error or 0) for entry in pair]
            held["margin"] += within(margins, run["margin_difference"])
            held["chance"] += within(chances, run["chance_difference"])
            tried += 1
    assert tried == 3 * len(PLAYERS) * len(long_runs.DEALS)
    assert min(held.values()) >= 0.9 * tried, held


def within(stated: list[tuple[float, float]], difference: float) -> bool:
    """Whether a difference of two values lies in the 95 % interval of two values stated with their errors."""
    (first, error), (second, other) = stated
    return abs(first - second - difference) <= 1.96 * math.hypot(error, other)


@pytest.mark.parametrize("players", PLAYERS)
def test_a_recorded_long_run_is_what_the_search_finds(players: int) -> None:
    """One of each number of seats; `python -m tests.long_runs --check` searches all of them."""
    recorded = long_runs.recorded()
    assert recorded["bench"] == int((ROOT / "benchmarks" / "signature.txt").read_text()), (
        "run python -m tests.long_runs"
    )
    run = next(run for run in recorded["runs"] if run["players"] == players)
    assert long_runs.long_run(players, run["deal"]) == run


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
    assert (entry.expected_margin, entry.values[0].standard_deviation) == (15.0, 0.0)
    assert len(entry.line) == 1


# The order of preference


def row(at: int, visits: int, utility: float, error: float) -> RootMove:
    """A root move; its order depends on its visits, its utility and its error only."""
    none = (0.0, 0.0)
    return RootMove(
        3, at, visits, 1000, none, none, none, utility, error, (0.5, 0.5), none, none, 0.0, none, proven=False
    )


@pytest.mark.parametrize(
    "rows",
    [
        [row(0, 500, 10.0, 2.0), row(1, 100, 9.0, 0.5)],  # more utility, even less half its error
        [row(1, 400, 9.5, 0.5), row(0, 40, 10.0, 3.0)],  # of two that look alike the better known one
        [row(0, 40, 12.0, 3.0), row(1, 400, 9.5, 0.5)],  # but not where the other is far better
        [row(1, 30, -90.0, 0.0), row(0, 29, 90.0, 0.0)],  # few visits come after many, however well they look
        [row(1, 29, -5.0, 9.0), row(2, 12, 50.0, 1.0), row(0, 0, 0.0, 0.0)],  # and among themselves by visits
        [row(0, 29, 7.0, 0.0), row(1, 29, 5.0, 0.0)],  # then by utility
        [row(0, 100, 7.0, 1.0), row(1, 100, 7.0, 1.0)],  # then by tile and attachment point
    ],
)
def test_the_order_of_root_moves(rows: list[RootMove]) -> None:
    for given in permutations(rows):
        assert ranked(given) == rows


# How the simulations are spread


@pytest.mark.parametrize("players", PLAYERS)
def test_every_root_move_gets_its_share_of_the_visits(players: int) -> None:
    for view in decisions(players, 7, least=3)[:4]:
        count = len(distinct_moves(view))
        for share in (0.0, 0.3, 0.5, 1.0):
            params = SearchParams(root_share=share, root_exploration=1.0, by_spread=0.0)
            visits = [entry.visits for entry in analyze(view, Limits(simulations=4000), seed=2, params=params).moves]
            assert sum(visits) == 4000
            assert min(visits) >= int(share * 4000 / count) - 2
            if share == 0:
                assert min(visits) < 0.3 * 4000 / count
            if share == 1:
                assert max(visits) <= 4000 / count + count


LOCKED_OUT = View.from_text(
    "snapshot players=3 seat=0 scores=45,5,60 hand=0|0,0|2,0|3,0|4,0|5,0|6,2|3,2|4,3|3,3|5,5|6,6|6 hand_sizes=12,3,2 "
    "talon=0 voids=-/01/- : 4|6 1|6@4|6:HIGH 1|1@1|6:LOW 1|2@1|1:LINE_B 1|4@4|6:LOW 2|2@1|2:HIGH 2|6@2|2:LINE_B "
    "3|6@2|6:HIGH 1|3@3|6:LOW 0|1@1|1:SIDE_A 1|5@1|1:SIDE_B"
)
"""A whole hand that three placements of one's own lock out; what loses in between has to be tried again and again."""

LOCKED_IN = View.from_text(
    "view players=2 seat=0 leader=1 scores=0,0 hand=0|1,1|3,2|2,3|3,3|4,4|6,5|6 : 0|0 0|1@0|0:LINE_A 1|1@0|1:HIGH "
    "1|3@1|1:LINE_B 0|3@1|3:HIGH +5|5,2|4,6|6,3|5,4|4,4|5,1|6,1|2,1|4,2|5,3|6,2|6,0|2 0|2@0|3:LOW 0|4@0|0:LINE_B"
)
"""The other seat can be kept from ever playing again."""


def test_no_move_starves_that_begins_badly() -> None:
    """The line is found with 200,000 simulations, a quarter of a second, as every line soon ends.

    With 60,000 one seed in two has not come to it yet. Without the shares by spread and by root move, none ever does.
    """
    old = SearchParams(objective="round", by_spread=0.0, root_share=0.0)
    for seed in (1, 2):
        moves = analyze(
            LOCKED_OUT, Limits(simulations=200_000), seed=seed, params=SearchParams(objective="round")
        ).moves
        locks = next(entry for entry in moves if str(entry.move) == "3|5@1|5:HIGH")
        assert (locks.expected_margin or 0) > 15
        assert locks.rank == 1 or (locks.loss or 0) < 1
        starved = analyze(LOCKED_OUT, Limits(simulations=200_000), seed=seed, params=old).moves
        locks = next(entry for entry in starved if str(entry.move) == "3|5@1|5:HIGH")
        assert (locks.rank, (locks.expected_margin or 0) > 15) != (1, True)


def test_a_line_that_locks_the_other_seat_out_is_found() -> None:
    """The rest of the round is a long walk alone, and three first moves begin one of 70 points and more.

    Which of them is found first is chance.
    """
    for seed in (1, 2):
        moves = analyze(LOCKED_IN, Limits(simulations=200_000), seed=seed, params=SearchParams(objective="round")).moves
        assert str(moves[0].move) in ("2|4@0|2:HIGH", "2|2@0|2:HIGH", "4|4@0|4:HIGH")
        assert (moves[0].expected_margin or 0) > 60
        assert sum((entry.expected_margin or 0) > 25 for entry in moves) >= 3
