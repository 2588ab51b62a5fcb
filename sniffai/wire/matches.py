"""Hosted matches: requests for one, what one seat may know of it, and its events."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from sniffai.deal import Deal
from sniffai.errors import SniffError
from sniffai.events import Draw, Pass, Play
from sniffai.names import read_name
from sniffai.play.levels import find_level
from sniffai.play.match import HUMAN
from sniffai.play.match_log import (
    LEVEL,
    MatchEnded,
    MatchState,
    RoundResult,
    RoundStarted,
    SeatInfo,
    SeatJoined,
    SeatView,
    SeenEvent,
    TakenBack,
)
from sniffai.rules import PLAYERS
from sniffai.search.params import Limits
from sniffai.v1 import match_service_pb2 as pb
from sniffai.v1 import move_pb2, view_pb2
from sniffai.wire.errors import Violation, WireError
from sniffai.wire.faults import Faults
from sniffai.wire.read import read_limits
from sniffai.wire.write import ACTIONS, write_event, write_layout, write_legal_moves, write_view

STATES: Final = {
    MatchState.WAITING: pb.MATCH_STATUS_WAITING,
    MatchState.PLAYING: pb.MATCH_STATUS_PLAYING,
    MatchState.FINISHED: pb.MATCH_STATUS_FINISHED,
    MatchState.RESIGNED: pb.MATCH_STATUS_RESIGNED,
    MatchState.EXPIRED: pb.MATCH_STATUS_EXPIRED,
}

MAX_KEY: Final = 64
"""Maximum length of an idempotency key, in characters."""


@dataclass(frozen=True, slots=True)
class MatchRequest:
    """A request for a match, read."""

    seats: tuple[str, ...]
    """By seat: :data:`~sniffai.play.match.HUMAN`, or ``"level:"`` and a level's name."""
    names: tuple[str, ...]
    scores: tuple[int, ...]
    seed: int | None
    hints: bool
    practice: bool
    level_limits: Limits


def read_match_request(request: pb.CreateMatchRequest) -> MatchRequest:
    """The match that a request asks for.

    :raises WireError: something is missing, invalid or out of range.
    """
    faults = Faults()
    if len(request.seats) not in PLAYERS:
        raise WireError(Violation("seats", "PLAYERS_OUT_OF_RANGE", f"a match has 2..4 seats, not {len(request.seats)}"))
    seats = tuple(_player(setup, f"seats[{i}]", faults) for i, setup in enumerate(request.seats))
    names = tuple(read_seat_name(setup.name, f"seats[{i}].name", faults) for i, setup in enumerate(request.seats))
    people = seats.count(HUMAN)
    if not people:
        faults.add(Violation("seats", "NO_HUMAN_SEAT", "at least one seat is human"))
    if request.practice and people > 1:
        faults.add(Violation("practice", "NOT_WITH_OTHERS", "in a practice match at most one seat is human"))
    if request.HasField("seed"):
        if request.seed < 0:
            faults.add(Violation("seed", "SEED_OUT_OF_RANGE", "a seed is not negative"))
        elif people > 1:
            faults.add(
                Violation("seed", "NOT_WITH_OTHERS", "who knows the seed knows all tiles: at most one seat is human")
            )
    scores = _scores(request, faults)
    faults.check()
    return MatchRequest(
        seats=seats,
        names=names,
        scores=scores,
        seed=request.seed if request.HasField("seed") else None,
        hints=request.hints,
        practice=request.practice,
        level_limits=read_limits(request.level_limits, "level_limits"),
    )


def read_seat_name(name: str, path: str, faults: Faults) -> str:
    """A seat's name as :func:`~sniffai.names.read_name` keeps it."""
    try:
        return read_name(name, path)
    except SniffError as error:
        reason = "TOO_LONG" if error.reason == "TEXT_TOO_LONG" else error.reason
        faults.add(Violation(path, reason, error.message))
        return ""


def bad_key(key: str, path: str, *, required: bool) -> list[Violation]:
    """A violation if an idempotency key is missing or too long."""
    if required and not key:
        return [Violation(path, "REQUIRED", f"{path} must be given")]
    if len(key) > MAX_KEY:
        return [Violation(path, "TOO_LONG", f"a key has at most {MAX_KEY} characters")]
    return []


