"""The inferred belief: the marginals of the weighted worlds, by hand, and when there is none."""

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sniffai
from sniffai import wire
from sniffai.play.players import GreedyPlayer, SearchPlayer
from sniffai.play.selfplay import decisions
from sniffai.search.inferred import POLICY_MODEL, SURE, TOLD_MODEL, UNCHANGED, calibrated, inferred_belief
from sniffai.search.nets import load_policy
from sniffai.search.opponents import Opponent, Way
from sniffai.search.params import MODEL_TEMPERATURES, EvidenceSlopes
from sniffai_ext.belief import Belief
from sniffai_ext.errors import LimitsError
from sniffai_ext.worlds import Pool, weighted_worlds

PLAYERS = (2, 3, 4)
SLOPES = EvidenceSlopes(1.3, 0.6, 0.8, 0.4)
LIMITS = sniffai.Limits(simulations=2000)


def views(players: int, rounds: int = 6) -> list[sniffai.View]:
    return [decision.view for found in decisions(GreedyPlayer(), players, range(rounds), 11) for decision in found]


def late_view(players: int) -> sniffai.View:
    """A view in which the others have chosen several times."""
    return max(views(players), key=lambda view: len(view.events) if len(view.legal_moves()) > 1 else 0)


def pool_of(view: sniffai.View, seed: int, room: int = 300, extra: int = 0) -> Pool:
    players = view.players
    return weighted_worlds(
        view.core(), room, seed, load_policy(players), MODEL_TEMPERATURES[players], 0.05, None, extra
    )


def by_hand(pool: Pool, share: float) -> np.ndarray:
    """The marginals, world by world."""
    rows, logs = pool.worlds(), pool.log_likelihoods()
    weights = np.array([row[-1] for row in rows])
    tempered = weights * np.exp((share - 1) * (logs - logs.mean()))
    for part in (slice(None, pool.studied), slice(pool.studied, None)):
        if tempered[part].size:
            tempered[part] *= weights[part].sum() / tempered[part].sum()
    table = np.zeros((28, pool.players + 1))
    for place in range(pool.players + 1):
        masks = np.array([row[4 if place == pool.players else place] for row in rows])
        table[:, place] = tempered @ (masks[:, None] >> np.arange(28) & 1)
    return table


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("extra", [0, 1000])
@pytest.mark.parametrize("share", [0.0, 0.6, 1.0, 1.3])
def test_marginals_are_the_sums_over_the_worlds(players: int, extra: int, share: float) -> None:
    for view in views(players, 2):
        pool = pool_of(view, 5, extra=extra)
        table, independent = pool.marginals(share)
        expected = by_hand(pool, share)
        expected[:, view.seat] = [view.core().hand >> tile & 1 for tile in range(28)]
        np.testing.assert_allclose(table, expected, rtol=0, atol=1e-9)
        assert 0 < independent <= pool.size * 1.0000001
        if share == 1:
            assert independent == pytest.approx(pool.independent)
            np.testing.assert_allclose(pool.table(), table, rtol=0, atol=1e-12)
        if share == 0 and pool.complete:
            np.testing.assert_allclose(table, Belief(view.core()).table(), rtol=0, atol=1e-9)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("extra", [0, 1000])
def test_what_is_told_may_follow_choices_otherwise_than_the_search(players: int, extra: int) -> None:
    """The worlds and their weights stay the same; what is told is as if they were weighed by its own model."""
    view, told = late_view(players), (1.0, 1.1, 0.01)
    given = (view.core(), 300, 5, load_policy(players), MODEL_TEMPERATURES[players], 0.05, None, extra)
    plain, pool = weighted_worlds(*given), weighted_worlds(*given, told)
    assert pool.worlds() == plain.worlds()
    np.testing.assert_array_equal(pool.log_likelihoods(), plain.log_likelihoods())
    np.testing.assert_array_equal(plain.told_log_likelihoods(), plain.log_likelihoods())
    np.testing.assert_array_equal(pool.table(), plain.table())
    assert not np.allclose(pool.told_log_likelihoods(), pool.log_likelihoods())
    rows = pool.worlds()
    weights = np.array([row[-1] for row in rows]) * np.exp(pool.told_log_likelihoods() - pool.log_likelihoods())
    for part in (slice(None, pool.studied), slice(pool.studied, None)):
        if weights[part].size:
            weights[part] *= sum(row[-1] for row in rows[part]) / weights[part].sum()
    other = (view.seat + 1) % players
    held = [
        sum(weight for row, weight in zip(rows, weights, strict=True) if row[other] >> tile & 1) for tile in range(28)
    ]
    np.testing.assert_allclose(pool.marginals(1.0)[0][:, other], held, rtol=0, atol=1e-9)


