"""The calls of a client, described once: what each takes, sends and answers. The two clients make them.

Each function here checks what a caller passes and returns the call, ready to be made. :func:`described` makes a method
of it that a person and an editor see with the same parameters and the same text.
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


Caller: TypeAlias = "grpc.UnaryUnaryMultiCallable[Any, Answer] | grpc.UnaryStreamMultiCallable[Any, Answer]"
"""What makes a call and returns its answer or answers."""


@dataclass(frozen=True, slots=True)
class Call(Generic[Answer]):
    """A call that is ready to be made, and the type of its answers."""

    caller: "Callable[[Stubs], Caller[Answer]]"
    request: Any
    timeout: float | None
    """Seconds; ``None`` for the client's."""

    def start(self, stubs: Stubs, connection: Connection) -> Any:
        """Send the request; returns what gRPC has for it: an answer, something to await, or an iterator.

        :raises LimitsError: the timeout is out of range.
        """
        return self.caller(stubs)(
            self.request,
            timeout=connection.deadline(self.timeout),
            metadata=connection.metadata,
            wait_for_ready=connection.wait_for_ready or None,
        )


def described(method: Method, call: Callable[..., Call[Any]], answer: Any = None) -> Method:
    """A method of a client with the name, the parameters and the text of a call.

    :param answer: the type that it returns; that of the call's answer if not given.
    """
    owner, module = method.__annotations__["self"], method.__module__
    update_wrapper(method, call)
    method.__module__, method.__qualname__ = module, f"{owner}.{call.__name__}"
    told = inspect.signature(call)
    self_parameter = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    returned = get_args(told.return_annotation)[0] if answer is None else answer
    method.__annotations__ = {**call.__annotations__, "return": returned}  # update_wrapper shares the call's own
    method.__signature__ = told.replace(  # type: ignore[attr-defined]  # what inspect.signature looks for
        parameters=[self_parameter, *told.parameters.values()], return_annotation=returned
    )
    return method


def recommend(
    view: ViewLike, limits: Limits | None = None, *, timeout: float | None = None, **wishes: Unpack[Wishes]
) -> Call[analysis_service_pb2.RecommendMoveResponse]:
    """The move to make now, with the evaluation of all others.

    The keywords are those of :class:`sniffai.client.Wishes`.

    :raises SniffError: an argument cannot be sent; ``field`` is its name. Nothing is sent then.
    :raises ServiceError: the view is wrong, another seat is to move, or the server cannot be reached.
    """
    return Call(lambda stubs: stubs.analysis.RecommendMove, requests.recommend_request(view, limits, wishes), timeout)


def analyze(
    position: PositionLike,
    limits: Limits | None = None,
    *,
    timeout: float | None = None,
    **wishes: Unpack[Wishes],
) -> Call[analysis_service_pb2.AnalyzeResponse]:
    """The evaluation of all legal moves of a view, or of a round with all hands known.

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
    """:meth:`analyze` with snapshots on the way, every ``interval`` seconds.

    :param interval: at least 0.05; 0.5 where not given.
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
    """The review of a match or a round: each placement and draw as it is done, at last the summary.

    :param record: a match record or its text, rounds with all hands known, or one round as one seat saw it.
    :param timeout: seconds for the whole; a match takes some, an hour is allowed where nothing is said.
    """
    request = requests.match_request(record, limits, wishes)
    return Call(lambda stubs: stubs.analysis.AnalyzeMatch, request, timeout)


def legal_moves(
    view: ViewLike, *, timeout: float | None = None, **unknown: Unpack[NoWishes]
) -> Call[rules_service_pb2.ListLegalMovesResponse]:
    """What the view's seat may do, with what each move does at once.

    :raises ServiceError: the view is wrong, or the server cannot be reached.
    """
    return Call(lambda stubs: stubs.rules.ListLegalMoves, requests.legal_request(view, unknown), timeout)


def validate(
    view: ViewLike, *, timeout: float | None = None, **unknown: Unpack[NoWishes]
) -> Call[rules_service_pb2.ValidateViewResponse]:
    """Whether a view can be true, and what follows from it or is wrong with it.

    :raises ServiceError: the server cannot be reached.
    """
    return Call(lambda stubs: stubs.rules.ValidateView, requests.validate_request(view, unknown), timeout)


def apply(
    deal: DealLike, move: WireMove, *, timeout: float | None = None, **unknown: Unpack[NoWishes]
) -> Call[rules_service_pb2.ApplyMoveResponse]:
    """One move in a round with all hands known, and the draws and passes that follow from it.

    :raises ServiceError: the deal or the move is wrong, or the server cannot be reached.
    """
    return Call(lambda stubs: stubs.rules.ApplyMove, requests.apply_request(deal, move, unknown), timeout)


def deal(
    players: int,
    seed: int | None = None,
    leader: int | None = None,
    scores: Iterable[int] = (),
    *,
    timeout: float | None = None,
    **unknown: Unpack[NoWishes],
) -> Call[rules_service_pb2.DealRoundResponse]:
    """A shuffled round; the server draws what is not given.

    :raises ServiceError: a number is out of range, or the server cannot be reached.
    """
    return Call(
        lambda stubs: stubs.rules.DealRound, requests.deal_request(players, seed, leader, scores, unknown), timeout
    )


def info(
    *, timeout: float | None = None, **unknown: Unpack[NoWishes]
) -> Call[engine_service_pb2.GetEngineInfoResponse]:
    """What the server is and can do.

    :raises ServiceError: the server cannot be reached.
    """
    return Call(lambda stubs: stubs.engine.GetEngineInfo, requests.info_request(unknown), timeout)
