"""One placement judged: what it lost against the best move, from what its seat knew.

    survey        all moves are searched, the best is found
    refinement    if another move was played, that one and the best alone are searched again, by several searches
                  with seeds of their own

The loss is the mean of the refinement's differences. Its standard error comes from their scatter, and is no smaller
than half of what the searches tell themselves: eight values may lie close together by chance. So the loss has no part
in the choice of the best move, and everything that moves both values alike is out of it. Where nothing is hidden any
more the survey has solved the round, and the loss is exact.
"""

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from sniffai.explain import Reason, compare
from sniffai.review.story import Placement
from sniffai.review.values import Value
from sniffai.review.verdict import Verdict, verdict_of
from sniffai.search.analysis import Analysis, BeliefTable, LineStep, MoveEvaluation, Source
from sniffai.search.candidates import distinct_moves
from sniffai.search.clock import LEAST_SECONDS
from sniffai.search.params import Limits
from sniffai.search.phases import PHASES, phase_number
from sniffai.search.searcher import Searcher
from sniffai.seeds import derived_seed
from sniffai_ext.root_statistics import FEW_VISITS

REFINEMENTS: Final = 8
"""Searches of a refinement. Their scatter has so many degrees of freedom less one. Chosen by judgement, and checked by
the false alarms of docs/analysis.md."""

REFINEMENT_SHARE: Final = 0.5
"""The limits of each, as a share of the survey's: a refinement takes four times the survey. Chosen by judgement."""

LEAST_SIMULATIONS: Final = 8 * FEW_VISITS
"""Least simulations of each search of a refinement or of a draw, whatever the limits: with fewer, a comparison of two
moves says little, and such searches often find the same."""

MAX_REASONS: Final = 4
"""Most reasons kept for a placement that was not the best: the weightiest. Chosen by judgement."""

Searching: TypeAlias = Generator[tuple[Searcher, Limits], Analysis, Any]
"""Work that needs several searches: it yields a searcher with its limits and is sent the analysis."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgement of one placement."""

    placement: Placement
    phase: str
    """One of :data:`sniffai.review.PHASES`."""
    source: Source
    """``"forced"``: there was nothing to choose. ``"exact"``: the rest of the round was solved."""
    best: MoveEvaluation | None = None
    """The best move according to the survey; ``None`` if there was nothing to choose."""
    played: MoveEvaluation | None = None
    """The placement itself, according to the survey."""
    value: Value | None = None
    """What the position was worth before, with the best move; ``None`` if there was nothing to choose."""
    lost: Value | None = None
    """What the placement changed: the value after it less :attr:`value`."""
    loss: float = 0.0
    """In chance to win the match, for the mover's team; as small below 0 as its error."""
    loss_error: float = 0.0
    """Its standard error; 0 if the placement was the survey's best, or the loss is exact."""
    points_loss: float = 0.0
    """In points of the round. Below 0 where more points win the match less often."""
    points_loss_error: float = 0.0
    verdict: Verdict = Verdict.NONE
    reasons: tuple[Reason, ...] = ()
    """What the best move does better, where the placement is no better than doubtful."""
    belief: BeliefTable | None = None
    """Where the hidden tiles might have been, for the seat."""
    simulations: int = 0
    deterministic: bool = True

    @property
    def searched(self) -> bool:
        """Whether there was a choice."""
        return self.source != "forced"

    @property
    def was_best(self) -> bool:
        """Whether the placement was the survey's best, or equal to it."""
        return self.best is not None and self.played is not None and self.best.rank == self.played.rank

    @property
    def line(self) -> tuple[LineStep, ...]:
        """The best line."""
        return () if self.best is None else self.best.line


