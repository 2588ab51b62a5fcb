"""A search that is told how another seat chooses: exact where that can be checked, and nothing else changes."""

import numpy as np
import pytest

from sniffai import Limits, LimitsError, Round, Searcher, SearchParams, SniffError, View, ViewError, analyze
from sniffai.moves import Move
from sniffai.play.exploiter import KNOWING, deal_of
from sniffai.play.habits import habits_of
from sniffai.play.humanlike import CarelessPlayer, HastyPlayer
from sniffai.play.players import GreedyPlayer, Player, PolicyPlayer
from sniffai.search.candidates import distinct_moves
from sniffai.search.nets import load_policy
from sniffai.search.opponents import Opponent, Way
from sniffai.search.searcher import search_options
from sniffai_ext.inference import sampled_deals
from sniffai_ext.search import Search as CoreSearch
from sniffai_ext.worlds import given_worlds, weighted_worlds
from tests.best_response import Chances, best_values, cases_of, late_view

PLAYED: dict[str, Player] = {
    "policy": PolicyPlayer(),
    "greedy": GreedyPlayer(),
    "careless": CarelessPlayer(0.5),
    "hasty": HastyPlayer(20),
}
LATE = [
    *[("policy", 2, 65), ("greedy", 2, 22), ("greedy", 2, 133), ("careless", 3, 41), ("careless", 2, 58)],
    *[("hasty", 2, 58), ("hasty", 3, 43)],
]
"""(player, players, seed): rounds that come to a choice of seat 0 with hundreds of deals left at most."""


def opponent_of(kind: str) -> Opponent:
    habits = habits_of(PLAYED[kind])
    assert habits is not None
    return habits


def chances_of(opponent: Opponent) -> Chances:
    def chances(view: View) -> dict[Move, float]:
        rows = opponent.core(view.players).chances(view.core())
        return {Move.from_codes(tile, at): chance for tile, at, chance in rows}

    return chances


def knowing(view: View, opponent: Opponent) -> Searcher:
    others = {seat: opponent for seat in range(view.players) if seat != view.seat}
    return Searcher(view, seed=1, params=KNOWING, opponents=others)


@pytest.mark.parametrize(("kind", "players", "seed"), LATE)
def test_a_search_that_knows_its_opponents_finds_the_best_response(kind: str, players: int, seed: int) -> None:
    """Move and value, against every deal, every reply and every information set by brute force."""
    view = late_view(PLAYED[kind], players, seed)
    opponent = opponent_of(kind)
    exact = best_values(view, chances_of(opponent))
    assert len(exact) > 1
    best = knowing(view, opponent).run(Limits(simulations=8_000)).best
    assert best is not None
    assert exact[best.move] == pytest.approx(max(exact.values()), abs=0.1)
    assert best.expected_margin == pytest.approx(exact[best.move], abs=0.6)


def test_knowing_is_worth_something() -> None:
    """Where a seat that always takes the most points does not reply best, another move is best."""
    view = late_view(PLAYED["greedy"], 2, 22)
    exact = best_values(view, chances_of(opponent_of("greedy")))
    plain = analyze(view, Limits(simulations=8_000), seed=1, params=SearchParams(objective="round")).best
    told = knowing(view, opponent_of("greedy")).run(Limits(simulations=8_000)).best
    assert plain is not None
    assert told is not None
    assert exact[told.move] > exact[plain.move] + 2


@pytest.mark.parametrize(("kind", "players", "seed"), LATE)
def test_worlds_weigh_what_the_opponent_makes_them_weigh(kind: str, players: int, seed: int) -> None:
    view = late_view(PLAYED[kind], players, seed)
    opponent = opponent_of(kind)
    search = knowing(view, opponent)
    search.run(Limits(simulations=2000))
    (pool,) = search._pools
    assert pool.complete
    expected = np.zeros((28, players + 1))
    for case in cases_of(view, chances_of(opponent)):
        for seat, hand in enumerate(case.round.hands):
            for tile in hand:
                expected[tile.index, seat] += case.weight
        for tile in case.round.talon:
            expected[tile.index, players] += case.weight
    expected /= expected[view.hand[0].index, 0]
    np.testing.assert_allclose(pool.table(), expected, atol=0.02)


def test_where_all_is_known_a_modelled_seat_need_not_reply_best() -> None:
    """With two seats and an empty talon the search solves no more: it plays against what the seat does."""
    for seed in range(300):
        round_ = Round.deal(2, seed, leader=0)
        while not round_.over:
            view = round_.view(round_.seat)
            moves = distinct_moves(view)
            if view.talon_size == 0 and len(moves) > 1 and sum(view.hand_sizes) <= 8:
                opponent = opponent_of("greedy")
                told = knowing(view, opponent).run(Limits(simulations=4000))
                assert told.source == "search"
                exact = best_values(view, chances_of(opponent))
                assert told.best is not None
                assert exact[told.best.move] == pytest.approx(max(exact.values()), abs=0.1)
                return
            round_.play(PLAYED["greedy"].choose(view, seed) if len(moves) > 1 else moves[0])
    raise AssertionError("no such round")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_nothing_told_changes_nothing(players: int) -> None:
    view = Round.deal(players, 5).view(Round.deal(players, 5).seat)
    limits = Limits(simulations=600)
    plain = analyze(view, limits, seed=3)
    others = [seat for seat in range(players) if seat != view.seat]
    for opponents in (None, {}, dict.fromkeys(others)):
        told = analyze(view, limits, seed=3, opponents=opponents)
        assert told.moves == plain.moves
        assert told.root_values == plain.root_values
    told = analyze(view, limits, seed=3, opponents={others[0]: Opponent((Way("careless", 1.0),))})
    assert told.moves != plain.moves


