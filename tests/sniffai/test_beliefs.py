"""The library's beliefs: against the facts in tests/data, against the twin's counting, and how worlds are sampled."""

import json
import random
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sniffai
from tests.pairing_library import library_view
from tests.positions import FEW_WORLDS, UNEVEN_WORLDS
from tests.reference import SET, Round, Tile, at_random, parse
from tests.reference_belief import (
    TALON,
    Marginals,
    Sight,
    World,
    assignments_of,
    by_replay,
    by_tables,
    foreign_tiles,
    places_of_play,
    seen,
    worlds_by_replay,
)
from tests.strategies import rounds_under_way

DATA = Path(__file__).parents[1] / "data"
BELIEFS = [json.loads(line) for line in (DATA / "beliefs.jsonl").read_text().splitlines()]


def place(owner: str) -> Any:
    return "talon" if owner == TALON else int(owner)


def check_marginals(belief: sniffai.Belief, view: sniffai.View, marginals: Marginals) -> None:
    """Every tile at every place: as given, 1 for the seat's own, 0 for anything else."""
    rows: Marginals = {str(tile): {} for tile in SET} | marginals
    rows |= {str(tile): {str(view.seat): Fraction(1)} for tile in view.hand}
    owners = [*map(str, range(view.players)), TALON]
    expected = [[float(rows[str(tile)].get(owner, 0)) for owner in owners] for tile in SET]
    assert belief.table.shape == (28, view.players + 1)
    assert belief.table.dtype == np.float64
    np.testing.assert_allclose(belief.table, expected, rtol=0, atol=1e-9)
    found = [[belief.probability(str(tile), place(owner)) for owner in owners] for tile in SET]
    assert np.array_equal(found, belief.table)


@pytest.mark.parametrize("number", range(len(BELIEFS)))
def test_a_recorded_belief(number: int) -> None:
    record = BELIEFS[number]
    view = sniffai.View.from_events(
        players=record["players"],
        seat=record["seat"],
        leader=record["leader"],
        hand=record["deal"],
        events=record["events"],
        scores=[0] * (3 if record["players"] == 3 else 2),
    )
    assert sorted(map(str, view.hand)) == sorted(record["hand"])
    assert view.hand_sizes == tuple(record["sizes"])
    assert view.talon_size == record["talon"]
    belief = sniffai.Belief(view)
    assert belief.assignments == belief.world_count == record["assignments"]
    check_marginals(belief, view, record["marginals"])


def test_no_recorded_belief_is_missing() -> None:
    assert Counter(record["players"] for record in BELIEFS) == {2: 26, 3: 53, 4: 46}


@settings(max_examples=250)
@given(rounds_under_way(), st.data())
def test_counting_agrees_with_the_twin(round_: Round, data: st.DataObject) -> None:
    seat = data.draw(st.integers(0, round_.players - 1), "seat")
    view = library_view(round_, seat)
    belief = sniffai.Belief(view)
    assignments, marginals = by_tables(seen(round_, seat))
    assert belief.assignments == assignments
    check_marginals(belief, view, marginals)
    for other, hand in enumerate(round_.hands):
        assert all(belief.probability(str(tile), other) > 0 for tile in hand)


def text_sets(hands: Iterable[Iterable[object]], own: int) -> tuple[frozenset[str], ...]:
    return tuple(frozenset() if seat == own else frozenset(map(str, hand)) for seat, hand in enumerate(hands))


def key(world: sniffai.World | World, own: int) -> tuple[tuple[frozenset[str], ...], frozenset[str]]:
    """A world as text, the view's own hand left out, in the library's form or the twin's."""
    hands, talon = (world.hands, world.talon) if isinstance(world, sniffai.World) else world
    return text_sets(hands, own), frozenset(map(str, talon))


