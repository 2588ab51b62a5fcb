"""The blocking client."""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, Unpack

import grpc

from sniffai.client import calls, match_calls
from sniffai.client.arguments import check_names
from sniffai.client.calls import Call, Stubs, described
from sniffai.client.connection import CONNECTING, DEFAULT_TIMEOUT, Connection, Options, Tls
from sniffai.client.requests import NoWishes
from sniffai.client.streams import AnalysisStream, Failure, MatchReviewStream, MatchStream, ReviewStream

P = ParamSpec("P")
Answer = TypeVar("Answer")
Answers = TypeVar("Answers")


def _call(call: Callable[P, Call[Answer]]) -> "Callable[Concatenate[Client, P], Answer]":
    """The method that makes a call and waits for its answer."""

    def method(self: "Client", /, *args: P.args, **kwargs: P.kwargs) -> Answer:
        prepared = call(*args, **kwargs)
        try:
            answer: Answer = prepared.start(self._stubs, self._connection)
        except grpc.RpcError as error:
            raise self._connection.failure(error) from None
        return answer

    return described(method, call)


def _stream(
    call: Callable[P, Call[Any]], kind: Callable[[Any, Failure], Answers]
) -> "Callable[Concatenate[Client, P], Answers]":
    """The method that starts a call whose answers arrive one by one."""

    def method(self: "Client", /, *args: P.args, **kwargs: P.kwargs) -> Answers:
        return kind(call(*args, **kwargs).start(self._stubs, self._connection), self._connection.failure)

    return described(method, call, kind)


class Client:
    """A connection to a server, made at the first call. Threads may share one client.

    :param address: ``host:port`` (``[host]:port`` for IPv6), ``unix:path``, or another gRPC target, such as
        ``dns:///host:port``. Calls take turns over all addresses of a name. No proxy is used for this machine.
    :param timeout: seconds that each call may take, retries included: above 0, at most a day.
    :param tls: TLS files and names; without it nothing is encrypted.
    :param api_key: sent with each call as ``authorization: Bearer KEY``.
    :param wait_for_ready: whether a call waits, up to its timeout, for a server that is not up yet. For batch jobs.
    :raises ValueError: the address, the timeout or the API key is invalid, or a certificate comes without its key.
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
        self._channel = channel_of(self._connection)
        self._stubs = Stubs(self._channel)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a client cannot be copied or pickled: its connection belongs to one process")

    recommend = _call(calls.recommend)
    analyze = _call(calls.analyze)
    stream_analyze = _stream(calls.stream_analyze, AnalysisStream)
    analyze_match = _stream(calls.analyze_match, ReviewStream)
    legal_moves = _call(calls.legal_moves)
    validate = _call(calls.validate)
    apply = _call(calls.apply)
    describe_round = _call(calls.describe_round)
    deal = _call(calls.deal)
    plan_table = _call(calls.plan_table)
    parse_text = _call(calls.parse_text)
    info = _call(calls.info)
    create_match = _call(match_calls.create_match)
    join_match = _call(match_calls.join_match)
    get_view = _call(match_calls.get_view)
    play_move = _call(match_calls.play_move)
    watch_match = _stream(match_calls.watch_match, MatchStream)
    request_hint = _call(match_calls.request_hint)
    take_back = _call(match_calls.take_back)
    resign = _call(match_calls.resign)
    list_matches = _call(match_calls.list_matches)
    export_record = _call(match_calls.export_record)
    review_match = _stream(match_calls.review_match, MatchReviewStream)

    def close(self) -> None:
        """Close the connection and end open calls."""
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def channel_of(connection: Connection, options: Options | None = None) -> grpc.Channel:
    """A channel.

    :param options: besides those of the connection.
    :raises OSError: a TLS file cannot be read.
    """
    options = [*connection.options, *(options or [])]
    if connection.tls is None:
        return grpc.insecure_channel(connection.where.target, options)
    return grpc.secure_channel(connection.where.target, connection.tls.credentials(), options)
