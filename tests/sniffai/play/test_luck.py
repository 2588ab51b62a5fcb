"""The luck in a round: its expectation is exactly 0, players tell their lots truly, and it explains scatter."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np
import pytest

from sniffai import Round, Tile
from sniffai.equity import load
from sniffai.play.adjusted import AdjustedMean
from sniffai.play.arena import play_arena, play_round, round_margins
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.humanlike import CarelessPlayer
from sniffai.play.levels import named_player
from sniffai.play.luck import DEPTH, LINES, Luck, no_luck, round_luck
from sniffai.play.players import GreedyPlayer, Player, PolicyPlayer, RandomPlayer, Teller
from sniffai.rules import PLAYERS, TEAMS
from sniffai.search.nets import load_policy, load_world_value
from sniffai.watch import Watch
from sniffai_ext.luck import draw_luck, prospects
from sniffai_ext.policy import Policy
from sniffai_ext.world_value import WorldValue

LEFT = 3
"""Tiles in the talon of a small position."""


def small_position(players: int, seed: int) -> Round | None:
    """A round of the policy with few tiles in the talon, before the next of them is drawn; ``None`` if it has none."""
    round_ = Round.deal(players, seed, leader=seed % players)
    while not round_.over:
        if len(round_.talon) == LEFT:
            return round_
        round_.play(PolicyPlayer().choose(round_.view(round_.seat), seed))
    return None


def small_positions(players: int, count: int) -> Iterator[Round]:
    found = (small_position(players, seed) for seed in range(3000))
    good = (round_ for round_ in found if round_ is not None and len(round_.legal_moves()) > 0)
    for _ in range(count):
        yield next(good)


def with_talon(round_: Round, order: Sequence[Tile]) -> Round:
    """The same round, what is left of its talon in another order."""
    start = round_.start
    drawn = len(start.talon) - len(order)
    new = Round(start.players, start.hands, (*start.talon[:drawn], *order), start.leader, start.scores)
    for move in round_.moves:
        new.play(move)
    return new


def ends(round_: Round, seats: Sequence[Player], chance: float = 1.0) -> Iterator[tuple[float, Round]]:
    """Every way in which a round may end, by the lots that its players tell, with its chance."""
    if round_.over:
        yield chance, round_
        return
    view = Watch(round_).view(round_.seat)
    player = seats[round_.seat]
    if len(round_.legal_moves()) == 1:
        options = {round_.legal_moves()[0]: 1.0}
    elif isinstance(player, Teller):
        options = player.chances(view)
    else:
        options = {player.choose(view, 7): 1.0}
    for move, share in options.items():
        after = round_.copy()
        after.play(move)
        yield from ends(after, seats, chance * share)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("names", [("policy", "policy"), ("random", "greedy"), ("careless:misses=0.4", "policy")])
def test_the_expectation_over_all_draws_and_lots_is_zero(players: int, names: tuple[str, str]) -> None:
    """Exactly: every order of the talon, and every choice by its chance; what happened before is what it was."""
    seats = [named_player(names[seat % 2]) for seat in range(players)]
    largest = 0.0
    for round_ in small_positions(players, 2):
        before = round_luck(round_, seats, 5)
        mean = no_luck(players)
        orders = list(permutations(round_.talon))
        for order in orders:
            for chance, end in ends(with_talon(round_, order), seats):
                luck = round_luck(end, seats, 5) - before
                largest = max(largest, *map(abs, luck.margins))
                mean += luck.times(chance / len(orders))
        assert mean.margins == pytest.approx([0] * TEAMS[players], abs=1e-9)
        assert mean.chances == pytest.approx([0] * TEAMS[players], abs=1e-9)
    assert largest > 1  # points: what averages to nothing is something


def test_orders_that_are_not_equally_likely_show() -> None:
    """The control of the test above: luck does not average to 0 where the draws are not fair."""
    seats = [PolicyPlayer()] * 2
    found = 0.0
    for round_ in small_positions(2, 6):
        before = round_luck(round_, seats, 5)
        lowest_first = with_talon(round_, sorted(round_.talon))
        ((_, end),) = ends(lowest_first, seats)
        found += abs((round_luck(end, seats, 5) - before).margins[0])
    assert found > 1


@pytest.mark.parametrize("players", PLAYERS)
def test_luck_averages_to_nothing_over_many_rounds(players: int) -> None:
    names = ("greedy", "policy")
    result = play_arena(ArenaSpec(*names, players, pairings=150, seed=3))
    luck = [sum(game.luck[team] for team, game in enumerate(pairing)) for pairing in result.pairings]
    assert abs(np.mean(luck)) < 4 * np.std(luck) / len(luck) ** 0.5
    assert np.std(luck) > 5
    less = result.adjusted_margin
    assert less.reduction > 0.05
    assert abs(less.estimate.mean - result.margin.mean) < 4 * result.margin.standard_error
    assert less.unadjusted.mean == pytest.approx(result.margin.mean)
    assert less.unadjusted.standard_error == pytest.approx(result.margin.standard_error)


@pytest.mark.parametrize("players", PLAYERS)
def test_luck_adds_up_to_nothing_among_the_teams_and_is_the_same_in_the_same_round(players: int) -> None:
    seats = [named_player("careless")] * players
    for seed in range(5):
        round_ = play_round(Round.deal(players, seed), seats, seed)
        luck = round_luck(round_, seats, seed)
        assert sum(luck.margins) == pytest.approx(0, abs=1e-4)
        assert sum(luck.chances) == pytest.approx(0, abs=1e-4)
        assert round_luck(round_, seats, seed) == luck
        assert round_luck(round_, seats, seed + 1) != luck


def test_equal_rounds_in_all_seatings_leave_no_luck() -> None:
    result = play_arena(ArenaSpec("policy", "policy", 2, pairings=5, whole_matches=True))
    assert result.adjusted_margin.estimate.mean == pytest.approx(0, abs=1e-9)
    for one, other in result.pairings:
        assert one.luck[0] == pytest.approx(-other.luck[1])
        assert one.match_luck[0] == pytest.approx(-other.match_luck[1])


def test_the_value_of_a_position_does_not_know_the_order_of_the_talon() -> None:
    for round_ in small_positions(2, 3):
        told = {
            tuple(prospects(with_talon(round_, order).core(), *nets(2), load(2).core, 1))
            for order in permutations(round_.talon)
        }
        assert len(told) == 1


def nets(players: int) -> tuple[Policy, WorldValue]:
    return load_policy(players), load_world_value(players)


@pytest.mark.parametrize("players", PLAYERS)
def test_prospects_come_true_on_the_whole(players: int) -> None:
    """What is expected of the policy's moves is what they bring: no bias, and better than no guess."""
    guess, came = [], []
    policy = PolicyPlayer()
    for seed in range(250):
        round_ = Round.deal(players, seed, leader=seed % players)
        for _ in range(seed % 9):
            if not round_.over:
                round_.play(policy.choose(round_.view(round_.seat), seed))
        if round_.over:
            continue
        move, seat = policy.choose(round_.view(round_.seat), seed), round_.seat
        (row,) = [row for row in prospects(round_.core(), *nets(players)) if row[:2] == move.codes]
        end = play_round(round_.copy(), [policy] * players, seed)
        guess.append(row[2][seat % TEAMS[players]])
        came.append(round_margins(end)[seat % TEAMS[players]])
    off = np.array(came) - np.array(guess)
    assert abs(off.mean()) < 4 * off.std() / len(off) ** 0.5
    assert off.var() < 0.9 * np.var(came)


