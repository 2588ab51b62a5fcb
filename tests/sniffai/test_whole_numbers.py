"""Anything with ``__index__`` is a whole number, booleans are none, and what is kept is a plain ``int``."""

import json
from typing import Any

import numpy as np
import pytest

import sniffai
from sniffai import Limits, Round, View, analyze
from sniffai.draw import tally_svg
from sniffai.play import levels
from sniffai.play.arena_result import ArenaSpec

KINDS = [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64]


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_numpy_make_the_same_round(kind: Any) -> None:
    plain = Round.deal(2, 5, leader=1, scores=[10, 20])
    other = Round.deal(kind(2), kind(5), leader=kind(1), scores=np.array([10, 20], kind))
    assert (other, other.to_text()) == (plain, plain.to_text())
    assert all(type(number) is int for number in (other.players, other.start.leader, *other.scores))
    view = other.view(kind(1))
    assert (view, type(view.seat)) == (plain.view(1), int)
    start = plain.start
    assert Round(kind(2), start.hands, start.talon, kind(1), [kind(10), kind(20)]) == plain
    json.dumps([other.events, other.scores, view.scores, view.hand_sizes])


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_numpy_make_the_same_views(kind: Any) -> None:
    events = [{"play": "0|1", "at": None, "seat": kind(0)}, {"draw": kind(2), "seat": kind(1)}]
    given: dict[str, Any] = {"hand": ["0|0", "0|1", "0|2", "0|3", "0|4", "0|5", "0|6"], "events": events}
    view = View.from_events(players=kind(2), seat=kind(0), leader=kind(0), scores=[kind(0), kind(5)], **given)
    assert View.from_text(view.to_text()) == view
    json.dumps([event.to_dict() for event in view.events])
    table: Any = {
        "placements": ["4|4"],
        "hand": ["1|4", "0|2"],
        "scores": [kind(0), kind(0)],
        "voids": {kind(1): [kind(4)]},
    }
    made = View.from_snapshot(
        players=kind(2), seat=kind(0), hand_sizes=[kind(2), kind(11)], talon_size=kind(14), **table
    )
    assert View.from_text(made.to_text()) == made
    assert type(made.position.talon_size) is int  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_numpy_give_the_same_answer(kind: Any) -> None:
    view = Round.deal(2, 5, leader=0).view(0)
    plain = analyze(view, Limits(simulations=100), seed=3, threads=1)
    other = analyze(view, Limits(simulations=kind(100)), seed=kind(3), threads=kind(1))
    assert other.moves == plain.moves
    assert (type(other.seed), type(other.effective_limits.simulations)) == (int, int)
    belief = sniffai.Belief(view)
    assert belief.probability("6|6", kind(1)) == belief.probability("6|6", 1)
    assert belief.sample(kind(4)) == belief.sample(4)
    assert sniffai.perft(Round.deal(2, 5, leader=0), kind(1)) == 7
    assert sniffai.Tally.of(kind(45)).score == 45
    assert tally_svg(kind(45)) == tally_svg(45)
    assert ArenaSpec("greedy", "random", kind(2), kind(3), seed=kind(4)) == ArenaSpec("greedy", "random", 2, 3, seed=4)


def test_real_numbers_of_numpy_are_taken() -> None:
    limits = Limits(seconds=np.float32(0.5), target_standard_error=np.float64(2))  # type: ignore[arg-type]
    assert (limits, type(limits.seconds)) == (Limits(seconds=0.5, target_standard_error=2), float)
    params = sniffai.SearchParams(epsilon=np.float32(0.5), exact=np.True_)  # type: ignore[arg-type]
    assert (type(params.epsilon), params.exact) == (float, True)


@pytest.mark.parametrize("value", [True, np.True_, 1.0, "1", np.float64(1), None])
def test_values_that_are_not_whole_numbers_are_refused(value: Any) -> None:
    for make in (
        lambda: Round.deal(2, value),
        lambda: Round.deal(2, 1, leader=value) if value is not None else Round.deal(value, 1),
        lambda: Round.deal(2, 1, scores=[value, 0]),
        lambda: Limits(simulations=value) if value is not None else Limits(simulations=0),
        lambda: sniffai.Searcher(Round.deal(2, 5, leader=0).view(0), seed=value),
        lambda: sniffai.perft(Round.deal(2, 1), value),
        lambda: ArenaSpec("greedy", "random", 2, value),
    ):
        with pytest.raises(sniffai.SniffError):
            make()


def test_clocks_and_callbacks_of_a_run_are_checked_first() -> None:
    """Also where the run has no time to use them."""
    view = Round.deal(2, 5, leader=0).view(0)
    few = Limits(simulations=5)
    for end in (10**400, np.float32(1e30), 1e308):
        assert sniffai.Searcher(view).run(few, end=end).stop_reason == "simulations"  # type: ignore[arg-type]
    assert sniffai.Searcher(view).run(few, interval=10**400).stop_reason == "simulations"
    assert sniffai.Searcher(view).run(Limits(seconds=10), end=-(10**400)).stop_reason == "deadline"
    wrong: list[tuple[str, Any]] = [
        *(("end", value) for value in (float("nan"), "1", True, [])),
        *(("interval", value) for value in (0, -(10**400), float("nan"), "1", None)),
        *((name, value) for name in ("on_snapshot", "on_slice") for value in (1, "print", False)),
    ]
    for name, value in wrong:
        with pytest.raises(sniffai.LimitsError) as error:
            sniffai.Searcher(view).run(few, **{name: value})
        assert error.value.field == name


def test_names_of_players_are_texts() -> None:
    for value in (None, 1, b"greedy", ["greedy"], np.array(["greedy"])):
        made: Any = (
            lambda value=value: ArenaSpec(value, "random"),
            lambda value=value: ArenaSpec("random", value),
            lambda value=value: levels.level_player(value),
            lambda value=value: levels.named_player(value),
        )
        for make in made:
            with pytest.raises(sniffai.LimitsError):
                make()
    for field in ("players", "whole_matches", "limits"):
        for value in (2.0, "yes", [], np.array([2, 3])):
            with pytest.raises(sniffai.LimitsError) as error:
                ArenaSpec("greedy", "random", **{field: value})
            assert error.value.field == field


def test_the_seed_of_a_lot_is_checked_even_where_none_is_drawn() -> None:
    round_ = Round.deal(2, 5)
    while not round_.over:
        round_.play(round_.legal_moves()[0])
    for seed in (-1, True, 1.5, "1", None):
        with pytest.raises(sniffai.ViewError) as error:
            round_.next_leader(seed)  # type: ignore[arg-type]
        assert error.value.field == "seed"
