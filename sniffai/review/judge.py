"""One placement judged: what it lost against the best move, from what its seat knew.

    survey        all moves are searched, the best is found
    refinement    if another move was played, that one and the best alone are searched again, by several searches
                  with seeds of their own
    contrast      if that was a mistake, both are searched against careless opponents

The loss is the mean of the refinement's differences. Its standard error comes from their scatter, and is no smaller
than half of what the searches tell themselves: eight values may lie close together by chance. So the loss has no part
in the choice of the best move, and everything that moves both values alike is out of it. Where nothing is hidden any
more the survey has solved the round, and the loss is exact.

What is told of the two moves of a refinement is its own: their values are the means of its searches, so that they
differ by the loss. Of the survey only the best line is left then.
"""

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self, TypeAlias

from sniffai.explain import Reason, compare
from sniffai.explain.prospect import careless_reason
from sniffai.review.story import Placement
from sniffai.review.values import Value
from sniffai.review.verdict import Verdict, verdict_of
from sniffai.search.analysis import Analysis, BeliefTable, InferredBelief, LineStep, MoveEvaluation, Source, TeamValue
from sniffai.search.candidates import distinct_moves
from sniffai.search.careless import Gap, careless_opponents
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

CONTRASTS: Final = 4
"""Searches of a contrast."""

CONTRAST_SHARE: Final = 0.25
"""The limits of each, as a share of the survey's: a contrast takes as much as the survey. Both were chosen by
judgement."""

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
    """The best move according to the survey, with its line; ``None`` if there was nothing to choose. Its values are
    those of the refinement where there was one."""
    played: MoveEvaluation | None = None
    """The placement itself, likewise: its values are less by :attr:`win_probability_loss` and :attr:`points_loss`."""
    refined: bool = False
    """Whether there was a refinement. Then the two moves have no :attr:`MoveEvaluation.best_probability`."""
    value: Value | None = None
    """What the position was worth before, with the best move; ``None`` if there was nothing to choose."""
    lost: Value | None = None
    """What the placement changed: the value after it less :attr:`value`."""
    win_probability_loss: float = 0.0
    """In chance to win the match, for the mover's team; as small below 0 as its error."""
    win_probability_loss_error: float = 0.0
    """Its standard error; 0 if the placement was the survey's best, or the loss is exact."""
    points_loss: float = 0.0
    """In points of the round. Below 0 where more points win the match less often."""
    points_loss_error: float = 0.0
    verdict: Verdict = Verdict.NONE
    reasons: tuple[Reason, ...] = ()
    """What the best move does better, where the placement is no better than doubtful."""
    careless: Gap | None = None
    """By how much the placement is better than the best move against careless opponents; ``None`` unless it was
    doubtful or worse."""
    belief: BeliefTable | None = None
    """Where the hidden tiles might have been, for the seat."""
    inferred_belief: InferredBelief | None = None
    """Where they were likely to be by the other seats' choices as well; ``None`` where nothing says more."""
    moves: tuple[MoveEvaluation, ...] = ()
    """All moves according to the survey, best first; empty if there was nothing to choose."""
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
    def contrast(self) -> Reason | None:
        """What is told of careless opponents: ``None`` unless the placement is better than the best move against them.

        Both differences are beyond their errors.
        """
        if self.verdict is Verdict.NONE or self.careless is None or self.careless.sign <= 0:
            return None
        return careless_reason(self.placement.played, self.careless)

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
        inferred_belief=survey.inferred_belief,
        moves=survey.moves,
        simulations=survey.effort.simulations,
        deterministic=survey.deterministic,
    )
    if played.rank == 1:
        return judged
    if survey.source == "exact":
        difference = Value.of(played.values, placement.banked) - Value.of(best.values, placement.banked)
        judged = _with_loss(judged, survey, _Losses.of([_Difference(difference, 0.0, 0.0)], placement.team))
    else:
        both: list[_Both] = []
        for number in range(REFINEMENTS):
            searcher = Searcher(
                placement.view,
                seed=derived_seed(seed, 1, number),
                include_moves=[best.move, played.move],
                inferred=False,
            )
            refined = yield searcher, share_of(limits, REFINEMENT_SHARE)
            both.append(_Both.of(refined, placement, best))
            judged = _with_effort(judged, refined)
        judged = _refined(judged, survey, both)
    if judged.verdict is Verdict.NONE:
        return judged
    differences = []
    for number in range(CONTRASTS):
        searcher = Searcher(
            placement.view,
            seed=derived_seed(seed, 2, number),
            include_moves=[best.move, played.move],
            opponents=careless_opponents(placement.view.players, placement.seat),
            inferred=False,
        )
        careless = yield searcher, share_of(limits, CONTRAST_SHARE)
        differences.append(_Both.of(careless, placement, best).difference(placement))
        judged = _with_effort(judged, careless)
    return replace(judged, careless=_Losses.of(differences, placement.team).gap)


def _with_effort(judged: Judged, analysis: Analysis) -> Judged:
    return replace(
        judged,
        simulations=judged.simulations + analysis.effort.simulations,
        deterministic=judged.deterministic and analysis.deterministic,
    )


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
    chance_error: float
    """The standard error of the chance for the mover's team, as that search tells it; infinite if it cannot."""
    points_error: float


