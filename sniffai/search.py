"""Analyse what one seat knows: information-set Monte Carlo tree search, with limits, a seed and a stop.

The search itself is :mod:`sniffai_ext.search`; this module drives it and words its answer. The answer depends on nothing
but the view, the seed and the limits.
"""

import math
import time
from collections.abc import Sequence

from sniffai_ext.belief import Belief as CoreBelief
from sniffai_ext.search import Search as CoreSearch

from sniffai.errors import ViewError
from sniffai.moves import Move
from sniffai.params import DEFAULT_MEMORY_BYTES, MAX_SIMULATIONS, Limits, SearchParams, check_seed
from sniffai.ports import point_name
from sniffai.report import Action, Analysis, BeliefTable, Effort, LineStep, MoveEvaluation, StopReason, TeamValue
from sniffai.rules import team_of
from sniffai.version import VERSION
from sniffai.view import View

RootMove = tuple[int, int, int, int, tuple[float, ...], tuple[float, ...]]


class Searcher:
    """One search: made from a view, run once or several times, stopped from any thread.

    :param view: the seat is to move.
    :param seed: 0..2**64-1.
    :raises ViewError: it is not the seat's turn, or the round is over.
    :raises LimitsError: the seed is out of range.
    """

    def __init__(self, view: View, *, seed: int = 0, params: SearchParams | None = None) -> None:
        if view.must in ("wait", "over"):
            over = view.must == "over"
            why = "the round is over" if over else f"it is the turn of seat {view.to_move}"
            reason = "ROUND_OVER" if over else "NOT_THE_TURN"
            raise ViewError(f"seat {view.seat} has nothing to decide: {why}", reason=reason, field="seat")
        self._view = view
        self._seed = check_seed(seed)
        self._params = params or SearchParams()
        self._core: CoreSearch | None = None
        self._stopped = False

    def run(self, limits: Limits | None = None) -> Analysis:
        """Search until a limit is hit or :meth:`stop` is called, and say what was found.

        A further run goes on with the same tree: ``simulations`` counts all of them, ``seconds`` starts anew, and
        ``memory_bytes`` stays as it was. A forced move, draw or pass is answered at once.

        :raises HistoryError: no deal explains the view.
        """
        limits = (limits or Limits()).effective()
        moves = distinct_moves(self._view)
        if len(moves) <= 1:
            return self._forced(moves, limits)
        core = self._open(limits)
        started = time.perf_counter()
        seconds = math.inf if limits.seconds is None else limits.seconds
        stop = core.run(limits.simulations or MAX_SIMULATIONS, seconds)
        return self._searched(core, stop, limits, time.perf_counter() - started)

    def stop(self) -> None:
        """End the run within a millisecond, or at once when it starts. May be called from any thread."""
        self._stopped = True
        if self._core is not None:
            self._core.stop()

    def _open(self, limits: Limits) -> CoreSearch:
        if self._core is None:
            self._core = CoreSearch(
                self._view.core(),
                self._seed,
                self._params.exploration,
                self._params.epsilon,
                limits.memory_bytes or DEFAULT_MEMORY_BYTES,
                limits.simulations or 0,
            )
        if self._stopped:
            self._core.stop()
        return self._core

    def _forced(self, moves: Sequence[Move], limits: Limits) -> Analysis:
        action: Action = "play" if moves else ("draw" if self._view.must == "draw" else "pass")
        evaluations = tuple(_evaluate(self._view, 1, move, 0, 0, (), None, ()) for move in moves)
        belief = CoreBelief(self._view.core())
        return Analysis(
            action=action,
            moves=evaluations,
            root_value=(),
            belief=_belief_table(belief),
            source="forced",
            stop="forced",
            limits=limits,
            effort=Effort(0, 0, 0, 0.0),
            seed=self._seed,
            deterministic=True,
            engine_version=VERSION,
        )

    def _searched(self, core: CoreSearch, stop: StopReason, limits: Limits, seconds: float) -> Analysis:
        rows = core.root_moves()
        return Analysis(
            action="play",
            moves=_evaluations(self._view, core, rows),
            root_value=_root_value(rows),
            belief=_belief_table(core.belief),
            source="search",
            stop=stop,
            limits=limits,
            effort=Effort(core.simulations, core.nodes, core.memory_bytes, seconds),
            seed=self._seed,
            deterministic=stop in ("simulations", "memory"),
            engine_version=VERSION,
        )


