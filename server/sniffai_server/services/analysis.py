"""AnalysisService: advice for one seat from what that seat knows, and analysis of open deals."""

# ruff: noqa: N802 (methods are named as in the .proto files)

from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from sniffai import wire
from sniffai.play.level_turn import LevelTurn
from sniffai.search.analysis import Analysis
from sniffai.search.params import EffectiveLimits
from sniffai.search.searcher import Searcher
from sniffai.v1 import analysis_pb2, analysis_service_pb2_grpc, notice_pb2
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai_server.calls.trailers import add_trailers
from sniffai_server.load.admission import Admission, Priority, admission_of
from sniffai_server.load.budget import Budget, effective_limits, priority_warnings
from sniffai_server.load.searches import Searches
from sniffai_server.services.reviews import Reviews
from sniffai_server.settings import Settings

Request = pb.RecommendMoveRequest | pb.AnalyzeRequest | pb.StreamAnalyzeRequest


@dataclass(frozen=True, slots=True)
class Job:
    """A request that has been read, and its search."""

    question: wire.Question
    searcher: Searcher
    level_turn: LevelTurn | None
    budget: Budget
    admission: Admission
    warnings: list[notice_pb2.Warning]

    def recommendation(self, analysis: Analysis) -> pb.RecommendMoveResponse:
        """The answer of RecommendMove."""
        question, turn = self.question, self.level_turn
        return wire.write_recommendation(
            analysis,
            self.warnings,
            max_moves=question.max_moves,
            client_tag=question.client_tag,
            reasons=question.reasons(analysis),
            prospect=question.prospect(analysis),
            move=turn.move(analysis) if turn else None,
            level=turn.level.name if turn else "",
        )

    def analysis(self, analysis: Analysis) -> analysis_pb2.Analysis:
        """The analysis as a message."""
        question = self.question
        return wire.write_analysis(
            analysis,
            self.warnings,
            max_moves=question.max_moves,
            client_tag=question.client_tag,
            reasons=question.reasons(analysis),
            prospect=question.prospect(analysis),
        )


class AnalysisService(analysis_service_pb2_grpc.AnalysisServiceServicer):
    """The servicer of AnalysisService."""

    def __init__(self, settings: Settings, searches: Searches, reviews: Reviews) -> None:
        self._settings = settings
        self._searches = searches
        self._reviews = reviews

    async def RecommendMove(self, request: pb.RecommendMoveRequest, context: Any) -> pb.RecommendMoveResponse:
        """The move to make."""
        job = self._job(request, context)
        return job.recommendation(await self._search(job, context))

    async def Analyze(self, request: pb.AnalyzeRequest, context: Any) -> pb.AnalyzeResponse:
        """The evaluation of all moves."""
        job = self._job(request, context)
        return pb.AnalyzeResponse(analysis=job.analysis(await self._search(job, context)))

    async def StreamAnalyze(  # type: ignore[override]  # the stubs type a generator; gRPC also accepts this form
        self, request: pb.StreamAnalyzeRequest, context: Any
    ) -> None:
        """The evaluation of all moves, with snapshots while the search runs."""
        job = self._job(request, context)
        stream = self._searches.stream(
            job.searcher, job.budget, admission=job.admission, interval=job.question.interval
        )
        async with aclosing(stream) as analyses:
            async for analysis in analyses:
                if analysis.final:
                    _add_time(analysis, context)
                await context.write(pb.StreamAnalyzeResponse(analysis=job.analysis(analysis)))

    async def AnalyzeMatch(  # type: ignore[override]  # as StreamAnalyze
        self, request: pb.AnalyzeMatchRequest, context: Any
    ) -> None:
        """The review of a match, piece by piece."""
        await self._reviews.answer(request, context)

    async def _search(self, job: Job, context: Any) -> Analysis:
        analysis = await self._searches.run(job.searcher, job.budget, admission=job.admission, alone=True)
        _add_time(analysis, context)
        return analysis

    def _job(self, request: Request, context: Any) -> Job:
        """Read a request and prepare its search.

        :raises WireError: the request is invalid.
        :raises QueueFullError: the queue is full.
        """
        question = wire.read_question(request)
        turn = question.level_turn()
        searcher = turn.searcher if turn else question.searcher()
        requested = Priority[question.priority.upper()]
        admission = admission_of(context, requested)
        self._searches.check_room(searcher, admission)
        limits, clamped = self._limits(question, turn)
        if request.priority:
            clamped += priority_warnings(requested, admission)
        if turn:
            clamped += wire.level_warnings(turn.level, question.limits, question.objective)
        return Job(
            question=question,
            searcher=searcher,
            level_turn=turn,
            budget=Budget.of(limits, context.time_remaining()),
            admission=admission,
            warnings=[*clamped, *question.warnings],
        )

    def _limits(
        self, question: wire.Question, turn: LevelTurn | None
    ) -> tuple[EffectiveLimits, list[notice_pb2.Warning]]:
        """The limits in force, and a warning for each that was cut; a level's own go before the request's."""
        own = turn.limits if turn else None
        if own is None:
            return effective_limits(question.limits, self._settings)
        limits, clamped = effective_limits(own, self._settings)
        return limits, [wire.warning("level", cut.reason, cut.description) for cut in clamped]


def _add_time(analysis: Analysis, context: Any) -> None:
    """Add the wall-clock time of the search in milliseconds to the trailing metadata, as ``sniffai-search-ms``."""
    add_trailers(context, sniffai_search_ms=f"{analysis.effort.seconds * 1000:.3f}")
