"""Reasons about the other seats: what they can reply, whether they can place at all, who may go out, the partner."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from sniffai.explain.case import LEAST_TOLD, Case
from sniffai.explain.facts import SUITS, MoveFacts
from sniffai.explain.numbers import CERTAIN_CHANCE
from sniffai.explain.reason import Reason, ReasonKind
from sniffai.explain.worth import blocked_suits
from sniffai.tiles import TILES

LEAST_POINTS: Final = 0.5
"""A reply that is expected to score this much less is worth a reason: as scores are multiples of 5, less is little."""

LEAST_STUCK: Final = 0.15
"""A chance that a seat cannot place is worth a reason from here on. Chosen by judgement: about one in seven; a smaller
number tells what hardly happens, a larger one hides moves that are good because a seat may be stuck."""
STUCK_APART: Final = 0.03
"""And if it is higher by this than after the other moves. Chosen by judgement: with less, the two chances read as much
the same; with more, some differences that decide go unsaid."""

ALL_OF_STUCK: Final = 0.6
"""Share of the next seat's chance to be stuck in which all others are, too, from which on the extra turn is told.
Chosen by judgement: more likely than not; a smaller share promises a turn too often, a larger one seldom tells of
it."""


def replies(case: Case) -> Iterator[Reason]:
    """What the next seat can answer: less than it could now, less than after the other moves."""
    facts, mine = case.facts, case.mine.reply
    if mine is None:
        return
    weight = case.gain("reply")
    usual = case.usual(_next_reply)
    shared: dict[str, Any] = {"against": case.against, "seat": facts.next_seat, "value": mine, **_taken(case)}
    if usual - mine >= LEAST_POINTS:
        yield Reason(ReasonKind.LOW_REPLY, weight, **_range(case, _next_reply), **shared)
    elif case.against is None and facts.threat - mine >= LEAST_POINTS:
        yield Reason(ReasonKind.LOWERS_THREAT, max(LEAST_TOLD, weight), before=facts.threat, **shared)


def _next_reply(move: MoveFacts) -> float:
    return move.reply or 0.0


def _range(case: Case, number: Callable[[MoveFacts], float]) -> dict[str, Any]:
    """The best and the worst of the other moves, of a number that is good where it is low."""
    return {"other": case.least(number), "worst": case.most(number)}


def _taken(case: Case) -> dict[str, Any]:
    """The good reply that the move takes away most of, if any."""
    before = case.facts.layout if case.against is None else case.others[0].after
    if not before.placed or (case.against is not None and case.others[0].ends):
        return {}
    reply = case.facts.taken_reply(before, case.mine.after)
    if reply is None:
        return {}
    tile, points, chance = reply
    return {"tile": TILES[tile], "points": points, "probability": chance}


def stuck(case: Case) -> Iterator[Reason]:
    """The next seat, or all others, cannot place a tile that they hold."""
    mine = case.mine
    if mine.ends or mine.stuck is None:
        return
    talon = case.view.talon_size
    everyone = case.view.players > 2 and mine.all_stuck >= ALL_OF_STUCK * mine.stuck

    def number(move: MoveFacts) -> float:
        return move.all_stuck if everyone else move.stuck or 0.0

    if number(mine) < LEAST_STUCK or number(mine) - case.usual(number) < STUCK_APART:
        return
    most = case.most(number)
    weight = case.gain("stuck", "passes", "all_stuck")
    if everyone:
        reason = Reason(ReasonKind.EXTRA_TURN, count=talon)
    else:
        reason = Reason(ReasonKind.FORCES_DRAW if talon else ReasonKind.FORCES_PASS, seat=case.facts.next_seat)
    yield replace(reason, weight=weight, only=most == 0, against=case.against, probability=number(mine), other=most)


def suits(case: Case) -> Iterator[Reason]:
    """New ends that the next seat probably cannot join."""
    facts, mine = case.facts, case.mine
    if mine.ends or mine.seals:
        return
    others = [dict(blocked_suits(facts, other)) if not other.ends else {} for other in case.others]
    for pips, chance in blocked_suits(facts, mine):
        usual = sum(share * other.get(pips, 0.0) for share, other in zip(case.shares, others, strict=True))
        if chance > usual:
            yield Reason(
                ReasonKind.BLOCKS_SUIT,
                case.worth("blocked_suits") * (chance - usual),
                against=case.against,
                seat=facts.next_seat,
                suit=pips,
                probability=chance,
            )


def going_out(case: Case) -> Iterator[Reason]:
    """An opponent with one tile can place it less often; the partner can more often."""
    facts, mine = case.facts, case.mine
    if mine.ends:
        return
    gain = case.usual(lambda other: other.opponent_out) - mine.opponent_out
    if gain >= STUCK_APART:
        # Of the risk, this is the part that comes from the chance and not from the pips.
        weight = case.worth("kept_in") * gain + case.worth("risk") * gain * case.usual(lambda other: other.cost)
        first = facts.short[0]
        yield Reason(
            ReasonKind.KEEPS_IN,
            weight,
            against=case.against,
            seat=first,
            count=len(facts.short),
            probability=mine.opponent_out,
            **_range(case, lambda other: other.opponent_out),
            suit=_closed(case, first),
            tile=_last(case, first),
        )
    if facts.partner is None:
        return
    gain = _partner_out(mine) - case.usual(_partner_out)
    value = facts.settled_after(mine, facts.partner)
    if gain >= STUCK_APART and value > 0:
        yield Reason(
            ReasonKind.LETS_PARTNER_OUT,
            case.worth("partner_out") * gain * value,
            case.most(_partner_out) == 0,
            case.against,
            seat=facts.partner,
            probability=_partner_out(mine),
            value=value,
            other=case.most(_partner_out),
        )


def _partner_out(move: MoveFacts) -> float:
    """The partner is the second of the other seats."""
    return move.outs[1] if move.outs else 0.0


def _last(case: Case, seat: int) -> Any:
    """A seat's last tile, where that is known."""
    (tile,) = case.facts.marginals[:, seat].argsort()[-1:]
    return TILES[int(tile)] if case.facts.marginals[tile, seat] >= CERTAIN_CHANCE else None


