"""Reasons as sentences, with the terms of the rule documents."""

from collections.abc import Callable, Iterable
from typing import Final

from sniffai.checks import is_listed, read_kind, shown
from sniffai.errors import LimitsError
from sniffai.explain.description import joined_sentences, move_name, tile_name
from sniffai.explain.languages import Words, read_language, words
from sniffai.explain.numbers import MINUS, fixed, uncertain
from sniffai.explain.reasons import Reason, ReasonKind

CERTAIN: Final = 1.0 - 1e-9
"""A chance that only rounding keeps from being 1."""


def render(reason: Reason, language_code: str = "en") -> str:
    """A reason in one to three sentences.

    :param language_code: see :func:`sniffai.explain.read_language`.
    :raises LimitsError: the language is unknown, or ``reason`` is not a :class:`Reason`.
    """
    read_kind(reason, Reason, "reason", "NOT_A_REASON")
    read_kind(reason.kind, ReasonKind, "reason.kind", "NOT_A_REASON")
    say = words(read_language(language_code))
    sentences = [_TEXTS[reason.kind](reason, say)]
    if reason.only and reason.against is None and reason.kind is not ReasonKind.FORCED:
        sentences.append(say.say("No other move does that."))
    elif reason.other is not None:
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
    if 0.0 < chance < CERTAIN:
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


def _goes_out(_reason: Reason, say: Words) -> str:
    return say.say("It is the last tile of the hand: the player goes out and leads the next round.")


def _blocks_round(reason: Reason, say: Words) -> str:
    pips = reason.pips or 0
    return say.count(
        "No tile fits any more: the round ends blocked, with {pips} pip left in the hand.",
        "No tile fits any more: the round ends blocked, with {pips} pips left in the hand.",
        pips,
        pips=pips,
    )


def _chance(reason: Reason, say: Words) -> str:
    chance, error = _number(reason.kind, reason.probability or 0.0), reason.error or 0.0
    if error == 0.0:
        return say.say("The chance to win the match is {chance}.", chance=chance)
    return say.say(
        "The chance to win the match is {chance} ± {error}.", chance=chance, error=f"{uncertain(100 * error)} %"
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
    return say.say(
        "With the tiles it holds, seat {seat} can expect to score {value} in reply; on the table as it lies it would be"
        " {before}.",
        seat=reason.seat,
        value=plain(reason.value or 0.0),
        before=plain(reason.before or 0.0),
    )


def _low_reply(reason: Reason, say: Words) -> str:
    return say.say(
        "With the tiles it holds, seat {seat} can expect to score {value} in reply.",
        seat=reason.seat,
        value=plain(reason.value or 0.0),
    )


def _forces_draw(reason: Reason, say: Words) -> str:
    chance = reason.probability or 0.0
    if chance >= CERTAIN:
        return say.say("Seat {seat} has no tile that fits, and must draw.", seat=reason.seat)
    return say.say(
        "With a chance of {chance} %, seat {seat} has no tile that fits, and must draw.",
        seat=reason.seat,
        chance=percent(chance),
    )


def _forces_pass(reason: Reason, say: Words) -> str:
    chance = reason.probability or 0.0
    if chance >= CERTAIN:
        return say.say("Seat {seat} has no tile that fits, and must pass.", seat=reason.seat)
    return say.say(
        "With a chance of {chance} %, seat {seat} has no tile that fits, and must pass.",
        seat=reason.seat,
        chance=percent(chance),
    )


def _blocks_suit(reason: Reason, say: Words) -> str:
    chance = reason.probability or 0.0
    if chance >= CERTAIN:
        return say.say("The new end shows {suit}, and seat {seat} has no {suit}.", suit=reason.suit, seat=reason.seat)
    return say.say(
        "The new end shows {suit}, and with a chance of {chance} % seat {seat} has no {suit}.",
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
    if reason.probability is not None:
        sentences.append(
            say.say("With a chance of {chance} % it can be placed next.", chance=percent(reason.probability))
        )
    return joined_sentences(sentences)


def _plays_sniff(reason: Reason, say: Words) -> str:
    return say.say("{tile} is the first double of the round and becomes the sniff.", tile=_tile(reason))


def _opens_sides(reason: Reason, say: Words) -> str:
    return say.say("It opens the side branches of the sniff {tile}.", tile=_tile(reason))


def _plays_double(reason: Reason, say: Words) -> str:
    left, suit = reason.left or 0, reason.tile.low if reason.tile else 0
    if left == 0:
        rid = say.say("It gets rid of the double {tile}.", tile=_tile(reason))
        return joined_sentences([rid, say.say("No other tile with {suit} is left.", suit=suit)])
    return say.count(
        "It gets rid of the double {tile}: {left} tile with {suit} has not been seen.",
        "It gets rid of the double {tile}: {left} tiles with {suit} have not been seen.",
        left,
        tile=_tile(reason),
        left=left,
        suit=suit,
    )


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
}


def _tile(reason: Reason) -> str:
    return tile_name(reason.tile) if reason.tile else ""


# The other moves


def _other(reason: Reason, say: Words) -> str:
    """The same number for the other moves, or for the one compared with."""
    number = _number(reason.kind, reason.other or 0.0)
    if reason.against is not None:
        return say.say("{move}: {number}.", move=move_name(reason.against, say), number=number)
    if reason.kind is ReasonKind.LOW_REPLY:
        return say.say("After the other moves: {number} or more.", number=number)
    return say.say("Best of the other moves: {number}.", number=number)


def _number(kind: ReasonKind, number: float) -> str:
    if kind is ReasonKind.VALUE:
        return fixed(number, signed=True)
    if kind is ReasonKind.CHANCE:
        return f"{100 * number:.1f} %"
    if kind in (ReasonKind.FORCES_DRAW, ReasonKind.FORCES_PASS):
        return f"{percent(number)} %"
    return plain(number)