def _player(setup: pb.SeatSetup, path: str, faults: Faults) -> str:
    """Who plays at a seat."""
    kind = setup.WhichOneof("kind")
    if kind == "human":
        return HUMAN
    if kind is None:
        faults.add(Violation(path, "REQUIRED", "human or level must be given"))
        return HUMAN
    try:
        return LEVEL + find_level(setup.level).name
    except SniffError as error:
        faults.add(Violation.of(error, f"{path}.level"))
        return HUMAN


def _scores(request: pb.CreateMatchRequest, faults: Faults) -> tuple[int, ...]:
    try:
        return Deal.shuffled(len(request.seats), 0, 0, request.scores or None).scores
    except SniffError as error:
        faults.add(Violation.of(error, error.field))
        return ()


def write_match_view(match_id: str, seen: SeatView) -> pb.MatchView:
    """All that one seat may know of a match."""
    message = write_common_view(match_id, seen)
    add_own_view(message, seen, None if seen.view is None else write_view(seen.view))
    return message


def write_common_view(match_id: str, seen: SeatView) -> pb.MatchView:
    """The part of a view that is the same for all seats."""
    message = pb.MatchView(
        match_id=match_id,
        event_number=seen.number,
        seats=write_seats(seen.seats),
        status=STATES[seen.state],
        round=seen.round,
        scores=seen.scores,
        target=seen.target,
        seat_to_move=seen.to_move,
        last_round=None if seen.last_round is None else write_round_result(seen.last_round),
        winner=seen.winner,
        resigned_seat=seen.resigned,
        hints=seen.hints,
        practice=seen.practice,
        can_take_back=seen.can_take_back,
        expire_time=None if seen.expires is None else write_time(seen.expires),
    )
    if seen.view is not None:
        message.hand_sizes.extend(seen.view.hand_sizes)
        message.talon_size = seen.view.talon_size
        message.layout.CopyFrom(write_layout(seen.view.layout))
    return message


def add_own_view(message: pb.MatchView, seen: SeatView, view: view_pb2.PlayerView | None) -> None:
    """Add what the seat alone may know to a :func:`write_common_view`.

    :param view: what the seat knows of the round, written.
    """
    message.seat = seen.seat
    message.action = _action(seen)
    if seen.view is not None and view is not None:
        message.hand.extend(map(str, seen.view.hand))
        message.view.CopyFrom(view)
        if message.action == move_pb2.ACTION_PLAY:
            message.legal_moves.extend(write_legal_moves(seen.view))


def write_match_event(event: SeenEvent) -> pb.MatchEvent:
    """One event, as one seat may know it."""
    message = pb.MatchEvent(number=event.number, time=write_time(event.time))
    what = event.what
    if isinstance(what, (Play, Draw, Pass)):
        message.round_event.CopyFrom(write_event(what))
    elif isinstance(what, SeatJoined):
        message.joined.CopyFrom(pb.SeatJoined(seat=what.seat, name=what.name))
    elif isinstance(what, RoundStarted):
        started = pb.RoundStarted(round=what.round, leader=what.leader, scores=what.scores, hand=map(str, what.hand))
        message.round_started.CopyFrom(started)
    elif isinstance(what, RoundResult):
        message.round_ended.CopyFrom(write_round_result(what))
    elif isinstance(what, TakenBack):
        message.taken_back.CopyFrom(pb.TakenBack(seat=what.seat, round=what.round, kept_event_count=what.kept))
    elif isinstance(what, MatchEnded):
        ended = pb.MatchEnded(status=STATES[what.state], winner=what.winner, resigned_seat=what.resigned)
        message.match_ended.CopyFrom(ended)
    return message


def write_round_result(result: RoundResult) -> pb.RoundResult:
    """How a round ended."""
    return pb.RoundResult(
        round=result.round,
        scores=result.scores,
        settlement=result.settlement,
        went_out=result.went_out,
        blocked=result.blocked,
        next_leader=result.next_leader,
    )


def write_seats(seats: Iterable[SeatInfo]) -> list[pb.SeatInfo]:
    """Who plays, by seat."""
    return [pb.SeatInfo(name=seat.name, level=seat.level, joined=seat.joined) for seat in seats]


def write_time(microseconds: int) -> Timestamp:
    """A time given in microseconds since 1970."""
    message = Timestamp()
    message.FromMicroseconds(microseconds)
    return message


def _action(seen: SeatView) -> move_pb2.Action.ValueType:
    if seen.state.over:
        return move_pb2.ACTION_OVER
    return ACTIONS["play"] if seen.to_move == seen.seat else ACTIONS["wait"]
