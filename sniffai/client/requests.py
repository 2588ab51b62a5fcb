"""From the library's values to requests."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, TypeAlias, TypedDict

from google.protobuf.duration_pb2 import Duration

from sniffai import wire
from sniffai.checks import read_flag, read_integers, read_whole
from sniffai.client.arguments import (
    MAX_TAG,
    MAX_TEXT,
    check_each,
    check_kind,
    check_limits,
    check_name,
    check_names,
    check_seconds,
    check_seed,
    check_text,
)
from sniffai.errors import ViewError
from sniffai.moves import Move, MoveLike
from sniffai.records.matchfile import format_match
from sniffai.records.record import MatchRecord
from sniffai.records.seat_record import SeatRecord
from sniffai.round import Round
from sniffai.search.params import Limits, Objective
from sniffai.v1 import (
    analysis_service_pb2,
    engine_service_pb2,
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
RecordLike: TypeAlias = (
    str | MatchRecord | SeatRecord | Iterable[Round] | review_pb2.RecordedMatch | review_pb2.SeatRecord | ViewLike
)
"""A match record or its text, rounds with all hands known, or rounds or one round as one seat saw them."""
WireMove: TypeAlias = MoveLike | move_pb2.Move


class Wishes(TypedDict, total=False):
    """The options of a call for an analysis, besides position and limits.

    If an option is missing or ``None``, the server decides. Any other keyword raises
    :class:`sniffai.client.UnknownArgumentError`.
    """

    seed: int | None
    """Makes the answer repeatable, 0..2**63-1."""
    include_moves: Iterable[WireMove] | None
    """The only moves to consider now."""
    exclude_moves: Iterable[WireMove] | None
    """Moves not to consider now."""
    max_moves: int | None
    """Maximum number of moves to list, best first; 0 for all."""
    priority: Literal["interactive", "analysis", "bulk"] | None
    """The class in which the search waits for a slot."""
    client_tag: str | None
    """Returned in the answer; at most 128 characters."""
    language_code: str | None
    """Of the reasons' text, such as ``"ja"``."""
    objective: Objective | None
    """What the search maximises: the chance to win the match, or the margin of the round."""
    opponents: Mapping[int, str] | None
    """By seat, how it chooses, by the name of a level or player, such as ``{1: "casual"}``; see
    :func:`sniffai.play.levels.opponent_named`."""
    careless: bool | None
    """Whether each move is also valued against careless opponents, who overlook points. Not together with ``level``,
    nor for a round with all hands known."""


class RecommendWishes(Wishes, total=False):
    """The options of a call for a move: those of :class:`Wishes`, and a level of play."""

    level: str | None
    """The level that chooses the move: a name of :meth:`Client.info`'s levels, such as ``"club"``, or a number of
    rating points, such as ``"1350"``. Not together with ``include_moves`` or ``exclude_moves``."""


class ReviewWishes(TypedDict, total=False):
    """The options of a call for a review, besides record and limits."""

    seed: int | None
    """Makes the review repeatable, 0..2**63-1."""
    priority: Literal["interactive", "analysis", "bulk"] | None
    """The class in which the searches wait for slots."""
    client_tag: str | None
    """Returned in the summary; at most 128 characters."""
    language_code: str | None
    """Of the reasons' text, such as ``"ja"``."""


class NoWishes(TypedDict):
    """The options of calls and constructors that take only the keywords that they name.

    Any other keyword raises :class:`sniffai.client.UnknownArgumentError`.
    """


MAX_LEVEL: Final = 64
"""The longest name of a level, in characters."""
MAX_LISTED: Final = 2**31 - 1
MOST_SEAT: Final = 3
MAX_NAME: Final = 200
"""The longest name of an opponent, in characters."""

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
    view: ViewLike, limits: Limits | None, wishes: RecommendWishes
) -> analysis_service_pb2.RecommendMoveRequest:
    """A request for a move."""
    level = check_text(wishes.get("level"), "level", MAX_LEVEL)
    return analysis_service_pb2.RecommendMoveRequest(view=_view(view), **_fields(limits, wishes, "level"), level=level)


