"""The statistics of the moves at the root of a search: of one tree, or of several pooled into one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Self

from sniffai.checks import keep
from sniffai.search.analysis import TeamValue
from sniffai_ext.best_chance import best_chances
from sniffai_ext.root_statistics import (
    CLOSE_CHANCES,
    DECISION_DOUBT,
    FEW_VISITS,
    RANK_CAUTION,
    STATED_DRIFTS,
    ranked,
    told_apart,
)
from sniffai_ext.rows import RootMove
from sniffai_ext.search import Search as CoreSearch

LEAST_VISITS: Final = 5
"""With fewer visits, the standard error of a move's value is unknown. Chosen by judgement."""

LEAST_SIMULATIONS: Final = 30
"""With fewer in all, no standard error is known: moves with few visits use the spread of all simulations. Chosen by
judgement."""

_FURTHER_DRIFT: Final = math.sqrt(STATED_DRIFTS**2 - 1)

SIGNIFICANT: Final = 2.0
"""A difference of more standard errors than this is called significant: of equal moves, about one in 40 is."""


class AgainstBest(NamedTuple):
    """How a move compares with the best one; ``None`` where that is not known."""

    loss: float | None
    """Points that the mover's team loses against the best move; below 0 where fewer points win the match more often."""
    win_probability_loss: float | None
    significant: bool
    best_probability: float | None


UNKNOWN: Final = AgainstBest(None, None, False, None)
"""For moves that were not searched, or too little."""


class Estimate(NamedTuple):
    """A mean and its standard error."""

    mean: float
    error: float


