"""The client that blocks."""

from collections.abc import Callable, Iterable
from typing import Any, Self, TypeVar, Unpack

import grpc

from sniffai.client import requests
from sniffai.client.arguments import check_names
from sniffai.client.connection import CONNECTING, DEFAULT_TIMEOUT, REVIEW_TIMEOUT, Connection, Tls
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
from sniffai.client.streams import AnalysisStream, ReviewStream
from sniffai.search.params import Limits
from sniffai.v1 import (
    analysis_service_pb2,
    analysis_service_pb2_grpc,
    engine_service_pb2,
    engine_service_pb2_grpc,
    rules_service_pb2,
    rules_service_pb2_grpc,
)

T = TypeVar("T")


class Client:
    """One connection to a server, made at the first call. Threads may share one.

    :param address: ``host:port`` (``[host]:port`` for IPv6), ``unix:path``, or another target that gRPC knows, such as
        ``dns:///host:port``; over all addresses of a name calls take turns. This machine is reached through no proxy.
    :param timeout: seconds that each call may take, all its tries together: above 0, at most a day.
    :param tls: how client and server prove who they are; without it nothing is encrypted.
    :param api_key: sent with each call as ``authorization: Bearer KEY``.
    :param wait_for_ready: whether a call waits, up to its timeout, for a server that is not there yet. For batch jobs.
    :raises ValueError: the address, the timeout or the key is none that can be, or a certificate has no key.
    :raises OSError: a file of ``tls`` cannot be read.
    """

    def __init__(
        self,
        address: str,
        timeout: float = DEFAULT_TIMEOUT,
        *,
        tls: Tls | None = None,
        api_key: str | None = None,
        wait_for_ready: bool = False,
        **unknown: Unpack[NoWishes],
    ) -> None:
        check_names(unknown, CONNECTING)
        self._connection = Connection(address, timeout, tls, api_key, wait_for_ready)
        self._channel = _channel(self._connection)
        self._analysis = analysis_service_pb2_grpc.AnalysisServiceStub(self._channel)
        self._rules = rules_service_pb2_grpc.RulesServiceStub(self._channel)
        self._engine = engine_service_pb2_grpc.EngineServiceStub(self._channel)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a client is neither copied nor pickled: its connection belongs to one process")

    def recommend(
        self, view: ViewLike, limits: Limits | None = None, *, timeout: float | None = None, **wishes: Unpack[Wishes]
    ) -> analysis_service_pb2.RecommendMoveResponse:
        """The move to make now, with the evaluation of all others.

        The keywords are those of :class:`sniffai.client.Wishes`.

        :raises SniffError: an argument cannot be sent; ``field`` is its name. Nothing is sent then.
        :raises ServiceError: the view is wrong, another seat is to move, or the server cannot be reached.
        """
        return self._call(self._analysis.RecommendMove, requests.recommend_request(view, limits, wishes), timeout)

    def analyze(
        self,
        position: PositionLike,
        limits: Limits | None = None,
        *,
        timeout: float | None = None,
        **wishes: Unpack[Wishes],
    ) -> analysis_service_pb2.AnalyzeResponse:
        """The evaluation of all legal moves of a view, or of a round with all hands known.

        :raises ServiceError: as :meth:`recommend`.
        """
        return self._call(self._analysis.Analyze, requests.analyze_request(position, limits, wishes), timeout)

    def stream_analyze(
        self,
        position: PositionLike,
        limits: Limits | None = None,
        *,
        interval: float | None = None,
        timeout: float | None = None,
        **wishes: Unpack[Wishes],
    ) -> AnalysisStream:
        """:meth:`analyze` with snapshots on the way, every ``interval`` seconds.

        :param interval: at least 0.05; 0.5 where not given.
        """
        request = requests.stream_request(position, limits, wishes, interval)
        return AnalysisStream(self._start(self._analysis.StreamAnalyze, request, timeout), self._connection.failure)

    def analyze_match(
        self,
        record: RecordLike,
        limits: Limits | None = None,
        *,
        timeout: float = REVIEW_TIMEOUT,
        **wishes: Unpack[ReviewWishes],
    ) -> ReviewStream:
        """The review of a match or a round: each placement and draw as it is done, at last the summary.

        :param record: a match record or its text, rounds with all hands known, or one round as one seat saw it.
        :param timeout: seconds for the whole; a match takes some, an hour is allowed where nothing is said.
        """
        request = requests.match_request(record, limits, wishes)
        return ReviewStream(self._start(self._analysis.AnalyzeMatch, request, timeout), self._connection.failure)

    def legal_moves(
        self, view: ViewLike, *, timeout: float | None = None, **unknown: Unpack[NoWishes]
    ) -> rules_service_pb2.ListLegalMovesResponse:
        """What the view's seat may do, with what each move does at once.

        :raises ServiceError: the view is wrong, or the server cannot be reached.
        """
        return self._call(self._rules.ListLegalMoves, requests.legal_request(view, unknown), timeout)

    def validate(
        self, view: ViewLike, *, timeout: float | None = None, **unknown: Unpack[NoWishes]
    ) -> rules_service_pb2.ValidateViewResponse:
        """Whether a view can be true, and what follows from it or is wrong with it.

        :raises ServiceError: the server cannot be reached.
        """
        return self._call(self._rules.ValidateView, requests.validate_request(view, unknown), timeout)

    def apply(
        self, deal: DealLike, move: WireMove, *, timeout: float | None = None, **unknown: Unpack[NoWishes]
    ) -> rules_service_pb2.ApplyMoveResponse:
        """One move in a round with all hands known, and the draws and passes that follow from it.

        :raises ServiceError: the deal or the move is wrong, or the server cannot be reached.
        """
        return self._call(self._rules.ApplyMove, requests.apply_request(deal, move, unknown), timeout)

    def deal(
        self,
        players: int,
        seed: int | None = None,
        leader: int | None = None,
        scores: Iterable[int] = (),
        *,
        timeout: float | None = None,
        **unknown: Unpack[NoWishes],
    ) -> rules_service_pb2.DealRoundResponse:
        """A shuffled round; the server draws what is not given.

        :raises ServiceError: a number is out of range, or the server cannot be reached.
        """
        return self._call(self._rules.DealRound, requests.deal_request(players, seed, leader, scores, unknown), timeout)

    def info(
        self, *, timeout: float | None = None, **unknown: Unpack[NoWishes]
    ) -> engine_service_pb2.GetEngineInfoResponse:
        """What the server is and can do.

        :raises ServiceError: the server cannot be reached.
        """
        return self._call(self._engine.GetEngineInfo, requests.info_request(unknown), timeout)

    def close(self) -> None:
        """End the connection, and the calls in flight."""
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, method: Callable[..., T], request: Any, timeout: float | None) -> T:
        try:
            return self._start(method, request, timeout)
        except grpc.RpcError as error:
            raise self._connection.failure(error) from None

    def _start(self, method: Callable[..., T], request: Any, timeout: float | None) -> T:
        connection = self._connection
        return method(
            request,
            timeout=connection.deadline(timeout),
            metadata=connection.metadata,
            wait_for_ready=connection.wait_for_ready or None,
        )


def _channel(connection: Connection) -> grpc.Channel:
    if connection.tls is None:
        return grpc.insecure_channel(connection.where.target, connection.options)
    return grpc.secure_channel(connection.where.target, connection.tls.credentials(), connection.options)
