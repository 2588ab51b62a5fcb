"""Where chances to win the match cannot be told apart, the margin decides: order, losses, decisions, reviews."""

import math
from collections.abc import Iterator
from functools import cache
from itertools import product
from random import Random
from typing import get_args

import pytest

import sniffai
from sniffai import Analysis, Limits, MoveEvaluation, Round, View, analyze
from sniffai.play.players import PolicyPlayer, SearchPlayer
from sniffai.review import Subject, Verdict, review
from sniffai.review.verdict import verdict_of
from sniffai.rules import TARGET, TEAMS, team_of
from sniffai.search.candidates import distinct_moves
from sniffai.search.params import Objective
from sniffai_ext.root_statistics import ranked, told_apart
from sniffai_ext.rows import RootMove

SEATS = pytest.mark.parametrize("players", [2, 3, 4])
LOST = (
    "view players=2 seat=1 leader=0 scores=240,-300 hand=0|0,0|1,0|3,0|5,3|3,4|5,4|6 :"
    " 1|2 0|1@1|2:LOW 2|6@1|2:HIGH 0|3@0|1:LOW 3|5@0|3:HIGH"
)
"""Seat 1 has as good as lost the match; one of its moves scores 10, the others nothing."""


def number(value: float | None) -> float:
    assert value is not None
    return value


def decided_matches(players: int, count: int) -> Iterator[View]:
    """Decisions in matches that one team has as good as won: of it and of the others."""
    rng = Random(players)
    teams = TEAMS[players]
    while count:
        scores = [rng.randrange(-400, -250, 5) for _ in range(teams)]
        scores[rng.randrange(teams)] = TARGET[players] - 5 * rng.randrange(8, 20)
        round_ = Round.deal(players, rng.randrange(10**6), scores=scores)
        for _ in range(rng.randrange(12)):
            if not round_.over:
                round_.play(PolicyPlayer().choose(round_.view(round_.seat), 0))
        if round_.over or len(distinct_moves(view := round_.view(round_.seat))) < 2:
            continue
        count -= 1
        yield view


@cache
def searched(players: int) -> list[Analysis]:
    found = [analyze(view, Limits(simulations=2000), seed=3) for view in decided_matches(players, 25)]
    return [analysis for analysis in found if analysis.source == "search"]


def test_a_lost_match_is_played_for_points() -> None:
    for seed in range(5):
        for simulations in (200, 2000, 20_000):
            analysis = analyze(View.from_text(LOST), Limits(simulations=simulations), seed=seed)
            assert str(analysis.moves[0].move) == "4|5@3|5:HIGH"
            assert number(analysis.moves[0].expected_margin) > 0
    assert all(entry.loss_significant for entry in analysis.moves[1:])
    assert all(number(entry.loss) > 8 for entry in analysis.moves[1:])
    assert number(analysis.moves[0].best_probability) > 0.99


@SEATS
def test_no_move_comes_first_with_equal_chances_and_fewer_points(players: int) -> None:
    """But where its chance is better by more than chance: then that rules."""
    for analysis in searched(players):
        first = analysis.moves[0]
        for other in analysis.moves[1:]:
            gap = abs(number(other.win_probability_loss))
            error = math.hypot(number(first.win_probability_error), number(other.win_probability_error))
            points = math.hypot(number(first.standard_error), number(other.standard_error))
            assert gap > 1e-4 or number(other.loss) > -2 * points
            if gap < min(1e-4, error) and number(other.loss) > 4 * points:
                assert other.loss_significant
                assert number(other.best_probability) < 0.01
        assert math.fsum(number(entry.best_probability) for entry in analysis.moves) == pytest.approx(1)


@SEATS
def test_margins_in_a_decided_match_are_those_of_a_search_for_points(players: int) -> None:
    """Below the root, too, the margin decides: a tree that only saw chances would play at random there."""
    gaps = []
    for view, seed in product(decided_matches(players, 12), (1, 2, 3)):
        told, plain = (
            analyze(view, Limits(simulations=4000), seed=seed, params=sniffai.SearchParams(objective=objective))
            for objective in get_args(Objective)
        )
        if told.source == "search":
            best = {entry.move: number(entry.expected_margin) for entry in plain.moves}
            lost = next(entry.win_probability_loss for entry in told.moves if entry.move == plain.moves[0].move)
            if abs(number(lost)) < 1e-4:
                gaps.append(best[plain.moves[0].move] - best[told.moves[0].move])
    assert len(gaps) > 15
    assert sum(gaps) / len(gaps) < 0.4
    assert sorted(gaps)[-2] < 4, "more than one in so many is more than chance"


@SEATS
def test_a_small_chance_still_rules_near_the_target(players: int) -> None:
    """The last 5 points win at once: that is more than any margin of the round."""
    rest = 5
    target = TARGET[players]
    scores = [target - rest, *[target - 5] * (TEAMS[players] - 1)]
    found = 0
    for deal in range(40):
        round_ = Round.deal(players, deal, leader=0, scores=scores)
        view = round_.view(0)
        winning = [move for move in distinct_moves(view) if view.points(move) >= rest]
        if not winning:
            continue
        found += 1
        first = analyze(view, Limits(simulations=500)).moves[0]
        assert first.points_now >= rest
        assert number(first.win_probability) == pytest.approx(1)
    assert found > 10


def test_chances_are_told_apart_by_size_and_error() -> None:
    for gap, error, apart in (
        (0.0, 0.0, False),
        (0.00009, 0.0, False),
        (0.0002, 0.0, True),
        (0.0002, 0.0002, False),
        (0.0005, 0.0002, True),
        (0.0019, 0.01, False),
        (0.0021, 0.01, True),
        (-0.0005, 0.0002, True),
    ):
        assert told_apart(gap, error) is apart


