"""The literal twin's values in the library's classes."""

from collections.abc import Iterable

import sniffai
from tests.reference import Placement, Round


def texts(tiles: Iterable[object]) -> list[str]:
    """Tiles as text, in order."""
    return [str(tile) for tile in tiles]


def text_of(move: Placement) -> str:
    """A move as the library writes it."""
    tile, at = move
    return str(tile) if at is None else f"{tile}@{at}"


def library_round(literal: Round) -> sniffai.Round:
    """The same round in the library, played as far."""
    fresh = literal.again(0)
    round_ = sniffai.Round(
        players=fresh.players,
        hands=[texts(hand) for hand in fresh.hands],
        talon=texts(fresh.talon),
        leader=fresh.leader,
        scores=fresh.scores,
    )
    for move in literal.layout.placements:
        round_.play(text_of(move))
    return round_


def library_view(literal: Round, seat: int) -> sniffai.View:
    """What a seat of a round knows, told to the library event by event."""
    return sniffai.View.from_events(
        players=literal.players,
        seat=seat,
        leader=literal.leader,
        hand=texts(literal.dealt[seat]),
        events=literal.seen_by(seat),
        scores=literal.scores_before,
    )
