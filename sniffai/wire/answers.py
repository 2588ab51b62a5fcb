"""From an analysis to messages."""

from collections.abc import Iterable
from typing import Final

from sniffai.report import Analysis, BeliefTable, Effort, LineStep, MoveEvaluation, TeamValue
from sniffai.tiles import TILES
from sniffai.v1 import analysis_pb2 as pb
from sniffai.v1 import notice_pb2
from sniffai.v1.analysis_service_pb2 import RecommendMoveResponse
from sniffai.wire.write import ACTIONS, write_limits, write_move, write_seconds

SOURCES: Final = {"forced": pb.SOURCE_FORCED, "search": pb.SOURCE_SEARCH, "exact": pb.SOURCE_EXACT}
STOPS: Final = {
    "forced": pb.STOP_REASON_FORCED,
    "simulations": pb.STOP_REASON_SIMULATIONS,
    "seconds": pb.STOP_REASON_TIME,
    "memory": pb.STOP_REASON_MEMORY,
    "decided": pb.STOP_REASON_DECIDED,
    "exact": pb.STOP_REASON_EXACT,
    "deadline": pb.STOP_REASON_DEADLINE,
    "stopped": pb.STOP_REASON_SHUTDOWN,
}


def write_recommendation(analysis: Analysis, warnings: Iterable[notice_pb2.Warning] = ()) -> RecommendMoveResponse:
    """The recommended move, and the analysis that it rests on."""
    message = write_analysis(analysis, warnings)
    move = message.moves[0].move if message.moves else None
    return RecommendMoveResponse(action=message.action, move=move, analysis=message)


def write_analysis(analysis: Analysis, warnings: Iterable[notice_pb2.Warning] = ()) -> pb.Analysis:
    """What a search found out.

    Where :attr:`Analysis.deterministic` holds, the message has nothing in it that a clock decided.
    """
    return pb.Analysis(
        action=ACTIONS[analysis.action],
        moves=map(_move, analysis.moves),
        root_values=map(_value, analysis.root_value),
        belief=_belief(analysis.belief),
        source=SOURCES[analysis.source],
        stop_reason=STOPS[analysis.stop],
        effective_limits=write_limits(analysis.limits),
        effort=_effort(analysis.effort, timed=not analysis.deterministic),
        seed=analysis.seed,
        deterministic=analysis.deterministic,
        engine_version=analysis.engine_version,
        warnings=warnings,
    )


def _move(evaluation: MoveEvaluation) -> pb.MoveEvaluation:
    return pb.MoveEvaluation(
        move=write_move(evaluation.move),
        rank=evaluation.rank,
        visits=evaluation.visits,
        availability=evaluation.availability,
        values=map(_value, evaluation.values),
        points_now=evaluation.points_now,
        count_after=evaluation.count_after,
        equal_points=evaluation.equal_points,
        loss=evaluation.loss,
        line=map(_step, evaluation.line),
    )


def _value(value: TeamValue) -> pb.TeamValue:
    return pb.TeamValue(
        team=value.team,
        expected_margin=value.mean_margin,
        standard_error=value.standard_error,
        standard_deviation=value.standard_deviation,
    )


def _step(step: LineStep) -> pb.LineStep:
    return pb.LineStep(move=write_move(step.move), visits=step.visits, estimated=step.estimated)


def _belief(belief: BeliefTable) -> pb.Belief:
    rows = [(str(tile), [float(share) for share in belief.table[tile.index]]) for tile in TILES]
    return pb.Belief(
        tiles=[pb.TileBelief(tile=tile, hands=shares[:-1], talon=shares[-1]) for tile, shares in rows],
        world_count=float(belief.assignments),
    )


def _effort(effort: Effort, *, timed: bool) -> pb.Effort:
    return pb.Effort(
        simulations=effort.simulations,
        node_count=effort.nodes,
        memory_bytes=effort.memory_bytes,
        time=write_seconds(effort.seconds) if timed else None,
    )