def row(at: int, chance: float, margin: float, error: float = 0.0001, visits: int = 100) -> RootMove:
    """A root move of team 0, whose margin is known to a point."""
    nothing = (0.0, 0.0)
    return RootMove(
        3, at, visits, 1000, (margin, -margin), nothing, (1.0, 1.0), 250 * chance, 0.0,
        (chance, 1 - chance), (error, error), nothing, 0.0, nothing, False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "rows",
    [
        [row(1, 0.5000, 9.0), row(0, 0.5001, 2.0)],  # as good as equal: the margin
        [row(0, 0.5010, 2.0), row(1, 0.5000, 9.0)],  # small, but more than chance
        [row(1, 0.5000, 9.0, 0.001), row(0, 0.5010, 2.0, 0.001)],  # small, and no more than chance
        [row(0, 0.5300, 2.0, 0.05), row(1, 0.5000, 9.0, 0.05)],  # large, though it may be chance
        [row(2, 0.3, 5.0), row(0, 0.3, 4.0), row(1, 0.2, 9.0), row(3, 0.2, 8.0)],  # and so on
        [row(0, 0.3, 1.0), row(1, 0.3, 9.0, visits=29)],  # few visits come after many
    ],
)
def test_the_order_of_moves_with_a_chance(rows: list[RootMove]) -> None:
    for given in (rows, rows[::-1]):
        assert ranked(given, 0) == rows


@SEATS
def test_a_decided_match_can_be_decided_by_margin(players: int) -> None:
    """A search that stops when decided does so with the move that a long one would make."""
    stopped = 0
    for view in decided_matches(players, 8):
        analysis = analyze(view, Limits(simulations=30_000, stop_when_decided=True), seed=2)
        if analysis.stop_reason == "decided":
            stopped += 1
            long = analyze(view, Limits(simulations=60_000), seed=8)
            entry = next(entry for entry in long.moves if entry.move == analysis.moves[0].move)
            lost = abs(number(entry.win_probability_loss))
            assert entry.rank == 1 or lost < 0.002, analysis.moves[0]
            assert number(entry.loss) < 2 or lost > 1e-4
    assert stopped >= 2


def test_a_review_of_a_decided_match_judges_points() -> None:
    seen = View.from_text(LOST)
    events = [*(event.to_dict() for event in seen.events), {"play": "4|6", "at": "2|6:HIGH", "seat": 1}]
    played = View.from_events(
        players=2, seat=1, leader=0, scores=[240, -300], hand=list(map(str, seen.dealt or ())), events=events
    )
    found = review(Subject.of_view(played), Limits(simulations=4000), seed=1)
    last = found.judged[-1]
    assert (str(last.placement.played), str(last.best.move if last.best else "")) == ("4|6@2|6:HIGH", "4|5@3|5:HIGH")
    assert abs(last.win_probability_loss) < 1e-4
    assert last.points_loss > 8
    assert last.verdict in (Verdict.ERROR, Verdict.BLUNDER)
    assert found.players[0].total.mistakes >= 1


def test_mistakes_are_classed_by_points_only_if_chances_cannot_be_told_apart() -> None:
    assert verdict_of(0.0, 0.0, 12.0, 1.0) is Verdict.BLUNDER
    assert verdict_of(0.00001, 0.00002, 5.0, 1.0) is Verdict.ERROR
    assert verdict_of(0.0, 0.0, 5.0, 3.0) is Verdict.NONE
    assert verdict_of(0.02, 0.001, -8.0, 1.0) is Verdict.ERROR
    assert verdict_of(0.003, 0.0001, 12.0, 1.0) is Verdict.NONE
    assert verdict_of(0.03, 0.02, 12.0, 1.0) is Verdict.NONE


@SEATS
def test_levels_and_recommendations_follow_the_order(players: int) -> None:
    player = SearchPlayer(Limits(simulations=300))
    for view in decided_matches(players, 5):
        analysis = player.analyze(view, 5)
        best: MoveEvaluation | None = analysis.best
        assert best is not None
        assert player.choose(view, 5) == best.move
        assert sniffai.recommend(view, Limits(simulations=300), seed=5).move == best.move
        assert team_of(players, view.seat) in {value.team for value in best.values}


@pytest.mark.parametrize("players", [2, 4])
def test_solved_rounds_of_decided_matches_are_solved_for_points(players: int) -> None:
    """With all tiles known, and at the end of a round with 2 seats: chances that are equal leave the margin."""
    seen = 0
    for deal in range(25):
        round_ = Round.deal(players, deal, scores=[TARGET[players] - 60, -400])
        while not round_.over:
            view = round_.view(round_.seat)
            placed = len(round_.moves)
            if placed > 12 and len(distinct_moves(view)) > 1:
                team = team_of(players, round_.seat)
                found = [sniffai.analyze_deal(round_)]
                if players == 2 and not view.talon_size:
                    found.append(analyze(view))
                for analysis in found:
                    assert analysis.source == "exact"
                    seen += 1
                    margins = [entry.values[team].expected_margin for entry in analysis.moves]
                    first = analysis.moves[0]
                    for entry, margin in zip(analysis.moves, margins, strict=True):
                        if abs(number(entry.win_probability_loss)) < 1e-4:
                            assert margin <= margins[0]
                            assert entry.loss_significant is (margin < margins[0])
                            equal = entry.best_probability == first.best_probability
                            assert equal is (margin == margins[0])
            round_.play(round_.legal_moves()[0])
    assert seen > 20
