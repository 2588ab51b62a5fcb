"""A search does not depend on how the seats are numbered: with all of them turned, its answer is the same."""

import pytest

from sniffai import Deal, Limits, Round, Searcher
from sniffai.rules import TEAMS
from sniffai.search.analysis import Analysis
from sniffai.search.candidates import distinct_moves

LIMITS = Limits(simulations=2000)


def turned(deal: Deal, by: int) -> Deal:
    """The same deal, every seat ``by`` places further on."""
    players, teams = deal.players, TEAMS[deal.players]
    hands = tuple(deal.hands[(seat - by) % players] for seat in range(players))
    scores = tuple(deal.scores[(team - by) % teams] for team in range(teams))
    return Deal(players=players, hands=hands, talon=deal.talon, leader=(deal.leader + by) % players, scores=scores)


def answer(deal: Deal, placements: int) -> Analysis:
    """What a search finds after some placements."""
    round_ = Round.from_deal(deal)
    while len(round_.moves) < placements or len(distinct_moves(round_.view(round_.seat))) < 2:
        round_.play(round_.legal_moves()[0])
    return Searcher(round_.view(round_.seat), seed=1).run(LIMITS)


@pytest.mark.parametrize(
    ("players", "scores"),
    [
        (2, (0, 0)),
        (3, (0, 0, 0)),
        (3, (-100, 185, 185)),
        (3, (60, -30, 150)),
        (4, (0, 0)),
    ],
)
def test_turned_seats_get_the_same_answer(players: int, scores: tuple[int, ...]) -> None:
    """Every number of it, to the last bit: visits, margins, chances and errors, each team's in its place.

    Worlds, weights, the policy, nets and match equity all have a part in it. With 3 seats it holds only where a seat
    explores by the spread of its own utilities. (With two teams, scores are even here: one team's chance is what the
    other's leaves of 1, rounded, so at other scores the last bits differ, and with them, in time, the trees.)
    """
    teams = TEAMS[players]
    for seed in range(4):
        deal = Round.deal(players, seed, leader=0, scores=scores).start
        first = answer(deal, 4)
        for by in range(1, players):
            other = answer(turned(deal, by), 4)
            assert [(move.move, move.visits) for move in other.moves] == [(m.move, m.visits) for m in first.moves]
            for move, same in zip(other.moves, first.moves, strict=True):
                assert len(move.values) == len(same.values)
                for team in range(len(same.values)):
                    ours, theirs = same.values[team], move.values[(team + by) % teams]
                    assert theirs.expected_margin == ours.expected_margin
                    assert theirs.standard_error == ours.standard_error
                    # The chance of the third team is what the others leave: its last bits differ.
                    assert theirs.win_probability == pytest.approx(ours.win_probability, abs=1e-6)
