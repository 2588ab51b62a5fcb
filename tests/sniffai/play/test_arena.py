"""The arena: exact ties, known orders of strength, whole matches by the rules, the same results on all workers."""

import json
import math
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from sniffai import Limits, LimitsError, RecordError, Round
from sniffai.moves import Move
from sniffai.play.arena import play_arena, play_round, play_rounds
from sniffai.play.arena_result import ArenaResult, ArenaSpec, Cost, Game
from sniffai.play.levels import named_player
from sniffai.play.players import GreedyPlayer, RandomPlayer, SearchPlayer
from sniffai.rules import PLAYERS, TARGET, TEAMS
from sniffai.view import View

ROOT = Path(__file__).resolve().parents[3]

# Ties and order


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", ["random", "greedy", "search:simulations=60"])
def test_two_identical_players_tie_exactly(players: int, name: str) -> None:
    result = play_arena(ArenaSpec(name, name, players, pairings=6, seed=9, luck=False))
    assert result.margin.mean == pytest.approx(0.0, abs=1e-12)
    assert result.margin.standard_error == pytest.approx(0.0, abs=1e-12)
    assert result.margin_p_value == 1.0


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", ["random", "greedy", "search:simulations=20"])
def test_two_identical_players_split_every_match(players: int, name: str) -> None:
    result = play_arena(ArenaSpec(name, name, players, pairings=2, whole_matches=True, seed=9, luck=False))
    assert result.win_rate == result.even == 1 / TEAMS[players]
    for pairing in result.pairings:
        assert [game.winner == team for team, game in enumerate(pairing)].count(True) == 1
        assert sum(game.margins[team] for team, game in enumerate(pairing)) == pytest.approx(0.0, abs=1e-9)
    assert (result.margin_p_value, result.win_p_value) == (1.0, 1.0)


@pytest.mark.parametrize("players", PLAYERS)
def test_greedy_beats_random(players: int) -> None:
    result = play_arena(ArenaSpec("random", "greedy", players, pairings=60, seed=1, luck=False))
    assert result.margin.mean > 3 * result.margin.standard_error > 0
    assert result.margin_p_value < 0.001
    assert (result.matches, result.win_rate, result.win_interval, result.win_p_value) == (0, None, None, None)


@pytest.mark.parametrize("players", PLAYERS)
def test_policy_beats_greedy_without_search(players: int) -> None:
    result = play_arena(ArenaSpec("greedy", "policy", players, pairings=150, seed=1, luck=False))
    assert result.margin.mean > 3 * result.margin.standard_error > 0


@pytest.mark.parametrize("players", PLAYERS)
def test_greedy_beats_random_in_matches(players: int) -> None:
    result = play_arena(ArenaSpec("random", "greedy", players, pairings=16, whole_matches=True, seed=1, luck=False))
    assert result.win_interval is not None
    assert result.win_interval[0] > 0.7
    assert result.win_p_value is not None
    assert result.win_p_value < 0.001
    assert result.matches == 16 * TEAMS[players]


def test_search_beats_greedy_with_two_seats() -> None:
    result = play_arena(ArenaSpec("greedy", "search:simulations=1000", 2, pairings=40, seed=1, luck=False))
    assert result.margin.mean > 3 * result.margin.standard_error > 0


@pytest.mark.parametrize("whole_matches", [False, True])
def test_the_sides_mirror_each_other(whole_matches: bool) -> None:
    there = play_arena(ArenaSpec("random", "greedy", 2, 10, whole_matches, seed=3, luck=False))
    back = play_arena(ArenaSpec("greedy", "random", 2, 10, whole_matches, seed=3, luck=False))
    assert there.margin.mean == pytest.approx(-back.margin.mean)
    assert there.margin.standard_error == pytest.approx(back.margin.standard_error)
    assert there.margin_p_value == pytest.approx(back.margin_p_value)
    assert there.matches_won == back.matches - back.matches_won


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    spec = ArenaSpec("greedy", "search:simulations=50", 3, pairings=7, seed=2)
    done: list[int] = []
    assert play_arena(spec, workers=2).pairings == play_arena(spec, progress=done.append).pairings
    assert sum(done) == 7


def test_a_seed_makes_other_deals() -> None:
    one, two = (play_arena(ArenaSpec("random", "greedy", 2, pairings=5, seed=seed)) for seed in (1, 2))
    assert one.pairings != two.pairings


# Rounds and matches


@cache
def _matches(players: int) -> list[list[Round]]:
    spec = ArenaSpec("random", "random", players, pairings=15, whole_matches=True, seed=4)
    return [list(play_rounds(spec, [RandomPlayer()] * players, number)) for number in range(spec.pairings)]


@pytest.mark.parametrize("players", PLAYERS)
def test_a_match_runs_from_nothing_to_the_target(players: int) -> None:
    for number, rounds in enumerate(_matches(players)):
        assert rounds[0].start.leader == number % players
        assert rounds[0].start.scores == (0,) * TEAMS[players]
        assert [r.match_winner is None for r in rounds] == [True] * (len(rounds) - 1) + [False]
        assert max(rounds[-1].scores) >= TARGET[players]
        for before, after in pairwise(rounds):
            assert after.start.scores == before.scores


@pytest.mark.parametrize("players", PLAYERS)
def test_who_went_out_leads_the_next_round_and_after_a_block_the_lot_decides(players: int) -> None:
    leads = []
    for rounds in _matches(players):
        for before, after in pairwise(rounds):
            if before.blocked:
                leads.append(after.start.leader)
            else:
                assert after.start.leader == before.went_out
    assert len(leads) > 10
    assert set(leads) == set(range(players))


