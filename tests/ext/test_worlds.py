"""Weighted worlds: the pool against the exact belief, weights against the formula, the past against what happened."""

import math
from collections import Counter

import numpy as np
import pytest

import sniffai
from sniffai.lab.temperature import read_choice
from sniffai.play.players import GreedyPlayer
from sniffai.play.selfplay import Decision, decisions
from sniffai.search.nets import load_policy
from sniffai_ext.belief import Belief
from sniffai_ext.errors import LimitsError, ViewError
from sniffai_ext.inference import sampled_past
from sniffai_ext.worlds import weighted_worlds
from tests.pairing_library import library_round, library_view
from tests.positions import FEW_WORLDS, UNEVEN_WORLDS
from tests.reference import at_random

PLAYERS = (2, 3, 4)
TEMPERATURES = (1.5, 2.5, 4.0)
FLOOR = 0.07


def played(players: int, rounds: int = 12) -> list[list[Decision]]:
    return list(decisions(GreedyPlayer(), players, range(rounds), 11))


@pytest.mark.parametrize(("players", "seed", "placements"), [*FEW_WORLDS[::2], *UNEVEN_WORLDS])
def test_a_complete_pool_is_every_assignment(players: int, seed: int, placements: int) -> None:
    round_ = at_random(players, seed, placements)
    view = library_view(round_, round_.seat).core()
    worlds = Belief(view).worlds(10_000)
    assert worlds is not None
    pool = weighted_worlds(view, 100_000, 1)
    assert pool.complete
    assert pool.size == pool.assignments == sum(worlds.values())
    assert pool.effective == pytest.approx(pool.size)
    found = Counter((*hands[:players], talon) for *hands, talon, _ in pool.worlds())
    assert found == Counter(worlds)
    assert [weight for *_, weight in pool.worlds()] == pytest.approx([1 / pool.size] * pool.size)
    np.testing.assert_allclose(pool.table(), Belief(view).table(), rtol=0, atol=1e-9)
    for *hands, _ in worlds:
        assert weighted_worlds(view, 100_000, 1, hands=hands).assignments == worlds[*hands, _]


@pytest.mark.parametrize("players", PLAYERS)
def test_a_sampled_pool_is_near_the_exact_belief(players: int) -> None:
    checked = 0
    for decision in (decision for found in played(players, 40) for decision in found):
        view = decision.view.core()
        belief = Belief(view)
        if not belief.constrained or belief.assignments <= 4000:
            continue
        checked += 1
        pool = weighted_worlds(view, 4000, 3)
        assert not pool.complete
        assert (pool.size, pool.assignments) == (4000, belief.assignments)
        np.testing.assert_allclose(pool.table(), belief.table(), rtol=0, atol=5 * math.sqrt(0.25 / 4000))
        for *hands, talon, weight in pool.worlds()[:20]:
            assert weight == pytest.approx(1 / 4000)
            held = [view.hand if seat == view.seat else hands[seat] for seat in range(players)]
            assert [hand.bit_count() for hand in held] == list(view.hand_sizes)
            assert sum(held) + talon + view.layout.tiles == (1 << 28) - 1
            assert weighted_worlds(view, 10, 1, hands=hands[:players]).assignments >= 1
    assert checked > 5


@pytest.mark.parametrize("players", PLAYERS)
def test_past_hands_fit_what_was_seen(players: int) -> None:
    seen = 0
    for found in played(players):
        sizes = {sum(isinstance(event, sniffai.Play) for event in decision.view.events): decision for decision in found}
        view = found[-1].view
        for placed, seat, tile, hand in sampled_past(view.core(), 5):
            assert seat != view.seat
            assert hand >> tile & 1
            assert not hand & view.core().hand
            if placed in sizes:
                assert hand.bit_count() == sizes[placed].view.hand_sizes[seat]
                seen += 1
    assert seen > 30


