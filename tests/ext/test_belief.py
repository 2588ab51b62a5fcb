"""The compiled belief against counting by tables with whole numbers, wherever a seat may stop and ask."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sniffai_ext.belief import Belief
from sniffai_ext.view import View
from tests.pairing_core import code, index, mask
from tests.reference import SET, Round, at_random, parse, teams
from tests.reference_belief import TALON, Sight, by_tables, own_tiles
from tests.strategies import whole_rounds


def core_view(sight: Sight) -> View:
    """A sight told to the core event by event."""
    view = View(sight.players, sight.seat, sight.leader, mask(sight.hand), [0] * teams(sight.players))
    for event in sight.events:
        tell(view, event)
    return view


def tell(view: View, event: dict[str, Any]) -> None:
    """Tell the core of one event."""
    seat = event["seat"]
    if "play" in event:
        view.play(seat, index(parse(event["play"])), code(event["at"]))
    elif "draw" in event:
        tiles = tuple(index(parse(tile)) for tile in event["tiles"]) if "tiles" in event else None
        view.draw(seat, event["draw"], tiles)
    else:
        view.passes_turn(seat)


def column(sight: Sight, owner: str) -> int:
    return sight.players if owner == TALON else int(owner)


def check(sight: Sight) -> None:
    """Assignments exactly, every marginal to 1e-9, nothing beside them."""
    belief = Belief(core_view(sight))
    assignments, marginals = by_tables(sight)
    assert belief.assignments == assignments
    expected = np.zeros((len(SET), sight.players + 1))
    for tile, row in marginals.items():
        for owner, share in row.items():
            expected[index(parse(tile)), column(sight, owner)] = float(share)
    placed = [parse(event["play"]) for event in sight.events if "play" in event]
    for own in own_tiles(sight):
        expected[index(own), sight.seat] = float(own not in placed)
    np.testing.assert_allclose(belief.table(), expected, rtol=0, atol=1e-9)


@settings(max_examples=300)
@given(whole_rounds(), st.data())
def test_beliefs_agree_at_any_event(round_: Round, data: st.DataObject) -> None:
    seat = data.draw(st.integers(0, round_.players - 1), "seat")
    events = round_.seen_by(seat)
    stop = data.draw(st.integers(0, len(events)), "stop")
    check(Sight(round_.players, seat, round_.leader, round_.dealt[seat], events[:stop]))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_beliefs_agree_after_every_event_of_seeded_rounds(players: int) -> None:
    for seed in range(4):
        round_ = at_random(players, seed, len(SET))
        for seat in range(players):
            events = round_.seen_by(seat)
            for stop in range(len(events) + 1):
                check(Sight(players, seat, round_.leader, round_.dealt[seat], events[:stop]))


def test_a_view_makes_its_belief_once_for_each_state() -> None:
    round_ = at_random(2, 5, len(SET))
    events = round_.seen_by(0)
    view = core_view(Sight(2, 0, round_.leader, round_.dealt[0], []))
    for stop, event in enumerate(events, 1):
        before = Belief.of(view)
        assert Belief.of(view) is before
        tell(view, event)
        assert Belief.of(view) is not before
        fresh = core_view(Sight(2, 0, round_.leader, round_.dealt[0], events[:stop]))
        np.testing.assert_array_equal(Belief.of(view).table(), Belief(fresh).table())
        np.testing.assert_array_equal(Belief.of(view.copy()).table(), Belief(fresh).table())
