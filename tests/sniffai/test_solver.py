"""The library's face of the solver: values with names. That they are right is shown in tests/ext/test_solver.py."""

import random

import pytest

from sniffai import LimitsError, Round, View, ViewError
from sniffai.rules import team_of
from sniffai.solver import MoveValue, Solver, Stakes, solve, solve_moves, solve_view


def played(players: int, seed: int, placements: int) -> Round:
    """A round after some placements at random; it may be over."""
    round_, rng = Round.deal(players, seed), random.Random(seed)
    while not round_.over and len(round_.moves) < placements:
        round_.play(rng.choice(round_.legal_moves()))
    return round_


def running(players: int, placements: int, count: int) -> list[Round]:
    """So many of them that are not over."""
    rounds = (played(players, seed, placements) for seed in range(10 * count))
    return [round_ for round_ in rounds if not round_.over][:count]


@pytest.mark.parametrize("players", [2, 4])
def test_a_solution_and_the_values_of_all_moves_agree(players: int) -> None:
    for round_ in running(players, 10, 10):
        found, moves = solve(round_), solve_moves(round_)
        assert found is not None
        assert moves is not None
        assert found.nodes > 0
        assert moves[0].value == found.value
        assert found.value == next(entry.value for entry in moves if entry.move == found.move)
        check_ranks(round_, moves)


def check_ranks(round_: Round, moves: tuple[MoveValue, ...]) -> None:
    """Every legal move is there once, by name or among equal points; the best for the mover's team is first."""
    sign = -1 if team_of(round_.players, round_.seat) else 1
    best = moves[0].value
    assert [entry.loss for entry in moves] == sorted(entry.loss for entry in moves)
    assert all(entry.loss == sign * (best - entry.value) for entry in moves)
    assert all(entry.line[0] == entry.move and entry.margin == entry.value for entry in moves)
    assert all(entry.move.at in entry.equal_points or entry.move.at is None for entry in moves)
    named = [str(entry.move.tile) + point for entry in moves for point in entry.equal_points or [""]]
    assert sorted(named) == sorted(str(move.tile) + (move.at or "") for move in round_.legal_moves())


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


def test_stakes_count_for_the_team_that_gets_them() -> None:
    round_ = running(2, 18, 1)[0]
    plain, high = solve(round_), solve(round_, stakes=Stakes(lead_value=10_000))
    assert plain is not None
    assert high is not None
    assert abs(high.value) > 9_000 > abs(plain.value)


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


def test_three_seats_have_no_value() -> None:
    with pytest.raises(ViewError) as error:
        solve(Round.deal(3, 1))
    assert error.value.reason == "THREE_SEATS"


def test_numbers_out_of_range() -> None:
    for make in (
        lambda: Solver(table_bytes=1),
        lambda: Solver(stakes=Stakes(lead_value=20_000)),
        lambda: solve(Round.deal(2, 1), node_cap=0),
    ):
        with pytest.raises(LimitsError):
            make()
