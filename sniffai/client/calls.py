"""The calls of both clients, described once: parameters, request and answer.

Each function here checks its arguments and returns a call that is ready to be made. The clients turn each function into
a method with the same parameters and documentation.
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any, Generic, TypeAlias, TypeVar, Unpack, get_args

import grpc

from sniffai.client import requests
from sniffai.client.connection import REVIEW_TIMEOUT, Connection
from sniffai.client.requests import (
    DealLike,
    NoWishes,
    PositionLike,
    RecommendWishes,
    RecordLike,
    ReviewWishes,
    ViewLike,
    WireMove,
    Wishes,
)
from sniffai.search.params import Limits
from sniffai.v1 import (
    analysis_service_pb2,
    analysis_service_pb2_grpc,
    engine_service_pb2,
    engine_service_pb2_grpc,
    job_service_pb2_grpc,
    match_service_pb2_grpc,
    rules_service_pb2,
    rules_service_pb2_grpc,
)

Answer = TypeVar("Answer")
Method = TypeVar("Method", bound=Callable[..., Any])


class Stubs:
    """The methods of a server's services, over one channel."""

    def __init__(self, channel: Any) -> None:
        self.analysis = analysis_service_pb2_grpc.AnalysisServiceStub(channel)
        self.rules = rules_service_pb2_grpc.RulesServiceStub(channel)
        self.engine = engine_service_pb2_grpc.EngineServiceStub(channel)
        self.matches = match_service_pb2_grpc.MatchServiceStub(channel)
        self.jobs = job_service_pb2_grpc.JobServiceStub(channel)


Caller: TypeAlias = "grpc.UnaryUnaryMultiCallable[Any, Answer] | grpc.UnaryStreamMultiCallable[Any, Answer]"
"""A gRPC method: it makes a call and returns its answer or answers."""


@dataclass(frozen=True, slots=True)
class Call(Generic[Answer]):
    """A call that is ready to be made; generic in the type of its answers."""

    caller: "Callable[[Stubs], Caller[Answer]]"
    request: Any
    timeout: float | None
    """Seconds; ``None`` for the client's."""

    def start(self, stubs: Stubs, connection: Connection) -> Any:
        """Send the request. Returns what gRPC returns: an answer, an awaitable or an iterator.

        :raises LimitsError: the timeout is out of range.
        """
        return self.caller(stubs)(
            self.request,
            timeout=connection.deadline(self.timeout),
            metadata=connection.metadata,
            wait_for_ready=connection.wait_for_ready or None,
        )


def described(method: Method, call: Callable[..., Call[Any]], answer: Any = None) -> Method:
    """A client's method, with the name, parameters and documentation of a call.

    :param answer: the type that it returns; the type of the call's answer if not given.
    """
    owner, module = method.__annotations__["self"], method.__module__
    update_wrapper(method, call)
    method.__module__, method.__qualname__ = module, f"{owner}.{call.__name__}"
    signature = inspect.signature(call)
    self_parameter = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    answer_type = get_args(signature.return_annotation)[0] if answer is None else answer
    method.__annotations__ = {**call.__annotations__, "return": answer_type}  # update_wrapper shares the call's own
    method.__signature__ = signature.replace(  # type: ignore[attr-defined]  # read by inspect.signature
        parameters=[self_parameter, *signature.parameters.values()], return_annotation=answer_type
    )
    return method


def recommend(
    view: ViewLike, limits: Limits | None = None, *, timeout: float | None = None, **wishes: Unpack[RecommendWishes]
) -> Call[analysis_service_pb2.RecommendMoveResponse]:
    """The recommended move, with the evaluation of all moves.

    The keywords are those of :class:`sniffai.client.RecommendWishes`.

    :raises SniffError: an argument is invalid; ``field`` is its name. Nothing is sent.
    :raises ServiceError: the view is invalid, another seat is to move, or the server cannot be reached.
    """
    return Call(lambda stubs: stubs.analysis.RecommendMove, requests.recommend_request(view, limits, wishes), timeout)


def analyze(
    position: PositionLike,
    limits: Limits | None = None,
    *,
    timeout: float | None = None,
    **wishes: Unpack[Wishes],
) -> Call[analysis_service_pb2.AnalyzeResponse]:
    """The evaluation of all legal moves in a view, or in a round with all hands known.

    :raises ServiceError: as :meth:`recommend`.
    """
    return Call(lambda stubs: stubs.analysis.Analyze, requests.analyze_request(position, limits, wishes), timeout)


def stream_analyze(
    position: PositionLike,
    limits: Limits | None = None,
    *,
    interval: float | None = None,
    timeout: float | None = None,
    **wishes: Unpack[Wishes],
) -> Call[analysis_service_pb2.StreamAnalyzeResponse]:
    """:meth:`analyze` with snapshots every ``interval`` seconds while the search runs.

    :param interval: at least 0.05; 0.5 if not given.
    """
    request = requests.stream_request(position, limits, wishes, interval)
    return Call(lambda stubs: stubs.analysis.StreamAnalyze, request, timeout)


