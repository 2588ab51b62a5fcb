"""The named levels: an order of strength, mistakes like a person's, nothing hidden asked."""

import json
from importlib import resources
from random import Random

import pytest

from sniffai import Belief, Limits, LimitsError, Round, View
from sniffai.play.arena import play_arena
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.humanlike import CarelessPlayer, ForgetfulPlayer
from sniffai.play.levels import LEVELS, MEASURED, level_player, named_player
from sniffai.play.players import GreedyPlayer, SearchPlayer
from sniffai.play.statistics import wilson_interval
from sniffai.rules import PLAYERS
from sniffai.watch import Watch

FEW = Limits(simulations=200)


def _views(players: int, rounds: int = 6) -> list[View]:
    """What the seat to move knows, all through some rounds."""
    found = []
    for seed in range(rounds):
        round_, lots = Round.deal(players, seed), Random(seed)
        watch = Watch(round_)
        while not round_.over:
            found.append(watch.view(round_.seat))
            round_.play(lots.choice(round_.legal_moves()))
    return found


def test_there_are_levels_from_any_move_to_full_strength() -> None:
    assert len(LEVELS) >= 5
    assert len({level.name for level in LEVELS}) == len(LEVELS)
    assert all(level.name.isidentifier() and level.name.islower() and level.description for level in LEVELS)
    assert level_player(LEVELS[-1].name, FEW) == SearchPlayer(FEW)


def test_the_measured_levels_are_the_present_ones() -> None:
    told = json.loads(resources.files("sniffai").joinpath(MEASURED).read_text(encoding="utf-8"))
    assert told["players"] == {level.name: repr(level.player) for level in LEVELS}
    assert list(told["scores"]) == [level.name for level in LEVELS[1:]]


def test_every_level_but_the_lowest_is_measured_against_the_one_below() -> None:
    assert LEVELS[0].scores == ()
    for level in LEVELS[1:]:
        assert [score.players for score in level.scores] == list(PLAYERS)
        assert all(score.rate >= 0.65 and score.interval[0] > 0.5 for score in level.scores)


def test_with_three_seats_each_is_alone_as_often_as_the_other() -> None:
    """Alone against two a third is even."""
    told = json.loads(resources.files("sniffai").joinpath(MEASURED).read_text(encoding="utf-8"))
    for level in LEVELS[1:]:
        won, matches = told["alone"][level.name]["3"]
        assert level.scores[1].matches == 2 * matches == 6 * told["matches"]
        assert wilson_interval(won, matches)[0] > 1 / 3


@pytest.mark.parametrize("index", [1, 2])
def test_the_measured_rate_of_a_level_is_still_right(index: int) -> None:
    below, level = (f"level:{LEVELS[i].name}" for i in (index - 1, index))
    result = play_arena(ArenaSpec(below, level, 2, pairings=25, whole_matches=True, seed=77))
    assert result.win_interval is not None
    assert result.win_interval[0] <= LEVELS[index].scores[0].rate <= result.win_interval[1]


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", [level.name for level in LEVELS])
def test_a_level_repeats_itself_and_plays_by_the_rules(players: int, name: str) -> None:
    player = level_player(name, FEW)
    for view in _views(players, 2):
        assert player.choose(view, 5) == player.choose(view, 5) in view.legal_moves()


# Misses


def test_a_player_that_misses_nothing_is_greedy() -> None:
    careful, blind = CarelessPlayer(0.0), CarelessPlayer(1.0)
    greedy = blunders = 0
    for view in _views(2):
        most = max(view.points(move) for move in view.legal_moves())
        assert view.points(careful.choose(view, 3)) == most == view.points(GreedyPlayer().choose(view, 3))
        greedy += most > 0
        blunders += view.points(blind.choose(view, 3)) < most
    assert 0 < blunders < greedy