def analyze_request(
    position: PositionLike, limits: Limits | None, wishes: Wishes
) -> analysis_service_pb2.AnalyzeRequest:
    """A request for an analysis."""
    return analysis_service_pb2.AnalyzeRequest(**_position(position), **_fields(limits, wishes))


def stream_request(
    position: PositionLike, limits: Limits | None, wishes: Wishes, interval: float | None
) -> analysis_service_pb2.StreamAnalyzeRequest:
    """A request for an analysis with snapshots every ``interval`` seconds."""
    fields = _fields(limits, wishes, "interval")
    request = analysis_service_pb2.StreamAnalyzeRequest(**_position(position), **fields)
    if interval is not None:
        duration = Duration()
        duration.FromNanoseconds(round(check_seconds(interval, "interval") * 1e9))
        request.report_interval.CopyFrom(duration)
    return request


def match_request(
    record: RecordLike, limits: Limits | None, wishes: ReviewWishes
) -> analysis_service_pb2.AnalyzeMatchRequest:
    """A request for a review."""
    check_names(wishes, {*ReviewWishes.__annotations__, "limits", "timeout"})
    bulk = analysis_service_pb2.PRIORITY_BULK
    return analysis_service_pb2.AnalyzeMatchRequest(
        **_record(record), **_shared(limits, wishes), priority=_priority(wishes) or bulk
    )


def legal_request(view: ViewLike, unknown: NoWishes) -> rules_service_pb2.ListLegalMovesRequest:
    """A request for the legal moves."""
    check_names(unknown, ("timeout",))
    return rules_service_pb2.ListLegalMovesRequest(view=_view(view))


def validate_request(view: ViewLike, unknown: NoWishes) -> rules_service_pb2.ValidateViewRequest:
    """A request for a verdict on a view."""
    check_names(unknown, ("timeout",))
    return rules_service_pb2.ValidateViewRequest(view=_view(view))


def apply_request(deal: DealLike, move: WireMove, unknown: NoWishes) -> rules_service_pb2.ApplyMoveRequest:
    """A request to make a move."""
    check_names(unknown, ("timeout",))
    return rules_service_pb2.ApplyMoveRequest(deal=_deal(deal), move=move_message(move))


def describe_request(deal: DealLike, unknown: NoWishes) -> rules_service_pb2.DescribeRoundRequest:
    """A request for the state of a round."""
    check_names(unknown, ("timeout",))
    return rules_service_pb2.DescribeRoundRequest(deal=_deal(deal))


def deal_request(
    players: int, seed: int | None, leader: int | None, scores: Iterable[int], unknown: NoWishes
) -> rules_service_pb2.DealRoundRequest:
    """A request for a deal."""
    check_names(unknown, ("players", "seed", "leader", "scores", "timeout"))
    seats = read_whole(players, "players", 2, 4, ViewError)
    return rules_service_pb2.DealRoundRequest(
        players=seats,
        seed=check_seed(seed),
        leader=None if leader is None else read_whole(leader, "leader", 0, seats - 1, ViewError),
        scores=read_integers(scores, "scores"),
    )


def plan_request(
    placements: Iterable[WireMove], end_room: int | None, unknown: NoWishes
) -> rules_service_pb2.PlanTableRequest:
    """A request for the plan of a layout."""
    check_names(unknown, ("placements", "end_room", "timeout"))
    return rules_service_pb2.PlanTableRequest(
        placements=check_each(placements, "placements", move_message),
        end_room=0 if end_room is None else read_whole(end_room, "end_room", wire.MIN_ROOM, wire.MAX_ROOM),
    )


def parse_request(text: str, unknown: NoWishes) -> rules_service_pb2.ParseTextRequest:
    """A request for what a text holds."""
    check_names(unknown, ("text", "timeout"))
    return rules_service_pb2.ParseTextRequest(text=check_text(text, "text", sys.maxsize))


