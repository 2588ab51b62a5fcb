"""The named levels: an order of strength, mistakes like a person's, nothing hidden asked."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from random import Random

import pytest

from sniffai import Belief, Limits, LimitsError, Move, Round, View
from sniffai.lab.ratings import contests_of, fit_ratings
from sniffai.play.arena import play_arena
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.humanlike import POINT_WORTH, CarelessPlayer, ForgetfulPlayer, HastyPlayer, openness
from sniffai.play.levels import (
    LEVELS,
    Level,
    expected_result,
    find_level,
    level_player,
    named_player,
    names_level,
    rating_range,
)
from sniffai.play.mixed import MixedPlayer
from sniffai.play.players import GreedyPlayer, PolicyPlayer, SearchPlayer
from sniffai.play.ratings import LOWEST, expected_rate, measured, score_of
from sniffai.play.statistics import wilson_interval
from sniffai.rules import PLAYERS
from sniffai.search.candidates import distinct_moves
from sniffai.search.nets import load_policy
from sniffai.watch import Watch
from tools import catalogues
from tools.measure_levels import tables

FEW = Limits(simulations=200)
NAMES = [level.name for level in LEVELS]


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
    assert len(LEVELS) >= 8
    assert len({level.name for level in LEVELS}) == len(LEVELS)
    assert all(level.name.isidentifier() and level.name.islower() and level.description for level in LEVELS)
    assert level_player(LEVELS[-1].name, FEW) == SearchPlayer(FEW)


# What was measured


def test_the_measured_levels_are_the_present_ones() -> None:
    told = measured()
    assert told["players"] == {level.name: repr(level.player) for level in LEVELS}
    assert list(told["ratings"]) == NAMES
    assert list(told["milliseconds"]) == NAMES[:-1]


def test_every_level_but_the_lowest_is_measured_against_the_one_below() -> None:
    assert LEVELS[0].scores == ()
    for level in LEVELS[1:]:
        assert [score.players for score in level.scores] == list(PLAYERS)
        assert all(score.interval[0] > 0.5 for score in level.scores if score.players != 3)
        assert all(score.rate > 0.5 for score in level.scores)


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("level", LEVELS[1:], ids=lambda level: level.name)
def test_a_step_is_neither_a_hole_nor_hardly_felt(level: Level, players: int) -> None:
    score = score_of(level.name, NAMES[NAMES.index(level.name) - 1], players)
    assert score is not None and 0.58 <= score.rate <= 0.75
    assert max(abs(end - score.rate) for end in score.interval) < 0.032


def test_with_three_seats_each_is_alone_as_often_as_the_other() -> None:
    """Alone against two a third is even."""
    alone: Counter[frozenset[str]] = Counter()
    for row in measured()["contests"]:
        if row["players"] == 3:
            sign = 1 if NAMES.index(row["a"]) < NAMES.index(row["b"]) else -1
            alone[frozenset((row["a"], row["b"]))] += sign * row["matches"]
    assert len(alone) >= len(LEVELS) - 1 and set(alone.values()) == {0}


def test_the_scores_of_two_levels_are_told_from_either_side() -> None:
    for players in PLAYERS:
        one, other = score_of("casual", "beginner", players), score_of("beginner", "casual", players)
        assert one is not None and other is not None
        assert (one.won + other.won, one.matches) == (one.matches, other.matches)
    assert score_of("newcomer", "full", 2) is None


def test_the_page_on_strength_shows_what_was_measured() -> None:
    page = (Path(catalogues.ROOT) / "docs" / "strength.md").read_text(encoding="utf-8")
    assert set(tables(measured())) <= set(page.splitlines())
    assert f"`full` at {measured()['full_simulations']:,} simulations" in page


def test_the_ratings_are_those_that_fit_the_contests_best() -> None:
    found = fit_ratings(contests_of(measured()["contests"]), NAMES)
    assert {name: LOWEST + round(points) for name, points in found.points.items()} == measured()["ratings"]
    assert measured()["spreads"] == {str(players): round(spread, 3) for players, spread in found.spreads.items()}


def test_ratings_rise_and_tell_what_was_measured() -> None:
    ratings = [level.rating for level in LEVELS]
    assert ratings == sorted(ratings) and ratings[0] == LOWEST
    distant = 0
    for one, other in combinations(LEVELS, 2):
        for players in (2, 4):
            score = score_of(other.name, one.name, players)
            if score is not None:
                low, high = wilson_interval(score.won, score.matches, 0.999)
                assert low - 0.03 <= expected_result(other, one, players) <= high + 0.03, (one.name, other.name)
                distant += NAMES.index(other.name) > NAMES.index(one.name) + 1
    assert distant >= 10


def test_two_levels_expect_all_matches_together() -> None:
    low, high = find_level("casual"), find_level("club")
    for players in PLAYERS:
        there, back = expected_result(high, low, players), expected_result(low, high, players)
        assert there + back == pytest.approx(1)
        assert there > 0.6 and expected_result(low, low, players) == 0.5
    assert expected_rate(1400, 1000, 2) == pytest.approx(10 / 11)
    with pytest.raises(LimitsError) as error:
        expected_result(high, low, 5)
    assert error.value.reason == "PLAYERS_OUT_OF_RANGE"


@pytest.mark.parametrize("index", [1, 3])
def test_the_measured_rate_of_a_level_is_still_right(index: int) -> None:
    below, level = (f"level:{LEVELS[i].name}" for i in (index - 1, index))
    result = play_arena(ArenaSpec(below, level, 2, pairings=50, whole_matches=True, seed=77, luck=False))
    low, high = wilson_interval(result.matches_won, result.matches, 0.999)
    assert low <= LEVELS[index].scores[0].rate <= high


def test_what_a_move_takes_is_told_and_bounded() -> None:
    for level in LEVELS[:-1]:
        spent = level.move_time
        assert spent is not None and 0 < spent.mean <= spent.longest < 1
        assert level.max_simulations is not None and level.max_simulations <= 1000
    assert LEVELS[-1].move_time is LEVELS[-1].max_simulations is None


# Between named levels


def test_a_number_is_a_level_between_its_neighbours() -> None:
    for below, above in pairwise(LEVELS):
        for share in (0.25, 0.5, 0.9):
            rating = below.rating + share * (above.rating - below.rating)
            level = find_level(f"{rating:.9g}")
            assert (float(level.name), level.rating, level.scores, level.move_time) == (rating, rating, (), None)
            player = level.player
            assert isinstance(player, MixedPlayer)
            assert player == MixedPlayer(below.player, above.player, player.share)
            assert player.share == pytest.approx(share)
            bounds = below.max_simulations, above.max_simulations
            assert level.max_simulations == (None if None in bounds else max(bounds))  # type: ignore[type-var]
    assert not find_level(str(LEVELS[-1].rating)).plays_best


def test_a_number_may_be_written_with_decimals() -> None:
    assert find_level("1100.50") == find_level("1100.5")
    assert find_level("1100.0").name == "1100"
    assert level_player("1100") == named_player("level:1100") == find_level("1100").player


def test_the_nearer_a_level_is_the_more_moves_are_its() -> None:
    mixed = MixedPlayer(GreedyPlayer(), SearchPlayer(FEW), 0.3)
    upper = sum(mixed.at_turn(seed) == mixed.upper for seed in range(3000))
    assert upper / 3000 == pytest.approx(0.3, abs=0.03)
    assert {MixedPlayer(mixed.lower, mixed.upper, 0).at_turn(seed) for seed in range(99)} == {mixed.lower}
    assert {MixedPlayer(mixed.lower, mixed.upper, 1).at_turn(seed) for seed in range(99)} == {mixed.upper}
    for view in _views(2, 2):
        assert mixed.choose(view, 5) == mixed.at_turn(5).choose(view, 5)


def test_a_level_between_two_is_as_strong_as_its_number_says() -> None:
    """Measured against both neighbours: what its rating expects, within chance."""
    rows = measured()["between"]
    assert len(rows) >= 2 * (len(LEVELS) - 1)
    for row in rows:
        low, high = wilson_interval(row["won"], row["matches"], 0.999)
        expected = expected_result(find_level(row["b"]), find_level(row["a"]), row["players"])
        assert low <= expected <= high, row
    won, matches = sum(row["won"] for row in rows), sum(row["matches"] for row in rows)
    assert wilson_interval(won, matches, 0.999)[0] > 0.5


def test_a_level_between_two_takes_the_callers_limits_where_full_strength_does() -> None:
    expert, full = LEVELS[-2:]
    name = str(full.rating - 1)
    player = level_player(name, FEW)
    assert player == MixedPlayer(expert.player, SearchPlayer(FEW), find_level(name).player.share)  # type: ignore[attr-defined]


@pytest.mark.parametrize("rating", ["999", "-1", "0", "999999999", "999.999999999"])
def test_a_rating_out_of_range_is_refused_with_the_range(rating: str) -> None:
    lowest, highest = rating_range()
    with pytest.raises(LimitsError) as error:
        find_level(rating)
    assert (error.value.reason, error.value.field) == ("RATING_OUT_OF_RANGE", "level")
    assert f"{lowest}..{highest}" in error.value.message
    assert all(f"{level.name} {level.rating}" in error.value.message for level in LEVELS)


@pytest.mark.parametrize(
    "name", ["", "1e3", "+1200", "1200.", ".5", " 1200", "1200 ", "１２００", "nan", "inf", "1_200"]
)
def test_what_is_no_number_is_an_unknown_level(name: str) -> None:
    with pytest.raises(LimitsError) as error:
        find_level(name)
    assert (error.value.reason, error.value.field) == ("UNKNOWN_LEVEL", "level")
    assert ", ".join(NAMES) in error.value.message and "{}..{}".format(*rating_range()) in error.value.message
    assert not names_level(name)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", [*NAMES, "1050", "1500"])
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


def near_the_end(view: View, own: int, other: int) -> View:
    """The same table of two seats at such scores before the round."""
    scores = (own, other) if view.seat == 0 else (other, own)
    return replace(view, scores=scores)


def test_a_hasty_player_without_errors_plays_the_policy() -> None:
    for players in PLAYERS:
        for view in _views(players, 2):
            assert HastyPlayer().choose(view, 3) == PolicyPlayer().choose(view, 3)


def test_misjudging_is_rare_where_it_costs_much() -> None:
    """Choosing a move that is rated d points lower takes an error of that much between the two."""
    misjudges, costs = 6.0, []
    for view in [view for view in _views(2, 12) if len(distinct_moves(view)) > 2]:
        rated = {Move.from_codes(tile, at): value for tile, at, value in load_policy(2).rate(view.core())}
        best = max(rated.values())
        costs += [best - rated[HastyPlayer(misjudges).choose(view, seed)] for seed in range(40)]
    assert sum(cost > 0 for cost in costs) > 0.1 * len(costs)
    assert sum(cost > 2**0.5 * misjudges for cost in costs) < 0.1 * len(costs)
    assert sum(cost > 3.5 * 2**0.5 * misjudges for cost in costs) == 0


@pytest.mark.parametrize("misjudges", [0.0, 8.0, 120.0, 1000.0])
def test_a_placement_that_wins_the_match_is_never_missed(misjudges: float) -> None:
    player, found = HastyPlayer(misjudges), 0
    for view in _views(2, 20):
        gains = {move: view.points(move) for move in distinct_moves(view)}
        most = max(gains.values())
        if len(gains) > 1 and most > 0 and sum(gain == most for gain in gains.values()) == 1:
            missing = 250 - (view.scores_now[view.team] - view.scores[view.team]) - most
            ready = near_the_end(view, missing, 0)
            found += 1
            assert all(gains[player.choose(ready, seed)] == most for seed in range(5))
    assert found > 20


def test_care_grows_as_the_match_is_decided() -> None:
    assert [openness(chance) for chance in (0, 0.5, 1)] == [0, 1, 0]
    views = [view for view in _views(2, 12) if len(distinct_moves(view)) > 2 and len(view.events) < 8]
    player, errors = HastyPlayer(30), Counter[str]()
    for view in views:
        best = PolicyPlayer().choose(view, 0)
        for name, own, other in (("even", 0, 0), ("won", 180, 0), ("lost", 0, 180)):
            scored = near_the_end(view, own, other)
            errors[name] += sum(player.choose(scored, seed) != best for seed in range(20))
    assert errors["won"] < 0.6 * errors["even"] and errors["lost"] < 0.6 * errors["even"]


def test_misjudging_searchers_err_rarely_and_less_the_more_it_costs() -> None:
    player = ForgetfulPlayer(SearchPlayer(FEW), misjudges=4.0)
    for view in [view for view in _views(2) if len(view.legal_moves()) > 2][:8]:
        analysis = player.analyze(view, 1)
        best = analysis.moves[0].win_probability
        assert best is not None
        losses = {
            entry.move: (best - entry.win_probability) / POINT_WORTH
            for entry in analysis.moves
            if entry.win_probability is not None
        }
        assert ForgetfulPlayer(player.search).pick(analysis, 1) == analysis.moves[0].move
        costs = [losses[player.pick(analysis, seed)] for seed in range(300)]
        assert sum(cost > 5.0 * 2**0.5 * player.misjudges for cost in costs) == 0
        assert sum(cost > 2**0.5 * player.misjudges for cost in costs) <= 0.16 * len(losses) * len(costs)
    erred = ForgetfulPlayer(SearchPlayer(FEW), misjudges=1000.0)
    assert {erred.pick(analysis, seed) for seed in range(300)} == set(losses)


def test_a_searcher_does_not_err_once_the_match_is_decided() -> None:
    player = ForgetfulPlayer(SearchPlayer(FEW), misjudges=1000.0)
    (view, *_) = [view for view in _views(2) if len(view.legal_moves()) > 2]
    analysis = player.analyze(view, 1)
    for chance in (0.0, 0.001, 0.999, 1.0):
        first = replace(analysis.moves[0], win_probability=chance)
        decided = replace(analysis, moves=(first, *analysis.moves[1:]))
        assert {player.pick(decided, seed) for seed in range(50)} == {first.move}


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


def test_a_player_that_forgets_nothing_searches_what_it_saw() -> None:
    player = SearchPlayer(FEW)
    differ = 0
    for view in [view for view in _views(2, 4) if len(view.legal_moves()) > 2]:
        assert ForgetfulPlayer(player, forgets=False).choose(view, 2) == player.choose(view, 2)
        differ += ForgetfulPlayer(player).analyze(view, 2) != player.analyze(view, 2)
    assert differ > 3


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
    assert named_player("forgetful:forgets=0", FEW) == ForgetfulPlayer(SearchPlayer(FEW), forgets=False)
    assert named_player("hasty:misjudges=8") == HastyPlayer(8.0)
    assert named_player("hasty") == HastyPlayer()
    assert named_player("level:full", FEW) == named_player("search", FEW)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("level:", "level"),
        ("level:genius", "level"),
        ("level:999", "level"),
        ("hasty:misses=1", "player"),
        ("hasty:misjudges=-1", "misjudges"),
        ("hasty:misjudges=1001", "misjudges"),
        ("forgetful:forgets=2", "forgets"),
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