@dataclass(frozen=True, slots=True)
class Root:
    """The moves at the root of a search, best first."""

    rows: Sequence[RootMove]
    team: int
    """The mover's."""
    match: bool
    """Whether the chance to win the match ranks the moves; else only the margin does."""
    simulations: int = field(init=False, repr=False, compare=False)
    """Of all moves."""
    _spreads: dict[tuple[int, bool], float] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What :meth:`_spread` has found: it is asked for every move."""

    def __post_init__(self) -> None:
        keep(self, "simulations", sum(row.visits for row in self.rows))

    @classmethod
    def of(cls, cores: Sequence[CoreSearch], team: int) -> Self:
        """The root moves of one or several trees: visits are added, means and spreads are pooled."""
        judging = cores[0].judging_team
        if len(cores) == 1:
            return cls(cores[0].root_moves(), team, judging is not None)
        by_move: dict[tuple[int, int], list[RootMove]] = {}
        for core in cores:
            for row in core.root_moves():
                by_move.setdefault((row.tile, row.at), []).append(row)
        return cls(ranked(map(_as_one, by_move.values()), judging), team, judging is not None)

    def known(self, row: RootMove) -> bool:
        """Whether a move has enough simulations for a standard error."""
        return row.visits >= LEAST_VISITS and self.simulations >= LEAST_SIMULATIONS

    def margin(self, row: RootMove) -> Estimate:
        """A move's margin for the mover's team."""
        return self.estimate(row, self.team, chance=False)

    def estimate(self, row: RootMove, team: int, *, chance: bool) -> Estimate:
        """A move's margin for a team, or the team's chance.

        After few visits a move's own spread means little, so that of all simulations is used.
        """
        means, errors, drifts = (
            (row.chances, row.chance_errors, row.chance_drifts)
            if chance
            else (row.margins, row.margin_errors, row.margin_drifts)
        )
        error = _stated(errors[team], drifts[team])
        if row.visits < FEW_VISITS:
            error = max(error, self._spread(team, chance) / math.sqrt(max(1, row.visits)))
        return Estimate(means[team], error)

    def values(self, row: RootMove) -> tuple[TeamValue, ...]:
        """A move's value for each team; empty without a visit."""
        if not row.visits:
            return ()
        if not self.known(row):
            return _means(row.margins, row.chances)
        values = []
        for team in range(len(row.margins)):
            margin, chance = (self.estimate(row, team, chance=chance) for chance in (False, True))
            values.append(
                TeamValue(team, margin.mean, margin.error, row.margin_deviations[team], chance.mean, chance.error)
            )
        return tuple(values)

    def value(self) -> tuple[TeamValue, ...]:
        """Mean and spread over all simulations, pooled from the moves; empty without any."""
        if not self.simulations:
            return ()
        if self.simulations < LEAST_SIMULATIONS:  # no error is told, so none is worked out
            return _means(_mean(self.rows, "margins"), _mean(self.rows, "chances"))
        return self.values(_pooled(self.rows))

    def against_best(self) -> list[AgainstBest]:
        """How each move compares with the first.

        Moves are compared by chance and, where chances cannot be told apart, by margin.
        """
        chances = self._best_chances()
        return [self._against_best(i, row, chances[i]) for i, row in enumerate(self.rows)]

    def decided(self, goal: float) -> bool:
        """Whether the first move is better than every other one with a probability of ``goal``, by the core's rule."""
        first = self.rows[0]
        if any(row.visits < FEW_VISITS for row in self.rows):
            return False
        return all(self._surely_better(first, row, goal) for row in self.rows[1:])

    def precise(self, target: float) -> bool:
        """Whether the reported standard error of the first move's margin is at most ``target``."""
        return self.rows[0].visits >= FEW_VISITS and self.margin(self.rows[0]).error <= target

    def _surely_better(self, first: RootMove, row: RootMove, goal: float) -> bool:
        def better(chance: bool, slack: float = 0.0) -> bool:
            from statistics import NormalDist

            a, b = (self._ranked_by(each, chance=chance) for each in (first, row))
            error = DECISION_DOUBT * math.hypot(a.error, b.error)
            return NormalDist().cdf((a.mean - b.mean + slack) / (error + 1e-12)) >= goal

        if not self.match:
            return better(chance=False)
        if self._apart(first, row):
            return better(chance=True)
        return better(chance=False) and better(chance=True, slack=CLOSE_CHANCES)

    def _against_best(self, place: int, row: RootMove, chance: float | None) -> AgainstBest:
        first = self.rows[0]
        if not self.known(row) or not self.known(first):
            return (
                AgainstBest(0.0, 0.0, False, chance)
                if place == 0 and row.visits
                else UNKNOWN._replace(best_probability=chance)
            )
        loss = first.margins[self.team] - row.margins[self.team]
        lost = first.chances[self.team] - row.chances[self.team]
        return AgainstBest(loss, lost, place > 0 and self._significant(first, row), chance)

    def _significant(self, first: RootMove, row: RootMove) -> bool:
        chance = self.match and self._apart(first, row)
        a, b = (self.estimate(each, self.team, chance=chance) for each in (first, row))
        return a.mean - b.mean > SIGNIFICANT * math.hypot(a.error, b.error)

    def _best_chances(self) -> list[float | None]:
        """The probability of each move to be the best; unknown until all have been tried.

        Moves whose chances cannot be told apart from the first one's pool their probability, and divide it by margin.
        """
        if self.simulations < LEAST_SIMULATIONS or not all(row.visits for row in self.rows):
            return [None] * len(self.rows)
        probabilities = best_chances([self.estimate(row, self.team, chance=self.match) for row in self.rows])
        level = [i for i, row in enumerate(self.rows) if self.match and not self._apart(self.rows[0], row)]
        if len(level) > 1:
            together = math.fsum(probabilities[i] for i in level)
            shares = best_chances([self.margin(self.rows[i]) for i in level])
            for i, share in zip(level, shares, strict=True):
                probabilities[i] = together * share
        return list(probabilities)

    def _apart(self, row: RootMove, other: RootMove) -> bool:
        """Whether the chances of two moves can be told apart, as they are ranked."""
        a, b = (self._ranked_by(each, chance=True) for each in (row, other))
        gap = (a.mean - RANK_CAUTION * a.error) - (b.mean - RANK_CAUTION * b.error)
        return told_apart(gap, math.hypot(a.error, b.error))

    def _ranked_by(self, row: RootMove, *, chance: bool) -> Estimate:
        """A mean with the error that moves are ranked by; the reported one counts drift more."""
        if chance:
            return Estimate(row.chances[self.team], row.chance_errors[self.team])
        return Estimate(row.margins[self.team], row.margin_errors[self.team])

    def _spread(self, team: int, chance: bool) -> float:
        """The standard deviation of all simulations' margins, or an estimate of that of their chances."""
        spread = self._spreads.get((team, chance))
        if spread is None:
            spread = self._spreads[team, chance] = (
                max(_between(self.rows, team), *(row.chance_errors[team] * math.sqrt(row.visits) for row in self.rows))
                if chance
                else pooled_deviation(self.rows, team)
            )
        return spread


