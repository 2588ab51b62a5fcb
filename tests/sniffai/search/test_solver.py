"""The library's face of the solver: values with names. That they are right is shown in tests/ext/test_solver.py."""

import random

import pytest

from sniffai import LimitsError, Round, View, ViewError
from sniffai.equity import load
from sniffai.rules import TARGET, team_of
from sniffai.search.params import Objective
from sniffai.search.solver import MoveValue, Solver, solve, solve_moves, solve_view


def played(players: int, seed: int, placements: int, scores: tuple[int, int] = (0, 0)) -> Round:
    """A round after some placements at random; it may be over."""
    round_, rng = Round.deal(players, seed, scores=scores), random.Random(seed)
    while not round_.over and len(round_.moves) < placements:
        round_.play(rng.choice(round_.legal_moves()))
    return round_


def running(players: int, placements: int, count: int, scores: tuple[int, int] = (0, 0)) -> list[Round]:
    """So many of them that are not over."""
    rounds = (played(players, seed, placements, scores) for seed in range(10 * count))
    return [round_ for round_ in rounds if not round_.over][:count]


@pytest.mark.parametrize("objective", ["round", "match"])
@pytest.mark.parametrize("players", [2, 4])
def test_a_solution_and_the_values_of_all_moves_agree(players: int, objective: Objective) -> None:
    for scores in ((0, 0), (TARGET[players] - 40, TARGET[players] - 25)):
        for round_ in running(players, 10, 10, scores):
            found, moves = solve(round_, objective=objective), solve_moves(round_, objective=objective)
            assert found is not None
            assert moves is not None
            assert found.nodes > 0
            assert moves[0].value == found.value
            assert found.value == next(entry.value for entry in moves if entry.move == found.move)
            check_ranks(round_, moves)
            for entry in moves:
                check_values(round_, entry, objective)


def check_ranks(round_: Round, moves: tuple[MoveValue, ...]) -> None:
    """Every legal move is there once, by name or among equal points; the best for the mover's team is first."""
    sign = -1 if team_of(round_.players, round_.seat) else 1
    best = moves[0].value
    assert [entry.loss for entry in moves] == sorted(entry.loss for entry in moves)
    assert all(entry.loss == sign * (best - entry.value) for entry in moves)
    assert all(entry.line[0] == entry.move for entry in moves)
    assert all(entry.move.at in entry.equal_points or entry.move.at is None for entry in moves)
    named = [str(entry.move.tile) + point for entry in moves for point in entry.equal_points or [""]]
    assert sorted(named) == sorted(str(move.tile) + (move.at or "") for move in round_.legal_moves())


def check_values(round_: Round, entry: MoveValue, objective: Objective) -> None:
    """The line ends with the margin and the chance that were said; the value is one of them."""
    after = round_.copy()
    for move in entry.line:
        after.play(move)
    assert after.over
    assert entry.margin == after.scores[0] - after.scores[1] - round_.scores[0] + round_.scores[1]
    if after.match_winner is None:
        assert entry.chance == pytest.approx(load(round_.players).chance(after.scores, after.went_out)[0], abs=1e-6)
    else:
        assert entry.chance == 1 - after.match_winner
    assert 0 <= entry.chance <= 1
    assert entry.value == (pytest.approx(entry.chance, abs=5e-5) if objective == "match" else entry.margin)


def test_best_moves_lead_to_the_value() -> None:
    for round_ in running(2, 8, 5):
        found = solve(round_)
        assert found is not None
        before = round_.scores[0] - round_.scores[1]
        while not round_.over:
            best = solve(round_)
            assert best is not None
            round_.play(best.move)
        assert round_.scores[0] - round_.scores[1] - before == found.value


def test_what_counts_for_the_match_may_cost_points() -> None:
    """Near the target the two kinds of value call for different moves; each solver gives up the other's."""
    dearer = surer = 0
    for round_ in running(2, 8, 60, (215, 205)):
        by_points, by_chance = (solve_moves(round_, objective=objective) for objective in ("round", "match"))
        assert by_points is not None
        assert by_chance is not None
        sign = -1 if team_of(2, round_.seat) else 1
        points = {entry.move: sign * entry.value for entry in by_points}
        chances = {entry.move: sign * entry.value for entry in by_chance}
        dearer += points[by_points[0].move] > points[by_chance[0].move]
        surer += chances[by_chance[0].move] > chances[by_points[0].move]
    assert min(dearer, surer) >= 3


def test_a_capped_question_has_no_answer() -> None:
    round_ = Round.deal(2, 1)
    assert solve(round_, node_cap=10) is None
    assert solve_moves(round_, node_cap=10) is None


def test_a_stopped_solver_has_no_answer() -> None:
    solver = Solver()
    solver.stop()
    assert solver.solve(Round.deal(2, 1)) is None
    assert solver.nodes == 1


def talon_empty(seed: int) -> Round | None:
    """A round of 2 seats whose talon has run empty."""
    round_, rng = Round.deal(2, seed), random.Random(seed)
    while not round_.over and round_.talon:
        round_.play(rng.choice(round_.legal_moves()))
    return None if round_.over else round_


def test_a_view_with_an_empty_talon_is_exact_and_needs_no_more_than_the_seat_knows() -> None:
    checked = 0
    for seed in range(300):
        round_ = talon_empty(seed)
        if round_ is None:
            continue
        view = View.from_text(round_.view(round_.seat).to_text())
        found = solve_view(view)
        assert found is not None
        assert found.exact
        assert found.moves == solve_moves(round_)
        assert solve_view(view, node_cap=1) is None or len(found.moves) == 1
        checked += 1
    assert checked > 10


def test_a_view_that_hides_something_has_no_value() -> None:
    round_ = Round.deal(2, 1)
    with pytest.raises(ViewError) as error:
        solve_view(round_.view(round_.seat))
    assert error.value.reason == "NOT_ALL_KNOWN"


def test_the_solver_refuses_three_seats() -> None:
    with pytest.raises(ViewError) as error:
        solve(Round.deal(3, 1))
    assert error.value.reason == "THREE_SEATS"


def test_numbers_out_of_range() -> None:
    for make in (
        lambda: Solver(table_bytes=1),
        lambda: Solver(objective="match", table_bytes=1 << 41),
        lambda: solve(Round.deal(2, 1), node_cap=0),
    ):
        with pytest.raises(LimitsError):
            make()