def analyze(
    view: View, limits: Limits | None = None, *, seed: int = 0, params: SearchParams | None = None
) -> Analysis:
    """Evaluate every legal move of the seat to move.

    :raises SniffError: see :class:`Searcher`.
    """
    return Searcher(view, seed=seed, params=params).run(limits)


def recommend(
    view: View, limits: Limits | None = None, *, seed: int = 0, params: SearchParams | None = None
) -> MoveEvaluation:
    """The move to make, with its evaluation.

    :raises ViewError: there is no move to make: the seat must draw or pass, or is not to move.
    :raises SniffError: see :class:`Searcher`.
    """
    best = analyze(view, limits, seed=seed, params=params).best
    if best is None:
        raise ViewError(f"no tile of the hand fits: seat {view.seat} must {view.must}", reason="NOT_TO_PLAY")
    return best


def distinct_moves(view: View) -> list[Move]:
    """The legal moves of the view's seat, those with equal futures once (the lowest attachment point)."""
    seen: set[tuple[str, ...]] = set()
    moves = []
    for move in view.legal_moves():
        points = (str(move.tile), *_equal_points(view, move))
        if points not in seen:
            seen.add(points)
            moves.append(move)
    return moves


def _equal_points(view: View, move: Move) -> tuple[str, ...]:
    return tuple(str(point_name(at)) for at in view.core().layout.equal_points(*move.codes))


def _evaluations(view: View, core: CoreSearch, rows: Sequence[RootMove]) -> tuple[MoveEvaluation, ...]:
    mover = team_of(view.players, view.seat)
    best = rows[0][4][mover]
    found = []
    for rank, (tile, at, visits, availability, means, deviations) in enumerate(rows, 1):
        values = _team_values(visits, means, deviations)
        loss = max(0.0, best - means[mover]) if visits else None
        line = tuple(LineStep(Move.from_codes(*step[:2]), *step[2:]) for step in core.line(tile, at)) if visits else ()
        move = Move.from_codes(tile, at)
        found.append(_evaluate(view, rank, move, visits, availability, values, loss, line))
    return tuple(found)


def _evaluate(
    view: View,
    rank: int,
    move: Move,
    visits: int,
    availability: int,
    values: tuple[TeamValue, ...],
    loss: float | None,
    line: tuple[LineStep, ...],
) -> MoveEvaluation:
    own = values[team_of(view.players, view.seat)] if values else None
    after = view.after(move)
    return MoveEvaluation(
        rank=rank,
        move=move,
        equal_points=_equal_points(view, move),
        visits=visits,
        availability=availability,
        values=values,
        mean_margin=own.mean_margin if own else None,
        standard_error=own.standard_error if own else None,
        points_now=after.points,
        count_after=after.count,
        loss=loss,
        line=line,
    )


def _team_values(visits: int, means: Sequence[float], deviations: Sequence[float]) -> tuple[TeamValue, ...]:
    if not visits:
        return ()
    return tuple(
        TeamValue(team, mean, deviation / math.sqrt(visits), deviation)
        for team, (mean, deviation) in enumerate(zip(means, deviations, strict=True))
    )


def _root_value(rows: Sequence[RootMove]) -> tuple[TeamValue, ...]:
    """Mean and spread over all simulations, put together from those of the moves."""
    visits = sum(row[2] for row in rows)
    if not visits:
        return ()
    teams = range(len(rows[0][4]))
    means = [math.fsum(row[2] * row[4][team] for row in rows) / visits for team in teams]
    squares = [
        math.fsum((row[2] - 1) * row[5][team] ** 2 + row[2] * (row[4][team] - means[team]) ** 2 for row in rows if row[2])
        for team in teams
    ]
    return _team_values(visits, means, [math.sqrt(square / max(1, visits - 1)) for square in squares])


def _belief_table(belief: CoreBelief) -> BeliefTable:
    table = belief.table()
    table.setflags(write=False)
    return BeliefTable(table, belief.assignments)
