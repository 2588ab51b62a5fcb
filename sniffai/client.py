"""A thin client of a sniffai server: library values in, messages of the wire contract out.

Such as::

    with Client("127.0.0.1:50051") as client:
        answer = client.recommend(view, limits=sniffai.Limits(seconds=0.5))
        print(answer.move.tile, answer.move.at)

Every call has a deadline. A search whose time goes beyond it answers shortly before it with what is known by then.
"""

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import grpc
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo  # type: ignore[import-untyped]
from grpc_status import rpc_status

from sniffai import wire
from sniffai.moves import Move, MoveLike
from sniffai.params import Limits
from sniffai.round import Round
from sniffai.v1 import (
    analysis_service_pb2,
    analysis_service_pb2_grpc,
    engine_service_pb2,
    engine_service_pb2_grpc,
    limits_pb2,
    round_pb2,
    rules_service_pb2,
    rules_service_pb2_grpc,
    view_pb2,
)
from sniffai.view import View

DEFAULT_TIMEOUT: Final = 10.0
"""Seconds that a call may take unless the caller says otherwise."""

ViewLike = View | view_pb2.PlayerView
DealLike = Round | round_pb2.OpenDeal
T = TypeVar("T")


class ServiceError(Exception):
    """A call that failed; ``str()`` names status, message and reason.

    :ivar code: the gRPC status, such as ``"INVALID_ARGUMENT"``.
    :ivar message: the server's sentence.
    :ivar reason: what went wrong, in ``UPPER_SNAKE``; empty where the server did not say.
    :ivar violations: the fields at fault, each with its path in the request.
    """

    def __init__(self, code: str, message: str, reason: str, violations: tuple[wire.Violation, ...]) -> None:
        super().__init__(f"{code}: {message}" + (f" [{reason}]" if reason else ""))
        self.code = code
        self.message = message
        self.reason = reason
        self.violations = violations


class Client:
    """One connection to a server, made at the first call. Safe to share between threads.

    :param address: ``host:port``.
    :param timeout: seconds that each call may take, above 0.
    """

    def __init__(self, address: str, timeout: float = DEFAULT_TIMEOUT) -> None:
        self._timeout = timeout
        self._channel = grpc.insecure_channel(address)
        self._analysis = analysis_service_pb2_grpc.AnalysisServiceStub(self._channel)
        self._rules = rules_service_pb2_grpc.RulesServiceStub(self._channel)
        self._engine = engine_service_pb2_grpc.EngineServiceStub(self._channel)

    def recommend(
        self, view: ViewLike, limits: Limits | None = None, seed: int | None = None, timeout: float | None = None
    ) -> analysis_service_pb2.RecommendMoveResponse:
        """The move to make now, with the evaluation of all others.

        :raises ServiceError: the view is wrong, another seat is to move, or the server cannot be reached.
        """
        request = analysis_service_pb2.RecommendMoveRequest(view=_view(view), limits=_limits(limits), seed=seed)
        return self._call(self._analysis.RecommendMove, request, timeout)

    def analyze(
        self, view: ViewLike, limits: Limits | None = None, seed: int | None = None, timeout: float | None = None
    ) -> analysis_service_pb2.AnalyzeResponse:
        """The evaluation of all legal moves.

        :raises ServiceError: as :meth:`recommend`.
        """
        request = analysis_service_pb2.AnalyzeRequest(view=_view(view), limits=_limits(limits), seed=seed)
        return self._call(self._analysis.Analyze, request, timeout)

    def legal_moves(self, view: ViewLike, timeout: float | None = None) -> rules_service_pb2.ListLegalMovesResponse:
        """What the view's seat may do, with what each move does at once.

        :raises ServiceError: the view is wrong, or the server cannot be reached.
        """
        request = rules_service_pb2.ListLegalMovesRequest(view=_view(view))
        return self._call(self._rules.ListLegalMoves, request, timeout)

    def validate(self, view: ViewLike, timeout: float | None = None) -> rules_service_pb2.ValidateViewResponse:
        """Whether a view can be true, and what follows from it or is wrong with it.

        :raises ServiceError: the server cannot be reached.
        """
        request = rules_service_pb2.ValidateViewRequest(view=_view(view))
        return self._call(self._rules.ValidateView, request, timeout)

    def apply(
        self, deal: DealLike, move: MoveLike, timeout: float | None = None
    ) -> rules_service_pb2.ApplyMoveResponse:
        """One move in a round with all hands known, and the draws and passes that follow from it.

        :raises ServiceError: the deal or the move is wrong, or the server cannot be reached.
        """
        open_deal = wire.write_deal(deal) if isinstance(deal, Round) else deal
        request = rules_service_pb2.ApplyMoveRequest(deal=open_deal, move=wire.write_move(Move.of(move)))
        return self._call(self._rules.ApplyMove, request, timeout)

    def deal(
        self,
        players: int,
        seed: int | None = None,
        leader: int | None = None,
        scores: Iterable[int] = (),
        timeout: float | None = None,
    ) -> rules_service_pb2.DealRoundResponse:
        """A shuffled round; the server draws what is not given.

        :raises ServiceError: a number is out of range, or the server cannot be reached.
        """
        request = rules_service_pb2.DealRoundRequest(players=players, seed=seed, leader=leader, scores=scores)
        return self._call(self._rules.DealRound, request, timeout)

    def info(self, timeout: float | None = None) -> engine_service_pb2.GetEngineInfoResponse:
        """What the server is and can do.

        :raises ServiceError: the server cannot be reached.
        """
        return self._call(self._engine.GetEngineInfo, engine_service_pb2.GetEngineInfoRequest(), timeout)

    def close(self) -> None:
        """End the connection."""
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _call(self, method: Callable[..., T], request: Any, timeout: float | None) -> T:
        try:
            return method(request, timeout=self._timeout if timeout is None else timeout)
        except grpc.RpcError as error:
            raise _service_error(error) from None


def _view(view: ViewLike) -> view_pb2.PlayerView:
    return wire.write_view(view) if isinstance(view, View) else view


def _limits(limits: Limits | None) -> limits_pb2.Limits | None:
    return None if limits is None else wire.write_limits(limits)


def _service_error(error: Any) -> ServiceError:
    """The error of a failed call, with what its status details say."""
    reason, violations = "", []
    status = rpc_status.from_call(error)
    for detail in status.details if status else ():
        info, bad = ErrorInfo(), BadRequest()
        if detail.Unpack(info):
            reason = info.reason
        elif detail.Unpack(bad):
            violations += [wire.Violation(v.field, v.reason, v.description) for v in bad.field_violations]
    return ServiceError(error.code().name, error.details() or "", reason, tuple(violations))