@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_is_hidden_has_no_part_in_it(players: int) -> None:
    """Rounds that look the same to a seat get the same answer, whatever the others hold."""
    round_ = Round.deal(players, 11)
    for _ in range(5):
        round_.play(round_.legal_moves()[-1])
    view = round_.view(round_.seat)
    others = {seat: opponent_of("hasty") for seat in range(players) if seat != view.seat}
    answers = []
    batches, talons, _ = sampled_deals(view.core(), 3, 1, load_policy(players), (3.0, 3.0, 3.0), 0.05)
    for held, talon in zip(batches, talons, strict=True):
        other = Round.from_deal(deal_of(view, held, talon))
        for move in view.placements:
            other.play(move)
        seen = other.view(view.seat)
        assert seen == view
        answers.append(analyze(seen, Limits(simulations=500), seed=2, opponents=others).moves)
    answers.append(analyze(view, Limits(simulations=500), seed=2, opponents=others).moves)
    assert answers == [answers[0]] * 4


def test_opponents_that_are_none_are_refused() -> None:
    view = Round.deal(2, 1, leader=0).view(0)
    good = Opponent((Way("policy"),))
    for opponents, reason in (
        ({0: good}, "SEAT_OUT_OF_RANGE"),
        ({2: good}, "SEAT_OUT_OF_RANGE"),
        ({"1": good}, "SEAT_OUT_OF_RANGE"),
        ({1: "policy"}, "NOT_AN_OPPONENT"),
        ([good], "NOT_OPPONENTS"),
    ):
        with pytest.raises(LimitsError) as caught:
            Searcher(view, opponents=opponents)  # type: ignore[arg-type]
        assert caught.value.reason == reason
    for make, reason in (
        (lambda: Way("wise"), "UNKNOWN_KIND"),  # type: ignore[arg-type]
        (lambda: Way("careless", 2), "OUT_OF_RANGE"),
        (lambda: Way("policy", 0, 0), "OUT_OF_RANGE"),
        (lambda: Opponent(()), "OUT_OF_RANGE"),
        (lambda: Opponent(["policy"]), "WRONG_TYPE"),  # type: ignore[arg-type]
    ):
        with pytest.raises(LimitsError) as caught:
            make()
        assert caught.value.reason == reason


def middle() -> View:
    round_ = Round.deal(2, 3, leader=0)
    for _ in range(4):
        round_.play(round_.legal_moves()[0])
    return round_.view(round_.seat)


def test_worlds_can_be_given() -> None:
    view = middle()
    core = view.core()
    pool = weighted_worlds(core, 50, 1)
    hands = np.array([row[:2] for row in pool.worlds()], np.uint32)
    given = given_worlds(core, hands, np.arange(1.0, 51), 7)
    assert given.size == 50
    assert [weight for *_, weight in given.worlds()] == pytest.approx(list(np.arange(1.0, 51) / 1275))
    assert [row[:5] for row in given.worlds()] == [row[:5] for row in pool.worlds()]
    search = CoreSearch(core, 1, search_options(KNOWING, 2, Limits(simulations=500).effective()), pool=given)
    search.run(500, 10.0)
    assert search.pool is given
    for bad_hands, weights in (
        (hands, np.zeros(50)),
        (hands[:0], np.ones(0)),
        (hands[:, :1], np.ones(50)),
        (np.where(hands, hands << 1, 0), np.ones(50)),
        (hands + (core.hand if view.seat == 0 else 0), np.ones(50)),
        ("hands", np.ones(50)),
    ):
        with pytest.raises((LimitsError, ViewError)):
            given_worlds(core, bad_hands, weights, 1)  # type: ignore[arg-type]


def test_replies_can_be_given() -> None:
    """A reply that is known in every world is the only one that the tree tries after that move."""
    view = middle()
    core = view.core()
    pool = weighted_worlds(core, 1, 1)
    hands = np.array([row[:2] for row in pool.worlds()], np.uint32)
    options = search_options(KNOWING, 2, Limits(simulations=2000).effective())
    tried = 0
    for move in distinct_moves(view):
        after = core.layout
        after.play(*move.codes)
        replies = after.moves(int(hands[0, 1 - view.seat]))
        if len(replies) < 2:
            continue
        given = given_worlds(core, hands, [1.0], 1)
        search = CoreSearch(core, 1, options, root_moves=[move.codes], pool=given, replies={move.codes: [replies[-1]]})
        search.run(2000, 10.0)
        step = search.line(*move.codes)[1]
        assert step.tile == replies[-1][0]
        assert step.visits >= 1990
        tried += 1
        for wrong in ({move.codes: []}, {move.codes: [(0, 0)]}, {(27, 3): [None]}, {move.codes: [(99, 0)]}):
            with pytest.raises(SniffError):
                CoreSearch(core, 1, options, pool=given, replies=wrong)
    assert tried
