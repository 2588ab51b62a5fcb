"""What of a message is missing or cannot be read. It is found before the rules are asked, and told all at once."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from sniffai.errors import SniffError
from sniffai.moves import Move
from sniffai.tiles import Tile
from sniffai.v1 import event_pb2, move_pb2, round_pb2, view_pb2
from sniffai.wire.errors import Violation
from sniffai.wire.paths import joined

MAX_EVENTS: Final = 128
"""More than any round has: 28 placements, 14 draws and 3 passes between any two placements."""
MAX_TILES: Final = 28
"""The longest of all other lists: of tiles, moves, seats or suits."""


def crowds(message: Message, path: str) -> list[Violation]:
    """A violation for each list in a view or a deal, on any level, that is longer than any round needs.

    It is asked first: to read the million bytes that a request may have, tile by tile, would take seconds.
    """
    found = []
    for field, value in message.ListFields():
        name = f"{path}.{field.name}"
        if isinstance(value, Message):
            found += crowds(value, name)
        elif not isinstance(value, (int, str)):
            found += _crowd(value, name, MAX_EVENTS if field.name == "events" else MAX_TILES)
    return found


def _crowd(values: Sequence[Any], path: str, most: int) -> list[Violation]:
    if len(values) > most:
        return [_too_many(path, most)]
    found = []
    for i, value in enumerate(values):
        if isinstance(value, Message):
            found += crowds(value, f"{path}[{i}]")
    return found


def view_gaps(view: view_pb2.PlayerView, path: str) -> list[Violation]:
    """What is missing or cannot be read in a view."""
    return crowds(view, path) or _view_gaps(view, path)


def _view_gaps(view: view_pb2.PlayerView, path: str) -> list[Violation]:
    kind = view.WhichOneof("position")
    gaps = _bad_tiles(view.hand, f"{path}.hand")
    if kind == "record":
        return gaps + _record_gaps(view.record, f"{path}.record")
    if kind == "snapshot":
        return gaps + _snapshot_gaps(view, f"{path}.snapshot")
    return [*gaps, Violation(path, "POSITION_MISSING", "a view needs a record or a snapshot")]


def _record_gaps(record: view_pb2.EventRecord, path: str) -> list[Violation]:
    gaps = []
    for i, event in enumerate(record.events):
        gaps += _event_gaps(event, f"{path}.events[{i}]")
    return gaps


def _event_gaps(event: event_pb2.Event, path: str) -> list[Violation]:
    kind = event.WhichOneof("kind")
    if kind is None:
        return [Violation(path, "EVENT_KIND_MISSING", "an event is a play, a draw or a pass")]
    if kind == "play":
        return _bad_move(event.play, f"{path}.play")
    if kind == "draw":
        return _bad_tiles(event.draw.tiles, f"{path}.draw.tiles")
    return []


def _snapshot_gaps(view: view_pb2.PlayerView, path: str) -> list[Violation]:
    snapshot = view.snapshot
    gaps = []
    for i, move in enumerate(snapshot.placements):
        gaps += _bad_move(move, f"{path}.placements[{i}]")
    for i, void in enumerate(snapshot.voids):
        gaps += _void_gaps(void, view.players, f"{path}.voids[{i}]")
    if snapshot.drawn_tile:
        gaps += _bad_tile(snapshot.drawn_tile, f"{path}.drawn_tile")
    return gaps


def _void_gaps(void: view_pb2.SeatVoids, players: int, path: str) -> list[Violation]:
    if not 0 <= void.seat < players:
        return [Violation(f"{path}.seat", "SEAT_OUT_OF_RANGE", f"there is no seat {void.seat}")]
    return [
        Violation(f"{path}.suits[{i}]", "SUIT_OUT_OF_RANGE", "a suit is 0 to 6")
        for i, suit in enumerate(void.suits)
        if not 0 <= suit <= 6
    ]


def deal_gaps(deal: round_pb2.OpenDeal, path: str) -> list[Violation]:
    """What cannot be read in an open deal. Its moves are read as they are made."""
    return crowds(deal, path) or _deal_gaps(deal, path)


def _deal_gaps(deal: round_pb2.OpenDeal, path: str) -> list[Violation]:
    gaps = _bad_tiles(deal.talon, f"{path}.talon")
    for i, hand in enumerate(deal.hands):
        gaps += _bad_tiles(hand.tiles, f"{path}.hands[{i}].tiles")
    return gaps


def bad_moves(moves: Sequence[move_pb2.Move], path: str, most: int) -> list[Violation]:
    """What cannot be read in a list of moves, at most so many."""
    if len(moves) > most:
        return [_too_many(path, most)]
    bad = []
    for i, move in enumerate(moves):
        bad += _bad_move(move, f"{path}[{i}]")
    return bad


def _bad_move(move: move_pb2.Move | event_pb2.Placement, path: str) -> list[Violation]:
    try:
        Move(move.tile, move.at or None)
    except SniffError as error:
        return [Violation.of(error, joined(path, error.field))]
    return []


def _bad_tiles(tiles: Iterable[str], path: str) -> list[Violation]:
    bad = []
    for i, tile in enumerate(tiles):
        bad += _bad_tile(tile, f"{path}[{i}]")
    return bad


def _bad_tile(tile: str, path: str) -> list[Violation]:
    try:
        Tile.parse(tile)
    except SniffError as error:
        return [Violation.of(error, path)]
    return []


def _too_many(path: str, most: int) -> Violation:
    return Violation(path, "TOO_MANY", f"at most {most} can be given")


def below(
    value: float | None, least: float, path: str, description: str, reason: str = "LIMIT_OUT_OF_RANGE"
) -> list[Violation]:
    """A violation if the value is given and too small."""
    return [Violation(path, reason, description)] if value is not None and value < least else []


def bad_error(error: float | None, most: float, path: str) -> list[Violation]:
    """A violation if a standard error is given that is no number above 0 and at most ``most``."""
    if error is None or 0 < error <= most:
        return []
    return [Violation(path, "LIMIT_OUT_OF_RANGE", f"a standard error is above 0 and at most {most} points")]


def bad_duration(duration: Duration, path: str) -> list[Violation]:
    """A violation if the nanos are out of range, or of another sign than the seconds."""
    if abs(duration.nanos) < 10**9 and duration.seconds * duration.nanos >= 0:
        return []
    return [Violation(path, "NOT_A_DURATION", "nanos must be between -999999999 and 999999999, of the sign of seconds")]