@pytest.mark.parametrize("player", [RandomPlayer(), GreedyPlayer(), CarelessPlayer(0.3), CarelessPlayer(1.0)])
def test_players_choose_as_they_tell(player: RandomPlayer | GreedyPlayer | CarelessPlayer) -> None:
    for seed in range(8):
        round_ = Round.deal(2 + seed % 3, seed)
        for _ in range(seed):
            if len(round_.legal_moves()) > 0:
                round_.play(round_.legal_moves()[0])
        if round_.over:
            continue
        view = round_.view(round_.seat)
        told = player.chances(view)
        assert sum(told.values()) == pytest.approx(1)
        count = 3000
        chosen = Counter(player.choose(view, lot) for lot in range(count))
        assert set(chosen) <= set(told)
        for move, chance in told.items():
            assert chosen[move] / count == pytest.approx(chance, abs=5 * (chance * (1 - chance) / count) ** 0.5 + 1e-9)


def test_no_luck_where_nothing_is_drawn() -> None:
    round_ = Round.deal(2, 3)
    assert draw_luck(round_.core(), *nets(2)) == ((0.0, 0.0), (0.0, 0.0))
    assert Luck((1.0, -1.0), (0.5, -0.5)) - Luck((1.0, -1.0), (0.5, -0.5)) == no_luck(2)
    assert (LINES, DEPTH) == (8, 6)


# The mean


def test_only_the_luck_that_explains_scatter_is_taken() -> None:
    lots = np.random.default_rng(1)
    for weight, least, most in ((0.0, 0.0, 0.1), (0.5, 0.4, 0.6), (1.0, 0.9, 1.0), (-1.0, 0.0, 0.0)):
        mean = AdjustedMean()
        for luck, noise in lots.normal(0, 10, (2000, 2)):
            mean.add(3 + weight * luck + noise, 1, luck)
        assert least <= mean.share <= most
        assert mean.estimate.mean == pytest.approx(3, abs=1)
        assert mean.reduction == pytest.approx(max(0, weight) ** 2 / (1 + weight**2), abs=0.06)


def test_a_mean_of_nothing_is_uncertain() -> None:
    mean = AdjustedMean()
    assert mean.estimate.standard_error == mean.cautious_estimate(1).standard_error == float("inf")
    mean.add(4, 2, 1)
    assert (mean.estimate.mean, mean.estimate.standard_error, mean.reduction) == (2, float("inf"), 0.0)
