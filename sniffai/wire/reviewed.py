"""A review that a server made: from its messages back to the values of the library.

What was reviewed is known here: it was sent. So the pieces need not hold it, and are put together as if they had been
worked on here.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from sniffai.errors import SniffError
from sniffai.review import Judged, Result, Review, Subject, Value, collected
from sniffai.review.draws import DrawLuck
from sniffai.review.story import Moment, Placement, TalonDraw
from sniffai.search.analysis import BeliefTable, InferredBelief, LineStep, MoveEvaluation, Source, TeamValue
from sniffai.search.careless import Gap
from sniffai.search.phases import PHASES, phase_number
from sniffai.v1 import analysis_pb2, analysis_service_pb2, review_pb2
from sniffai.wire.answers import SOURCES
from sniffai.wire.errors import Violation, WireError
from sniffai.wire.faults import move_of
from sniffai.wire.read import read_limits
from sniffai.wire.reasons import read_reasons
from sniffai.wire.review import VERDICTS

_SOURCES: Final[dict[int, Source]] = {number: name for name, number in SOURCES.items()}  # type: ignore[misc]
_VERDICTS: Final = {number: verdict for verdict, number in VERDICTS.items()}

Piece = analysis_service_pb2.AnalyzeMatchResponse


def read_reviewed_pieces(subject: Subject, pieces: Iterable[Piece]) -> Review:
    """The review of a subject from the answers of a server, in the order in which they came.

    :raises WireError: the server does not send all that a review is made of, such as one of an earlier version.
    """
    moments = list(subject.moments())
    results: list[Result] = []
    summary = None
    for piece in pieces:
        try:
            if piece.HasField("decision"):
                results.append(_decision(piece.decision, moments))
            elif piece.HasField("draw"):
                results.append(_draw(piece.draw, moments))
            else:
                summary = piece.summary
        except (SniffError, LookupError, ValueError) as error:
            raise _unusable(str(error)) from None
    if summary is None or len(results) != len(moments):
        raise _unusable(f"{len(results)} of {len(moments)} pieces came")
    whole = [replace(result, deterministic=summary.deterministic) for result in results]
    return collected(subject, read_limits(summary.effective_limits), summary.seed, whole)


def _unusable(why: str) -> WireError:
    text = f"the server sent what this version cannot read ({why}): is it of another version?"
    return WireError(Violation("", "UNREADABLE", text))


def _decision(message: review_pb2.DecisionReview, moments: Sequence[Moment]) -> Judged:
    placement = moments[message.index]
    if not isinstance(placement, Placement) or placement.played != move_of(message.played):
        raise ValueError("another placement")
    phase = PHASES[phase_number(len(placement.view.placements))]
    judged = Judged(placement, phase, _SOURCES[message.source], simulations=message.simulations)
    if message.source == analysis_pb2.SOURCE_FORCED:
        return judged
    return replace(
        judged,
        best=_evaluation(message.best, placement.team),
        played=_evaluation(message.played_evaluation, placement.team),
        value=_value(message.values),
        lost=_value(message.changes),
        win_probability_loss=message.win_probability_loss,
        win_probability_loss_error=message.win_probability_loss_error,
        points_loss=message.points_loss,
        points_loss_error=message.points_loss_error,
        verdict=_VERDICTS[message.verdict],
        reasons=read_reasons(message.reasons),
        refined=message.refined,
        careless=_gap(message.careless) if message.HasField("careless") else None,
        belief=_belief(message.belief) if message.HasField("belief") else None,
        inferred_belief=_inferred(message.inferred_belief) if message.HasField("inferred_belief") else None,
        moves=tuple(_evaluation(entry, placement.team) for entry in message.moves),
    )


def _gap(message: review_pb2.CarelessGap) -> Gap:
    return Gap(
        message.win_probability,
        message.win_probability_error if message.HasField("win_probability_error") else math.inf,
        message.points,
        message.points_error if message.HasField("points_error") else math.inf,
    )


def _draw(message: review_pb2.DrawReview, moments: Sequence[Moment]) -> DrawLuck:
    talon_draw = moments[message.index]
    if not isinstance(talon_draw, TalonDraw) or talon_draw.event != message.event:
        raise ValueError("another draw")
    after = _value(message.after) if message.after else None
    return DrawLuck(talon_draw, _value(message.expected), after, message.error, message.simulations, True)


def _value(outlooks: Sequence[review_pb2.Outlook]) -> Value:
    if not outlooks:
        raise ValueError("a value is missing")
    ordered = sorted(outlooks, key=lambda outlook: outlook.team)
    return Value(tuple(outlook.win_probability for outlook in ordered), tuple(outlook.points for outlook in ordered))


def _evaluation(message: analysis_pb2.MoveEvaluation, team: int) -> MoveEvaluation:
    values = tuple(map(_team_value, message.values))
    own = next((value for value in values if value.team == team), None)
    return MoveEvaluation(
        rank=message.rank,
        move=move_of(message.move),
        equal_points=tuple(message.equal_points),
        visits=message.visits,
        availability=message.availability,
        values=values,
        expected_margin=own.expected_margin if own else None,
        standard_error=own.standard_error if own else None,
        win_probability=own.win_probability if own else None,
        win_probability_error=own.win_probability_error if own else None,
        points_now=message.points_now,
        count_after=message.count_after,
        loss=message.loss if message.HasField("loss") else None,
        win_probability_loss=message.win_probability_loss if message.HasField("win_probability_loss") else None,
        loss_significant=message.loss_significant,
        best_probability=message.best_probability if message.HasField("best_probability") else None,
        line=tuple(LineStep(move_of(step.move), step.visits, step.estimated) for step in message.line),
    )


def _team_value(message: analysis_pb2.TeamValue) -> TeamValue:
    known = not message.errors_unknown
    return TeamValue(
        team=message.team,
        expected_margin=message.expected_margin,
        standard_error=message.standard_error if known else None,
        standard_deviation=message.standard_deviation if known else None,
        win_probability=message.win_probability,
        win_probability_error=message.win_probability_error if known else None,
    )


def _belief(message: analysis_pb2.Belief) -> BeliefTable:
    return BeliefTable(_table(message.tiles), int(message.world_count))


def _inferred(message: analysis_pb2.InferredBelief) -> InferredBelief:
    return InferredBelief(_table(message.tiles), message.effective_sample_size, message.worlds_used, message.model)


def _table(tiles: Iterable[analysis_pb2.TileBelief]) -> npt.NDArray[np.float64]:
    return np.array([[*tile.hands, tile.talon] for tile in tiles], dtype=np.float64)
