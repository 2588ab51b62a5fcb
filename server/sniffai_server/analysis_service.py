"""AnalysisService: advice for one seat, from what that seat may know."""

# ruff: noqa: N802 (methods are named as in the .proto files)

from typing import Any, Final

from sniffai import wire
from sniffai.errors import SniffError
from sniffai.report import Analysis
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai.v1 import analysis_service_pb2_grpc, notice_pb2
from sniffai_server.budget import Budget, effective_limits
from sniffai_server.searches import Searches
from sniffai_server.settings import Settings

SEARCH_TIME: Final = "sniffai-search-ms"
"""The trailing metadata with the wall-clock time of the search, in milliseconds."""

Request = pb.RecommendMoveRequest | pb.AnalyzeRequest


class AnalysisService(analysis_service_pb2_grpc.AnalysisServiceServicer):
    """Decode, call, encode."""

    def __init__(self, settings: Settings, searches: Searches) -> None:
        self._settings = settings
        self._searches = searches

    async def RecommendMove(self, request: pb.RecommendMoveRequest, context: Any) -> pb.RecommendMoveResponse:
        """The move to make."""
        return wire.write_recommendation(*await self._search(request, context))

    async def Analyze(self, request: pb.AnalyzeRequest, context: Any) -> pb.AnalyzeResponse:
        """The evaluation of all moves."""
        return pb.AnalyzeResponse(analysis=wire.write_analysis(*await self._search(request, context)))

    async def _search(self, request: Request, context: Any) -> tuple[Analysis, list[notice_pb2.Warning]]:
        view = wire.read_view(wire.given(request, "view"))
        limits, clamped = effective_limits(wire.read_limits(request.limits), self._settings)
        seed = wire.read_seed(request.seed)
        try:
            found = await self._searches.run(view, seed, Budget.of(limits, context.time_remaining()))
        except SniffError as error:
            raise wire.located(error, "view") from error
        context.set_trailing_metadata(((SEARCH_TIME, f"{found.effort.seconds * 1000:.3f}"),))
        return found, [*clamped, *wire.unknown_fields(request)]
