"""How moves fare against careless opponents, who overlook points: a second search beside the first.

A search takes for granted that the others choose much as it does. Against simple opponents another move may be better.
So a second search is told that the opponents are careless, and what it finds of each move is kept beside the first
value.
"""

import math
from dataclasses import dataclass, replace
from typing import Final, Self, Unpack

from sniffai.rules import team_of
from sniffai.search.analysis import Analysis, Effort, MoveEvaluation, TeamValue
from sniffai.search.clock import Run
from sniffai.search.opponents import Opponent, Way
from sniffai.search.params import MIN_MEMORY_BYTES, EffectiveLimits, Limits
from sniffai.search.roots import SIGNIFICANT
from sniffai.search.searcher import Searcher, SearchSettings
from sniffai.seeds import derived_seed
from sniffai.view import View
from sniffai_ext.root_statistics import FEW_VISITS, told_apart

CARELESS: Final = Opponent((Way("careless", 0.5),))
"""A careless opponent: it takes the most points that it sees, and overlooks each placement that scores half of the
time."""

CARELESS_SHARE: Final = 0.5
"""Simulations of the second search for each of the first. Where a clock ends the first one, it has two thirds of the
time and the second the rest. Chosen by judgement."""


@dataclass(frozen=True, slots=True)
class Gap:
    """By how much one move is worth more than another, to the mover's team."""

    chance: float
    """In chance to win the match."""
    chance_error: float
    """Its standard error; infinite where it is not known."""
    points: float
    """In points of the round."""
    points_error: float

    @classmethod
    def of(cls, first: TeamValue, second: TeamValue) -> Self:
        """By how much the first value is higher. The errors of the two are taken to be independent."""
        return cls(
            first.win_probability - second.win_probability,
            _together(first.win_probability_error, second.win_probability_error),
            first.expected_margin - second.expected_margin,
            _together(first.standard_error, second.standard_error),
        )

    @property
    def by_chance(self) -> bool:
        """Whether the chances can be told apart. Else the points decide."""
        return told_apart(self.chance, self.chance_error)

    @property
    def sign(self) -> int:
        """1 if the first move is better by more than two standard errors, -1 if the second is, else 0."""
        gap, error = (self.chance, self.chance_error) if self.by_chance else (self.points, self.points_error)
        return 0 if abs(gap) <= SIGNIFICANT * error else (1 if gap > 0 else -1)


def _together(first: float | None, second: float | None) -> float:
    return math.inf if first is None or second is None else math.hypot(first, second)


def careless_opponents(players: int, seat: int) -> dict[int, Opponent]:
    """Every opponent of a seat as a careless one. A partner stays as the search takes it to be.

    :param players: seats, 2..4.
    """
    return {other: CARELESS for other in range(players) if team_of(players, other) != team_of(players, seat)}


class ContrastSearcher(Searcher):
    """A search that also tells how each move fares against careless opponents: :attr:`MoveEvaluation.careless`.

    It takes half as many simulations more; a limit of time holds for both searches together.

    :param settings: as for :class:`Searcher`.
    :raises SniffError: as for :class:`Searcher`.
    """

    def __init__(self, view: View, **settings: Unpack[SearchSettings]) -> None:
        super().__init__(view, **settings)
        self._second = Searcher(
            view,
            seed=derived_seed(self._seed, 1),
            params=self._params,
            threads=self._threads,
            include_moves=self._moves or None,
            opponents=careless_opponents(view.players, view.seat),
            inferred=False,
        )

    def is_brief(self, limits: EffectiveLimits) -> bool:
        """Never: the second search tries every move many times."""
        return False

    def stop(self) -> None:
        """See :meth:`Searcher.stop`."""
        super().stop()
        self._second.stop()

    @property
    def memory_bytes(self) -> int:
        """Size of all trees, in bytes."""
        return super().memory_bytes + self._second.memory_bytes

    def free(self) -> None:
        """See :meth:`Searcher.free`."""
        super().free()
        self._second.free()

    def _run(self, run: Run) -> Analysis:
        analysis = super()._run(_first_part(run))
        if analysis.action != "play" or self.forced:
            return replace(analysis, effective_limits=run.limits)
        end = run.end if math.isfinite(run.end) else None
        other = self._second.run(_second_limits(run.limits, analysis, len(self._moves)), end=end, on_slice=run.on_slice)
        return replace(with_careless(analysis, other, self._view.team), effective_limits=run.limits)


