"""From analyses to messages.

Nested messages are passed as dictionaries of fields, from which protobuf builds them in place. An answer has about a
hundred of them; building each one separately and copying it would take twice as long.
"""

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from sniffai.moves import Move
from sniffai.search.analysis import Analysis, BeliefTable, Effort, InferredBelief, LineStep, MoveEvaluation, TeamValue
from sniffai.tiles import TILES
from sniffai.v1 import analysis_pb2 as pb
from sniffai.v1 import notice_pb2, reason_pb2
from sniffai.v1.analysis_service_pb2 import RecommendMoveResponse
from sniffai.wire.notices import most_useful
from sniffai.wire.write import ACTIONS, move_fields, write_limits, write_move, write_seconds

Fields: TypeAlias = dict[str, Any]
"""The fields of a message, by name; ``None`` is unset."""

SOURCES: Final = {
    "forced": pb.SOURCE_FORCED,
    "search": pb.SOURCE_SEARCH,
    "exact": pb.SOURCE_EXACT,
    "unsearched": pb.SOURCE_UNSEARCHED,
}
STOPS: Final = {
    "forced": pb.STOP_REASON_FORCED,
    "simulations": pb.STOP_REASON_SIMULATIONS,
    "time": pb.STOP_REASON_TIME,
    "memory": pb.STOP_REASON_MEMORY,
    "decided": pb.STOP_REASON_DECIDED,
    "exact": pb.STOP_REASON_EXACT,
    "deadline": pb.STOP_REASON_DEADLINE,
    "stopped": pb.STOP_REASON_SHUTDOWN,
    "precise": pb.STOP_REASON_PRECISE,
    "running": pb.STOP_REASON_RUNNING,
    "unsearched": pb.STOP_REASON_UNSEARCHED,
}

TILE_NAMES: Final = tuple(map(str, TILES))


def write_recommendation(
    analysis: Analysis,
    warnings: Iterable[notice_pb2.Warning] = (),
    *,
    max_moves: int = 0,
    client_tag: str = "",
    reasons: Iterable[reason_pb2.Reason] = (),
    prospect: Iterable[reason_pb2.Reason] = (),
    move: Move | None = None,
    level: str = "",
) -> RecommendMoveResponse:
    """The recommended move with its analysis; the other parameters as for :func:`write_analysis`.

    :param move: the move that a level chose; the first of the analysis if not given.
    :param level: the name of that level.
    """
    message = write_analysis(
        analysis, warnings, max_moves=max_moves, client_tag=client_tag, reasons=reasons, prospect=prospect
    )
    first = message.moves[0].move if message.moves else None
    return RecommendMoveResponse(
        action=message.action, move=write_move(move) if move else first, analysis=message, level=level
    )


def write_analysis(
    analysis: Analysis,
    warnings: Iterable[notice_pb2.Warning] = (),
    *,
    max_moves: int = 0,
    client_tag: str = "",
    reasons: Iterable[reason_pb2.Reason] = (),
    prospect: Iterable[reason_pb2.Reason] = (),
) -> pb.Analysis:
    """An analysis as a message.

    If :attr:`Analysis.deterministic` is true, nothing in the message depends on the clock.

    :param warnings: any number; the most useful ones are written.
    :param max_moves: maximum number of moves to list, best first; 0 for all.
    :param client_tag: the tag of the request.
    :param reasons: the reasons for the recommended move.
    :param prospect: what the analysis expects of it, in words.
    """
    listed = analysis.moves[:max_moves] if max_moves else analysis.moves
    fields: Fields = {
        "action": ACTIONS[analysis.action],
        "moves": [_evaluation(evaluation) for evaluation in listed],
        "root_values": [_value(value) for value in analysis.root_values],
        "belief": _belief(analysis.belief),
        "inferred_belief": _inferred(analysis.inferred_belief) if analysis.inferred_belief else None,
        "source": SOURCES[analysis.source],
        "stop_reason": STOPS[analysis.stop_reason],
        "effective_limits": write_limits(analysis.effective_limits),
        "effort": _effort(analysis.effort, timed=not analysis.deterministic),
        "seed": analysis.seed,
        "deterministic": analysis.deterministic,
        "engine_version": analysis.engine_version,
        "warnings": most_useful(warnings),
        "final": analysis.final,
        "worlds_used": analysis.worlds_used,
        "effective_sample_size": analysis.effective_sample_size,
        "omitted_move_count": analysis.omitted_move_count + len(analysis.moves) - len(listed),
        "client_tag": client_tag,
    }
    if listed:
        fields["moves"][0] |= {"reasons": reasons, "prospect": prospect}
    return pb.Analysis(**fields)


def write_evaluation(evaluation: MoveEvaluation) -> pb.MoveEvaluation:
    """The evaluation of one move."""
    return pb.MoveEvaluation(**_evaluation(evaluation))


def write_inferred_belief(belief: InferredBelief) -> pb.InferredBelief:
    """The inferred belief."""
    return pb.InferredBelief(**_inferred(belief))


def write_belief(belief: BeliefTable) -> pb.Belief:
    """The belief."""
    return pb.Belief(**_belief(belief))


def _evaluation(evaluation: MoveEvaluation) -> Fields:
    return {
        "move": move_fields(evaluation.move),
        "rank": evaluation.rank,
        "visits": evaluation.visits,
        "availability": evaluation.availability,
        "values": [_value(value) for value in evaluation.values],
        "points_now": evaluation.points_now,
        "count_after": evaluation.count_after,
        "equal_points": evaluation.equal_points,
        "loss": evaluation.loss,
        "line": [_step(step) for step in evaluation.line],
        "best_probability": evaluation.best_probability,
        "loss_significant": evaluation.loss_significant,
        "win_probability_loss": evaluation.win_probability_loss,
        "careless": None if evaluation.careless is None else _value(evaluation.careless),
    }


def _value(value: TeamValue) -> Fields:
    return {
        "team": value.team,
        "expected_margin": value.expected_margin,
        "standard_error": value.standard_error,
        "standard_deviation": value.standard_deviation,
        "win_probability": value.win_probability,
        "win_probability_error": value.win_probability_error,
        "errors_unknown": value.standard_error is None,
    }


def _step(step: LineStep) -> Fields:
    return {"move": move_fields(step.move), "visits": step.visits, "estimated": step.estimated}


def _belief(belief: BeliefTable) -> Fields:
    return {"tiles": _tiles(belief), "world_count": float(belief.world_count)}


def _inferred(belief: InferredBelief) -> Fields:
    return {
        "tiles": _tiles(belief),
        "effective_sample_size": belief.effective_sample_size,
        "worlds_used": belief.worlds_used,
        "model": belief.model,
    }


def _tiles(belief: BeliefTable | InferredBelief) -> list[Fields]:
    rows = zip(TILE_NAMES, belief.table.tolist(), strict=True)
    return [{"tile": tile, "hands": shares[:-1], "talon": shares[-1]} for tile, shares in rows]


def _effort(effort: Effort, *, timed: bool) -> Fields:
    return {
        "simulations": effort.simulations,
        "node_count": effort.node_count,
        "memory_bytes": effort.memory_bytes,
        "time": write_seconds(effort.seconds) if timed else None,
    }