@pytest.mark.parametrize(("players", "seed", "placements"), FEW_WORLDS[::3])
def test_trying_every_assignment_agrees(players: int, seed: int, placements: int) -> None:
    round_ = at_random(players, seed, placements)
    view, sight = library_view(round_, round_.seat), seen(round_, round_.seat)
    belief = sniffai.Belief(view)
    assignments, marginals = by_replay(sight)
    assert belief.assignments == assignments
    check_marginals(belief, view, marginals)
    worlds = belief.worlds()
    assert worlds is not None
    assert all(world.hands[view.seat] == view.hand for world in worlds)
    tried = {key(world, view.seat): ways for world, ways in worlds_by_replay(sight).items()}
    assert {key(world, view.seat): world.weight for world in worlds} == tried


@pytest.mark.parametrize(("players", "seed", "placements"), UNEVEN_WORLDS)
def test_weights_of_worlds(players: int, seed: int, placements: int) -> None:
    round_ = at_random(players, seed, placements)
    view, sight = library_view(round_, round_.seat), seen(round_, round_.seat)
    belief = sniffai.Belief(view)
    worlds = belief.worlds()
    assert worlds is not None
    assert len({key(world, view.seat) for world in worlds}) == len(worlds)
    for world in worlds:
        assert assignments_of(sight, as_sets(world, view.seat)) == world.weight
    assert sum(world.weight for world in worlds) == belief.assignments
    assert belief.worlds(limit=len(worlds)) is not None
    assert belief.worlds(limit=len(worlds) - 1) is None


def as_sets(world: sniffai.World, own: int) -> World:
    """A world of the library in the twin's form."""
    hands, talon = key(world, own)
    return tuple(frozenset(map(parse, hand)) for hand in hands), frozenset(map(parse, talon))


# sampling ----------------------------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(rounds_under_way(), st.integers(0, 2**64 - 1))
def test_a_sampled_world_contradicts_nothing(round_: Round, seed: int) -> None:
    view, sight = library_view(round_, round_.seat), seen(round_, round_.seat)
    belief = sniffai.Belief(view)
    for world in (belief.sample(seed), belief.sample(np.random.default_rng(seed))):
        assert world.hands[view.seat] == view.hand
        assert tuple(map(len, world.hands)) == view.hand_sizes
        assert len(world.talon) == view.talon_size
        lying = [tile for tiles in (*world.hands, world.talon) for tile in tiles]
        assert len(set(lying)) == len(lying) == len(SET) - len(view.placements)
        assert not {move.tile for move in view.placements} & set(lying)
        assert assignments_of(sight, as_sets(world, view.seat)) > 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_too_many_worlds_are_not_listed(players: int) -> None:
    """A fresh deal has up to billions of worlds: the answer comes without listing any."""
    belief = sniffai.Belief(sniffai.Round.deal(players=players, seed=1, leader=0).view(0))
    assert belief.assignments > 100_000
    assert belief.worlds() is None
    assert belief.worlds(limit=100) is None


def test_the_same_seed_samples_the_same_worlds() -> None:
    belief = sniffai.Belief(sniffai.Round.deal(players=4, seed=5).view(0))
    hands, talons = belief.sample_many(50, 1)
    assert np.array_equal(hands, belief.sample_many(50, 1)[0])
    assert np.array_equal(talons, belief.sample_many(50, 1)[1])
    assert not np.array_equal(hands, belief.sample_many(50, 2)[0])
    assert belief.sample(7) == belief.sample(7)


SAMPLES = 20_000


def surprise(counts: Counter[Any], weights: dict[Any, int]) -> float:
    """How far counts lie from a distribution by weights: Pearson's chi-square as a normal deviate.

    Wilson and Hilferty's cube root: about standard normal if the counts came from the distribution. Infinite if
    something was counted that has no weight.
    """
    if not counts.keys() <= weights.keys():
        return float("inf")
    total, samples = sum(weights.values()), sum(counts.values())
    expected = {at: samples * weight / total for at, weight in weights.items()}
    square = sum((counts[at] - share) ** 2 / share for at, share in expected.items())
    freedom = len(weights) - 1
    spread = 2 / (9 * freedom)
    return float(((square / freedom) ** (1 / 3) - (1 - spread)) / spread**0.5)


