"""One move of a level: its search and its choice, apart and together."""

import copy
import pickle
from dataclasses import replace

import pytest

import sniffai
from sniffai import Limits, Round, View
from sniffai.play.level_turn import LevelTurn
from sniffai.play.levels import LEVELS, Level, find_level
from sniffai.play.players import SearchPlayer
from sniffai.search.candidates import distinct_moves

FEW = Limits(simulations=200)


def decisions(players: int, rounds: int = 8) -> list[View]:
    """Views of seats that have a choice."""
    found = []
    for seed in range(rounds):
        round_ = Round.deal(players, seed)
        while not round_.over:
            view = round_.view(round_.seat)
            if len(distinct_moves(view)) > 1:
                found.append(view)
            round_.play(round_.legal_moves()[seed % len(round_.legal_moves())])
    return found


def played(level: Level, view: View, seed: int = 0) -> sniffai.Move:
    turn = LevelTurn(level, view, seed)
    move = turn.move(turn.searcher.run(turn.limits or FEW))
    assert move is not None
    return move


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_a_level_plays_a_legal_move_that_depends_on_view_and_seed_alone(level: Level) -> None:
    for view in decisions(2, 2) + decisions(4, 1):
        for seed in (0, 7):
            move = played(level, view, seed)
            assert move in distinct_moves(view)
            assert move == played(level, View.from_text(view.to_text()), seed)


@pytest.mark.parametrize("level", LEVELS[:-1], ids=lambda level: level.name)
def test_chance_differs_between_seeds_and_with_one_seed_between_positions(level: Level) -> None:
    """Else a front end that gives no seed would meet a player that always takes, say, the last move but one."""
    views = decisions(2)
    assert any(len({played(level, view, seed) for seed in range(8)}) > 1 for view in views[:10])
    if level.max_simulations == 0:
        places = {distinct_moves(view).index(played(level, view)) / len(distinct_moves(view)) for view in views}
        assert len(places) > 5


def test_full_strength_is_the_search_itself() -> None:
    for view in decisions(3, 2):
        assert played(LEVELS[-1], view, 5) == sniffai.recommend(view, FEW, seed=5).move


def test_a_level_that_does_not_search_says_so() -> None:
    (view, *_) = decisions(2, 1)
    turn = LevelTurn(find_level("casual"), view, 3)
    found = turn.searcher.run(FEW)
    assert (found.source, found.stop_reason, found.deterministic, found.seed) == ("unsearched", "unsearched", True, 3)
    assert [entry.move for entry in found.moves] == [turn.move(found)]
    assert found.omitted_move_count == len(distinct_moves(view)) - 1
    assert found.moves[0].values == ()
    assert found.moves[0].points_now == view.points(found.moves[0].move)


def after_the_double_six(*hand: str) -> View:
    return View.from_events(
        players=2, seat=1, leader=0, hand=hand, events=[{"play": "6|6", "at": None, "seat": 0}], scores=[0, 0]
    )


@pytest.mark.parametrize(
    ("view", "move"),
    [
        (after_the_double_six("0|3", "1|3", "2|3", "3|3", "3|4", "3|5", "1|5"), None),
        (after_the_double_six("0|3", "1|3", "2|3", "3|3", "3|4", "3|5", "1|6"), "1|6@6|6:LINE_A"),
    ],
    ids=["draw", "single move"],
)
def test_a_draw_and_a_single_move_are_forced_for_every_level(view: View, move: str | None) -> None:
    for level in LEVELS:
        turn = LevelTurn(level, view, 1)
        found = turn.searcher.run(FEW)
        played_move = turn.move(found)
        assert found.source == "forced"
        assert (None if played_move is None else str(played_move)) == move


def test_a_search_that_ended_early_still_gives_a_move() -> None:
    (view, *_) = decisions(2, 1)
    turn = LevelTurn(find_level("club"), view, 1)
    found = turn.searcher.run(Limits(simulations=1))
    assert turn.move(found) in distinct_moves(view)
    nothing = replace(found, moves=tuple(replace(entry, expected_margin=None) for entry in found.moves))
    assert turn.move(nothing) == found.moves[0].move


def test_the_bound_of_each_level_is_known() -> None:
    for level in LEVELS:
        bound = level.max_simulations
        turn = LevelTurn(level, decisions(2, 1)[0], 0)
        if bound is None:
            assert (turn.limits, level.player) == (None, SearchPlayer())
        else:
            assert turn.searcher.run(turn.limits).effort.simulations <= bound


def test_a_level_between_two_plays_like_the_one_or_the_other() -> None:
    below, above = find_level("skilled"), find_level("club")
    level = find_level(f"{(below.rating + above.rating) / 2:.9g}")
    searched = 0
    views = decisions(2, 3)
    for seed, view in enumerate(views):
        turn = LevelTurn(level, view, seed)
        found = turn.searcher.run(turn.limits or FEW)
        searched += found.source == "search"
        assert turn.move(found) in (played(below, view, seed), played(above, view, seed))
        assert turn.limits == (None if found.source == "unsearched" else Limits(simulations=above.max_simulations))
    assert 0.25 < searched / len(views) < 0.75


def test_who_has_nothing_to_decide_is_refused() -> None:
    dealt = Round.deal(2, 1)
    for level in LEVELS:
        with pytest.raises(sniffai.ViewError) as error:
            LevelTurn(level, dealt.view(1 - dealt.seat), 0)
        assert error.value.reason == "NOT_THE_TURN"


def test_a_turn_is_not_copied() -> None:
    turn = LevelTurn(LEVELS[0], decisions(2, 1)[0], 0)
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="level's turn"):
            duplicate(turn)
