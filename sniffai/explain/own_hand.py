"""Reasons about the own hand: what the tile scores and is, what is kept, what is at risk."""

from collections.abc import Iterator
from typing import Final

from sniffai.explain.case import Case
from sniffai.explain.facts import SUITS, MoveFacts
from sniffai.explain.reason import Reason, ReasonKind
from sniffai.explain.worth import FEW_TILES, ahead, heaviest, kept_suits, opens_sides
from sniffai.tiles import TILES

SIDES_OPEN: Final = 0.01
"""The weight of the kind of a placement alone: told last. The fit found no worth in it."""

LEAST_LATER: Final = 3.0
"""Points expected later, more than usual, that are worth a reason. Chosen by judgement: a smaller number tells of
chances that seldom come true, a larger one hides a score of 5 that is likely."""
LATER_SCORE: Final = 10
"""So many points that could be scored later explain points left now. Chosen by judgement: 5 would explain almost any of
them, 15 would pass over most plans."""


def scores(case: Case) -> Iterator[Reason]:
    """The points of the placement; those that win the match are told with that."""
    points = 0 if case.mine.wins else case.mine.points
    most = case.most(lambda other: other.points)
    weight = case.gain("points") if case.others else float(points)
    if not points or (most is not None and (points < most or weight <= 0)):
        return
    yield Reason(ReasonKind.SCORES, weight, most == 0, case.against, points=points, other=_whole(most))


def later(case: Case) -> Iterator[Reason]:
    """Points that are left now, or made ready, against points later."""
    mine = case.mine
    most_now = case.most(lambda other: other.points)
    if mine.ends or mine.later is None or most_now is None:
        return
    points, tile, chance = mine.later
    left = int(most_now) if most_now > mine.points else None
    gain = points * chance - case.usual(lambda other: other.later[0] * other.later[2] if other.later else 0.0)
    if gain >= LEAST_LATER or (left is not None and points >= LATER_SCORE and gain > 0):
        yield Reason(
            ReasonKind.POINTS_LATER,
            case.gain("later"),
            against=case.against,
            tile=TILES[tile],
            points=points,
            probability=chance,
            before=left,
        )


def moves_kept(case: Case) -> Iterator[Reason]:
    """How many tiles of the rest fit; suits of which the seat has most."""
    mine = case.mine
    most = case.most(lambda other: other.playable)
    if mine.ends or most is None:
        return
    weight = case.gain("playable", "moves_on")
    # Of one last tile, that it fits is another reason.
    if (
        mine.rest.bit_count() > 1
        and mine.playable > case.usual(lambda other: other.playable)
        and mine.playable >= most
        and weight > 0
    ):
        yield Reason(ReasonKind.KEEPS_MOVES, weight, most == 0, case.against, count=mine.playable, other=_whole(most))
    others = [{pips for pips, _, _ in kept_suits(case.facts, other)} for other in case.others]
    for pips, held, left in kept_suits(case.facts, mine):
        share = sum(share for share, suits in zip(case.shares, others, strict=True) if pips not in suits)
        if share > 0:
            weight = case.worth("kept_suits") * share
            yield Reason(ReasonKind.KEEPS_SUIT, weight, against=case.against, suit=pips, count=held, left=left)


def last_tiles(case: Case) -> Iterator[Reason]:
    """The own way out: the last tile fits, or the rest goes one tile a turn."""
    mine, facts = case.mine, case.facts
    if mine.ends:
        return
    if mine.rest.bit_count() == 1 and mine.playable and _fit(mine) > case.usual(_fit):
        tile = TILES[mine.rest.bit_length() - 1]
        places = sum(1 for _, pips in mine.after.attachment_points() if pips in (tile.low, tile.high))
        only = case.most(_fit) == 0
        weight = case.gain("out_next", "playable", "moves_on")
        numbers = {"tile": tile, "count": places, "probability": mine.safe}
        yield Reason(ReasonKind.OUT_NEXT, weight, only, case.against, **numbers)  # type: ignore[arg-type]
    if ahead(facts, mine) and case.usual(lambda other: float(ahead(facts, other))) < 1:
        seat = min(facts.others, key=lambda other: case.view.hand_sizes[other])
        yield Reason(
            ReasonKind.TEMPO,
            case.gain("tempo"),
            against=case.against,
            count=mine.rest.bit_count(),
            seat=seat,
            left=case.view.hand_sizes[seat],
            other=_whole(case.most(lambda other: other.run)),
        )