def _closed(case: Case, seat: int) -> int | None:
    """Of the suits that are open after other moves only, the one that most likely lets a seat with one tile out."""
    gone = 0
    for other in case.others:
        gone |= other.after.open_pips & ~case.mine.after.open_pips
    marginals = case.facts.marginals[:, seat]
    chances = {
        pips: float(sum(marginals[tile] for tile in range(28) if SUITS[pips] >> tile & 1))
        for pips in range(7)
        if gone >> pips & 1
    }
    best = max(chances, key=lambda pips: chances[pips], default=None)
    return best if best is not None and chances[best] > 0 else None


def later_seats(case: Case) -> Iterator[Reason]:
    """The replies of the seats after the next one: the other opponents, and the partner."""
    facts, mine = case.facts, case.mine
    if mine.ends:
        return
    for i, seat in enumerate(facts.others):
        number = _reply(i)
        gain = number(mine) - case.usual(number)
        shared: dict[str, Any] = {"against": case.against, "seat": seat, "value": number(mine)}
        if seat == facts.partner and gain >= LEAST_POINTS:
            weight = case.worth("partner_reply") * gain
            most = case.most(number)
            yield Reason(ReasonKind.PARTNER_REPLY, weight, most == 0, other=most, **shared)
        elif i and facts.is_opponent(seat) and -gain >= LEAST_POINTS:
            weight = case.worth("later_reply") * -gain
            yield Reason(ReasonKind.LATER_REPLY, weight, **_range(case, number), **shared)
    gain = mine.partner_moves - case.usual(lambda other: other.partner_moves)
    if gain >= LEAST_STUCK:
        yield Reason(
            ReasonKind.PARTNER_MOVES,
            case.gain("partner_moves"),
            case.most(lambda other: other.partner_moves) == 0,
            case.against,
            seat=facts.partner,
            probability=mine.partner_moves,
            other=case.most(lambda other: other.partner_moves),
        )


def _reply(i: int) -> Callable[[MoveFacts], float]:
    return lambda move: move.replies[i] if move.replies else 0.0