def test_people_miss_points_as_often_as_stated() -> None:
    view = next(view for view in _views(2) if _scoring(view) == 1 and len(view.legal_moves()) > 2)
    took = sum(view.points(CarelessPlayer(0.6).choose(view, seed)) > 0 for seed in range(2000))
    by_lot = 0.6 / len(view.legal_moves())
    assert took / 2000 == pytest.approx(0.4 + by_lot, abs=0.04)


def _scoring(view: View) -> int:
    return sum(view.points(move) > 0 for move in view.legal_moves())


# Misjudging


def test_misjudging_players_err_rarely_and_less_the_more_it_costs() -> None:
    player = ForgetfulPlayer(SearchPlayer(FEW), misjudges=4.0)
    for view in [view for view in _views(2) if len(view.legal_moves()) > 2][:8]:
        analysis = player.analyze(view, 1)
        losses = {entry.move: entry.loss for entry in analysis.moves if entry.loss is not None}
        assert ForgetfulPlayer(player.search).pick(analysis, 1) == analysis.moves[0].move
        costs = [losses[player.pick(analysis, seed)] for seed in range(300)]
        assert sum(cost > 5.0 * 2**0.5 * player.misjudges for cost in costs) == 0
        assert sum(cost > 2**0.5 * player.misjudges for cost in costs) <= 0.16 * len(losses) * len(costs)
    erred = ForgetfulPlayer(SearchPlayer(FEW), misjudges=1000.0)
    assert {erred.pick(analysis, seed) for seed in range(300)} == set(losses)


# Forgetting


@pytest.mark.parametrize("players", PLAYERS)
def test_a_forgetful_view_keeps_the_table_and_loses_what_draws_showed(players: int) -> None:
    lost = 0
    for view in _views(players, 15):
        table = view.without_voids()
        assert (table.hand, table.hand_sizes, table.talon_size) == (view.hand, view.hand_sizes, view.talon_size)
        assert (table.legal_moves(), table.forced) == (view.legal_moves(), view.forced)
        assert (table.placements, table.scores_now) == (view.placements, view.scores_now)
        assert table.without_voids() == table
        hidden = Belief(table).table
        places = [seat for seat in range(players) if seat != view.seat]
        shares = {round(hidden[tile, places].sum(), 9) for tile in range(28) if hidden[tile, places].sum()}
        assert len(shares) <= 2  # the tiles of the own hand are no other seat's; all others are alike
        lost += Belief(table).assignments > Belief(view).assignments
    assert lost > 5


def test_forgetting_changes_nothing_where_nothing_was_shown() -> None:
    view = Round.deal(2, 1).view(Round.deal(2, 1).seat)
    player = SearchPlayer(FEW)
    assert ForgetfulPlayer(player).choose(view, 2) == player.choose(view, 2)


# Names


def test_levels_and_people_are_found_by_name() -> None:
    assert named_player("level:casual") == level_player("casual")
    assert named_player("careless:misses=0.25") == CarelessPlayer(0.25)
    assert named_player("careless") == CarelessPlayer()
    assert named_player("forgetful", FEW) == ForgetfulPlayer(SearchPlayer(FEW))
    assert named_player("forgetful:misjudges=4", FEW) == ForgetfulPlayer(SearchPlayer(FEW), 4.0)
    assert named_player("forgetful:simulations=9") == ForgetfulPlayer(SearchPlayer(Limits(simulations=9)))
    assert named_player("level:full", FEW) == named_player("search", FEW)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("level:", "level"),
        ("level:genius", "level"),
        ("careless:hits=1", "player"),
        ("careless:misses=often", "misses"),
        ("careless:misses=1.5", "misses"),
        ("careless:misses=nan", "misses"),
        ("forgetful:depth=2", "player"),
        ("forgetful:misjudges=-1", "misjudges"),
        ("forgetful:misjudges=a,simulations=3", "misjudges"),
        ("", "player"),
    ],
)
def test_a_wrong_name_is_refused(text: str, field: str) -> None:
    with pytest.raises(LimitsError) as error:
        named_player(text)
    assert error.value.field == field
