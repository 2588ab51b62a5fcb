"""The asyncio client."""

from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, Unpack

import grpc

from sniffai.client import calls, match_calls
from sniffai.client.arguments import check_names
from sniffai.client.calls import Call, Stubs, described
from sniffai.client.connection import CONNECTING, DEFAULT_TIMEOUT, Connection, Tls
from sniffai.client.requests import NoWishes
from sniffai.client.streams import (
    AsyncAnalysisStream,
    AsyncMatchReviewStream,
    AsyncMatchStream,
    AsyncReviewStream,
    Failure,
)

P = ParamSpec("P")
Answer = TypeVar("Answer")
Answers = TypeVar("Answers")


def _call(call: Callable[P, Call[Answer]]) -> "Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, Answer]]":
    """The method that makes a call and awaits its answer."""

    async def method(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> Answer:
        prepared = call(*args, **kwargs)
        try:
            answer: Answer = await prepared.start(self._stubs, self._connection)
        except grpc.RpcError as error:
            raise self._connection.failure(error) from None
        return answer

    return described(method, call)


def _stream(
    call: Callable[P, Call[Any]], kind: Callable[[Any, Failure], Answers]
) -> "Callable[Concatenate[AsyncClient, P], Answers]":
    """The method that starts a call whose answers arrive one by one."""

    def method(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> Answers:
        return kind(call(*args, **kwargs).start(self._stubs, self._connection), self._connection.failure)

    return described(method, call, kind)


class AsyncClient:
    """:class:`sniffai.client.Client` for asyncio, with the same parameters and errors.

    Create it inside a running event loop. All tasks of that loop may share it; other threads must not use it.
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
        self._stubs = Stubs(self._channel)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a client cannot be copied or pickled: its connection belongs to one process")

    recommend = _call(calls.recommend)
    analyze = _call(calls.analyze)
    stream_analyze = _stream(calls.stream_analyze, AsyncAnalysisStream)
    analyze_match = _stream(calls.analyze_match, AsyncReviewStream)
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
    watch_match = _stream(match_calls.watch_match, AsyncMatchStream)
    request_hint = _call(match_calls.request_hint)
    take_back = _call(match_calls.take_back)
    resign = _call(match_calls.resign)
    list_matches = _call(match_calls.list_matches)
    export_record = _call(match_calls.export_record)
    review_match = _stream(match_calls.review_match, AsyncMatchReviewStream)

    async def close(self) -> None:
        """Close the connection and end open calls."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _channel(connection: Connection) -> grpc.aio.Channel:
    if connection.tls is None:
        return grpc.aio.insecure_channel(connection.where.target, connection.options)
    return grpc.aio.secure_channel(connection.where.target, connection.tls.credentials(), connection.options)
