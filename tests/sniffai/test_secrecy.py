"""What a seat cannot see has no part in what it is told: other deals that explain its view give the same answers."""

from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sniffai
from sniffai import wire
from sniffai.play.humanlike import ForgetfulPlayer
from sniffai.play.levels import LEVELS, named_player
from sniffai.play.players import SearchPlayer
from tests.pairing_library import library_round
from tests.reference import SET, TARGET, Round, at_random, teams
from tests.reference_belief import agrees, any_assignment, deal_of, seen
from tests.strategies import rounds_under_way

MIX_TRIES = 200

KINDS = (
    "random",
    "greedy",
    "policy",
    "search",
    "search:objective=round",
    "search:net_leaf=1",
    "search:net_leaf=0,follow=1",
    "search:inference=0",
    "search:extra_worlds=0",
    "search:forget=1",
    "search:opponents=1500",
    "careless:misses=0.4",
    "forgetful",
    "forgetful:misjudges=3",
    *(f"level:{level.name}" for level in LEVELS),
    "level:1500",
    "hasty:misjudges=9",
)
"""Every kind of player, and the ways to search."""


def mixed(twin: Round, seat: int, rng: Random) -> Round:
    """A round with hidden hands and a talon unlike the true ones, in which a seat has seen just the same.

    Where hardly another one exists, it may be the true one.
    """
    sight = seen(twin, seat)
    for _ in range(MIX_TRIES):
        assignment = any_assignment(sight, rng)
        if agrees(sight, assignment):
            return with_scores(deal_of(sight, assignment), twin)
    return twin.again()


def with_scores(deal: Round, twin: Round) -> Round:
    """A deal with the scores and the placements of another round."""
    other = Round(deal.players, deal.hands, deal.talon, deal.leader, list(twin.scores_before))
    for move in twin.layout.placements:
        other.play(*move)
    return other


def same_answer(one: sniffai.Analysis, other: sniffai.Analysis) -> None:
    """Bit for bit, only the clock left out."""
    for name in (
        "action",
        "moves",
        "root_values",
        "source",
        "stop_reason",
        "effective_limits",
        "seed",
        "deterministic",
        "warnings",
        "worlds_used",
        "effective_sample_size",
        "inferred_belief",
    ):
        assert getattr(one, name) == getattr(other, name)
    assert np.array_equal(one.belief.table, other.belief.table)
    assert one.belief.world_count == other.belief.world_count
    for name in ("simulations", "node_count", "memory_bytes"):
        assert getattr(one.effort, name) == getattr(other.effort, name)


def same_view(one: sniffai.View, other: sniffai.View) -> None:
    assert one == other
    assert hash(one) == hash(other)
    assert one.to_text() == other.to_text()
    assert repr(one) == repr(other)
    assert one.legal_moves() == other.legal_moves()


@settings(max_examples=100)
@given(rounds_under_way(), st.data())
def test_views_and_beliefs_do_not_know_the_hidden_tiles(twin: Round, data: st.DataObject) -> None:
    seat = data.draw(st.integers(0, twin.players - 1), "seat")
    other = mixed(twin, seat, Random(data.draw(st.integers(0, 2**32), "seed")))
    one_view, other_view = library_round(twin).view(seat), library_round(other).view(seat)
    same_view(one_view, other_view)
    one, two = sniffai.Belief(one_view), sniffai.Belief(other_view)
    assert one.assignments == two.assignments
    assert np.array_equal(one.table, two.table)
    assert one.sample(3) == two.sample(3)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_search_does_not_know_the_hidden_tiles(players: int) -> None:
    """In trees so large that the other seats follow the policy."""
    changed = inferred = 0
    for seed in range(12):
        twin = at_random(players, seed, 1 + seed)
        if twin.over or len(twin.legal_moves()) < 2:
            continue
        other = mixed(twin, twin.seat, Random(seed))
        one, two = library_round(twin), library_round(other)
        changed += one.hands != two.hands or one.talon != two.talon
        limits = sniffai.Limits(simulations=3000)
        views = one.view(one.seat), two.view(two.seat)
        answers = [sniffai.analyze(view, limits, seed=seed) for view in views]
        same_answer(*answers)
        inferred += answers[0].inferred_belief is not None
    assert changed >= 4
    assert inferred >= 4


Alike = tuple[sniffai.View, sniffai.View]
"""What a seat knows in two rounds that look alike to it."""


@cache
def alike(players: int) -> tuple[dict[int, Alike], int]:
    """Such views by seed, to ask every kind of player about, and in how many of them something hidden did change."""
    found, changed = {}, 0
    for seed in range(9):
        twin = at_random(
            players, seed, 2 * seed, [TARGET[players] - 45 * (seed % 3)] * teams(players) if seed % 3 else None
        )
        if twin.over or len(twin.legal_moves()) < 2:
            continue
        one, two = library_round(twin), library_round(mixed(twin, twin.seat, Random(seed)))
        changed += one.hands != two.hands or one.talon != two.talon
        found[seed] = one.view(one.seat), two.view(two.seat)
    return found, changed


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_no_player_knows_the_hidden_tiles(kind: str, players: int) -> None:
    """The same choice in both rounds; who analyses, the same answer byte for byte, as a message and as JSON."""
    player = named_player(kind, sniffai.Limits(simulations=150))
    pairs, changed = alike(players)
    assert changed >= 4
    told = []
    for seed, views in pairs.items():
        assert player.choose(views[0], seed) == player.choose(views[1], seed)
        if isinstance(player, (SearchPlayer, ForgetfulPlayer)):
            told = [wire.write_analysis(player.analyze(view, seed)) for view in views]
            assert told[0].deterministic
            assert told[0].SerializeToString(deterministic=True) == told[1].SerializeToString(deterministic=True)
    # The last pair will do: JSON is made of the message alone.
    assert len({wire.to_json(message) for message in told}) <= 1


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_mixed_round_is_another_round(players: int) -> None:
    """The tests above compare something: the hidden tiles did change, and another seat sees that."""
    twin = at_random(players, 3, 5)
    other = mixed(twin, twin.seat, Random(1))
    assert other.seen_by(twin.seat) == twin.seen_by(twin.seat)
    assert other.hands[twin.seat] == twin.hands[twin.seat]
    assert sorted(tile for hand in (*other.hands, other.talon) for tile in hand) == sorted(
        set(SET) - set(twin.layout.tiles)
    )
    neighbour = (twin.seat + 1) % players
    assert other.hands[neighbour] != twin.hands[neighbour]
    assert library_round(other).view(neighbour) != library_round(twin).view(neighbour)


def test_a_view_has_no_place_for_hidden_tiles() -> None:
    """Neither another seat's draw nor its hand can be told to a view by mistake."""
    twin = next(round_ for round_ in (at_random(3, seed, 12) for seed in range(50)) if draws_of_others(round_, 0))
    events = [{**event} for event in twin.events]
    with pytest.raises(sniffai.ViewError) as caught:
        sniffai.View.from_events(
            players=3, seat=0, leader=twin.leader, hand=map(str, twin.dealt[0]), events=events, scores=[0, 0, 0]
        )
    first = next(index for index, event in enumerate(events) if "draw" in event and event["seat"] != 0)
    assert caught.value.field == f"events[{first}].tiles"
    assert caught.value.reason


def draws_of_others(round_: Round, seat: int) -> bool:
    return any("draw" in event and event["seat"] != seat for event in round_.events)
