"""The compiled world value: against its literal twin, and against how rounds end."""

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from sniffai import Round
from sniffai.play.arena import play_round
from sniffai.play.players import PolicyPlayer
from sniffai.rules import TEAMS
from sniffai.search.nets import load_world_value
from sniffai_ext.layout import Layout
from sniffai_ext.world_value import WorldValue, world_weight_count
from tests.one_world import margins, named, one_simulation
from tests.reference_net import world_value

PLAYERS = (2, 3, 4)


def told(round_: Round, move: tuple[int, int], value: WorldValue) -> list[float]:
    """What the net says by team after a move: what one simulation shows, less the points of the move."""
    row = one_simulation(round_, move, value=value)
    gains = [0] * TEAMS[round_.players]
    gains[round_.seat % len(gains)] = round_.core().layout.outlook(*move)[0]
    return [mean - gained for mean, gained in zip(row.margins, margins(gains), strict=True)]


def decisions(players: int, count: int) -> Iterator[tuple[Round, tuple[int, int], Round]]:
    """A round of the policy at some placement that does not end it, that placement, and the round when it is over."""
    policy, rng = PolicyPlayer(), Random(players)
    for seed in range(count):
        round_ = play_round(Round.deal(players, seed, leader=seed % players), [policy] * players, seed)
        n = rng.randrange(len(round_.moves) - 1)
        before = Round.from_deal(round_.start)
        for move in round_.moves[:n]:
            before.play(move)
        yield before, named(before, round_.moves[n].codes), round_


@pytest.mark.parametrize("players", PLAYERS)
def test_values_agree_with_the_twin(players: int) -> None:
    block = np.random.default_rng(3).normal(0, 0.1, world_weight_count(players)).astype(np.float32)
    checked = 0
    for before, (tile, at), _ in decisions(players, 60):
        core = before.core()
        hands = [hand & ~(1 << tile) for hand in core.hands]
        table: Layout = core.layout.copy()
        table.play(tile, at)
        expected = world_value(block, table, hands, before.seat)
        assert told(before, (tile, at), WorldValue(players, block)) == pytest.approx(expected, abs=1e-4)
        checked += 1
    assert checked == 60


@pytest.mark.parametrize("players", PLAYERS)
def test_the_shipped_nets_foretell_who_gains(players: int) -> None:
    """Of every team, those after the mover included: with 3 seats, also which of the two others pays."""
    foretold, came = [], []
    for before, move, end in decisions(players, 500):
        foretold.append(told(before, move, load_world_value(players)))
        points = before.core().layout.outlook(*move)[0]
        gains = [after - score for after, score in zip(end.scores, before.scores, strict=True)]
        gains[before.seat % len(gains)] -= points
        came.append(margins(gains))
        # From the seat that moved on, so that columns are places in the order of turns.
        for row in (foretold[-1], came[-1]):
            row[:] = row[before.seat % len(row) :] + row[: before.seat % len(row)]
    guess, truth = np.array(foretold), np.array(came)
    pairs = [(0, 1)] if TEAMS[players] == 2 else [(0, 1), (1, 2), (2, 0)]
    for one, other in pairs:
        difference, outcome = guess[:, one] - guess[:, other], truth[:, one] - truth[:, other]
        assert np.corrcoef(difference, outcome)[0, 1] > 0.35
        assert 0.8 < difference @ outcome / (difference @ difference) < 1.2