def pooled_deviation(rows: Sequence[RootMove], team: int) -> float:
    """Standard deviation of all simulations behind some rows, from the rows' own means and deviations."""
    visits = sum(row.visits for row in rows)
    mean = math.fsum(row.visits * row.margins[team] for row in rows) / max(1, visits)
    within = math.fsum((row.visits - 1) * row.margin_deviations[team] ** 2 for row in rows if row.visits)
    between = math.fsum(row.visits * (row.margins[team] - mean) ** 2 for row in rows)
    return math.sqrt((within + between) / max(1, visits - 1))


def _means(margins: Sequence[float], chances: Sequence[float]) -> tuple[TeamValue, ...]:
    """By team, values of which no error is known."""
    return tuple(
        TeamValue(team, margin, None, None, chance, None)
        for team, (margin, chance) in enumerate(zip(margins, chances, strict=True))
    )


def _as_one(rows: Sequence[RootMove]) -> RootMove:
    """One move pooled over several trees. If one of them proved its values, those hold."""
    pooled = _pooled(rows)
    for row in rows:
        if row.proven:
            return row._replace(
                visits=pooled.visits, availability=pooled.availability, margin_deviations=pooled.margin_deviations
            )
    return pooled


def _pooled(rows: Sequence[RootMove]) -> RootMove:
    """Several rows pooled: one move in several trees, or all moves of a root."""
    visits = sum(row.visits for row in rows)
    share = max(1, visits)
    teams = range(len(rows[0].margins))
    return RootMove(
        rows[0].tile,
        rows[0].at,
        visits,
        sum(row.availability for row in rows),
        _mean(rows, "margins"),
        tuple(pooled_deviation(rows, team) for team in teams),
        tuple(math.hypot(*(row.visits * row.margin_errors[team] for row in rows)) / share for team in teams),
        math.fsum(row.visits * row.utility for row in rows) / share,
        math.hypot(*(row.visits * row.utility_error for row in rows)) / share,
        _mean(rows, "chances"),
        tuple(math.hypot(*(row.visits * row.chance_errors[team] for row in rows)) / share for team in teams),
        tuple(math.fsum(row.visits * row.margin_drifts[team] for row in rows) / share for team in teams),
        math.fsum(row.visits * row.utility_drift for row in rows) / share,
        tuple(math.fsum(row.visits * row.chance_drifts[team] for row in rows) / share for team in teams),
        all(row.proven for row in rows),
    )


def _mean(rows: Sequence[RootMove], name: str) -> tuple[float, ...]:
    """By team, the mean of margins or chances over all simulations of some rows."""
    share = max(1, sum(row.visits for row in rows))
    known = [(row.visits, getattr(row, name)) for row in rows]
    teams = range(len(known[0][1]))
    return tuple(math.fsum(visits * values[team] for visits, values in known) / share for team in teams)


def _stated(error: float, drift: float) -> float:
    """The standard error that is reported: a tree that still learns will drift on, and several trees drift alike."""
    return math.hypot(error, _FURTHER_DRIFT * drift)


def _between(rows: Sequence[RootMove], team: int) -> float:
    """The standard deviation between the moves' chances, weighted by visits: all that is known after few."""
    visits = sum(row.visits for row in rows)
    mean = math.fsum(row.visits * row.chances[team] for row in rows) / max(1, visits)
    return math.sqrt(math.fsum(row.visits * (row.chances[team] - mean) ** 2 for row in rows) / max(1, visits - 1))