def _fit(move: MoveFacts) -> float:
    """How well the last tile fits: at all, and how safely."""
    return move.playable + move.safe if move.rest.bit_count() == 1 else 0.0


def pips(case: Case) -> Iterator[Reason]:
    """Heavy tiles gone: before somebody goes out, or while they still fit."""
    view, facts, mine = case.view, case.facts, case.mine
    most = case.most(lambda other: other.move.tile.pips)
    shed = mine.move.tile.pips
    if mine.ends or most is None or shed <= case.usual(lambda other: other.move.tile.pips):
        return
    seat = min(facts.others, key=lambda other: view.hand_sizes[other])
    weight = case.gain("pips", "late_pips")
    # Of the risk, this is the part that comes from the pips and not from the chance.
    risk = case.worth("risk") * mine.ends_next * (case.usual(lambda other: other.cost) - mine.cost)
    if mine.ends_next > 0 and risk > 0:
        yield Reason(
            ReasonKind.PIPS_AT_RISK,
            weight + risk,
            against=case.against,
            pips=mine.pips,
            probability=mine.ends_next,
            value=float(mine.cost),
            hands=tuple(facts.costs_after(mine)),
            other=case.least(lambda other: float(other.cost)),
            worst=case.most(lambda other: float(other.cost)),
        )
    elif view.hand_sizes[seat] <= FEW_TILES and shed > most:
        numbers = {"seat": seat, "count": view.hand_sizes[seat], "pips": shed, "other": _whole(most)}
        yield Reason(ReasonKind.SHEDS_PIPS, weight, against=case.against, **numbers)  # type: ignore[arg-type]
    elif shed == heaviest(facts):
        yield Reason(
            ReasonKind.HEAVIEST,
            weight,
            against=case.against,
            tile=mine.move.tile,
            pips=shed,
            left=_like(mine, facts.unseen),
            count=_followers(mine),
        )


def _like(move: MoveFacts, tiles: int) -> int:
    """How many of some tiles have pips of the tile that is placed."""
    return (tiles & (SUITS[move.move.tile.low] | SUITS[move.move.tile.high])).bit_count()


def _followers(move: MoveFacts) -> int:
    """How many tiles of the rest can be joined to the tile itself."""
    here = {pips for at, pips in move.after.attachment_points() if at // 4 == move.move.tile.index}
    return sum(1 for tile in TILES if move.rest >> tile.index & 1 and not here.isdisjoint((tile.low, tile.high)))


def doubles(case: Case) -> Iterator[Reason]:
    """What kind of tile it is: the sniff, a later double; and that the sniff's sides open."""
    mine, facts = case.mine, case.facts
    tile = mine.move.tile
    if mine.ends:
        return
    if tile.is_double and not any(other.move.tile == tile for other in case.others if case.against):
        left = facts.left[tile.low]
        if facts.layout.sniff < 0:
            numbers = {"tile": tile, "count": _followers(mine), "left": left}
            yield Reason(ReasonKind.PLAYS_SNIFF, case.gain("sniff"), against=case.against, **numbers)  # type: ignore[arg-type]
        else:
            yield Reason(ReasonKind.PLAYS_DOUBLE, case.gain("double"), against=case.against, tile=tile, left=left)
    if opens_sides(mine) and not (case.against and opens_sides(case.others[0])):
        yield Reason(ReasonKind.OPENS_SIDES, SIDES_OPEN, against=case.against, tile=TILES[mine.after.sniff])


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)