@dataclass(frozen=True, slots=True)
class _Both:
    """What one search of the best move and the placement found of them."""

    best: MoveEvaluation
    played: MoveEvaluation

    @classmethod
    def of(cls, analysis: Analysis, placement: Placement, best: MoveEvaluation) -> Self:
        other = next(entry for entry in analysis.moves if entry.move == best.move)
        return cls(other, evaluation_of(analysis, placement))

    def difference(self, placement: Placement) -> _Difference:
        gap = Gap.of(self.played.values[placement.team], self.best.values[placement.team])
        value = Value.of(self.played.values, placement.banked) - Value.of(self.best.values, placement.banked)
        return _Difference(value, gap.chance_error, gap.points_error)


def _mean_error(values: Sequence[float], errors: Sequence[float | None]) -> float:
    """Of the mean of some values, each of which tells an error: infinite where one cannot.

    One value alone is exact. What a search tells counts the drift of its tree, which the values share, three times:
    so half of it has to do.
    """
    if None in errors:
        return math.inf
    stated = math.hypot(*(error or 0.0 for error in errors)) / len(errors)
    return max(0.5 * stated, standard_error(values)) if len(values) > 1 else stated


@dataclass(frozen=True, slots=True)
class _Losses:
    """What a placement lost, by one or several searches of it and of the best move."""

    lost: Value
    """The value after it less that after the best move."""
    win_probability_loss: float
    win_probability_loss_error: float
    """Infinite where too little is known, as for ``points_loss_error``."""
    points_loss: float
    points_loss_error: float
    scatter: tuple[float, float]
    """The standard errors by the scatter of the searches alone; 0 of a single one."""

    @classmethod
    def of(cls, differences: Sequence[_Difference], team: int) -> Self:
        lost = Value.mean([difference.value for difference in differences])
        chances = [-difference.value.chances[team] for difference in differences]
        points = [-difference.value.margins[team] for difference in differences]
        return cls(
            lost=lost,
            win_probability_loss=-lost.chances[team],
            win_probability_loss_error=_mean_error(chances, [difference.chance_error for difference in differences]),
            points_loss=-lost.margins[team],
            points_loss_error=_mean_error(points, [difference.points_error for difference in differences]),
            scatter=(standard_error(chances), standard_error(points)) if len(differences) > 1 else (0.0, 0.0),
        )

    @property
    def gap(self) -> Gap:
        """By how much the placement is better than the best move."""
        return Gap(
            -self.win_probability_loss, self.win_probability_loss_error, -self.points_loss, self.points_loss_error
        )


def _with_loss(judged: Judged, survey: Analysis, losses: _Losses) -> Judged:
    assert judged.value is not None
    chance = judged.value.chances[judged.placement.team]
    verdict = verdict_of(
        losses.win_probability_loss,
        losses.win_probability_loss_error,
        losses.points_loss,
        losses.points_loss_error,
        chance,
    )
    reasons: tuple[Reason, ...] = ()
    if verdict is not Verdict.NONE:
        reasons = compare(judged.placement.view, survey, judged.placement.played)[:MAX_REASONS]
    by_chance, by_points = losses.scatter
    return replace(
        judged,
        lost=losses.lost,
        win_probability_loss=losses.win_probability_loss,
        win_probability_loss_error=losses.win_probability_loss_error
        if math.isfinite(losses.win_probability_loss_error)
        else by_chance,
        points_loss=losses.points_loss,
        points_loss_error=losses.points_loss_error if math.isfinite(losses.points_loss_error) else by_points,
        verdict=verdict,
        reasons=reasons,
    )


def _refined(judged: Judged, survey: Analysis, both: Sequence[_Both]) -> Judged:
    """The judgement with the values of a refinement."""
    placement, best, played = judged.placement, judged.best, judged.played
    assert best is not None and played is not None
    losses = _Losses.of([pair.difference(placement) for pair in both], placement.team)
    best = _with_values(best, [pair.best for pair in both], placement.team)
    played = replace(
        _with_values(played, [pair.played for pair in both], placement.team),
        loss=losses.points_loss,
        win_probability_loss=losses.win_probability_loss,
        loss_significant=losses.gap.sign < 0,
    )
    refined = replace(judged, best=best, played=played, refined=True, value=Value.of(best.values, placement.banked))
    return _with_loss(refined, survey, losses)


def _with_values(entry: MoveEvaluation, entries: Sequence[MoveEvaluation], team: int) -> MoveEvaluation:
    """The entry of a move with the means of what several searches found of it."""
    values = tuple(_mean_value([each.values[i] for each in entries]) for i in range(len(entry.values)))
    own = values[team]
    return replace(
        entry,
        visits=sum(each.visits for each in entries),
        availability=sum(each.availability for each in entries),
        values=values,
        expected_margin=own.expected_margin,
        standard_error=own.standard_error,
        win_probability=own.win_probability,
        win_probability_error=own.win_probability_error,
        best_probability=None,
    )


def _mean_value(values: Sequence[TeamValue]) -> TeamValue:
    margins = [value.expected_margin for value in values]
    chances = [value.win_probability for value in values]
    spreads = [value.standard_deviation for value in values if value.standard_deviation is not None]
    known = len(spreads) == len(values)
    return TeamValue(
        team=values[0].team,
        expected_margin=_mean(margins),
        standard_error=_mean_error(margins, [value.standard_error for value in values]) if known else None,
        standard_deviation=_mean(spreads) if known else None,
        win_probability=_mean(chances),
        win_probability_error=_mean_error(chances, [value.win_probability_error for value in values])
        if known
        else None,
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def standard_error(values: Sequence[float]) -> float:
    """The standard error of the mean of at least two values."""
    mean = _mean(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
