"""The best response to a player by brute force: every deal that explains a view, every reply, every information set.

Slow, literal, and without any search: only for late positions with few deals.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import factorial

from sniffai import Deal, Round, View
from sniffai.moves import Move
from sniffai.play.exploiter import deal_of
from sniffai.play.players import Player
from sniffai.rules import team_of
from sniffai.search.candidates import distinct_moves
from sniffai.search.nets import load_policy
from sniffai_ext.belief import Belief as CoreBelief
from sniffai_ext.inference import sampled_deals

Chances = Callable[[View], Mapping[Move, float]]
"""What a player does with a view: the chance of each distinct move."""

Replies = Callable[[Round], Mapping[Move, float]]
"""The same for the seat whose turn it is in a round."""

SAMPLED = 20_000
"""Deals drawn to meet every one of some hundreds."""


@dataclass(frozen=True)
class Case:
    """A round that may be the true one, and how likely it is, in no unit."""

    round: Round
    weight: float


def seen(round_: Round, seat: int) -> tuple[object, ...]:
    """All that tells a seat's views of rounds between the same deals apart; a view itself would take longer."""
    core = round_.core()
    hidden = [
        (kind, who, len(rest[0])) if kind == "draw" and who != seat else (kind, who, *rest)
        for kind, who, *rest in core.events()
    ]
    return seat, core.hands[seat], tuple(hidden)


def remembered(chances: Chances) -> Replies:
    """What the player does at its turn; asked only once about what it cannot tell apart."""
    answers: dict[tuple[object, ...], Mapping[Move, float]] = {}

    def answer(round_: Round) -> Mapping[Move, float]:
        if len(legal := round_.legal_moves()) == 1:
            return {legal[0]: 1.0}
        key = seen(round_, round_.seat)
        if key not in answers:
            answers[key] = chances(round_.view(round_.seat))
        return answers[key]

    return answer


def deals_of(view: View) -> list[Deal]:
    """Every deal that explains a view, as far as anyone but the seat that drew could tell them apart."""
    batches, talons, _ = sampled_deals(view.core(), SAMPLED, 1, load_policy(view.players), (3.0, 3.0, 3.0), 0.05)
    # NumPy would sort the rows to find those that differ, which takes a hundred times as long.
    different = {(batches[i].tobytes(), talons[i].tobytes()): i for i in range(SAMPLED)}
    found = {deal_of(view, batches[i], talons[i]) for i in different.values()}
    worlds = CoreBelief.of(view.core()).assignments
    assert len(found) == worlds * factorial(view.talon_size), "more deals than the samples met"
    return list(found)


def cases_of(view: View, chances: Chances) -> list[Case]:
    """The rounds that explain a view, each as likely as a player who chooses so makes it."""
    return _cases(view, remembered(chances))


def _cases(view: View, replies: Replies) -> list[Case]:
    cases = []
    for deal in deals_of(view):
        round_, weight = Round.from_deal(deal), 1.0
        for move in view.placements:
            if team_of(view.players, round_.seat) != view.team:
                weight *= replies(round_).get(move, 0.0)
            round_.play(move)
        assert round_.view(view.seat) == view
        if weight > 0:
            cases.append(Case(round_, weight))
    return cases


def best_values(view: View, chances: Chances) -> dict[Move, float]:
    """To every distinct move of the view's seat, what it brings from here on with best play after it, in points."""
    replies = remembered(chances)
    cases = _cases(view, replies)
    total = sum(case.weight for case in cases)
    now = margin(view.scores_now, view.team)
    return {move: worth / total - now for move, worth in _moves(cases, view.seat, replies).items()}


def strategy_value(view: View, chances: Chances, choose: Callable[[View], Move]) -> float:
    """What a strategy brings from here on, in points."""
    replies = remembered(chances)
    cases = _cases(view, replies)
    total = sum(case.weight for case in cases)
    worth = sum(_played_out(case, view.seat, replies, choose) for case in cases)
    return worth / total - margin(view.scores_now, view.team)


def margin(scores: tuple[int, ...], team: int) -> float:
    """A team's score less the mean of the others'."""
    others = [score for other, score in enumerate(scores) if other != team]
    return scores[team] - sum(others) / len(others)


def _played_out(case: Case, seat: int, replies: Replies, choose: Callable[[View], Move]) -> float:
    worth = 0.0
    waiting = [case]
    while waiting:
        worth += _settle(waiting, seat, replies, (ours := []))
        waiting = [_played(case, choose(case.round.view(seat))) for case in ours]
    return worth


def _moves(cases: list[Case], seat: int, replies: Replies) -> dict[Move, float]:
    """The worth of every move at one information set, times the weight of its cases."""
    legal = cases[0].round.legal_moves()
    distinct = legal if len(legal) == 1 else distinct_moves(cases[0].round.view(seat))
    return {move: _worth([_played(case, move) for case in cases], seat, replies) for move in distinct}


def _worth(cases: list[Case], seat: int, replies: Replies) -> float:
    """What the seat gets of these rounds with its best play, times their weights."""
    ours: list[Case] = []
    worth = _settle(cases, seat, replies, ours)
    groups = defaultdict(list)
    for case in ours:
        groups[seen(case.round, seat)].append(case)
    return worth + sum(max(_moves(group, seat, replies).values()) for group in groups.values())


def _settle(cases: list[Case], seat: int, replies: Replies, ours: list[Case]) -> float:
    """Let all other seats play until the seat is to move; return what the rounds that end then are worth."""
    worth, waiting = 0.0, list(cases)
    while waiting:
        case = waiting.pop()
        if case.round.over:
            worth += case.weight * margin(case.round.scores, team_of(case.round.players, seat))
        elif case.round.seat == seat:
            ours.append(case)
        else:
            reply = replies(case.round)
            waiting += [_played(case, move, chance) for move, chance in reply.items() if chance > 0]
    return worth


def _played(case: Case, move: Move, chance: float = 1.0) -> Case:
    after = case.round.copy()
    after.play(move)
    return Case(after, case.weight * chance)


def late_view(player: Player, players: int, seed: int) -> View:
    """The first view of seat 0 with a choice, one or two tiles in the talon, and few tiles left.

    :param player: who plays every seat until then.
    """
    round_ = Round.deal(players, seed, leader=0)
    while True:
        view = round_.view(round_.seat)
        moves = distinct_moves(view)
        late = 1 <= view.talon_size <= 2 and sum(view.hand_sizes) <= 11
        if view.seat == 0 and len(moves) > 1 and late:
            return view
        round_.play(player.choose(view, seed) if len(moves) > 1 else moves[0])