def _first_part(run: Run) -> Run:
    """The first search's part of a run."""
    share = 1 / (1 + CARELESS_SHARE)
    limits, end = run.limits, None
    if limits.seconds is not None:
        limits = replace(limits, seconds=share * limits.seconds)
    if run.by_end:
        end = run.started + share * (run.last - run.started)
    limits = replace(limits, memory_bytes=max(MIN_MEMORY_BYTES, round(share * limits.memory_bytes)))
    return Run.of(limits, end, run.on_snapshot, run.interval, run.on_slice)


def _second_limits(limits: EffectiveLimits, analysis: Analysis, moves: int) -> Limits:
    """The limits of the second search, which ends with the whole run at the latest.

    :param analysis: by the first search.
    :param moves: how many are considered: each is to be tried.
    """
    share = CARELESS_SHARE / (1 + CARELESS_SHARE)
    wanted = limits.simulations if analysis.source == "exact" else analysis.effort.simulations
    return Limits(
        simulations=None if wanted is None else max(FEW_VISITS * moves, round(CARELESS_SHARE * wanted)),
        seconds=None if limits.seconds is None else share * limits.seconds,
        memory_bytes=max(MIN_MEMORY_BYTES, round(share * limits.memory_bytes)),
    )


def with_careless(analysis: Analysis, other: Analysis, team: int) -> Analysis:
    """An analysis with what another one, of the same moves against careless opponents, found of each for a team."""
    values = {entry.move: entry.values[team] for entry in other.moves if entry.values}
    first, second = analysis.effort, other.effort
    return replace(
        analysis,
        moves=tuple(replace(entry, careless=values.get(entry.move)) for entry in analysis.moves),
        effort=Effort(
            first.simulations + second.simulations,
            first.node_count + second.node_count,
            first.memory_bytes + second.memory_bytes,
            first.seconds + second.seconds,
        ),
        deterministic=analysis.deterministic and other.deterministic,
    )


def turned(analysis: Analysis, entry: MoveEvaluation, team: int) -> tuple[MoveEvaluation, Gap] | None:
    """The move that is worse than another one by an analysis, but better against careless opponents; and by how much.

    Both differences are beyond two standard errors. Of several such moves it is the best against careless
    opponents; ``None`` if there is none, or where :attr:`MoveEvaluation.careless` is not known.

    :param entry: of the analysis: the other one.
    :param team: the mover's.
    """
    others = [other for other in analysis.moves if other is not entry]
    better = [(other, gap) for other in others if (gap := _turn(entry, other, team)) is not None]
    return max(better, key=lambda pair: (pair[1].chance, pair[1].points), default=None)


def _turn(entry: MoveEvaluation, other: MoveEvaluation, team: int) -> Gap | None:
    if not entry.values or not other.values or entry.careless is None or other.careless is None:
        return None
    gap = Gap.of(other.careless, entry.careless)
    return gap if Gap.of(entry.values[team], other.values[team]).sign > 0 and gap.sign > 0 else None


def analyze_contrast(view: View, limits: Limits | None = None, **settings: Unpack[SearchSettings]) -> Analysis:
    """As :func:`analyze`, and how each move fares against careless opponents.

    :param settings: as for :class:`Searcher`.
    :raises SniffError: see :class:`Searcher`.
    """
    return ContrastSearcher(view, **settings).run(limits)
