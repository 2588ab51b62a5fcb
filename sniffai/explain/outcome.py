"""Reasons that leave no choice, or in which the round or the match ends."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sniffai.explain.case import CERTAIN, Case
from sniffai.explain.facts import MoveFacts
from sniffai.explain.reason import Reason, ReasonKind
from sniffai_ext.root_statistics import MATCH_POINTS

LEAST_LOST: Final = 0.01
"""So much less chance that the next seat wins the match at once is worth a reason. Chosen by judgement: a smaller
difference would print as the same per cent, a larger one would hide a risk to the whole match."""


def no_choice(case: Case) -> Iterator[Reason]:
    """The only legal move, or a drawn tile."""
    if case.view.forced is not None and case.against is None:
        # Where its place is a choice, that is what there is to explain.
        yield Reason(ReasonKind.DRAWN_TILE, 0.0 if case.others else 2 * CERTAIN, tile=case.view.forced)
    if not case.others:
        places = len(case.view.legal_moves())
        count = places if places > 1 else None
        yield Reason(ReasonKind.FORCED, 3 * CERTAIN, only=places == 1, count=count)


def ends(case: Case) -> Iterator[Reason]:
    """The move ends the match or the round, or soon will."""
    mine, facts = case.mine, case.facts
    if mine.wins:
        score = case.view.scores_now[facts.team] + mine.points
        only = not any(other.wins for other in case.others)
        yield Reason(ReasonKind.WINS_MATCH, CERTAIN, only, case.against, points=mine.points, score=score)
    elif mine.goes_out:
        yield _settled(case, Reason(ReasonKind.GOES_OUT, CERTAIN / 2, against=case.against))
    elif mine.blocks:
        only = not any(other.blocks for other in case.others)
        yield _settled(case, Reason(ReasonKind.BLOCKS_ROUND, CERTAIN / 2, only, case.against, pips=mine.pips))
    elif mine.seals:
        only = not any(other.seals for other in case.others)
        reason = Reason(ReasonKind.SEALS_ROUND, CERTAIN / 2, only, case.against, facts.next_seat)
        yield _settled(case, replace(reason, count=case.view.talon_size))


def _settled(case: Case, reason: Reason) -> Reason:
    return replace(reason, value=case.facts.settled(case.mine), hands=_hands(case, case.mine))


def _hands(case: Case, move: MoveFacts) -> tuple[float, ...]:
    return tuple(case.facts.costs_after(move))


def match_lost(case: Case) -> Iterator[Reason]:
    """The next seat may win the match at once."""
    mine, least = case.mine, case.least(lambda other: other.match_lost)
    gain = case.usual(lambda other: other.match_lost) - mine.match_lost
    if mine.ends or least is None or gain < LEAST_LOST:
        return
    yield Reason(
        ReasonKind.STOPS_MATCH,
        MATCH_POINTS * gain,
        against=case.against,
        seat=case.facts.next_seat,
        probability=mine.match_lost,
        other=least,
        worst=case.most(lambda other: other.match_lost),
    )
