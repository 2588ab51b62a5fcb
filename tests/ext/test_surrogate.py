"""Worlds weighted by a fit: the regression against NumPy's, and pools that are the nearer to the truth for it."""

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from sniffai.play.players import PolicyPlayer
from sniffai.play.selfplay import decisions
from sniffai.search.nets import load_policy
from sniffai.search.params import MODEL_TEMPERATURES
from sniffai_ext.belief import Belief
from sniffai_ext.errors import LimitsError
from sniffai_ext.surrogate import fit
from sniffai_ext.view import View
from sniffai_ext.worlds import Pool, weighted_worlds
from tests.pairing_library import library_view
from tests.positions import FEW_WORLDS, UNEVEN_WORLDS
from tests.reference import at_random

RIDGE = 2
"""Worlds that speak for no gain, for each tile (ext/sniffai_ext/surrogate.pyx)."""

STUDIED, EXTRA = 150, 2400
"""Worlds that the policy weighs and worlds that the fit does, as in a search of 3,000 simulations."""

Table = npt.NDArray[np.float64]


def pool_of(view: View, room: int, seed: int, extra: int = 0) -> Pool:
    """Worlds weighted by the shipped policy."""
    return weighted_worlds(
        view, room, seed, load_policy(view.players), MODEL_TEMPERATURES[view.players], 0.05, extra=extra
    )


