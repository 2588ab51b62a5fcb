"""Why a move is good: reasons with numbers, each computed from the rules or the exact belief.

A reason is never an opinion about a move: it states a number that anyone can compute again. In which order they come is
measured: by how many points the number tells the move from those that come near it (:mod:`sniffai.explain.worth`). What
leaves no choice, or ends the round or the match, comes first. What the analysis expects is no reason but the prospect
(:mod:`sniffai.explain.prospect`).
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sniffai.checks import read_kind
from sniffai.errors import ViewError
from sniffai.explain import outcome, own_hand, seats
from sniffai.explain.case import CERTAIN, LEAST_TOLD, Case
from sniffai.explain.facts import Facts
from sniffai.explain.reason import Reason, ReasonKind
from sniffai.moves import Move, MoveLike
from sniffai.search.analysis import Analysis, MoveEvaluation
from sniffai.view import View

LEAST_WEIGHT: Final = 0.5
"""Where no reason weighs as much as this, and the search does not tell the move from others, that is said first. Chosen
by judgement, at half a point: a larger number says it of moves with a reason, a smaller one hardly ever."""

REPEATED: Final = 0.5
"""A reason of a topic that a weightier one told counts so much: nobody says the same thing twice before another. Chosen
by judgement."""

TOPICS: Final = {
    kind: topic
    for topic, kinds in enumerate(
        (
            (ReasonKind.STOPS_MATCH, ReasonKind.LOW_REPLY, ReasonKind.LOWERS_THREAT, ReasonKind.LATER_REPLY),
            (ReasonKind.FORCES_DRAW, ReasonKind.FORCES_PASS, ReasonKind.EXTRA_TURN, ReasonKind.BLOCKS_SUIT),
            (ReasonKind.KEEPS_MOVES, ReasonKind.KEEPS_SUIT, ReasonKind.TEMPO, ReasonKind.OUT_NEXT),
            (ReasonKind.HEAVIEST, ReasonKind.SHEDS_PIPS, ReasonKind.PLAYS_DOUBLE, ReasonKind.PLAYS_SNIFF),
        )
    )
    for kind in kinds
}
"""By kind, what it is about, where several are about much the same: replies, being stuck, own moves, the tile."""

ALWAYS_TOLD: Final = frozenset(
    {
        ReasonKind.DRAWN_TILE,
        ReasonKind.LETS_PARTNER_OUT,
        ReasonKind.PARTNER_MOVES,
        ReasonKind.PARTNER_REPLY,
        ReasonKind.OPENS_SIDES,
    }
)
"""Kinds that are told whatever they weigh: what a rule forces or does, and what the move means for the partner."""


def reasons(view: View, analysis: Analysis, move: MoveLike | None = None) -> tuple[Reason, ...]:
    """Why a move is good, the weightiest reason first; empty where nothing can be placed.

    :param analysis: of this view.
    :param move: a legal move; by default the recommended one.
    :raises ViewError: ``view`` is not a :class:`View`.
    :raises LimitsError: ``analysis`` is not an :class:`Analysis`.
    :raises MoveError: the move is not legal.
    :raises SniffError: it cannot be read.
    """
    case = _case_of(view, analysis, move)
    return () if case is None else _ordered(case)


def compare(view: View, analysis: Analysis, played: MoveLike, best: MoveLike | None = None) -> tuple[Reason, ...]:
    """What one move does better than another, the weightiest first; empty for moves of equal futures.

    :param analysis: of this view.
    :param played: the legal move compared with, such as the one that was played.
    :param best: the better legal move; by default the recommended one.
    :raises ViewError: ``view`` is not a :class:`View`.
    :raises LimitsError: ``analysis`` is not an :class:`Analysis`.
    :raises MoveError: a move is not legal.
    :raises SniffError: a move cannot be read.
    """
    check_given(view, analysis)
    case = _case_of(view, analysis, best, Move.of(played))
    return () if case is None else _ordered(case)


def _case_of(view: View, analysis: Analysis, move: MoveLike | None, played: MoveLike | None = None) -> Case | None:
    """A move against all others, or against one; ``None`` where nothing can be placed, or both have equal futures.

    :raises SniffError: as for :func:`compare`.
    """
    check_given(view, analysis)
    if analysis.best is None:
        return None
    facts = Facts(view, sparing=True)
    mine = facts.find(analysis.best.move if move is None else move)
    entries = _entries(facts, analysis)
    if played is None:
        return Case(facts, analysis, entries, mine, [other for other in facts.moves if other is not mine], None)
    other = facts.find(played)
    return None if other is mine else Case(facts, analysis, entries, mine, [other], Move.of(played))


def check_given(view: View, analysis: Analysis) -> None:
    """Whether both are what they should be.

    :raises ViewError: ``view`` is not a :class:`View`.
    :raises LimitsError: ``analysis`` is not an :class:`Analysis`.
    """
    read_kind(view, View, "view", "NOT_A_VIEW", ViewError)
    read_kind(analysis, Analysis, "analysis", "NOT_AN_ANALYSIS")


def _entries(facts: Facts, analysis: Analysis) -> dict[Move, MoveEvaluation]:
    """What an analysis says of each move that it looked at, moves of equal futures as one."""
    numbers = [(facts.distinct.get(entry.move.codes), entry) for entry in analysis.moves]
    return {facts.moves[number].move: entry for number, entry in reversed(numbers) if number is not None}


def _ordered(case: Case) -> tuple[Reason, ...]:
    sources = (*_FACTS, *_CONTRASTS) if case.others else _FACTS
    unordered = [reason for source in sources for reason in source(case)]
    unordered += _little_difference(case, unordered)
    ordered = _by_topic(unordered)
    told_reasons = [reason for reason in ordered if reason.weight >= LEAST_TOLD or reason.kind in ALWAYS_TOLD]
    return tuple(told_reasons or ordered[:1])


def _by_topic(unordered: list[Reason]) -> list[Reason]:
    """Reasons in descending order of weight, where what repeats a topic weighs less."""
    told_topics: set[int] = set()
    ordered = []
    for reason in sorted(unordered, key=lambda reason: -reason.weight):
        topic = TOPICS.get(reason.kind)
        again = topic in told_topics and reason.weight < CERTAIN / 2
        ordered.append(replace(reason, weight=reason.weight * REPEATED) if again else reason)
        if topic is not None:
            told_topics.add(topic)
    return sorted(ordered, key=lambda reason: -reason.weight)


def _little_difference(case: Case, unordered: list[Reason]) -> Iterator[Reason]:
    """The search does not tell the move from others, and nothing else of weight was found."""
    entry = case.entries.get(case.mine.move)
    if case.against is not None or entry is None or entry.rank != 1:
        return
    if any(reason.weight >= LEAST_WEIGHT for reason in unordered):
        return
    others = [case.entries.get(other.move) for other in case.others]
    count = sum(1 for other in others if other is not None and other.loss is not None and not other.loss_significant)
    if count:
        yield Reason(ReasonKind.LITTLE_DIFFERENCE, LEAST_WEIGHT, count=count)


_FACTS: Final = (outcome.no_choice, outcome.ends, own_hand.scores)
"""Sources of reasons that need no other move."""

_CONTRASTS: Final = (
    outcome.match_lost,
    seats.replies,
    seats.stuck,
    seats.going_out,
    own_hand.pips,
    own_hand.last_tiles,
    own_hand.moves_kept,
    own_hand.later,
    own_hand.doubles,
    seats.suits,
    seats.later_seats,
)
