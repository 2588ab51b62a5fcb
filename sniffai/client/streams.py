"""Streams of answers: an analysis as it develops, a review piece by piece."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Generic, Self, TypeAlias, TypeVar

import grpc

from sniffai.client.errors import ServiceError
from sniffai.v1.analysis_pb2 import Analysis
from sniffai.v1.analysis_service_pb2 import AnalyzeMatchResponse
from sniffai.v1.match_service_pb2 import ReviewMatchResponse, WatchMatchResponse

Item = TypeVar("Item")
Failure: TypeAlias = Callable[[Any], ServiceError]
"""Converts an error of gRPC."""


class Stream(Generic[Item]):
    """Iterates once over the answers of a call.

    To end the call early, :meth:`close` the stream or leave its ``with`` block. Like other calls, the iteration raises
    :class:`ServiceError`.
    """

    def __init__(self, call: Any, failure: Failure) -> None:
        self._call = call
        self._failure = failure
        self._closed = False

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a stream cannot be copied or pickled: its call belongs to one process")

    def close(self) -> None:
        """End the search and the iteration. May be called from any thread."""
        self._closed = True
        self._call.cancel()

    def __iter__(self) -> Iterator[Item]:
        try:
            for answer in self._call:
                yield self._item(answer)
        except grpc.RpcError as error:
            if not self._closed:
                raise self._failure(error) from None
        finally:
            self._call.cancel()

    def _item(self, answer: Any) -> Item:
        item: Item = answer
        return item

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AnalysisStream(Stream[Analysis]):
    """An analysis as it develops: each item replaces the one before, and only the last is ``final``."""

    def _item(self, answer: Any) -> Analysis:
        analysis: Analysis = answer.analysis
        return analysis


class ReviewStream(Stream[AnalyzeMatchResponse]):
    """A review piece by piece: each item has a ``decision`` or a ``draw``, the last one has the ``summary``."""


class MatchStream(Stream[WatchMatchResponse]):
    """What a seat sees of a match: each item has the events since the one before, and the view after them.

    An item without a view only shows that the stream lives.
    """


class MatchReviewStream(Stream[ReviewMatchResponse]):
    """The review of a hosted match, as :class:`ReviewStream`; the last item may have the ``page``."""


class AsyncStream(Generic[Item]):
    """:class:`Stream` for asyncio."""

    def __init__(self, call: Any, failure: Failure) -> None:
        self._call = call
        self._failure = failure
        self._closed = False

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a stream cannot be copied or pickled: its call belongs to one process")

    def close(self) -> None:
        """End the search and the iteration."""
        self._closed = True
        self._call.cancel()

    async def __aiter__(self) -> AsyncIterator[Item]:
        try:
            async for answer in self._call:
                yield self._item(answer)
        except grpc.RpcError as error:
            raise self._failure(error) from None
        except asyncio.CancelledError:
            if not self._closed:
                raise
        finally:
            self._call.cancel()

    def _item(self, answer: Any) -> Item:
        item: Item = answer
        return item

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()


class AsyncAnalysisStream(AsyncStream[Analysis]):
    """:class:`AnalysisStream` for asyncio."""

    def _item(self, answer: Any) -> Analysis:
        analysis: Analysis = answer.analysis
        return analysis


class AsyncReviewStream(AsyncStream[AnalyzeMatchResponse]):
    """:class:`ReviewStream` for asyncio."""


class AsyncMatchStream(AsyncStream[WatchMatchResponse]):
    """:class:`MatchStream` for asyncio."""


class AsyncMatchReviewStream(AsyncStream[ReviewMatchResponse]):
    """:class:`MatchReviewStream` for asyncio."""
