"""The compiled policy: against its literal twin, in duels, in training, and without a look at hidden tiles."""

from collections.abc import Callable

import numpy as np
import pytest

from sniffai.search.candidates import distinct_moves
from sniffai.search.nets import load_policy, load_world_value
from sniffai_ext.errors import LimitsError
from sniffai_ext.policy import Policy, duel, weight_count
from sniffai_ext.train import first_weights, train, weight_counts
from sniffai_ext.world_value import WorldValue, world_weight_count
from tests.hidden_twins import hidden_twins
from tests.pairing_library import library_round
from tests.reference import at_random
from tests.reference_net import rating

PLAYERS = (2, 3, 4)


def weights(players: int, seed: int = 3, scale: float = 0.1) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    """Random weights, those that start at 0 included."""
    return np.random.default_rng(seed).normal(0, scale, weight_count(players)).astype(np.float32)


@pytest.mark.parametrize("scale", [0.1, 1.5])
@pytest.mark.parametrize("players", PLAYERS)
def test_ratings_are_the_twins(players: int, scale: float) -> None:
    """Also with weights so large that sums come near to what their bits can hold."""
    block = weights(players, scale=scale)
    policy = Policy(players, block)
    rated = 0
    for seed in range(60):
        round_ = library_round(at_random(players, seed, seed % 24))
        if round_.over:
            continue
        view = round_.view(round_.seat)
        rows = policy.rate(view.core())
        rated += len(rows)
        expected = [rating(block, view, tile, at) for tile, at, _ in rows]
        np.testing.assert_allclose([value for *_, value in rows], expected, rtol=1e-6, atol=1e-5)
    assert rated > 100


@pytest.mark.parametrize("players", PLAYERS)
def test_rounding_the_weights_changes_little(players: int) -> None:
    """The ratings of the shipped nets, against those by the weights as they were trained."""
    policy, errors = load_policy(players), []
    _, (_, block) = policy.__reduce__()
    for seed in range(30):
        round_ = library_round(at_random(players, seed, seed % 20))
        if not round_.over:
            view = round_.view(round_.seat)
            rows = policy.rate(view.core())
            errors += [value - rating(block, view, tile, at, exact=True) for tile, at, value in rows]
    assert len(errors) > 50
    assert np.std(errors) < 0.05  # points


@pytest.mark.parametrize("door", [(Policy, weight_count), (WorldValue, world_weight_count)])
def test_weights_that_cannot_be_rounded_are_refused(door: "tuple[type[Policy], Callable[[int], int]]") -> None:
    kind, count = door
    for first in (0, count(2) - 40, count(2) - 2000):  # of the first layer, of the outputs, between the layers
        block = np.zeros(count(2), np.float32)
        block[first : first + 30] = 1e9
        with pytest.raises(LimitsError, match="too large") as caught:
            kind(2, block)
        assert (caught.value.reason, caught.value.field) == ("OUT_OF_RANGE", "weights")


@pytest.mark.parametrize("players", PLAYERS)
def test_moves_are_rated_once_and_best_first(players: int) -> None:
    policy = Policy(players, weights(players))
    for seed in range(30):
        round_ = library_round(at_random(players, seed, seed % 20))
        if round_.over:
            continue
        view = round_.view(round_.seat)
        rows = policy.rate(view.core())
        assert [value for *_, value in rows] == sorted((value for *_, value in rows), reverse=True)
        found = sorted((tile, at) for tile, at, _ in rows)
        assert found == sorted(move.codes for move in distinct_moves(view))
        assert policy.rate(round_.view((round_.seat + 1) % players).core()) == []


@pytest.mark.parametrize("players", PLAYERS)
def test_ratings_do_not_know_the_hidden_tiles(players: int) -> None:
    policy = load_policy(players)
    for rounds in hidden_twins(players):
        assert len({tuple(policy.rate(round_.view(round_.seat).core())) for round_ in rounds}) == 1


@pytest.mark.parametrize("players", PLAYERS)
def test_duels(players: int) -> None:
    shipped, other = load_policy(players), Policy(players, weights(players))
    assert np.array_equal(duel(players, 200, 5, shipped), duel(players, 200, 5, shipped))
    assert not np.array_equal(duel(players, 200, 5, shipped), duel(players, 200, 6, shipped))
    assert not duel(players, 200, 5, shipped, shipped).any()
    assert duel(players, 500, 5, shipped, other).mean() > 5
    if players != 3:
        assert np.array_equal(duel(players, 200, 5, shipped, other), -duel(players, 200, 5, other, shipped))


def test_playing_rounds_counts_what_was_rated() -> None:
    policy = load_policy(2)
    decisions, moves = policy.play_rounds(100, 1)
    assert policy.play_rounds(100, 1) == (decisions, moves)
    assert 700 < decisions < 1500
    assert moves > 2 * decisions


@pytest.mark.parametrize("players", PLAYERS)
def test_replies_and_known_worlds_are_made_as_often_as_asked(players: int) -> None:
    policy, world_value = load_policy(players), load_world_value(players)
    assert policy.draw_replies(10, 3, 1) == 30
    valued, total = world_value.judge_positions(10, 1, 1)
    assert 0 < valued <= 10
    assert world_value.judge_positions(10, 3, 1)[0] == 3 * valued
    assert world_value.judge_positions(10, 3, 1)[1] == pytest.approx(3 * total)
    for measure in (policy.draw_replies, world_value.judge_positions):
        with pytest.raises(LimitsError) as caught:
            measure(0, 1, 1)
        assert caught.value.field == "positions"


@pytest.mark.parametrize("players", PLAYERS)
def test_a_wrong_number_of_weights_is_refused(players: int) -> None:
    assert weight_counts(players) == (weight_count(players), world_weight_count(players))
    for door, count in ((Policy, weight_count(players)), (WorldValue, world_weight_count(players))):
        assert door(players, np.zeros(count)).players == players
        with pytest.raises(LimitsError, match="weights"):
            door(players, np.zeros(count - 1))


@pytest.mark.parametrize("players", PLAYERS)
def test_training_is_the_same_twice(players: int) -> None:
    def once(seed: int) -> bytes:
        nets = first_weights(players, 1)
        train(players, *nets, 300, seed, 0.01, 0.001, 3.0, 0.7)
        return b"".join(net.tobytes() for net in nets)

    assert once(7) == once(7) != once(8)
    assert all(np.isfinite(np.frombuffer(once(7), np.float32)))


def test_reports_of_progress_change_nothing() -> None:
    told: list[int] = []
    plain, watched = first_weights(2, 1), first_weights(2, 1)
    errors = train(2, *plain, 10_500, 7, 0.01, 0.001, 3.0, 0.7)
    assert train(2, *watched, 10_500, 7, 0.01, 0.001, 3.0, 0.7, told.append) == errors
    assert told == [10_000, 10_500]
    assert all(np.array_equal(one, other) for one, other in zip(plain, watched, strict=True))
