"""Clients of a sniffai server. They take values of the library and return messages of the wire contract.

Example::

    with Client("127.0.0.1:50051") as client:
        answer = client.recommend(view, limits=sniffai.Limits(seconds=0.5))
        print(answer.move.tile, answer.move.at)

:class:`Client` blocks, :class:`AsyncClient` is the same for asyncio. Every call has a deadline. A search
with a longer time limit answers shortly before the deadline with what it knows. If the server is unreachable or full, a
call is retried up to three times, with growing pauses or after the time that the server asks for.

Invalid arguments raise before anything is sent: an unknown keyword raises :class:`UnknownArgumentError`, which is also
a ``TypeError``; everything else raises another :class:`sniffai.SniffError` whose ``field`` is the argument's name.
"""

from typing import TYPE_CHECKING, Final

from sniffai.extras import explained
from sniffai.lazy import lazy_names

if TYPE_CHECKING:
    from sniffai.client.aio import AsyncClient
    from sniffai.client.arguments import UnknownArgumentError
    from sniffai.client.blocking import Client
    from sniffai.client.connection import DEFAULT_TIMEOUT, Tls
    from sniffai.client.errors import ServiceError
    from sniffai.client.match_requests import make_player_token
    from sniffai.client.requests import (
        DealLike,
        PositionLike,
        RecommendWishes,
        RecordLike,
        ReviewWishes,
        ViewLike,
        Wishes,
    )
    from sniffai.client.streams import (
        AnalysisStream,
        AsyncAnalysisStream,
        AsyncMatchReviewStream,
        AsyncMatchStream,
        AsyncReviewStream,
        MatchReviewStream,
        MatchStream,
        ReviewStream,
    )

try:
    import google.protobuf  # noqa: F401 (every message needs it)
    import grpc  # noqa: F401
except ImportError as error:
    raise explained(error) from None

_MODULES: Final = {
    "aio": ("AsyncClient",),
    "arguments": ("UnknownArgumentError",),
    "blocking": ("Client",),
    "connection": ("DEFAULT_TIMEOUT", "Tls"),
    "errors": ("ServiceError",),
    "match_requests": ("make_player_token",),
    "requests": ("DealLike", "PositionLike", "RecommendWishes", "RecordLike", "ReviewWishes", "ViewLike", "Wishes"),
    "streams": (
        "AnalysisStream",
        "AsyncAnalysisStream",
        "AsyncMatchReviewStream",
        "AsyncMatchStream",
        "AsyncReviewStream",
        "MatchReviewStream",
        "MatchStream",
        "ReviewStream",
    ),
}
"""The public names by the module that defines them."""

__all__ = [
    "DEFAULT_TIMEOUT",
    "AnalysisStream",
    "AsyncAnalysisStream",
    "AsyncClient",
    "AsyncMatchReviewStream",
    "AsyncMatchStream",
    "AsyncReviewStream",
    "Client",
    "DealLike",
    "MatchReviewStream",
    "MatchStream",
    "PositionLike",
    "RecommendWishes",
    "RecordLike",
    "ReviewStream",
    "ReviewWishes",
    "ServiceError",
    "Tls",
    "UnknownArgumentError",
    "ViewLike",
    "Wishes",
    "make_player_token",
]

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