def tiles_of(mask: int) -> frozenset[str]:
    return frozenset(str(tile) for index, tile in enumerate(SET) if mask >> index & 1)


def sampled(belief: sniffai.Belief, seed: int) -> Counter[Any]:
    """Sampled worlds by key."""
    hands, talons = belief.sample_many(SAMPLES, seed)
    lying = np.left_shift(np.uint32(1), talons, dtype=np.uint32).sum(axis=1, dtype=np.uint32)
    rows, counts = np.unique(np.column_stack([hands, lying]), axis=0, return_counts=True)
    masks = [[*map(tiles_of, row)] for row in rows.tolist()]
    return Counter({(tuple(row[:-1]), row[-1]): n for row, n in zip(masks, counts.tolist(), strict=True)})


def careless(sight: Sight, view: sniffai.View, seed: int) -> Counter[Any]:
    """A sampler that only knows sizes: it deals the hidden tiles as if nobody had drawn or passed.

    A few deals of it are enough to be seen through.
    """
    rng, counts = random.Random(seed), Counter[Any]()
    hidden = [tile for tile in foreign_tiles(sight) if tile not in places_of_play(sight)]
    for _ in range(SAMPLES // 20):
        rng.shuffle(hidden)
        left, hands = list(hidden), list[list[Tile]]()
        for seat, size in enumerate(view.hand_sizes):
            hands.append([] if seat == view.seat else [left.pop() for _ in range(size)])
        counts[text_sets(hands, view.seat), frozenset(map(str, left))] += 1
    return counts


def unweighted(weights: dict[Any, int], seed: int) -> Counter[Any]:
    """A sampler that knows which worlds can be, but takes each as likely as the next."""
    return Counter(random.Random(seed).choices(list(weights), k=SAMPLES))


@pytest.mark.parametrize(("players", "seed", "placements"), UNEVEN_WORLDS)
def test_worlds_are_sampled_by_their_weights(players: int, seed: int, placements: int) -> None:
    round_ = at_random(players, seed, placements)
    view, sight = library_view(round_, round_.seat), seen(round_, round_.seat)
    belief = sniffai.Belief(view)
    worlds = belief.worlds() or []
    weights = {key(world, view.seat): world.weight for world in worlds}
    assert abs(surprise(sampled(belief, 1), weights)) < 4.5
    assert surprise(careless(sight, view, 1), weights) == float("inf")
    assert surprise(unweighted(weights, 1), weights) > 8


def test_the_talon_is_sampled_in_every_order() -> None:
    round_ = at_random(*UNEVEN_WORLDS[4])
    belief = sniffai.Belief(library_view(round_, round_.seat))
    _, talons = belief.sample_many(SAMPLES, 3)
    assert talons.shape == (SAMPLES, 3)
    orders = Counter(tuple(sorted(range(3), key=lambda place: int(row[place]))) for row in talons)
    assert surprise(orders, dict.fromkeys(permutations(range(3)), 1)) < 4.5


@pytest.mark.parametrize("record", BELIEFS[::25], ids=lambda record: str(record["assignments"]))
def test_frequencies_come_to_the_marginals(record: dict[str, Any]) -> None:
    """Each tile at each place within five standard deviations, also where worlds are far too many to count."""
    scores = [0] * (3 if record["players"] == 3 else 2)
    told = {name: record[name] for name in ("players", "seat", "leader", "events")}
    belief = sniffai.Belief(sniffai.View.from_events(hand=record["deal"], scores=scores, **told))
    hands, talons = belief.sample_many(SAMPLES, 4)
    shares = np.zeros((28, record["players"] + 1))
    for tile in range(28):
        shares[tile, :-1] = (hands >> np.uint32(tile) & np.uint32(1)).mean(axis=0)
        shares[tile, -1] = (talons == tile).any(axis=1).mean()
    expected = belief.table.copy()
    expected[:, record["seat"]] = 0
    spread = np.sqrt(expected * (1 - expected) / SAMPLES)
    assert (np.abs(shares - expected) <= 5 * spread + 1e-12).all()
