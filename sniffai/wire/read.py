"""From messages to the library's values. Errors are :class:`WireError` with field paths.

Each part of a message is read once. Tiles, moves and events are read first, and everything in them that is invalid is
reported together. The library then builds its value from them and stops at the first thing that breaks a rule.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from google.protobuf.message import Message

from sniffai.errors import SniffError
from sniffai.events import Draw, Event, Pass, Play
from sniffai.moves import Move
from sniffai.round import Round
from sniffai.rules import TEAMS
from sniffai.search.params import MAX_SECONDS, MAX_STANDARD_ERROR, MIN_MEMORY_BYTES, Limits
from sniffai.tiles import Tile
from sniffai.v1 import event_pb2, limits_pb2, move_pb2, round_pb2, view_pb2
from sniffai.view import View
from sniffai.wire.errors import Violation, WireError
from sniffai.wire.faults import MAX_EVENTS, Faults, bad_duration, bad_error, below, move_of
from sniffai.wire.paths import deal_path, joined, record_path, snapshot_path

T = TypeVar("T")


def read_view(view: view_pb2.PlayerView, path: str = "view") -> View:
    """The view in a message.

    :param path: the path of the message in the request.
    :raises WireError: something is missing or invalid, or no deal explains the view.
    """
    faults = Faults()
    scores = faults.limited(view.scores, f"{path}.scores")
    hand = faults.tiles(faults.limited(view.hand, f"{path}.hand"), f"{path}.hand")
    kind = view.WhichOneof("position")
    if kind == "record":
        return _view_from_record(view, hand, scores, faults, path)
    if kind == "snapshot":
        return _view_from_snapshot(view, hand, scores, faults, path)
    faults.add(Violation(path, "POSITION_MISSING", "a view needs a record or a snapshot"))
    raise faults.error()


def read_round(deal: round_pb2.OpenDeal, path: str = "deal") -> Round:
    """A round with all hands known, with its moves played.

    :raises WireError: something is missing, or breaks a rule.
    """
    faults = Faults()
    scores = faults.limited(deal.scores, f"{path}.scores")
    names = [
        faults.limited(hand.tiles, f"{path}.hands[{i}].tiles")
        for i, hand in enumerate(faults.limited(deal.hands, f"{path}.hands"))
    ]
    talon = faults.tiles(faults.limited(deal.talon, f"{path}.talon"), f"{path}.talon")
    moves = faults.limited(deal.moves, f"{path}.moves")
    hands = [faults.tiles(tiles, f"{path}.hands[{i}].tiles") for i, tiles in enumerate(names)]
    faults.check()
    round_ = _checked(
        lambda: Round(
            players=deal.players,
            hands=hands,
            talon=talon,
            leader=deal.leader,
            scores=_scores(deal.players, scores),
        ),
        lambda field: deal_path(field, path),
    )
    for i, move in enumerate(moves):  # each is read when it is played: moves after an invalid one have no meaning
        play(round_, move, f"{path}.moves[{i}]")
    return round_


def play(round_: Round, move: move_pb2.Move, path: str = "move") -> int:
    """Play a move; returns its points.

    :raises WireError: the tile or the attachment point does not exist, or the rules do not allow the move.
    """
    return _checked(lambda: round_.play(move_of(move)), lambda field: joined(path, field))


def read_move(move: move_pb2.Move, path: str = "move") -> Move:
    """A move.

    :raises WireError: the tile or the attachment point does not exist.
    """
    return _checked(lambda: move_of(move), lambda field: joined(path, field))


def read_limits(limits: limits_pb2.Limits, path: str = "limits") -> Limits:
    """The limits that a request sets, without defaults.

    :raises WireError: a limit is out of range.
    """
    seconds = limits.time.seconds + limits.time.nanos / 1e9 if limits.HasField("time") else None
    simulations = limits.simulations if limits.HasField("simulations") else None
    memory_bytes = limits.memory_bytes if limits.HasField("memory_bytes") else None
    error = limits.target_standard_error if limits.HasField("target_standard_error") else None
    _refuse(
        [
            *below(seconds, 1e-9, f"{path}.time", "a search must have more than 0 seconds"),
            *below(simulations, 1, f"{path}.simulations", "a search must have at least 1 simulation"),
            *below(
                memory_bytes,
                MIN_MEMORY_BYTES,
                f"{path}.memory_bytes",
                f"a search must have at least {MIN_MEMORY_BYTES} bytes",
            ),
            *bad_duration(limits.time, f"{path}.time"),
            *bad_error(error, MAX_STANDARD_ERROR, f"{path}.target_standard_error"),
        ]
    )
    longest = None if seconds is None else min(seconds, float(MAX_SECONDS))
    return Limits(simulations, longest, memory_bytes, limits.stop_when_decided, error)


def read_seed(seed: int, path: str = "seed") -> int:
    """A seed.

    :raises WireError: it is negative.
    """
    _refuse(below(seed, 0, path, "a seed is not negative", "SEED_OUT_OF_RANGE"))
    return seed


def given(request: Message, field: str) -> Any:
    """The message in a field of a request.

    :raises WireError: it is missing.
    """
    if not request.HasField(field):
        raise WireError(Violation(field, "REQUIRED", f"{field} must be given"))
    return getattr(request, field)


def located(error: SniffError, path: str) -> WireError:
    """A library error as an error of the message at a path."""
    return WireError(Violation.of(error, joined(path, error.field)))


def _view_from_record(
    view: view_pb2.PlayerView, hand: list[Tile], scores: Sequence[int], faults: Faults, path: str
) -> View:
    events = _events(view.record.events, faults, f"{path}.record.events")
    faults.check()
    return _checked(
        lambda: View.from_events(
            players=view.players,
            seat=view.seat,
            leader=view.record.leader,
            hand=hand,
            events=events,
            scores=_scores(view.players, scores),
        ),
        lambda field: record_path(field, path),
    )


def _events(messages: Sequence[event_pb2.Event], faults: Faults, path: str) -> list[Event]:
    """The valid events."""
    messages = faults.limited(messages, path, MAX_EVENTS)
    events = (_event(message, faults, f"{path}[{i}]") for i, message in enumerate(messages))
    return [event for event in events if event is not None]


def _event(message: event_pb2.Event, faults: Faults, path: str) -> Event | None:
    kind = message.WhichOneof("kind")
    if kind == "play":
        play = message.play
        move = faults.move(play, f"{path}.play")
        points = play.points if play.HasField("points") else None
        return None if move is None else Play(message.seat, move, points)
    if kind == "draw":
        draw = message.draw
        tiles = faults.tiles(faults.limited(draw.tiles, f"{path}.draw.tiles"), f"{path}.draw.tiles")
        return Draw(message.seat, draw.count or len(tiles), tuple(tiles) or None)
    if kind == "pass":
        return Pass(message.seat)
    faults.add(Violation(path, "EVENT_KIND_MISSING", "an event is a play, a draw or a pass"))
    return None


def _view_from_snapshot(
    view: view_pb2.PlayerView, hand: list[Tile], scores: Sequence[int], faults: Faults, path: str
) -> View:
    snapshot, path_in = view.snapshot, f"{path}.snapshot"
    placements = faults.limited(snapshot.placements, f"{path_in}.placements")
    hand_sizes = faults.limited(snapshot.hand_sizes, f"{path_in}.hand_sizes")
    moves = faults.moves(placements, f"{path_in}.placements")
    voids = _voids(snapshot.voids, view.players, faults, f"{path_in}.voids")
    drawn = faults.tile(snapshot.drawn_tile, f"{path_in}.drawn_tile") if snapshot.drawn_tile else None
    faults.check()
    return _checked(
        lambda: View.from_snapshot(
            players=view.players,
            seat=view.seat,
            placements=moves,
            hand=hand,
            hand_sizes=hand_sizes,
            talon_size=snapshot.talon_size,
            voids=voids,
            scores=_scores(view.players, scores),
            drawn_tile=drawn,
        ),
        lambda field: snapshot_path(field, path),
    )


def _voids(messages: Sequence[view_pb2.SeatVoids], players: int, faults: Faults, path: str) -> dict[int, list[int]]:
    """The void suits by seat."""
    voids: dict[int, list[int]] = {}
    for i, message in enumerate(faults.limited(messages, path)):
        seat, suits = message.seat, faults.limited(message.suits, f"{path}[{i}].suits")
        if 0 <= seat < players:
            voids.setdefault(seat, []).extend(suits)
            faults.add(
                *(
                    Violation(f"{path}[{i}].suits[{j}]", "SUIT_OUT_OF_RANGE", "a suit is a number of pips 0..6")
                    for j, suit in enumerate(suits)
                    if not 0 <= suit <= 6
                )
            )
        else:
            faults.add(
                Violation(
                    f"{path}[{i}].seat", "SEAT_OUT_OF_RANGE", f"there is no seat {seat}: the seats are 0..{players - 1}"
                )
            )
    return voids


def _scores(players: int, scores: Sequence[int]) -> list[int]:
    """The scores; 0 for each team if none are given."""
    return list(scores) or [0] * TEAMS.get(players, 0)


def _refuse(violations: list[Violation]) -> None:
    if violations:
        raise WireError(*violations)


def _checked(make: Callable[[], T], path_of: Callable[[str], str]) -> T:
    """The result of ``make``. A library error becomes a :class:`WireError` with the field path from ``path_of``."""
    try:
        return make()
    except SniffError as error:
        raise WireError(Violation.of(error, path_of(error.field))) from None
