"""From messages to the library's values. Whatever is wrong raises :class:`WireError` with the path in the request."""

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from google.protobuf.message import Message

from sniffai.errors import SniffError
from sniffai.moves import Move
from sniffai.round import Round
from sniffai.rules import TEAMS
from sniffai.search.params import MAX_SECONDS, MAX_STANDARD_ERROR, MIN_MEMORY_BYTES, Limits
from sniffai.v1 import event_pb2, limits_pb2, move_pb2, round_pb2, view_pb2
from sniffai.view import View
from sniffai.wire.errors import Violation, WireError
from sniffai.wire.gaps import bad_duration, bad_error, below, deal_gaps, view_gaps
from sniffai.wire.paths import deal_path, joined, record_path, snapshot_path

T = TypeVar("T")

MAX_SEED: Final = 2**63 - 1
"""The largest seed that a message can hold."""


def read_view(view: view_pb2.PlayerView, path: str = "view") -> View:
    """What one seat knows.

    :param path: where the message stands in the request.
    :raises WireError: something is missing, wrong, or explained by no deal.
    """
    _refuse(view_gaps(view, path))
    if view.WhichOneof("position") == "snapshot":
        return _checked(lambda: _view_from_snapshot(view), lambda field: snapshot_path(field, path))
    return _checked(lambda: _view_from_record(view), lambda field: record_path(field, path))


def read_round(deal: round_pb2.OpenDeal, path: str = "deal") -> Round:
    """A round with all hands known, its moves made.

    :raises WireError: something is missing, or breaks a rule.
    """
    _refuse(deal_gaps(deal, path))
    round_ = _checked(lambda: _round_from_deal(deal), lambda field: deal_path(field, path))
    for i, move in enumerate(deal.moves):
        play(round_, move, f"{path}.moves[{i}]")
    return round_


def play(round_: Round, move: move_pb2.Move, path: str = "move") -> int:
    """Make a move; returns its points.

    :raises WireError: the tile or the attachment point does not exist, or the rules do not allow the move.
    """
    return _checked(lambda: round_.play(Move(move.tile, move.at or None)), lambda field: joined(path, field))


def read_limits(limits: limits_pb2.Limits, path: str = "limits") -> Limits:
    """The limits that a request sets, no others.

    :raises WireError: a limit out of range.
    """
    seconds = limits.time.seconds + limits.time.nanos / 1e9 if limits.HasField("time") else None
    simulations = limits.simulations if limits.HasField("simulations") else None
    memory_bytes = limits.memory_bytes if limits.HasField("memory_bytes") else None
    error = limits.target_standard_error if limits.HasField("target_standard_error") else None
    _refuse(
        [
            *below(seconds, 1e-9, f"{path}.time", "a search takes more than 0 seconds"),
            *below(simulations, 1, f"{path}.simulations", "a search makes at least 1 simulation"),
            *below(
                memory_bytes,
                MIN_MEMORY_BYTES,
                f"{path}.memory_bytes",
                f"a search takes at least {MIN_MEMORY_BYTES} bytes",
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

    :raises WireError: it was not given.
    """
    if not request.HasField(field):
        raise WireError(Violation(field, "REQUIRED", f"{field} must be given"))
    return getattr(request, field)


def located(error: SniffError, path: str) -> WireError:
    """A library error, told of the message at a path."""
    return WireError(Violation.of(error, joined(path, error.field)))


def _view_from_record(view: view_pb2.PlayerView) -> View:
    return View.from_events(
        players=view.players,
        seat=view.seat,
        leader=view.record.leader,
        hand=list(view.hand),
        events=[_event(event) for event in view.record.events],
        scores=_scores(view.players, view.scores),
    )


def _view_from_snapshot(view: view_pb2.PlayerView) -> View:
    snapshot = view.snapshot
    return View.from_snapshot(
        players=view.players,
        seat=view.seat,
        placements=[Move(move.tile, move.at or None) for move in snapshot.placements],
        hand=list(view.hand),
        hand_sizes=list(snapshot.hand_sizes),
        talon_size=snapshot.talon_size,
        voids=_voids(snapshot),
        scores=_scores(view.players, view.scores),
        drawn_tile=snapshot.drawn_tile or None,
    )


def _round_from_deal(deal: round_pb2.OpenDeal) -> Round:
    return Round(
        players=deal.players,
        hands=[list(hand.tiles) for hand in deal.hands],
        talon=list(deal.talon),
        leader=deal.leader,
        scores=_scores(deal.players, deal.scores),
    )


def _event(event: event_pb2.Event) -> dict[str, Any]:
    """The dictionary form that the library reads."""
    if event.HasField("play"):
        points = {"points": event.play.points} if event.play.HasField("points") else {}
        return {"play": event.play.tile, "at": event.play.at or None, "seat": event.seat, **points}
    if event.HasField("draw"):
        tiles = {"tiles": list(event.draw.tiles)} if event.draw.tiles else {}
        return {"draw": event.draw.count or len(event.draw.tiles), "seat": event.seat, **tiles}
    return {"pass": True, "seat": event.seat}


def _scores(players: int, scores: Iterable[int]) -> list[int]:
    """The scores given, or 0 for each team where none are."""
    return list(scores) or [0] * TEAMS.get(players, 0)


def _voids(snapshot: view_pb2.Snapshot) -> dict[int, list[int]]:
    """The void suits by seat."""
    voids: dict[int, list[int]] = {}
    for void in snapshot.voids:
        voids.setdefault(void.seat, []).extend(void.suits)
    return voids


def _refuse(violations: list[Violation]) -> None:
    if violations:
        raise WireError(*violations)


def _checked(make: Callable[[], T], path_of: Callable[[str], str]) -> T:
    """What ``make`` returns; a library error becomes a :class:`WireError` of the field that ``path_of`` finds."""
    try:
        return make()
    except SniffError as error:
        raise WireError(Violation.of(error, path_of(error.field))) from None
