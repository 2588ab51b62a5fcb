"""Reasons as sentences, with the terms of the rule documents."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from sniffai.checks import is_listed, read_kind, shown
from sniffai.errors import LimitsError
from sniffai.explain.description import joined_sentences, move_name, tile_name
from sniffai.explain.languages import Words, read_language, words
from sniffai.explain.numbers import CERTAIN_CHANCE, MINUS, fixed, uncertain
from sniffai.explain.reason import Reason, ReasonKind
from sniffai.explain.worth import FEW_LEFT

CLOSE: Final = 1e-9
"""What rounding may make of equal numbers."""

AT_LEAST: Final = frozenset(
    {
        ReasonKind.LOW_REPLY,
        ReasonKind.LATER_REPLY,
        ReasonKind.STOPS_MATCH,
        ReasonKind.KEEPS_IN,
        ReasonKind.PIPS_AT_RISK,
    }
)
"""Kinds whose number is good where it is low."""

CHANCES: Final = frozenset(
    {
        ReasonKind.FORCES_DRAW,
        ReasonKind.FORCES_PASS,
        ReasonKind.EXTRA_TURN,
        ReasonKind.STOPS_MATCH,
        ReasonKind.KEEPS_IN,
        ReasonKind.LETS_PARTNER_OUT,
        ReasonKind.PARTNER_MOVES,
    }
)
"""Kinds whose number is a chance."""


def render(reason: Reason, language_code: str = "en") -> str:
    """A reason in a few sentences.

    :param language_code: see :func:`sniffai.explain.read_language`.
    :raises LimitsError: the language is unknown, or ``reason`` is not a :class:`Reason`.
    """
    read_kind(reason, Reason, "reason", "NOT_A_REASON")
    read_kind(reason.kind, ReasonKind, "reason.kind", "NOT_A_REASON")
    say = words(read_language(language_code))
    sentences = [_TEXTS[reason.kind](reason, say)]
    if reason.only and reason.against is None and reason.kind is not ReasonKind.FORCED:
        sentences.append(say.say("No other move does that."))
    elif reason.other is not None and not (reason.kind is ReasonKind.TEMPO and reason.other == reason.count):
        sentences.append(_other(reason, say))
    return joined_sentences(sentences)


def render_all(reasons: Iterable[Reason], language_code: str = "en") -> list[str]:
    """:func:`render` of several.

    :raises LimitsError: as for :func:`render`, or ``reasons`` is not a list.
    """
    if not is_listed(reasons):
        raise LimitsError(f"a list of reasons is expected, not {shown(reasons)}", reason="NOT_REASONS", field="reasons")
    return [render(reason, language_code) for reason in reasons]


# Numbers


def plain(points: float) -> str:
    """Points to one place, whole ones without it."""
    return f"{round(points, 1):g}".replace("-", MINUS)


def percent(chance: float) -> str:
    """A chance in per cent; 0 and 100 only where it is certain."""
    if 0.0 < chance < CERTAIN_CHANCE:
        return str(min(99, max(1, round(100 * chance))))
    return str(round(100 * chance))


# Sentences


def _forced(reason: Reason, say: Words) -> str:
    if reason.count is None:
        return say.say("It is the only legal move.")
    return say.say(
        "Only this tile fits. Its {count} attachment points are equal: all lead to the same future.",
        count=reason.count,
    )


def _drawn_tile(reason: Reason, say: Words) -> str:
    return say.say("{tile} was drawn just now and must be played at once.", tile=_tile(reason))


def _wins_match(reason: Reason, say: Words) -> str:
    points = reason.points or 0
    return say.count(
        "It scores {points} point and reaches the target with {score}: the match is won.",
        "It scores {points} points and reaches the target with {score}: the match is won.",
        points,
        points=points,
        score=reason.score,
    )


def _goes_out(reason: Reason, say: Words) -> str:
    out = say.say("It is the last tile of the hand: the player goes out and leads the next round.")
    return joined_sentences([out, *_settlement(reason, say)])


def _settlement(reason: Reason, say: Words) -> Iterator[str]:
    """What a settlement is worth, and what each hand costs."""
    if reason.value is not None:
        value = fixed(reason.value, signed=True)
        yield say.say("The settlement is expected to change the margin by {value} points.", value=value)
    yield from _hands(reason, say)


def _hands(reason: Reason, say: Words) -> Iterator[str]:
    if reason.hands:
        named = [say.say("seat {seat}: {cost}", seat=seat, cost=plain(cost)) for seat, cost in enumerate(reason.hands)]
        yield say.say("Cost of each hand, in points: {hands}.", hands="; ".join(named))


def _blocks_round(reason: Reason, say: Words) -> str:
    pips = reason.pips or 0
    blocked = say.count(
        "No tile fits any more: the round ends blocked, with {pips} pip left in the hand.",
        "No tile fits any more: the round ends blocked, with {pips} pips left in the hand.",
        pips,
        pips=pips,
    )
    return joined_sentences([blocked, *_settlement(reason, say)])


def _seals_round(reason: Reason, say: Words) -> str:
    count = reason.count or 0
    sealed = say.count(
        "No tile fits any more: seat {seat} must draw the last tile of the talon, and the round ends blocked.",
        "No tile fits any more: seat {seat} must draw all {count} tiles of the talon, and the round ends blocked.",
        count,
        seat=reason.seat,
        count=count,
    )
    return joined_sentences([sealed, *_settlement(reason, say)])


def _stops_match(reason: Reason, say: Words) -> str:
    chance = reason.probability or 0.0
    if chance == 0.0:
        return say.say("Seat {seat} cannot win the match with its next placement.", seat=reason.seat)
    return say.say(
        "With a chance of {chance}%, seat {seat} can win the match with its next placement.",
        seat=reason.seat,
        chance=percent(chance),
    )


def _keeps_in(reason: Reason, say: Words) -> str:
    sentences = [_short_hands(reason, say)]
    chance, several = reason.probability or 0.0, (reason.count or 1) > 1
    if chance == 0.0:
        sentences.append(
            say.say("None of these tiles fits: neither seat can go out next.")
            if several
            else say.say("It does not fit: the seat cannot go out next.")
        )
    elif several:
        sentences.append(
            say.say("With a chance of {chance}%, one of them fits and lets a seat go out.", chance=percent(chance))
        )
    else:
        sentences.append(
            say.say("With a chance of {chance}%, it fits and lets the seat go out.", chance=percent(chance))
        )
    if reason.suit is not None:
        sentences.append(
            say.say("An end with {suit} could let seat {seat} go out.", suit=reason.suit, seat=reason.seat)
        )
    return joined_sentences(sentences)


def _short_hands(reason: Reason, say: Words) -> str:
    """Who holds one tile."""
    count = reason.count or 1
    if count > 1:
        return say.say("{count} opponents hold one tile each.", count=count)
    if reason.tile is not None:
        return say.say("The last tile of seat {seat} is {tile}.", seat=reason.seat, tile=_tile(reason))
    return say.say("Seat {seat} holds one tile.", seat=reason.seat)


def _lets_partner_out(reason: Reason, say: Words) -> str:
    out = say.say(
        "The partner, seat {seat}, holds one tile: with a chance of {chance}% it fits, and the partner can go out.",
        seat=reason.seat,
        chance=percent(reason.probability or 0.0),
    )
    return joined_sentences([out, *_settlement(reason, say)])


def _out_next(reason: Reason, say: Words) -> str:
    count, chance = reason.count or 0, reason.probability or 0.0
    sentences = [
        say.count(
            "The last tile, {tile}, then fits at {count} attachment point.",
            "The last tile, {tile}, then fits at {count} attachment points.",
            count,
            tile=_tile(reason),
            count=count,
        )
    ]
    if chance >= CERTAIN_CHANCE:
        sentences.append(say.say("The others cannot take that away."))
    elif chance > 0.0:
        sentences.append(
            say.say("With a chance of {chance}%, no other seat has a tile for such a place.", chance=percent(chance))
        )
    return joined_sentences(sentences)


def _pips_at_risk(reason: Reason, say: Words) -> str:
    pips = reason.pips or 0
    risk = say.say(
        "With a chance of {chance}%, another seat can go out before the next own turn.",
        chance=percent(reason.probability or 0.0),
    )
    cost = say.count(
        "The {pips} pip left in the hand would then cost {value} points.",
        "The {pips} pips left in the hand would then cost {value} points.",
        pips,
        pips=pips,
        value=plain(reason.value or 0.0),
    )
    return joined_sentences([risk, cost, *_hands(reason, say)])


def _extra_turn(reason: Reason, say: Words) -> str:
    chance, talon = reason.probability or 0.0, reason.count
    if chance >= CERTAIN_CHANCE:
        return (
            say.say("No other seat has a tile that fits: all must draw.")
            if talon
            else say.say("No other seat has a tile that fits: all must pass, and the player is to move again.")
        )
    # With an empty talon the others hold all other tiles, so that it is certain.
    return say.say(
        "With a chance of {chance}%, no other seat has a tile that fits: all must draw.", chance=percent(chance)
    )


def _heaviest(reason: Reason, say: Words) -> str:
    pips, left, count = reason.pips or 0, reason.left or 0, reason.count or 0
    sentences = [
        say.count(
            "{tile} is the heaviest tile of the hand, with {pips} pip, and still fits.",
            "{tile} is the heaviest tile of the hand, with {pips} pips, and still fits.",
            pips,
            tile=_tile(reason),
            pips=pips,
        )
    ]
    if left < FEW_LEFT:
        sentences.append(
            say.count(
                "Only {left} other tile with its pips has not been seen: later it would be hard to place.",
                "Only {left} other tiles with its pips have not been seen: later it would be hard to place.",
                left,
                left=left,
            )
        )
    if count:
        sentences.append(_followers(count, say))
    return joined_sentences(sentences)


def _followers(count: int, say: Words) -> str:
    return say.count(
        "{count} tile of the hand can follow it.", "{count} tiles of the hand can follow it.", count, count=count
    )


def _tempo(reason: Reason, say: Words) -> str:
    count, left = reason.count or 0, reason.left or 0
    own = say.count(
        "The {count} tile left can be placed in {count} turn on this table.",
        "The {count} tiles left can be placed in {count} turns on this table.",
        count,
        count=count,
    )
    theirs = say.count(
        "Seat {seat}, the first of the others, needs at least {left} turn.",
        "Seat {seat}, the first of the others, needs at least {left} turns.",
        left,
        seat=reason.seat,
        left=left,
    )
    return joined_sentences([own, theirs])


def _later_reply(reason: Reason, say: Words) -> str:
    return say.say(
        "With the tiles it holds, seat {seat} could expect to score {value} on this table.",
        seat=reason.seat,
        value=plain(reason.value or 0.0),
    )


def _partner_reply(reason: Reason, say: Words) -> str:
    return say.say(
        "With the tiles it holds, the partner, seat {seat}, could expect to score {value} on this table.",
        seat=reason.seat,
        value=plain(reason.value or 0.0),
    )


def _partner_moves(reason: Reason, say: Words) -> str:
    return say.say(
        "With a chance of {chance}%, the partner, seat {seat}, has a tile that fits.",
        seat=reason.seat,
        chance=percent(reason.probability or 0.0),
    )


def _points_later(reason: Reason, say: Words) -> str:
    points, chance = reason.points or 0, reason.probability or 0.0
    sentences = []
    if reason.before is not None:
        sentences.append(
            say.say("It leaves {before} points that another move scores now.", before=plain(reason.before))
        )
    sentences.append(
        say.count(
            "After this move, {tile} would score {points} point next turn.",
            "After this move, {tile} would score {points} points next turn.",
            points,
            tile=_tile(reason),
            points=points,
        )
    )
    if chance >= CERTAIN_CHANCE:
        sentences.append(say.say("No other seat has a tile for that place."))
    elif chance > 0.0:
        sentences.append(
            say.say("With a chance of {chance}%, no other seat has a tile for that place.", chance=percent(chance))
        )
    return joined_sentences(sentences)


def _careless(reason: Reason, say: Words) -> str:
    assert reason.against is not None and reason.error is not None
    move = move_name(reason.against, say)
    if reason.probability is not None:
        return say.say(
            "Against players who overlook points the opposite holds: with {move} the chance to win the match is"
            " {gain}% ± {error}% higher.",
            move=move,
            gain=fixed(100 * reason.probability),
            error=uncertain(100 * reason.error),
        )
    return say.say(
        "Against players who overlook points the opposite holds: {move} brings {gain} ± {error} points more.",
        move=move,
        gain=fixed(reason.value or 0.0),
        error=uncertain(reason.error),
    )


def _little_difference(reason: Reason, say: Words) -> str:
    count = reason.count or 0
    return say.count(
        "The choice matters little: the search does not tell {count} other move from it.",
        "The choice matters little: the search does not tell {count} other moves from it.",
        count,
        count=count,
    )


def _chance(reason: Reason, say: Words) -> str:
    chance, error = _number(reason.kind, reason.probability or 0.0), reason.error or 0.0
    if error == 0.0:
        return say.say("The chance to win the match is {chance}.", chance=chance)
    return say.say(
        "The chance to win the match is {chance} ± {error}.", chance=chance, error=f"{uncertain(100 * error)}%"
    )


def _value(reason: Reason, say: Words) -> str:
    value, error = fixed(reason.value or 0.0, signed=True), reason.error or 0.0
    if error == 0.0:
        return say.say("With best play, the margin to the end of the round is {value} points.", value=value)
    return say.say(
        "The expected margin to the end of the round is {value} ± {error} points.",
        value=value,
        error=uncertain(error),
    )


def _scores(reason: Reason, say: Words) -> str:
    points = reason.points or 0
    return say.count("It scores {points} point.", "It scores {points} points.", points, points=points)


def _lowers_threat(reason: Reason, say: Words) -> str:
    threat = say.say(
        "With the tiles it holds, seat {seat} can expect to score {value} in reply; on the table as it lies it would be"
        " {before}.",
        seat=reason.seat,
        value=plain(reason.value or 0.0),
        before=plain(reason.before or 0.0),
    )
    return joined_sentences([threat, *_taken(reason, say)])


def _taken(reason: Reason, say: Words) -> Iterator[str]:
    """The good reply that the move takes away."""
    if reason.tile is None:
        return
    parts = {
        "tile": _tile(reason),
        "points": reason.points,
        "seat": reason.seat,
        "chance": percent(reason.probability or 0.0),
    }
    if reason.against is None:
        yield say.say(
            "It takes away {points} for {tile}, which seat {seat} has with a chance of {chance}%.",
            **parts,
        )
    else:
        yield say.say(
            "After the other move, {tile} could score {points}: seat {seat} has it with a chance of {chance}%.",
            **parts,
        )


def _low_reply(reason: Reason, say: Words) -> str:
    reply = say.say(
        "With the tiles it holds, seat {seat} can expect to score {value} in reply.",
        seat=reason.seat,
        value=plain(reason.value or 0.0),
    )
    return joined_sentences([reply, *_taken(reason, say)])


def _forces_draw(reason: Reason, say: Words) -> str:
    chance = reason.probability or 0.0
    if chance >= CERTAIN_CHANCE:
        return say.say("Seat {seat} has no tile that fits, and must draw.", seat=reason.seat)
    return say.say(
        "With a chance of {chance}%, seat {seat} has no tile that fits, and must draw.",
        seat=reason.seat,
        chance=percent(chance),
    )


def _forces_pass(reason: Reason, say: Words) -> str:
    chance = reason.probability or 0.0
    if chance >= CERTAIN_CHANCE:
        return say.say("Seat {seat} has no tile that fits, and must pass.", seat=reason.seat)
    return say.say(
        "With a chance of {chance}%, seat {seat} has no tile that fits, and must pass.",
        seat=reason.seat,
        chance=percent(chance),
    )


def _blocks_suit(reason: Reason, say: Words) -> str:
    chance = reason.probability or 0.0
    if chance >= CERTAIN_CHANCE:
        return say.say("The new end shows {suit}, and seat {seat} has no {suit}.", suit=reason.suit, seat=reason.seat)
    return say.say(
        "The new end shows {suit}, and with a chance of {chance}% seat {seat} has no {suit}.",
        suit=reason.suit,
        seat=reason.seat,
        chance=percent(chance),
    )


def _keeps_suit(reason: Reason, say: Words) -> str:
    count, left = reason.count or 0, reason.left or 0
    held = say.count(
        "It keeps {count} tile with {suit}, which can be joined.",
        "It keeps {count} tiles with {suit}, which can be joined.",
        count,
        count=count,
        suit=reason.suit,
    )
    if left == 0:
        return joined_sentences([held, say.say("No other tile with {suit} is left.", suit=reason.suit)])
    rest = say.count(
        "Only {left} other tile with {suit} has not been seen.",
        "Only {left} other tiles with {suit} have not been seen.",
        left,
        left=left,
        suit=reason.suit,
    )
    return joined_sentences([held, rest])


def _keeps_moves(reason: Reason, say: Words) -> str:
    count = reason.count or 0
    return say.count(
        "{count} tile of the remaining hand fits the table.",
        "{count} tiles of the remaining hand fit the table.",
        count,
        count=count,
    )


def _sheds_pips(reason: Reason, say: Words) -> str:
    pips, count = reason.pips or 0, reason.count or 0
    sentences = [
        say.count("It sheds {pips} pip.", "It sheds {pips} pips.", pips, pips=pips),
        say.count(
            "Seat {seat} holds only {count} tile.",
            "Seat {seat} holds only {count} tiles.",
            count,
            seat=reason.seat,
            count=count,
        ),
    ]
    return joined_sentences(sentences)


def _plays_sniff(reason: Reason, say: Words) -> str:
    count, left, suit = reason.count or 0, reason.left or 0, reason.tile.low if reason.tile else 0
    sniff = say.say("{tile} is the first double of the round and becomes the sniff.", tile=_tile(reason))
    follow = _followers(count, say) if count else say.say("No tile of the hand can follow it.")
    if left == 0:
        return joined_sentences([sniff, follow, say.say("No other tile with {suit} is left.", suit=suit)])
    rest = say.count(
        "Only {left} unseen tile with {suit} could be joined to it.",
        "{left} unseen tiles with {suit} could be joined to it.",
        left,
        left=left,
        suit=suit,
    )
    return joined_sentences([sniff, follow, rest])


def _opens_sides(reason: Reason, say: Words) -> str:
    return say.say("It opens the side branches of the sniff {tile}.", tile=_tile(reason))


def _plays_double(reason: Reason, say: Words) -> str:
    left, suit = reason.left or 0, reason.tile.low if reason.tile else 0
    rid = say.say("It gets rid of the double {tile}, which fits one suit only.", tile=_tile(reason))
    if left == 0:
        return joined_sentences([rid, say.say("No other tile with {suit} is left.", suit=suit)])
    if left < FEW_LEFT:
        rest = say.count(
            "Only {left} other tile with {suit} has not been seen: later it would be hard to place.",
            "Only {left} other tiles with {suit} have not been seen: later it would be hard to place.",
            left,
            left=left,
            suit=suit,
        )
    else:
        rest = say.say(
            "{left} other tiles with {suit} have not been seen: it would have fitted later, too.", left=left, suit=suit
        )
    return joined_sentences([rid, rest])


_TEXTS: Final[dict[ReasonKind, Callable[[Reason, Words], str]]] = {
    ReasonKind.FORCED: _forced,
    ReasonKind.DRAWN_TILE: _drawn_tile,
    ReasonKind.WINS_MATCH: _wins_match,
    ReasonKind.GOES_OUT: _goes_out,
    ReasonKind.BLOCKS_ROUND: _blocks_round,
    ReasonKind.CHANCE: _chance,
    ReasonKind.VALUE: _value,
    ReasonKind.SCORES: _scores,
    ReasonKind.LOWERS_THREAT: _lowers_threat,
    ReasonKind.LOW_REPLY: _low_reply,
    ReasonKind.FORCES_DRAW: _forces_draw,
    ReasonKind.FORCES_PASS: _forces_pass,
    ReasonKind.BLOCKS_SUIT: _blocks_suit,
    ReasonKind.KEEPS_SUIT: _keeps_suit,
    ReasonKind.KEEPS_MOVES: _keeps_moves,
    ReasonKind.SHEDS_PIPS: _sheds_pips,
    ReasonKind.PLAYS_SNIFF: _plays_sniff,
    ReasonKind.OPENS_SIDES: _opens_sides,
    ReasonKind.PLAYS_DOUBLE: _plays_double,
    ReasonKind.STOPS_MATCH: _stops_match,
    ReasonKind.KEEPS_IN: _keeps_in,
    ReasonKind.LETS_PARTNER_OUT: _lets_partner_out,
    ReasonKind.OUT_NEXT: _out_next,
    ReasonKind.PIPS_AT_RISK: _pips_at_risk,
    ReasonKind.EXTRA_TURN: _extra_turn,
    ReasonKind.SEALS_ROUND: _seals_round,
    ReasonKind.HEAVIEST: _heaviest,
    ReasonKind.TEMPO: _tempo,
    ReasonKind.LATER_REPLY: _later_reply,
    ReasonKind.PARTNER_REPLY: _partner_reply,
    ReasonKind.PARTNER_MOVES: _partner_moves,
    ReasonKind.POINTS_LATER: _points_later,
    ReasonKind.LITTLE_DIFFERENCE: _little_difference,
    ReasonKind.CARELESS: _careless,
}


def _tile(reason: Reason) -> str:
    return tile_name(reason.tile) if reason.tile else ""


# The other moves


def _other(reason: Reason, say: Words) -> str:
    """The same number for the other moves, or for the one compared with."""
    number = _number(reason.kind, reason.other or 0.0)
    if reason.against is not None:
        return say.say("After {move}: {number}.", move=move_name(reason.against, say), number=number)
    if reason.kind in AT_LEAST:
        mine = reason.value if reason.kind not in CHANCES else reason.probability
        if (mine or 0.0) < (reason.other or 0.0) - CLOSE:
            return say.say("After the other moves: {number} or more.", number=number)
        return say.say("After other moves: up to {number}.", number=_number(reason.kind, reason.worst or 0.0))
    if reason.kind in CHANCES and min(reason.probability or 0.0, reason.other or 0.0) >= CERTAIN_CHANCE:
        return say.say("Another move does that, too.")
    return say.say("Best of the other moves: {number}.", number=number)


def _number(kind: ReasonKind, number: float) -> str:
    if kind is ReasonKind.VALUE:
        return fixed(number, signed=True)
    if kind is ReasonKind.CHANCE:
        return f"{100 * number:.1f}%"
    if kind in CHANCES:
        return f"{percent(number)}%"
    return plain(number)
