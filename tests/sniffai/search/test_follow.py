"""The other seats of a grown tree follow the policy in a share of their choices."""

from collections.abc import Iterator
from itertools import islice

import pytest

from sniffai import Limits, Move, Round, SearchParams, View, analyze
from sniffai.rules import PLAYERS
from sniffai.search.candidates import distinct_moves
from sniffai.search.nets import load_policy
from sniffai_ext.errors import LimitsError
from sniffai_ext.tree_params import TreeParams

FOLLOW_FROM = 500
"""Visits of a node from which on the others follow (ext/sniffai_ext/search.pyx)."""

GROWN = Limits(simulations=20 * FOLLOW_FROM)

CLEARLY = 8.0
"""Points by which the policy prefers a reply: several times the temperature at which it is followed."""


def ends(talon_sizes: range) -> Iterator[tuple[Round, View, Move]]:
    """Decisions late in rounds for two, with the round after a move that the other seat is to reply to."""
    for deal in range(600):
        round_ = Round.deal(2, deal)
        while not round_.over:
            before, move = round_.copy(), round_.legal_moves()[0]
            round_.play(move)
            replied = not round_.over and round_.seat != before.seat
            if replied and len(before.talon) in talon_sizes:
                view = before.view(before.seat)
                if len(distinct_moves(view)) > 1:
                    yield round_.copy(), view, move


def clear_replies() -> Iterator[tuple[View, Move, Move]]:
    """Views in which little is hidden, each with a move and the reply that the policy clearly prefers in truth."""
    for after, view, move in ends(range(1, 4)):
        rated = load_policy(2).rate(after.view(after.seat).core())
        if len(rated) > 1 and rated[0][2] - rated[1][2] > CLEARLY:
            yield view, move, Move.from_codes(*rated[0][:2])


def reply(view: View, move: Move, follow: float) -> Move:
    """The most visited reply to a move."""
    found = analyze(view, GROWN, params=SearchParams(follow=follow), include_moves=[str(move)])
    return found.moves[0].line[1].move


def test_who_follows_makes_the_policys_clear_choice_more_often() -> None:
    """Not always: the true hand is one of several worlds."""
    cases = list(clear_replies())
    made = {follow: sum(reply(view, move, follow) == best for view, move, best in cases) for follow in (0.0, 1.0)}
    assert made[1.0] >= 0.75 * len(cases)
    assert made[1.0] >= made[0.0] + len(cases) // 6


def test_no_seat_follows_that_knows_the_hand_of_the_searching_seat() -> None:
    """With 2 seats and an empty talon: the reason for it is gone."""
    views = [view for _, view, _ in islice(ends(range(1)), 20)]
    for view in views:
        free, followed = (
            analyze(view, GROWN, params=SearchParams(follow=follow, exact=False)).moves for follow in (0.0, 1.0)
        )
        assert free == followed
    assert len(views) == 20


@pytest.mark.parametrize("players", PLAYERS)
def test_nobody_follows_in_a_small_tree(players: int) -> None:
    view = Round.deal(players, 3, leader=0).view(0)
    for limits, same in ((Limits(simulations=FOLLOW_FROM), True), (GROWN, False)):
        free, followed = (analyze(view, limits, params=SearchParams(follow=follow)).moves for follow in (0.0, 1.0))
        assert (free == followed) == same


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["epsilon", "follow"])
def test_the_core_refuses_a_share_out_of_range(name: str, share: float) -> None:
    with pytest.raises(LimitsError, match=r"0\.\.1 is expected") as caught:
        TreeParams(**{name: share})
    assert caught.value.field == name
