"""How moves fare against careless opponents: a second search beside the first, and what is told of it."""

import math
from dataclasses import replace

import pytest

import sniffai
from sniffai import Limits, View
from sniffai.errors import LimitsError
from sniffai.explain import ReasonKind, prospect, render
from sniffai.play.levels import opponent_named
from sniffai.play.players import GreedyPlayer
from sniffai.play.selfplay import decisions
from sniffai.search.analysis import Analysis, TeamValue
from sniffai.search.careless import CARELESS, Gap, careless_opponents, turned, with_careless
from sniffai.seeds import derived_seed
from tests.positions import TURNED

SEATS = pytest.mark.parametrize("players", [2, 3, 4])


def view_of(players: int) -> View:
    """A view with a choice, after some placements."""
    found = (decision.view for round_ in decisions(GreedyPlayer(), players, range(3), 5) for decision in round_)
    return next(view for view in found if len(view.placements) > 5)


def value(chance: float, margin: float, error: float | None = 0.01, points_error: float | None = 1.0) -> TeamValue:
    return TeamValue(0, margin, points_error, 10.0, chance, error)


def test_opponents_are_careless_as_the_player_of_that_name_is() -> None:
    assert opponent_named("careless") == CARELESS
    assert careless_opponents(2, 1) == {0: CARELESS}
    assert careless_opponents(3, 1) == {0: CARELESS, 2: CARELESS}
    assert careless_opponents(4, 1) == {0: CARELESS, 2: CARELESS}, "a partner stays as it is"


@SEATS
def test_the_values_are_those_of_the_two_searches(players: int) -> None:
    view, limits = view_of(players), Limits(simulations=400)
    both = sniffai.analyze_contrast(view, limits, seed=3)
    alone = sniffai.analyze(view, limits, seed=3)
    second = sniffai.analyze(
        view, Limits(simulations=200), seed=derived_seed(3, 1), opponents=careless_opponents(players, view.seat)
    )
    assert [replace(entry, careless=None) for entry in both.moves] == list(alone.moves)
    assert {entry.move: entry.careless for entry in both.moves} == {
        entry.move: entry.values[view.team] if entry.values else None for entry in second.moves
    }
    assert both.effort.simulations == 600
    assert (both.effective_limits, both.deterministic) == (alone.effective_limits, True)
    assert all(entry.careless is None for entry in alone.moves)


def test_only_the_moves_considered_are_valued() -> None:
    view = view_of(2)
    moves = [entry.move for entry in sniffai.analyze(view, Limits(simulations=60)).moves[:2]]
    both = sniffai.analyze_contrast(view, Limits(simulations=60), include_moves=moves)
    assert sorted(str(entry.move) for entry in both.moves) == sorted(map(str, moves))
    assert all(entry.careless is not None for entry in both.moves)


def test_a_clock_holds_for_both_searches() -> None:
    both = sniffai.analyze_contrast(view_of(3), Limits(seconds=0.09), seed=1)
    assert both.effort.seconds < 5, "wide: the machine may be busy"
    assert both.effective_limits.seconds == 0.09
    assert not both.deterministic


def test_it_can_be_stopped_and_freed_and_goes_on() -> None:
    searcher = sniffai.ContrastSearcher(view_of(2), seed=1)
    first = searcher.run(Limits(simulations=300))
    assert searcher.memory_bytes > 0
    again = searcher.run(Limits(simulations=600))
    assert (first.effort.simulations, again.effort.simulations) == (450, 900)
    searcher.free()
    assert searcher.memory_bytes == 0
    searcher.stop()
    assert searcher.run(Limits(seconds=60)).stop_reason == "stopped"


def test_a_forced_move_is_not_searched() -> None:
    round_ = sniffai.Round.deal(2, 1)
    while len(round_.legal_moves()) > 1:
        round_.play(round_.legal_moves()[0])
    forced = sniffai.analyze_contrast(round_.view(round_.seat), Limits(simulations=100))
    assert (forced.source, forced.effort.simulations) == ("forced", 0)