def test_one_temperature_for_all_is_that_of_the_search() -> None:
    """With a growth of 1 and the same floor both sums are the same."""
    view = late_view(3)
    pool = weighted_worlds(view.core(), 300, 5, load_policy(3), (2.0, 2.0, 2.0), 0.05, None, 0, (2.0, 1.0, 0.05))
    np.testing.assert_allclose(pool.told_log_likelihoods(), pool.log_likelihoods(), rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("told", "field"),
    [((0.0, 1.0, 0.1), "told[0]"), ((1.0, 3.0, 0.1), "told[1]"), ((1.0, 1.0, 0.0), "told[2]"), ((1.0, 1.0), "told")],
)
def test_what_is_told_is_in_its_range(told: tuple[float, ...], field: str) -> None:
    view = late_view(2)
    with pytest.raises(LimitsError) as caught:
        weighted_worlds(view.core(), 30, 5, load_policy(2), MODEL_TEMPERATURES[2], 0.05, None, 0, told)
    assert caught.value.field == field


@pytest.mark.parametrize("players", PLAYERS)
def test_a_correction_keeps_what_is_certain_and_every_sum(players: int) -> None:
    for view in views(players, 2):
        exact = Belief(view.core()).table()
        table = pool_of(view, 5).marginals(1.0)[0]
        np.testing.assert_array_equal(calibrated(table, exact, UNCHANGED, view.seat), table)
        told = calibrated(table, exact, SLOPES, view.seat)
        np.testing.assert_allclose(told.sum(axis=1), table.sum(axis=1), rtol=0, atol=1e-12)
        np.testing.assert_allclose(told.sum(axis=0), table.sum(axis=0), rtol=0, atol=1e-6)
        assert ((told == 0) == (table == 0)).all()
        np.testing.assert_array_equal(told[:, view.seat], table[:, view.seat])
        np.testing.assert_allclose(calibrated(exact, exact, SLOPES, view.seat), exact, rtol=0, atol=1e-9)


@pytest.mark.parametrize("players", PLAYERS)
def test_a_correction_by_hand(players: int) -> None:
    """Each power by its place; then the sums of rows and columns are those of before, and odds ratios stay."""
    view = late_view(players)
    exact = Belief(view.core()).table()
    table = pool_of(view, 5).marginals(1.0)[0]
    told = calibrated(table, exact, SLOPES, view.seat)
    seats = [seat for seat in range(players) if seat != view.seat]
    powered = np.zeros_like(table)
    for tile, place in np.argwhere(table > 0):
        sure = max(0.0, max(table[tile, seat] for seat in seats) - SURE) / (1 - SURE)
        ratio = table[tile, place] / exact[tile, place]
        less = SLOPES.talon_against if place == players else SLOPES.against
        power = less if ratio < 1 else SLOPES.toward
        powered[tile, place] = exact[tile, place] * ratio ** (power * (1 - 0.4 * sure))
    places = [*seats, players]
    rows = [tile for tile in range(28) if (table[tile, places] > 0).all()]
    assert len(rows) > 2
    scaled = np.log(told[np.ix_(rows, places)]) - np.log(powered[np.ix_(rows, places)])
    scaled -= scaled[:1]
    np.testing.assert_allclose(scaled - scaled[:, :1], 0, rtol=0, atol=1e-6)


@pytest.mark.parametrize("share", [-0.1, 4.1, float("nan"), "1"])
def test_a_share_is_in_its_range(share: object) -> None:
    with pytest.raises(LimitsError) as caught:
        pool_of(late_view(2), 1).marginals(share)  # type: ignore[arg-type]
    assert caught.value.field == "share"


@pytest.mark.parametrize("players", PLAYERS)
def test_an_analysis_has_it(players: int) -> None:
    view = late_view(players)
    analysis = sniffai.analyze(view, LIMITS)
    told = analysis.inferred_belief
    assert told is not None
    assert told == sniffai.analyze(view, LIMITS).inferred_belief
    assert told.model == POLICY_MODEL
    assert told.worlds_used == analysis.worlds_used
    assert 0 < told.effective_sample_size <= told.worlds_used
    exact = analysis.belief.table
    assert told.table.shape == exact.shape
    assert not told.table.flags.writeable
    assert told.table.min() >= 0
    assert told.table.max() <= 1
    np.testing.assert_allclose(told.table.sum(axis=1), exact.sum(axis=1), rtol=0, atol=1e-9)
    np.testing.assert_allclose(told.table.sum(axis=0)[:players], view.hand_sizes, rtol=0, atol=1e-6)
    assert (told.table[exact == 0] == 0).all()
    assert not np.allclose(told.table, exact, atol=0.01)