def analyze_match(
    record: RecordLike,
    limits: Limits | None = None,
    *,
    timeout: float = REVIEW_TIMEOUT,
    **wishes: Unpack[ReviewWishes],
) -> Call[analysis_service_pb2.AnalyzeMatchResponse]:
    """The review of a match or a round: each placement and draw when it is finished, then the summary.

    :param record: a match record or its text, rounds with all hands known, or rounds as one seat saw them: a view, a
        :class:`sniffai.SeatRecord`, or the text of notes.
    :param timeout: seconds for the whole review; an hour if not given.
    """
    request = requests.match_request(record, limits, wishes)
    return Call(lambda stubs: stubs.analysis.AnalyzeMatch, request, timeout)


def legal_moves(
    view: ViewLike, *, timeout: float | None = None, **unknown: Unpack[NoWishes]
) -> Call[rules_service_pb2.ListLegalMovesResponse]:
    """The legal moves of the view's seat, each with its immediate effect.

    :raises ServiceError: the view is invalid, or the server cannot be reached.
    """
    return Call(lambda stubs: stubs.rules.ListLegalMoves, requests.legal_request(view, unknown), timeout)


def validate(
    view: ViewLike, *, timeout: float | None = None, **unknown: Unpack[NoWishes]
) -> Call[rules_service_pb2.ValidateViewResponse]:
    """Whether a view is valid, with the facts that follow from it, or its violations.

    :raises ServiceError: the server cannot be reached.
    """
    return Call(lambda stubs: stubs.rules.ValidateView, requests.validate_request(view, unknown), timeout)


def apply(
    deal: DealLike, move: WireMove, *, timeout: float | None = None, **unknown: Unpack[NoWishes]
) -> Call[rules_service_pb2.ApplyMoveResponse]:
    """Play a move in a round with all hands known, with the draws and passes that follow.

    :raises ServiceError: the deal or the move is invalid, or the server cannot be reached.
    """
    return Call(lambda stubs: stubs.rules.ApplyMove, requests.apply_request(deal, move, unknown), timeout)


def describe_round(
    deal: DealLike, *, timeout: float | None = None, **unknown: Unpack[NoWishes]
) -> Call[rules_service_pb2.DescribeRoundResponse]:
    """The state of a round with all hands known, to resume a stored deal.

    :raises ServiceError: the deal is invalid, or the server cannot be reached.
    """
    return Call(lambda stubs: stubs.rules.DescribeRound, requests.describe_request(deal, unknown), timeout)


def plan_table(
    placements: Iterable[WireMove] = (),
    *,
    end_room: int | None = None,
    timeout: float | None = None,
    **unknown: Unpack[NoWishes],
) -> Call[rules_service_pb2.PlanTableResponse]:
    """Where the tiles of a layout lie, for a front end that draws the table.

    :param placements: the tiles on the table, the lead first.
    :param end_room: how far the room of an open end reaches, in grid units, 2..12; 2 if not given.
    :raises ServiceError: a placement breaks a rule, or the server cannot be reached.
    """
    request = requests.plan_request(placements, end_room, unknown)
    return Call(lambda stubs: stubs.rules.PlanTable, request, timeout)


def parse_text(
    text: str, *, timeout: float | None = None, **unknown: Unpack[NoWishes]
) -> Call[rules_service_pb2.ParseTextResponse]:
    """The view, round or match in a text, in one of the forms of docs/notation.md.

    :raises ServiceError: the text is none of them or breaks a rule, or the server cannot be reached.
    """
    return Call(lambda stubs: stubs.rules.ParseText, requests.parse_request(text, unknown), timeout)


def deal(
    players: int,
    seed: int | None = None,
    leader: int | None = None,
    scores: Iterable[int] = (),
    *,
    timeout: float | None = None,
    **unknown: Unpack[NoWishes],
) -> Call[rules_service_pb2.DealRoundResponse]:
    """Deal a shuffled round. The server chooses what is not given.

    :raises ServiceError: a number is out of range, or the server cannot be reached.
    """
    return Call(
        lambda stubs: stubs.rules.DealRound, requests.deal_request(players, seed, leader, scores, unknown), timeout
    )


def info(
    *, timeout: float | None = None, **unknown: Unpack[NoWishes]
) -> Call[engine_service_pb2.GetEngineInfoResponse]:
    """The version and capabilities of the server.

    :raises ServiceError: the server cannot be reached.
    """
    return Call(lambda stubs: stubs.engine.GetEngineInfo, requests.info_request(unknown), timeout)