def judge(placement: Placement, limits: Limits, seed: int) -> Generator[tuple[Searcher, Limits], Analysis, Judged]:
    """Judge one placement.

    :param limits: of the survey.
    :param seed: 0..2**64-1.
    """
    phase = PHASES[phase_number(len(placement.view.placements))]
    if placement.forced:
        return Judged(placement, phase, "forced")
    survey = yield Searcher(placement.view, seed=derived_seed(seed, 0)), survey_limits(limits, placement)
    best, played = survey.moves[0], evaluation_of(survey, placement)
    judged = Judged(
        placement=placement,
        phase=phase,
        source=survey.source,
        best=best,
        played=played,
        value=Value.of(best.values, placement.banked),
        lost=Value.zero(len(best.values)),
        belief=survey.belief,
        simulations=survey.effort.simulations,
        deterministic=survey.deterministic,
    )
    if played.rank == 1:
        return judged
    if survey.source == "exact":
        difference = Value.of(played.values, placement.banked) - Value.of(best.values, placement.banked)
        return _with_loss(judged, survey, [_Difference(difference, 0.0, 0.0)])
    differences = []
    for number in range(REFINEMENTS):
        searcher = Searcher(
            placement.view, seed=derived_seed(seed, 1, number), include_moves=[best.move, placement.played]
        )
        refined = yield searcher, share_of(limits, REFINEMENT_SHARE)
        differences.append(_difference(refined, placement, best))
        judged = replace(
            judged,
            simulations=judged.simulations + refined.effort.simulations,
            deterministic=judged.deterministic and refined.deterministic,
        )
    return _with_loss(judged, survey, differences)


def survey_limits(limits: Limits, placement: Placement) -> Limits:
    """The limits of a survey: at least enough simulations to know something of each move."""
    if limits.simulations is None:
        return limits
    return replace(limits, simulations=max(limits.simulations, FEW_VISITS * len(distinct_moves(placement.view))))


def evaluation_of(analysis: Analysis, placement: Placement) -> MoveEvaluation:
    """The entry of the placement: equal attachment points are one move."""
    move = placement.played
    for entry in analysis.moves:
        if entry.move.tile == move.tile and (entry.move.at == move.at or move.at in entry.equal_points):
            return entry
    raise AssertionError(f"{move} is not among the moves analysed")


def share_of(limits: Limits, share: float) -> Limits:
    """The limits of a search that gets a share of a survey's, but enough for every move to be tried."""
    effective = limits.effective()
    return replace(
        limits,
        simulations=None if limits.simulations is None else max(LEAST_SIMULATIONS, round(share * limits.simulations)),
        seconds=None if effective.seconds is None else max(LEAST_SECONDS, share * effective.seconds),
        stop_when_decided=False,
        target_standard_error=None,
    )


@dataclass(frozen=True, slots=True)
class _Difference:
    """The value of the placement less that of the best move, in one search of both."""

    value: Value
    chance_error: float | None
    """The standard error of the chance for the mover's team, as that search tells it; ``None`` if it cannot."""
    points_error: float | None


def _difference(refined: Analysis, placement: Placement, best: MoveEvaluation) -> _Difference:
    played = evaluation_of(refined, placement)
    other = next(entry for entry in refined.moves if entry.move == best.move)
    return _Difference(
        Value.of(played.values, placement.banked) - Value.of(other.values, placement.banked),
        _together(played.win_probability_error, other.win_probability_error),
        _together(played.standard_error, other.standard_error),
    )


def _together(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else math.hypot(first, second)


def _mean_error(values: Sequence[float], errors: Sequence[float | None]) -> float:
    """Of the mean of some values, each of which tells an error: infinite where one cannot.

    One value alone is exact. What a search tells counts the drift of its tree, which the values share, three times:
    so half of it has to do.
    """
    if None in errors:
        return math.inf
    stated = math.hypot(*(error or 0.0 for error in errors)) / len(errors)
    return max(0.5 * stated, standard_error(values)) if len(values) > 1 else stated


def _with_loss(judged: Judged, survey: Analysis, differences: Sequence[_Difference]) -> Judged:
    lost = Value.mean([difference.value for difference in differences])
    team = judged.placement.team
    chances = [-difference.value.chances[team] for difference in differences]
    points = [-difference.value.margins[team] for difference in differences]
    loss, error = -lost.chances[team], _mean_error(chances, [difference.chance_error for difference in differences])
    points_loss, points_error = (
        -lost.margins[team],
        _mean_error(points, [difference.points_error for difference in differences]),
    )
    verdict = verdict_of(loss, error, points_loss, points_error)
    reasons: tuple[Reason, ...] = ()
    if verdict is not Verdict.NONE:
        reasons = compare(judged.placement.view, survey, judged.placement.played)[:MAX_REASONS]
    return replace(
        judged,
        lost=lost,
        loss=loss,
        loss_error=error if math.isfinite(error) else standard_error(chances),
        points_loss=points_loss,
        points_loss_error=points_error if math.isfinite(points_error) else standard_error(points),
        verdict=verdict,
        reasons=reasons,
    )


def standard_error(values: Sequence[float]) -> float:
    """The standard error of the mean of at least two values."""
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
