"""Hypothesis strategies: deals, scores and whole rounds, made with the reference twin alone.

A shuffle or the choices of a round are one string of bytes each: what hypothesis draws for each of 28 numbers by
itself takes longer than playing the round.
"""

from dataclasses import dataclass
from functools import cache

from hypothesis import strategies as st

from tests.reference import SET, TARGET, Placement, Round, Tile, first_round, teams

PLAYERS = st.sampled_from([2, 3, 4])


@cache
def scores_of(players: int) -> st.SearchStrategy[list[int]]:
    """Scores before a round: zero, below zero, anywhere, or within one placement of the target."""
    target = TARGET[players]
    one = st.one_of(
        st.just(0),
        st.integers(-60, -1).map(lambda fives: 5 * fives),
        st.integers(1, target // 5 - 1).map(lambda fives: 5 * fives),
        st.integers(1, 7).map(lambda fives: target - 5 * fives),
    )
    return st.lists(one, min_size=teams(players), max_size=teams(players))


BYTES = st.binary(min_size=len(SET), max_size=len(SET))


def shuffled(data: bytes) -> list[Tile]:
    """The set in the order that some bytes say; zeros leave it as it is."""
    order = list(SET)
    for index, byte in enumerate(data):
        other = index + byte % (len(SET) - index)
        order[index], order[other] = order[other], order[index]
    return order


@st.composite
def deals(draw: st.DrawFn, players: st.SearchStrategy[int] = PLAYERS) -> Round:
    """A round before its lead."""
    seats = draw(players)
    order = shuffled(draw(BYTES))
    leader = draw(st.integers(0, seats - 1))
    return first_round(seats, order, leader, draw(scores_of(seats)))


@dataclass(frozen=True)
class Choices:
    """How the seats of a round choose: one number from 0 to 99 for each placement, and how often they are greedy."""

    numbers: list[int]
    greedy: int
    """A seat takes a move that scores most where its number is below this, 0..100."""

    def choose(self, round_: Round) -> Placement:
        """The move for the next placement of a round."""
        moves = round_.legal_moves()
        number = self.numbers[len(round_.layout.placements)]
        if number < self.greedy:
            return max(moves, key=lambda move: points_of(round_, move))
        return moves[number % len(moves)]


def points_of(round_: Round, move: Placement) -> int:
    """What a move would score."""
    layout = round_.layout.copy()
    layout.place(*move)
    return layout.points


GREEDY = st.sampled_from([0, 0, 40, 100])


@st.composite
def choices(draw: st.DrawFn) -> Choices:
    """Choices for a whole round."""
    return Choices([100 * byte // 256 for byte in draw(BYTES)], draw(GREEDY))


@st.composite
def whole_rounds(draw: st.DrawFn, players: st.SearchStrategy[int] = PLAYERS) -> Round:
    """A round played to its end."""
    round_, way = draw(deals(players)), draw(choices())
    while not round_.over:
        round_.play(*way.choose(round_))
    return round_


@st.composite
def rounds_under_way(draw: st.DrawFn, players: st.SearchStrategy[int] = PLAYERS) -> Round:
    """A round stopped before one of its placements, the lead included."""
    whole = draw(whole_rounds(players))
    stop = draw(st.integers(0, len(whole.layout.placements) - 1))
    return whole.again(stop)