@pytest.mark.parametrize(
    ("gap", "by_chance", "sign"),
    [
        (Gap(0.05, 0.01, 3.0, 9.0), True, 1),
        (Gap(-0.05, 0.01, 30.0, 1.0), True, -1),
        (Gap(0.05, 0.03, 3.0, 9.0), True, 0),
        (Gap(0.00001, 0.01, 8.0, 1.0), False, 1),
        (Gap(0.00001, 0.01, -8.0, 1.0), False, -1),
        (Gap(0.0, math.inf, 8.0, math.inf), False, 0),
    ],
)
def test_a_gap_has_a_sign_beyond_two_errors(gap: Gap, by_chance: bool, sign: int) -> None:
    assert (gap.by_chance, gap.sign) == (by_chance, sign)
    assert Gap.of(value(0.6, 3.0), value(0.5, 1.0)) == Gap(
        pytest.approx(0.1), pytest.approx(math.hypot(0.01, 0.01)), 2.0, pytest.approx(math.sqrt(2))
    )
    assert Gap.of(value(0.6, 3.0, None, None), value(0.5, 1.0)).chance_error == math.inf


def made(first: tuple[TeamValue, TeamValue], second: tuple[TeamValue, TeamValue]) -> Analysis:
    """An analysis of two moves: each with its value, and that against careless opponents."""
    analysis = sniffai.analyze(view_of(2), Limits(simulations=60))
    entries = [
        replace(entry, values=(own,), expected_margin=own.expected_margin, careless=careless)
        for entry, (own, careless) in zip(analysis.moves, (first, second), strict=False)
    ]
    return replace(analysis, moves=tuple(entries))


def test_the_value_is_the_mover_s_where_all_teams_expect_the_same_margin() -> None:
    analysis = sniffai.analyze(view_of(2), Limits(simulations=60))
    teams = tuple(replace(value(chance, 0.0), team=team) for team, chance in ((0, 0.7), (1, 0.3)))
    level = replace(analysis, moves=tuple(replace(entry, values=teams) for entry in analysis.moves))
    for team in (0, 1):
        assert {entry.careless for entry in with_careless(analysis, level, team).moves} == {teams[team]}


def test_a_move_is_told_only_where_both_differences_are_beyond_their_errors() -> None:
    better, worse, close = value(0.6, 9.0), value(0.5, 1.0), value(0.59, 8.0)
    told = made((better, worse), (worse, better))
    found = turned(told, told.moves[0], 0)
    assert found is not None
    assert found[0] is told.moves[1]
    assert found[1].chance == pytest.approx(0.1)
    for first, second in (
        ((better, better), (worse, worse)),
        ((better, close), (worse, better)),
        ((better, worse), (close, better)),
    ):
        analysis = made(first, second)
        assert turned(analysis, analysis.moves[0], 0) is None
    unknown = replace(told, moves=tuple(replace(entry, careless=None) for entry in told.moves))
    assert turned(unknown, unknown.moves[0], 0) is None


def test_the_prospect_tells_it_in_words() -> None:
    view = View.from_text(TURNED)
    analysis = sniffai.analyze_contrast(view, Limits(simulations=1500), seed=1)
    reason = prospect(view, analysis)[-1]
    assert reason.kind is ReasonKind.CARELESS
    assert reason.against is not None
    assert reason.error is not None
    assert "overlook points the opposite holds: with" in render(reason)
    assert str(reason.against.tile) in render(reason, "ja")
    plain = sniffai.analyze(view, Limits(simulations=1500), seed=1)
    assert ReasonKind.CARELESS not in [told.kind for told in prospect(view, plain)]


def test_settings_are_checked_as_ever() -> None:
    with pytest.raises(LimitsError):
        sniffai.ContrastSearcher(view_of(2), seed=-1)