@cache
def mid_rounds(players: int, rounds: int = 12) -> tuple[View, ...]:
    """What the seat to move knows in the middle of rounds that the policy played, where worlds are many."""
    found = [played[len(played) // 2].view.core() for played in decisions(PolicyPlayer(), players, range(rounds), 7)]
    return tuple(view for view in found if Belief(view).assignments > 20_000)


def bits(mask: int) -> list[int]:
    """The tiles of a mask."""
    return [tile for tile in range(28) if mask >> tile & 1]


# The regression


def numpy_fit(hands: npt.NDArray[np.uint32], logs: Table) -> tuple[float, Table]:
    """Ridge regression on centred data, seat by seat, by NumPy's solver."""
    base, gain = 0.0, np.zeros((4, 28))
    for seat in range(4):
        if not logs[:, seat].any():
            continue
        held = (hands[:, seat, None] >> np.arange(28) & 1).astype(float)
        off = held - held.mean(axis=0)
        gain[seat] = np.linalg.solve(off.T @ off + RIDGE * np.eye(28), off.T @ (logs[:, seat] - logs[:, seat].mean()))
        base += logs[:, seat].mean() - held.mean(axis=0) @ gain[seat]
    return base, gain


@pytest.mark.parametrize("size", [1, 2, 9, 200])
def test_the_gains_are_those_of_numpy(size: int) -> None:
    lots = np.random.default_rng(size)
    for _ in range(20):
        hands = lots.integers(0, 1 << 28, (size, 4), dtype=np.uint32)
        logs = lots.normal(-6, 2, (size, 4)) * (lots.random(4) < 0.7)
        base, gain = fit(hands, logs)
        expected_base, expected_gain = numpy_fit(hands, logs)
        assert base == pytest.approx(expected_base, rel=1e-9, abs=1e-9)
        np.testing.assert_allclose(gain, expected_gain, rtol=1e-9, atol=1e-9)


def test_the_fit_finds_a_linear_law() -> None:
    """With so many worlds the ridge hardly counts: what each tile adds comes out, up to what all hands share."""
    lots = np.random.default_rng(3)
    law = lots.normal(0, 1, 28)
    hands = np.array([sum(1 << int(t) for t in lots.choice(28, 7, replace=False)) for _ in range(5000)], np.uint32)
    logs = np.array([law[bits(int(hand))].sum() for hand in hands])
    nobody = np.zeros_like(hands)
    _, gain = fit(
        np.stack([nobody, hands, nobody, nobody], axis=1), np.stack([0 * logs, logs, 0 * logs, 0 * logs], axis=1)
    )
    np.testing.assert_allclose(gain[1] - gain[1].mean(), law - law.mean(), atol=0.02)
    assert not gain[[0, 2, 3]].any()


def test_a_seat_without_choices_gains_nothing() -> None:
    base, gain = fit([[1, 2, 4, 8], [3, 5, 9, 17]], np.zeros((2, 4)))
    assert (base, gain.any()) == (0.0, False)


@pytest.mark.parametrize(
    ("hands", "logs"),
    [
        (np.zeros((0, 4)), np.zeros((0, 4))),
        (np.zeros((3, 3)), np.zeros((3, 3))),
        (np.zeros((3, 4)), np.zeros((2, 4))),
        (np.zeros(4), np.zeros(4)),
    ],
)
def test_arrays_of_other_shapes_are_refused(hands: Table, logs: Table) -> None:
    with pytest.raises(LimitsError) as error:
        fit(hands, logs)
    assert (error.value.reason, error.value.field) == ("WRONG_SHAPE", "hands")


# Extended pools


@pytest.mark.parametrize("players", [3, 4])
def test_a_pool_with_extra_worlds_is_nearer_to_the_truth(players: int) -> None:
    """Marginals against those of 20,000 weighed worlds.

    The extra worlds take away more than a third of what is off with 150 worlds alone. The same worlds with the same
    weight each do not: so the test can fail.
    """
    fitted, unweighted = [], []
    for view in mid_rounds(players):
        truth = pool_of(view, 20_000, 1).table()
        alone = off_by(pool_of(view, STUDIED, 2).table(), truth)
        extended = pool_of(view, STUDIED, 2, EXTRA)
        assert STUDIED / 2 < extended.studied <= STUDIED
        assert extended.size == extended.studied + EXTRA
        fitted.append(off_by(extended.table(), truth) / alone)
        unweighted.append(off_by(with_equal_extra_weights(extended, view), truth) / alone)
    assert len(fitted) >= 6
    assert np.mean(fitted) < 0.67, fitted
    assert np.mean(unweighted) > 0.67, unweighted


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("worlds", [64, 500])
def test_extra_worlds_never_hurt(players: int, worlds: int) -> None:
    """However many worlds the model weighs, extra ones bring the marginals no farther from those of 20,000."""
    alone, extended = 0.0, 0.0
    for view, truth in long_rounds(players):
        for seed in range(2, 6):
            alone += off_by(pool_of(view, worlds, seed).table(), truth)
            extended += off_by(pool_of(view, worlds, seed, 16 * worlds).table(), truth)
    assert extended < 0.9 * alone


@cache
def long_rounds(players: int) -> list[tuple[View, Table]]:
    """What seats know after some choices of the policy that a pool of 20,000 worlds does not exhaust, and its table."""
    number = 2 if players == 2 else 5
    rounds = decisions(PolicyPlayer(), players, range(10), 3)
    later = [played[number].view.core() for played in rounds if len(played) > number]
    pools = [(view, pool_of(view, 20_000, 1)) for view in later]
    found = [(view, pool.table()) for view, pool in pools if not pool.complete]
    assert len(found) >= 4
    return found


def off_by(table: Table, truth: Table) -> float:
    """The mean absolute difference of two tables of marginals."""
    return float(np.abs(table - truth).mean())


def with_equal_extra_weights(pool: Pool, view: View) -> Table:
    """The marginals of an extended pool, had the extra worlds the mean weight of the studied ones each."""
    *masks, weights = zip(*pool.worlds(), strict=True)
    shares = np.array(weights)
    shares[pool.studied :] = shares[: pool.studied].mean()
    shares /= shares.sum()
    places = np.array(masks, np.uint32)[[*range(view.players), 4]]
    table: Table = np.einsum("pwt,w->tp", places[:, :, None] >> np.arange(28) & 1, shares)
    table[bits(view.hand), view.seat] = 1
    return table


@pytest.mark.parametrize("players", [2, 3, 4])
def test_extra_worlds_are_worlds_of_the_view_with_weights_above_zero(players: int) -> None:
    checked = 0
    rounds = decisions(PolicyPlayer(), players, range(4), 7)
    for view in mid_rounds(players) or [played[0].view.core() for played in rounds]:
        pool = pool_of(view, STUDIED, 5, 600)
        weights = np.array([world[-1] for world in pool.worlds()])
        assert np.isfinite(weights).all()
        assert weights.min() >= 0
        assert weights.sum() == pytest.approx(1)
        fitted = np.exp(pool.log_likelihoods()[pool.studied :] - pool.log_likelihoods()[pool.studied :].max())
        extra = weights[pool.studied :]
        np.testing.assert_allclose(extra, extra.sum() * fitted / fitted.sum(), rtol=1e-9, atol=1e-15)
        assert 1 <= pool.effective <= pool.size
        assert pool.independent >= 1
        for *hands, talon, _ in pool.worlds()[:: 29 if pool.complete else 13]:
            held = [view.hand if seat == view.seat else hands[seat] for seat in range(players)]
            assert [hand.bit_count() for hand in held] == list(view.hand_sizes)
            assert sum(held) + talon + view.layout.tiles == (1 << 28) - 1
            assert weighted_worlds(view, 10, 1, hands=hands[:players]).assignments >= 1
            checked += 1
    assert checked > 30


@pytest.mark.parametrize("players", [2, 3, 4])
def test_worlds_that_a_fit_proposed_are_weighed_by_the_model(players: int) -> None:
    """The first part comes from the belief, as without a fit; the others have the likelihood that the model gives."""
    checked = 0
    for seed in range(3):
        view = library_view(at_random(players, seed, 6), at_random(players, seed, 6).seat).core()
        plain, extended = pool_of(view, STUDIED, 5), pool_of(view, STUDIED, 5, EXTRA)
        assert not plain.complete
        first = STUDIED // 3
        assert [world[:5] for world in extended.worlds()[:first]] == [world[:5] for world in plain.worlds()[:first]]
        np.testing.assert_array_equal(extended.log_likelihoods()[:first], plain.log_likelihoods()[:first])
        for number in range(first, extended.studied, 7):
            hands = extended.worlds()[number][:players]
            temperatures = MODEL_TEMPERATURES[players]
            logs = weighted_worlds(view, 50, 1, load_policy(players), temperatures, hands=hands).log_likelihoods()
            assert np.abs(logs - extended.log_likelihoods()[number]).min() < 1e-9
            checked += 1
    assert checked > 15


@pytest.mark.parametrize(("players", "seed", "placements"), [*FEW_WORLDS[::4], *UNEVEN_WORLDS])
def test_a_complete_pool_is_not_extended(players: int, seed: int, placements: int) -> None:
    round_ = at_random(players, seed, placements)
    view = library_view(round_, round_.seat).core()
    plain, extended = pool_of(view, 100_000, 1), pool_of(view, 100_000, 1, EXTRA)
    assert extended.complete
    assert extended.size == extended.assignments
    assert extended.worlds() == plain.worlds()


def test_worlds_of_equal_weight_are_not_extended() -> None:
    """Without a policy there is nothing to fit: a larger pool would do the same."""
    view = mid_rounds(3)[0]
    assert weighted_worlds(view, 100, 1, extra=500).worlds() == weighted_worlds(view, 100, 1).worlds()


def test_the_same_seed_gives_the_same_extra_worlds() -> None:
    view = mid_rounds(4)[0]
    assert pool_of(view, 100, 9, 300).worlds() == pool_of(view, 100, 9, 300).worlds()
    assert pool_of(view, 100, 9, 300).worlds()[100:] != pool_of(view, 100, 8, 300).worlds()[100:]


@pytest.mark.parametrize("extra", [-1, 1_000_001])
def test_a_number_of_extra_worlds_out_of_range_is_refused(extra: int) -> None:
    with pytest.raises(LimitsError) as error:
        pool_of(mid_rounds(3)[0], 10, 1, extra)
    assert (error.value.reason, error.value.field) == ("OUT_OF_RANGE", "extra")