@pytest.mark.parametrize("players", PLAYERS)
def test_nothing_else_depends_on_whether_it_is_asked_for(players: int) -> None:
    view = late_view(players)
    told, plain = sniffai.analyze(view, LIMITS), sniffai.analyze(view, LIMITS, inferred=False)
    assert told.inferred_belief is not None
    alike = replace(told, inferred_belief=None, effort=replace(told.effort, seconds=plain.effort.seconds))
    assert plain == alike
    player = SearchPlayer(LIMITS)
    assert player.analyze(view, 0).inferred_belief is None
    assert player.searcher(view, 0).run(LIMITS).inferred_belief == told.inferred_belief
    wrong: Any = 1
    with pytest.raises(LimitsError) as raised:
        sniffai.analyze(view, LIMITS, inferred=wrong)
    assert raised.value.field == "inferred"


def test_it_names_the_model_that_the_search_was_told() -> None:
    view = late_view(2)
    told = sniffai.analyze(view, LIMITS, opponents={1 - view.seat: Opponent((Way("policy"),))}).inferred_belief
    assert told is not None
    assert told.model == TOLD_MODEL
    assert told != sniffai.analyze(view, LIMITS).inferred_belief


def test_trees_are_pooled_by_how_exact_they_are() -> None:
    view = next(view for view in views(4) if len(view.events) > 4 and Belief(view.core()).assignments > 10_000)
    pools = [pool_of(view, 1), pool_of(view, 2, room=900)]
    assert not any(pool.complete for pool in pools)
    told = inferred_belief(pools, Belief(view.core()).table())
    assert told is not None
    (one, first), (two, second) = (pool.marginals(1.0) for pool in pools)
    np.testing.assert_allclose(told.table, (first * one + second * two) / (first + second), rtol=0, atol=1e-12)
    assert told.effective_sample_size == pytest.approx(first + second)
    assert told.worlds_used == 1200
    several = sniffai.analyze(view, LIMITS, threads=3)
    assert several.inferred_belief is not None
    assert several.inferred_belief.worlds_used == several.worlds_used


def test_complete_pools_are_the_same_pool() -> None:
    view = next(view for view in reversed(views(2)) if 1 < Belief(view.core()).assignments < 200)
    pools = [pool_of(view, seed) for seed in (1, 2)]
    exact = Belief(view.core()).table()
    told = inferred_belief(pools, exact)
    assert told is not None
    assert told == inferred_belief(pools[:1], exact)


def test_there_is_none_where_choices_say_nothing() -> None:
    lead = sniffai.Round.deal(3, seed=1)
    assert sniffai.analyze(lead.view(lead.seat), LIMITS).inferred_belief is None
    view = late_view(3)
    without = sniffai.SearchParams(inference=False)
    assert sniffai.analyze(view, LIMITS, params=without).inferred_belief is None
    assert sniffai.analyze_deal(lead, LIMITS).inferred_belief is None
    assert inferred_belief([], np.zeros((28, 4))) is None


def test_it_is_a_value() -> None:
    told = sniffai.analyze(late_view(2), LIMITS).inferred_belief
    assert told is not None
    for again in (copy.copy(told), copy.deepcopy(told), pickle.loads(pickle.dumps(told))):
        assert again == told
        assert hash(again) == hash(told)
        assert not again.table.flags.writeable
    other = sniffai.InferredBelief(told.table, told.effective_sample_size + 1, told.worlds_used, told.model)
    assert other != told
    assert told != sniffai.BeliefTable(told.table, 5)


def test_it_is_on_the_wire() -> None:
    analysis = sniffai.analyze(late_view(4), LIMITS)
    told, message = analysis.inferred_belief, wire.write_analysis(analysis).inferred_belief
    assert told is not None
    assert (message.effective_sample_size, message.worlds_used) == (told.effective_sample_size, told.worlds_used)
    assert message.model == POLICY_MODEL
    assert [[*tile.hands, tile.talon] for tile in message.tiles] == told.table.tolist()
    lead = sniffai.Round.deal(3, seed=1)
    assert not wire.write_analysis(sniffai.analyze(lead.view(lead.seat), LIMITS)).HasField("inferred_belief")
