"""From reasons to messages."""

from collections.abc import Iterable
from typing import Final

from sniffai.errors import LimitsError
from sniffai.explain import Reason, ReasonKind, read_language, render
from sniffai.tiles import Tile
from sniffai.v1 import notice_pb2, reason_pb2
from sniffai.wire.faults import move_of
from sniffai.wire.notices import warning
from sniffai.wire.write import write_move

KINDS: Final = {kind: reason_pb2.ReasonKind.Value(f"REASON_KIND_{kind.name}") for kind in ReasonKind}

_NAMED: Final = {number: kind for kind, number in KINDS.items()}
NUMBERS: Final = (
    *(
        "seat",
        "suit",
        "points",
        "score",
        "count",
        "left",
        "pips",
        "probability",
        "value",
        "error",
        "before",
        "other",
        "worst",
    ),
)
"""Fields of a reason that are set where it has such a number."""
WHOLE: Final = (ReasonKind.SCORES, ReasonKind.KEEPS_MOVES, ReasonKind.SHEDS_PIPS, ReasonKind.TEMPO)
"""Kinds whose ``other`` is a number of points, tiles or pips."""


def write_reasons(reasons: Iterable[Reason], language_code: str = "en") -> list[reason_pb2.Reason]:
    """Reasons as messages, with their text.

    :param language_code: see :func:`sniffai.explain.read_language`.
    :raises LimitsError: the language is unknown.
    """
    return [_reason(reason, language_code) for reason in reasons]


def language_or_english(code: str, field: str = "language_code") -> tuple[str, list[notice_pb2.Warning]]:
    """The language of a request; English, with a warning, if it is unknown."""
    try:
        return read_language(code), []
    except LimitsError as error:
        return "en", [warning(field, error.reason, f"{error.message}; the answer is in English")]


def _reason(reason: Reason, language_code: str) -> reason_pb2.Reason:
    return reason_pb2.Reason(
        kind=KINDS[reason.kind],
        text=render(reason, language_code),
        weight=reason.weight,
        only=reason.only,
        seat=reason.seat,
        suit=reason.suit,
        tile=str(reason.tile) if reason.tile else "",
        points=reason.points,
        score=reason.score,
        count=reason.count,
        left=reason.left,
        pips=reason.pips,
        probability=reason.probability,
        value=reason.value,
        error=reason.error,
        before=reason.before,
        other=reason.other,
        worst=reason.worst,
        hands=reason.hands or (),
        against=None if reason.against is None else write_move(reason.against),
    )


def read_reasons(messages: Iterable[reason_pb2.Reason]) -> tuple[Reason, ...]:
    """The reasons that messages tell, without their text. Kinds that this version does not know are left out."""
    return tuple(_read(message, _NAMED[message.kind]) for message in messages if message.kind in _NAMED)


def _read(message: reason_pb2.Reason, kind: ReasonKind) -> Reason:
    given = {name: getattr(message, name) for name in NUMBERS if message.HasField(name)}
    if kind in WHOLE and "other" in given:
        given["other"] = int(given["other"])
    return Reason(
        kind=kind,
        weight=message.weight,
        only=message.only,
        against=move_of(message.against) if message.HasField("against") else None,
        tile=Tile.parse(message.tile) if message.tile else None,
        hands=tuple(message.hands) or None,
        **given,
    )