def test_a_round_of_a_match_has_the_same_deal_in_every_seating() -> None:
    spec = ArenaSpec("random", "greedy", 2, whole_matches=True)
    one = list(play_rounds(spec, [RandomPlayer(), GreedyPlayer()], 5))
    two = list(play_rounds(spec, [GreedyPlayer(), RandomPlayer()], 5))
    hands = [[r.start.hands for r in rounds] for rounds in (one, two)]
    common = min(map(len, hands))
    assert common > 2
    assert hands[0][:common] == hands[1][:common]
    assert len({deal for seating in hands for deal in seating}) == max(map(len, hands))


class _Recorder:
    """Plays the first legal move, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[View, int]] = []

    def choose(self, view: View, seed: int) -> Move:
        self.asked.append((view, seed))
        return view.legal_moves()[0]


def test_a_player_is_asked_only_where_there_is_a_choice_and_with_its_own_view() -> None:
    players = [_Recorder(), _Recorder()]
    round_ = play_round(Round.deal(2, 8), players, seed=3)
    assert round_.over
    for seat, player in enumerate(players):
        assert player.asked
        for view, _ in player.asked:
            assert (view.seat, view.to_move, len(view.legal_moves()) > 1) == (seat, seat, True)
    seeds = [seed for player in players for _, seed in player.asked]
    assert len(set(seeds)) == len(seeds) < len(round_.moves)


# What is told


def test_costs_are_counted_for_each_player() -> None:
    result = play_arena(ArenaSpec("greedy", "search:simulations=50", 2, pairings=5, luck=False))
    greedy, search = result.costs
    assert (greedy.simulations, greedy.simulations_per_second) == (0, None)
    assert 0 < search.simulations <= 50 * search.decisions
    assert search.simulations_per_second == pytest.approx(search.simulations / search.seconds)
    assert greedy.mean_seconds > 0 and search.mean_seconds > 0
    assert Cost().mean_seconds == 0.0


def test_endings_are_shares_of_the_rounds() -> None:
    result = play_arena(ArenaSpec("greedy", "greedy", 3, pairings=4, whole_matches=True, luck=False))
    assert sum(result.endings.values()) == pytest.approx(1.0)
    assert result.endings["target"] == pytest.approx(12 / result.rounds)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("whole_matches", [False, True])
def test_a_result_comes_back_from_json(players: int, whole_matches: bool) -> None:
    spec = ArenaSpec("random", "careless:misses=0.2", players, 4, whole_matches, 12, Limits(simulations=5))
    result = play_arena(spec)
    told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    back = ArenaResult.from_dict(told)
    assert back == result
    assert back.to_dict() == told


def test_one_pairing_has_no_error_and_still_makes_json() -> None:
    result = play_arena(ArenaSpec("random", "greedy", pairings=1))
    assert result.margin.standard_error == math.inf
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["standard_error"] is None


def _result_dict() -> dict[str, Any]:
    return ArenaResult(
        ArenaSpec("random", "greedy"), ((Game((5.0, -5.0), None, 1, 0, 0),) * 2,), (Cost(), Cost())
    ).to_dict()


@pytest.mark.parametrize(
    "wrong", [{"games": None}, {"games": [[[1]]]}, {"costs": {}}, {"limits": {"depth": 3}}, {"limits": 7}]
)
def test_what_is_no_result_is_refused(wrong: Mapping[str, Any]) -> None:
    with pytest.raises(RecordError):
        ArenaResult.from_dict({**_result_dict(), **wrong})
    with pytest.raises(RecordError):
        ArenaResult.from_dict({})


def test_margins_are_a_round_whatever_the_length_of_the_match() -> None:
    short, long = Game((30.0, -30.0), 0, 3, 0, 0), Game((-10.0, 10.0), 1, 5, 1, 1)
    result = ArenaResult(ArenaSpec("random", "greedy", whole_matches=True), ((short, long),) * 3, (Cost(), Cost()))
    assert result.margin.mean == pytest.approx((30 + 10) / (3 + 7))
    assert (result.matches, result.matches_won, result.rounds) == (6, 6, 30)


# Names and numbers


def test_players_are_read_by_name() -> None:
    assert named_player("random") == RandomPlayer()
    assert named_player("greedy") == GreedyPlayer()
    assert named_player("search", Limits(seconds=0.5)) == SearchPlayer(Limits(seconds=0.5))
    player = named_player("search:simulations=7,exploration=3,epsilon=0.5", Limits(seconds=0.5))
    assert isinstance(player, SearchPlayer)
    assert player.limits == Limits(simulations=7)
    assert (player.params.exploration, player.params.epsilon) == (3.0, 0.5)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("gredy", "player"),
        ("greedy:x=1", "player"),
        ("search:depth=3", "player"),
        ("search:simulations", "player"),
        ("search:simulations=many", "simulations"),
        ("search:simulations=0", "simulations"),
        ("search:epsilon=2", "epsilon"),
    ],
)
def test_a_wrong_player_is_refused(text: str, field: str) -> None:
    with pytest.raises(LimitsError) as error:
        named_player(text)
    assert error.value.field == field


@pytest.mark.parametrize("wrong", [{"players": 5}, {"pairings": 0}, {"seed": -1}, {"a": "nobody"}, {"b": "level:none"}])
def test_a_wrong_spec_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(LimitsError):
        ArenaSpec(**{"a": "random", "b": "greedy", **wrong})
