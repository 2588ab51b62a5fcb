"""The flat player, a stranger to measure against: fixed for ever, blind to hidden tiles, and no fool."""

import zlib
from itertools import combinations

import pytest

from sniffai import LimitsError, Round
from sniffai.play.arena import play_arena
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.levels import named_player
from sniffai.play.players import FlatPlayer, PolicyPlayer
from sniffai.rules import PLAYERS, deduction
from sniffai.tiles import TILES
from sniffai_ext.flat import flat_values
from tests.hidden_twins import hidden_twins


@pytest.mark.parametrize(("players", "choices"), [(2, 1306860045), (3, 1406550638), (4, 1708311358)])
def test_it_plays_as_it_always_did(players: int, choices: int) -> None:
    """Figures measured against it at different times can be compared only as long as these numbers stay."""
    told = []
    for seed in range(20):
        round_ = Round.deal(players, seed)
        while not round_.over:
            view = round_.view(round_.seat)
            move = FlatPlayer(20).choose(view, len(round_.moves))
            told.append(str(move))
            round_.play(move)
    assert zlib.crc32(" ".join(told).encode()) == choices


@pytest.mark.parametrize("players", PLAYERS)
def test_it_does_not_know_the_hidden_tiles(players: int) -> None:
    for rounds in hidden_twins(players):
        assert len({tuple(flat_values(round_.view(round_.seat).core(), 30, 1)) for round_ in rounds}) == 1


def test_a_last_tile_is_worth_its_points_and_what_the_other_hand_costs_on_average() -> None:
    """All ways to deal the hidden tiles are equally likely, whatever was drawn and passed."""
    checked = 0
    for seed in range(60):
        round_ = Round.deal(2, seed)
        while not round_.over and len(round_.hands[round_.seat]) > 1:
            view = round_.view(round_.seat)
            round_.play(PolicyPlayer().choose(view, seed))
        if round_.over:
            continue
        view = round_.view(round_.seat)
        other = round_.hands[1 - round_.seat]
        unseen = [tile for tile in TILES if tile not in view.hand and tile not in {move.tile for move in round_.moves}]
        if len(other) > 4:
            continue
        costs = [deduction(sum(tile.pips for tile in hand)) for hand in combinations(unseen, len(other))]
        for tile, at, value in flat_values(view.core(), 20_000, seed):
            move = next(move for move in view.legal_moves() if move.codes == (tile, at))
            assert value == pytest.approx(view.points(move) + sum(costs) / len(costs), abs=0.4)
            checked += 1
    assert checked > 10


@pytest.mark.parametrize("players", PLAYERS)
def test_it_beats_greedy(players: int) -> None:
    luck = players == 4  # so many pairings are too few there with the luck in them
    result = play_arena(ArenaSpec("greedy", "flat:worlds=100", players, pairings=80, seed=1, luck=luck))
    less = result.adjusted_margin.estimate
    assert less.mean > 3 * less.standard_error > 0


def test_it_is_read_by_name() -> None:
    assert named_player("flat") == FlatPlayer(200)
    assert named_player("flat:worlds=7") == FlatPlayer(7)
    for text, field in (("flat:worlds=0", "worlds"), ("flat:worlds=x", "worlds"), ("flat:simulations=3", "player")):
        with pytest.raises(LimitsError) as error:
            named_player(text)
        assert error.value.field == field
