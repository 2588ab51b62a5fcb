"""From the library's values to requests."""

from collections.abc import Iterable
from typing import Any, Final, Literal, TypeAlias, TypedDict

from google.protobuf.duration_pb2 import Duration

from sniffai import wire
from sniffai.matchfile import format_match
from sniffai.moves import Move, MoveLike
from sniffai.params import Limits
from sniffai.record import MatchRecord
from sniffai.round import Round
from sniffai.v1 import (
    analysis_service_pb2,
    move_pb2,
    review_pb2,
    round_pb2,
    rules_service_pb2,
    view_pb2,
)
from sniffai.view import View

ViewLike: TypeAlias = View | view_pb2.PlayerView
DealLike: TypeAlias = Round | round_pb2.OpenDeal
PositionLike: TypeAlias = ViewLike | DealLike
RecordLike: TypeAlias = str | MatchRecord | Iterable[Round] | review_pb2.RecordedMatch | ViewLike
"""A match record or its text, rounds with all hands known, or one round as one seat saw it."""
WireMove: TypeAlias = MoveLike | move_pb2.Move


class Wishes(TypedDict, total=False):
    """What a call for an analysis may say besides position and limits; what it leaves out is up to the server."""

    seed: int | None
    """Makes the answer repeatable, 0..2**63-1."""
    include: Iterable[WireMove]
    """The only moves to consider now."""
    exclude: Iterable[WireMove]
    """Moves not to consider now."""
    max_moves: int
    """How many moves to list, best first; 0 for all."""
    priority: Literal["interactive", "analysis", "bulk"]
    """The class in which the search waits for its turn."""
    client_tag: str
    """Comes back in the answer, at most 128 characters."""
    language: str
    """Of the reasons' text, such as ``"ja"``."""
    objective: Literal["match", "round"]
    """What the search maximises: the chance to win the match, or the margin of the round."""


class ReviewWishes(TypedDict, total=False):
    """What a call for a review may say besides record and limits."""

    seed: int | None
    """Makes the review repeatable, 0..2**63-1."""
    priority: Literal["interactive", "analysis", "bulk"]
    """The class in which the searches wait for their turn."""
    client_tag: str
    """Comes back in the summary, at most 128 characters."""
    language: str
    """Of the reasons' text, such as ``"ja"``."""


PRIORITIES: Final = {
    "interactive": analysis_service_pb2.PRIORITY_INTERACTIVE,
    "analysis": analysis_service_pb2.PRIORITY_ANALYSIS,
    "bulk": analysis_service_pb2.PRIORITY_BULK,
}


OBJECTIVES: Final = {
    "match": analysis_service_pb2.OBJECTIVE_MATCH,
    "round": analysis_service_pb2.OBJECTIVE_ROUND,
}


def recommend_request(
    view: ViewLike, limits: Limits | None, wishes: Wishes
) -> analysis_service_pb2.RecommendMoveRequest:
    """A request for a move."""
    return analysis_service_pb2.RecommendMoveRequest(view=_view(view), **_fields(limits, wishes))


def analyze_request(
    position: PositionLike, limits: Limits | None, wishes: Wishes
) -> analysis_service_pb2.AnalyzeRequest:
    """A request for an analysis."""
    return analysis_service_pb2.AnalyzeRequest(**_position(position), **_fields(limits, wishes))


def stream_request(
    position: PositionLike, limits: Limits | None, wishes: Wishes, interval: float | None
) -> analysis_service_pb2.StreamAnalyzeRequest:
    """A request for an analysis with snapshots every ``interval`` seconds."""
    request = analysis_service_pb2.StreamAnalyzeRequest(**_position(position), **_fields(limits, wishes))
    if interval is not None:
        duration = Duration()
        duration.FromNanoseconds(round(interval * 1e9))
        request.report_interval.CopyFrom(duration)
    return request


def match_request(
    record: RecordLike, limits: Limits | None, wishes: ReviewWishes
) -> analysis_service_pb2.AnalyzeMatchRequest:
    """A request for a review."""
    return analysis_service_pb2.AnalyzeMatchRequest(
        **_record(record),
        limits=None if limits is None else wire.write_limits(limits),
        seed=wishes.get("seed"),
        priority=PRIORITIES[wishes.get("priority", "bulk")],
        client_tag=wishes.get("client_tag", ""),
        language_code=wishes.get("language", ""),
    )


def legal_request(view: ViewLike) -> rules_service_pb2.ListLegalMovesRequest:
    """A request for the legal moves."""
    return rules_service_pb2.ListLegalMovesRequest(view=_view(view))


def validate_request(view: ViewLike) -> rules_service_pb2.ValidateViewRequest:
    """A request for a verdict on a view."""
    return rules_service_pb2.ValidateViewRequest(view=_view(view))


def apply_request(deal: DealLike, move: WireMove) -> rules_service_pb2.ApplyMoveRequest:
    """A request to make a move."""
    return rules_service_pb2.ApplyMoveRequest(deal=_deal(deal), move=_move(move))


def deal_request(
    players: int, seed: int | None, leader: int | None, scores: Iterable[int]
) -> rules_service_pb2.DealRoundRequest:
    """A request for a deal."""
    return rules_service_pb2.DealRoundRequest(players=players, seed=seed, leader=leader, scores=scores)


def _fields(limits: Limits | None, wishes: Wishes) -> dict[str, Any]:
    """The fields that requests for an analysis share."""
    return {
        "limits": None if limits is None else wire.write_limits(limits),
        "seed": wishes.get("seed"),
        "include_moves": map(_move, wishes.get("include", ())),
        "exclude_moves": map(_move, wishes.get("exclude", ())),
        "max_moves": wishes.get("max_moves", 0),
        "priority": PRIORITIES[wishes["priority"]] if "priority" in wishes else None,
        "client_tag": wishes.get("client_tag", ""),
        "language_code": wishes.get("language", ""),
        "objective": OBJECTIVES[wishes["objective"]] if "objective" in wishes else None,
    }


def _position(position: PositionLike) -> dict[str, Any]:
    if isinstance(position, (View, view_pb2.PlayerView)):
        return {"view": _view(position)}
    return {"deal": _deal(position)}


def _record(record: RecordLike) -> dict[str, Any]:
    if isinstance(record, (View, view_pb2.PlayerView)):
        return {"view": _view(record)}
    if isinstance(record, review_pb2.RecordedMatch):
        return {"match": record}
    if isinstance(record, (str, MatchRecord)):
        return {"text": record if isinstance(record, str) else format_match(record)}
    return {"match": wire.write_record(record)}


def _view(view: ViewLike) -> view_pb2.PlayerView:
    return wire.write_view(view) if isinstance(view, View) else view


def _deal(deal: DealLike) -> round_pb2.OpenDeal:
    return wire.write_deal(deal) if isinstance(deal, Round) else deal


def _move(move: WireMove) -> move_pb2.Move:
    return move if isinstance(move, move_pb2.Move) else wire.write_move(Move.of(move))
