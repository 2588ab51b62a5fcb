"""Moves included and excluded at the root."""

import itertools
from typing import Any

import pytest

import sniffai
from sniffai import Limits, Round, Searcher, SniffError, View, analyze
from sniffai.search.candidates import distinct_moves

FEW = Limits(simulations=400)


def two_ends_alike() -> View:
    """Both ends of the lead 6|6 lead to the same future; 5|6 and 1|6 fit."""
    events = [{"play": "6|6", "at": None, "seat": 1}]
    hand = ["5|6", "1|6", "0|1", "0|2", "1|2", "0|0", "1|1"]
    return View.from_events(players=2, seat=0, leader=1, hand=hand, events=events, scores=[0, 0])


def tiles(analysis: sniffai.Analysis) -> set[str]:
    return {str(entry.move.tile) for entry in analysis.moves}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_only_the_included_moves_are_searched(players: int) -> None:
    round_ = Round.deal(players, 3)
    view = round_.view(round_.seat)
    moves = view.legal_moves()
    found = analyze(view, FEW, include_moves=moves[1:3])
    assert {entry.move for entry in found.moves} == set(moves[1:3])
    assert sum(entry.visits for entry in found.moves) == 400
    assert found.omitted_move_count == len(moves) - 2
    rest = analyze(view, FEW, exclude_moves=[str(move) for move in moves[1:3]])
    assert {entry.move for entry in rest.moves} == set(moves) - set(moves[1:3])
    assert rest.omitted_move_count == 2
    assert sum(entry.best_probability or 0 for entry in rest.moves) == pytest.approx(1)


def test_all_moves_included_are_the_same_as_none() -> None:
    view = two_ends_alike()
    every = analyze(view, FEW, seed=3, include_moves=view.legal_moves())
    assert every.moves == analyze(view, FEW, seed=3).moves
    assert every.omitted_move_count == 0


def test_a_move_stands_for_its_equal_attachment_points() -> None:
    view = two_ends_alike()
    assert len(view.legal_moves()) == 2 * len(distinct_moves(view)) == 4
    only = analyze(view, FEW, include_moves=["5|6@6|6:LINE_B"])
    assert tiles(only) == {"5|6"}
    assert only.moves[0].equal_points == ("6|6:LINE_A", "6|6:LINE_B")
    assert tiles(analyze(view, FEW, exclude_moves=["5|6@6|6:LINE_A", "5|6@6|6:LINE_B"])) == {"1|6"}


def test_one_included_move_gets_a_value() -> None:
    found = analyze(two_ends_alike(), FEW, include_moves=["1|6@6|6:LINE_A"])
    assert (found.source, found.moves[0].visits, found.moves[0].best_probability) == ("search", 400, 1.0)
    assert found.moves[0].expected_margin is not None


def test_solved_moves_are_ranked_among_those_considered() -> None:
    view = next(view for seed in itertools.count() for view in ends(seed) if len(distinct_moves(view)) > 1)
    whole = analyze(view)
    assert whole.source == "exact"
    rest = analyze(view, exclude_moves=[whole.moves[0].move])
    assert [entry.move for entry in rest.moves] == [entry.move for entry in whole.moves[1:]]
    assert rest.moves[0].loss == 0
    assert [entry.rank for entry in rest.moves] == list(range(1, len(whole.moves)))
    assert rest.omitted_move_count == 1
    assert Searcher(view).choose() == whole.moves[0].move
    assert Searcher(view, exclude_moves=[whole.moves[0].move]).choose() == rest.moves[0].move


def ends(seed: int) -> list[View]:
    found = []
    round_ = Round.deal(2, seed)
    while not round_.over:
        view = round_.view(round_.seat)
        if view.talon_size == 0:
            found.append(view)
        round_.play(round_.legal_moves()[-1])
    return found


WRONG: list[tuple[dict[str, Any], str, str]] = [
    (
        {"include_moves": ["5|6@6|6:LINE_A"], "exclude_moves": ["1|6@6|6:LINE_A"]},
        "exclude_moves",
        "INCLUDE_AND_EXCLUDE",
    ),
    ({"include_moves": []}, "include_moves", "NO_MOVE_LEFT"),
    ({"include_moves": ["0|1@6|6:LINE_A"]}, "include_moves[0]", "MOVE_NOT_LEGAL"),
    ({"exclude_moves": ["5|6@6|6:LINE_A", "5|6"]}, "exclude_moves[1]", "MOVE_NOT_LEGAL"),
    ({"include_moves": ["9|9@6|6:LINE_A"]}, "include_moves[0].tile", "UNKNOWN_TILE"),
    ({"exclude_moves": ["5|6@6|6:TOP"]}, "exclude_moves[0].at", "UNKNOWN_ATTACHMENT_POINT"),
    ({"include_moves": ["5|6@6|6:LINE_A", "5|6@6|6:LINE_A"]}, "include_moves[1]", "MOVE_TWICE"),
    ({"exclude_moves": ["5|6@6|6:LINE_A", "1|6@6|6:LINE_B"]}, "exclude_moves", "NO_MOVE_LEFT"),
    ({"include_moves": "5|6@6|6:LINE_A"}, "include_moves", "NOT_MOVES"),
    ({"include_moves": 5}, "include_moves", "NOT_MOVES"),
    ({"include_moves": ["5|6@6|6:LINE_A"] * 129}, "include_moves", "TOO_MANY"),
]


@pytest.mark.parametrize(("wrong", "field", "reason"), WRONG)
def test_wrong_moves_are_refused(wrong: dict[str, Any], field: str, reason: str) -> None:
    with pytest.raises(SniffError) as error:
        analyze(two_ends_alike(), FEW, **wrong)
    assert (error.value.field, error.value.reason) == (field, reason)


def test_a_seat_that_must_draw_has_no_move_to_include() -> None:
    events = [{"play": "6|6", "at": None, "seat": 0}]
    hand = ["0|0", "0|1", "1|1", "1|2", "2|2", "2|3", "3|3"]
    view = View.from_events(players=2, seat=1, leader=0, hand=hand, events=events, scores=[0, 0])
    with pytest.raises(SniffError) as error:
        analyze(view, include_moves=["0|0@6|6:LINE_A"])
    assert error.value.reason == "MOVE_NOT_LEGAL"