def formula(past: list[Decision], view: sniffai.View, players: int) -> float:
    """What the other seats' past choices are worth, from their own views."""
    total = 0.0
    for decision in past:
        if decision.view.seat == view.seat or decision.view.core().forced >= 0:
            continue
        choice = read_choice(load_policy(players), decision)
        shares = np.exp((choice.ratings - choice.ratings.max()) / TEMPERATURES[choice.phase])
        share = shares[choice.picked] / shares.sum()
        total += math.log(FLOOR / len(shares) + (1 - FLOOR) * share)
    return total


@pytest.mark.parametrize("players", PLAYERS)
def test_likelihoods_are_the_formula(players: int) -> None:
    checked = 0
    for found in played(players):
        for k, decision in enumerate(found):
            view = decision.view.core()
            pool = weighted_worlds(view, 50, 1, load_policy(players), TEMPERATURES, FLOOR, decision.hands)
            if pool.assignments > 1:
                continue
            expected = formula(found[:k], decision.view, players)
            assert pool.log_likelihoods() == pytest.approx([expected], abs=1e-3)
            checked += expected < 0
    assert checked > 30


def test_weights_are_the_likelihoods_and_never_zero() -> None:
    for decision in (decision for found in played(2, 6) for decision in found):
        view = decision.view.core()
        pool = weighted_worlds(view, 300, 4, load_policy(2), (0.01, 0.01, 0.01), 1e-3)
        weights = np.array([world[-1] for world in pool.worlds()])
        shares = np.exp(pool.log_likelihoods())
        np.testing.assert_allclose(weights, shares / shares.sum(), rtol=1e-9)
        assert weights.min() > 0
        assert pool.effective == pytest.approx(1 / (weights**2).sum())
        sizes = pool.table()[:, :2].sum(axis=0)
        np.testing.assert_allclose(sizes, view.hand_sizes, atol=1e-9)


@pytest.mark.parametrize("temperature", [0.01, 3.0, 1000.0], ids=["one world takes nearly all", "fitted", "all alike"])
def test_each_world_is_drawn_as_often_as_its_weight_says(temperature: float) -> None:
    views = [decision.view for found in played(2, 6) for decision in found]
    view = max((view for view in views if Belief(view.core()).assignments > 200), key=lambda each: len(each.events))
    pool = weighted_worlds(view.core(), 200, 4, load_policy(2), (temperature, temperature, temperature), 1e-6)
    assert pool.size == 200
    weights = np.array([world[-1] for world in pool.worlds()])
    for count in (10, 1_000, 100_000):
        times = np.array(pool.draws(count))
        assert times.sum() == count
        # Steps of the golden ratio: in any interval the number of draws is off by a few at most, not by its root.
        assert np.abs(np.cumsum(times) - count * np.cumsum(weights)).max() < 2 + math.log(count)


def test_the_same_seed_gives_the_same_pool() -> None:
    view = library_round(at_random(3, 2, 5)).view(0).core()
    assert weighted_worlds(view, 100, 9).worlds() == weighted_worlds(view, 100, 9).worlds()
    assert weighted_worlds(view, 100, 9).worlds() != weighted_worlds(view, 100, 8).worlds()


def test_arguments_of_a_pool_out_of_range_are_refused() -> None:
    view = library_round(at_random(2, 1, 3)).view(0).core()
    for room in (0, 1_000_001):
        with pytest.raises(LimitsError, match="room"):
            weighted_worlds(view, room, 1)
    for floor in (0.0, 1.5, math.nan):
        with pytest.raises(LimitsError, match="floor"):
            weighted_worlds(view, 10, 1, load_policy(2), TEMPERATURES, floor)
    with pytest.raises(LimitsError, match="temperatures"):
        weighted_worlds(view, 10, 1, load_policy(2), (1.0, 0.0, 1.0))
    with pytest.raises(LimitsError, match="seats"):
        weighted_worlds(view, 10, 1, load_policy(3))
    with pytest.raises(ViewError, match="hidden tiles"):
        weighted_worlds(view, 10, 1, hands=(0, view.hand))
    with pytest.raises(ViewError, match="hands"):
        weighted_worlds(view, 10, 1, hands=(0,))