def info_request(unknown: NoWishes) -> engine_service_pb2.GetEngineInfoRequest:
    """A request for what the server is."""
    check_names(unknown, ("timeout",))
    return engine_service_pb2.GetEngineInfoRequest()


def _fields(limits: Limits | None, wishes: Wishes, *more: str) -> dict[str, Any]:
    """The fields that requests for an analysis share.

    :param more: keywords of the call that are none of these.
    """
    check_names(wishes, {*Wishes.__annotations__, "limits", "timeout", *more})
    listed = wishes.get("max_moves")
    return _shared(limits, wishes) | {
        "include_moves": check_each(wishes.get("include_moves"), "include_moves", move_message),
        "exclude_moves": check_each(wishes.get("exclude_moves"), "exclude_moves", move_message),
        "max_moves": 0 if listed is None else read_whole(listed, "max_moves", 0, MAX_LISTED),
        "priority": _priority(wishes),
        "objective": check_name(wishes.get("objective"), "objective", OBJECTIVES),
        "opponents": _opponents(wishes.get("opponents")),
        "careless": read_flag(wishes.get("careless") or False, "careless"),
    }


def _opponents(named: Mapping[int, str] | None) -> list[analysis_service_pb2.Opponent]:
    """How other seats choose; the server knows which seats and names there are."""
    if named is None:
        return []
    check_kind(named, (Mapping,), "opponents")
    return [
        analysis_service_pb2.Opponent(
            seat=read_whole(seat, "opponents", 0, MOST_SEAT), name=check_text(name, "opponents", MAX_NAME)
        )
        for seat, name in named.items()
    ]


def _shared(limits: Limits | None, wishes: Wishes | ReviewWishes) -> dict[str, Any]:
    """The fields that all requests for searches share."""
    limits = check_limits(limits)
    return {
        "limits": None if limits is None else wire.write_limits(limits),
        "seed": check_seed(wishes.get("seed")),
        "client_tag": check_text(wishes.get("client_tag"), "client_tag", MAX_TAG),
        "language_code": check_text(wishes.get("language_code"), "language_code", MAX_TEXT),
    }


def _priority(wishes: Wishes | ReviewWishes) -> Any:
    return check_name(wishes.get("priority"), "priority", PRIORITIES)


def _position(position: PositionLike) -> dict[str, Any]:
    if isinstance(position, (View, view_pb2.PlayerView)):
        return {"view": _view(position)}
    check_kind(position, (View, Round, view_pb2.PlayerView, round_pb2.OpenDeal), "position")
    return {"deal": _deal(position)}


def _record(record: RecordLike) -> dict[str, Any]:
    if isinstance(record, (View, view_pb2.PlayerView)):
        return {"view": _view(record)}
    if isinstance(record, (SeatRecord, review_pb2.SeatRecord)):
        return {"seat_record": wire.write_seat_record(record) if isinstance(record, SeatRecord) else record}
    if isinstance(record, review_pb2.RecordedMatch):
        return {"match": record}
    if isinstance(record, (str, MatchRecord)):
        text = record if isinstance(record, str) else format_match(record)
        return {"text": check_text(text, "record", sys.maxsize)}
    rounds = check_each(record, "record", _round)
    if not rounds:
        raise ViewError("a match has at least one round", reason="NO_ROUNDS", field="record")
    return {"match": wire.write_record(rounds)}


def _round(value: object) -> Round:
    check_kind(value, (Round,), "")
    assert isinstance(value, Round)
    return value


def _view(view: ViewLike) -> view_pb2.PlayerView:
    check_kind(view, (View, view_pb2.PlayerView), "view")
    return wire.write_view(view) if isinstance(view, View) else view


def _deal(deal: DealLike) -> round_pb2.OpenDeal:
    check_kind(deal, (Round, round_pb2.OpenDeal), "deal")
    return wire.write_deal(deal) if isinstance(deal, Round) else deal


def move_message(move: WireMove) -> move_pb2.Move:
    """A move as a message."""
    return move if isinstance(move, move_pb2.Move) else wire.write_move(Move.of(move))
