"""Analyse what one seat knows: information-set Monte Carlo tree search, with limits, a seed and a stop.

The search itself is :mod:`sniffai_ext.search`; this module drives it and words its answer. The answer depends on
nothing but the view, the seed, the limits, the parameters and the number of threads.
"""

import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Lock
from typing import Any, Final

from sniffai.errors import LimitsError, ViewError
from sniffai.exact import solve_end
from sniffai.moves import Move
from sniffai.nets import load_policy, load_world_value
from sniffai.params import (
    DEFAULT_MEMORY_BYTES,
    MAX_SIMULATIONS,
    MIN_MEMORY_BYTES,
    MODEL_TEMPERATURES,
    Limits,
    SearchParams,
    check_seed,
    check_threads,
)
from sniffai.ports import point_name
from sniffai.report import Action, Analysis, BeliefTable, Effort, LineStep, MoveEvaluation, StopReason, TeamValue
from sniffai.rules import team_of
from sniffai.shown import shown
from sniffai.solver import MoveValue
from sniffai.version import VERSION
from sniffai.view import View
from sniffai_ext.belief import Belief as CoreBelief
from sniffai_ext.search import Search as CoreSearch
from sniffai_ext.view import View as CoreView

RootMove = tuple[int, int, int, int, tuple[float, ...], tuple[float, ...], tuple[float, ...], float]

SEED_STEP: Final = 0x9E3779B97F4A7C15
"""Between the seeds of the trees of one search: 2**64 divided by the golden ratio."""

DECIDED_AT: Final = 0.99
"""Probability of being the best move at which a search that may stop early does."""

ASSUMED_SPEED: Final = 500_000
"""Simulations a second, to size the pool of worlds of a search that a clock ends."""


class Searcher:
    """One search: made from a view, run once or several times, stopped from any thread.

    :param view: the seat is to move.
    :param seed: 0..2**64-1.
    :param threads: 1..64 trees, each grown by a thread of its own and put together at the root (root parallelism).
    :raises ViewError: it is not the seat's turn, or the round is over.
    :raises LimitsError: the seed or the number of threads is out of range.
    """

    def __init__(self, view: View, *, seed: int = 0, params: SearchParams | None = None, threads: int = 1) -> None:
        if not isinstance(view, View):
            raise ViewError(f"a View is expected, not {shown(view)}", reason="NOT_A_VIEW", field="view")
        if params is not None and not isinstance(params, SearchParams):
            raise LimitsError(f"SearchParams are expected, not {shown(params)}", reason="NOT_PARAMS", field="params")
        if view.must in ("wait", "over"):
            over = view.must == "over"
            why = "the round is over" if over else f"it is the turn of seat {view.to_move}"
            reason = "ROUND_OVER" if over else "NOT_THE_TURN"
            raise ViewError(f"seat {view.seat} has nothing to decide: {why}", reason=reason, field="seat")
        self._view = view
        self._seed = check_seed(seed)
        self._params = params or SearchParams()
        self._threads = check_threads(threads)
        self._cores: list[CoreSearch] = []
        self._stopped = False
        self._turn = Lock()

    def run(self, limits: Limits | None = None) -> Analysis:
        """Search until a limit is hit or :meth:`stop` is called, and say what was found.

        A further run goes on with the same trees: ``simulations`` counts all of them, ``seconds`` starts anew, and
        ``memory_bytes`` stays as it was. A forced move, draw or pass is answered at once. A run waits for another one
        of the same searcher to end.

        :raises LimitsError: ``limits`` is no :class:`Limits`.
        """
        if limits is not None and not isinstance(limits, Limits):
            raise LimitsError(f"Limits are expected, not {shown(limits)}", reason="NOT_LIMITS", field="limits")
        with self._turn:
            return self._run((limits or Limits()).effective())

    def _run(self, limits: Limits) -> Analysis:
        moves = distinct_moves(self._view)
        if len(moves) <= 1:
            return self._forced(moves, limits)
        started = time.perf_counter()
        end = solve_end(self._view, self._params) if self._params.exact else None
        if end is not None:
            return self._solved(*end, limits, time.perf_counter() - started)
        self._open(limits)
        stop = self._grow(limits, started)
        return self._searched(stop, limits, time.perf_counter() - started)

    def stop(self) -> None:
        """End the run within a millisecond, or at once when it starts. May be called from any thread."""
        self._stopped = True
        for core in self._cores:
            core.stop()

    def _open(self, limits: Limits) -> None:
        """The trees, each with a seed of its own and its share of the memory."""
        if not self._cores:
            share = replace(
                limits,
                simulations=limits.simulations and -(-limits.simulations // self._threads),
                memory_bytes=max(MIN_MEMORY_BYTES, (limits.memory_bytes or DEFAULT_MEMORY_BYTES) // self._threads),
            )
            options = core_options(self._params, self._view.players, share)
            seeds = [(self._seed + k * SEED_STEP) % 2**64 for k in range(self._threads)]
            self._cores = [CoreSearch(self._seen(), seed, **options) for seed in seeds]
        if self._stopped:
            self.stop()

    def _grow(self, limits: Limits, started: float) -> StopReason:
        """Run all trees side by side; the reason of the stop."""
        total = limits.simulations or MAX_SIMULATIONS
        shares = [total // self._threads + (k < total % self._threads) for k in range(self._threads)]
        spent = time.perf_counter() - started
        seconds = math.inf if limits.seconds is None else limits.seconds - spent
        goal = DECIDED_AT if limits.stop_when_decided else 0.0
        if self._threads == 1:
            return self._cores[0].run(total, seconds, goal)
        with ThreadPoolExecutor(self._threads) as pool:
            work = zip(self._cores, shares, strict=True)
            stops = list(pool.map(lambda one: one[0].run(one[1], seconds, goal), work))
        reasons: tuple[StopReason, ...] = ("stopped", "seconds", "memory", "simulations", "decided")
        return next(reason for reason in reasons if reason in stops)

    def _seen(self) -> CoreView:
        """The view to search: without what draws and passes showed, if that is to be ignored."""
        view = self._view.core()
        return without_voids(view) if self._params.forget else view

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

    def _solved(self, solved: Sequence[MoveValue], nodes: int, limits: Limits, seconds: float) -> Analysis:
        moves = tuple(_evaluate_exactly(self._view, rank, entry) for rank, entry in enumerate(solved, 1))
        return Analysis(
            action="play",
            moves=moves,
            root_value=moves[0].values,
            belief=_belief_table(CoreBelief(self._view.core())),
            source="exact",
            stop="exact",
            limits=limits,
            effort=Effort(0, nodes, 0, seconds),
            seed=self._seed,
            deterministic=True,
            engine_version=VERSION,
        )

    def _searched(self, stop: StopReason, limits: Limits, seconds: float) -> Analysis:
        rows = merge_roots(self._cores)
        cores = self._cores
        return Analysis(
            action="play",
            moves=_evaluations(self._view, cores, rows),
            root_value=_root_value(rows),
            belief=_belief_table(cores[0].belief),
            source="search",
            stop=stop,
            limits=limits,
            effort=Effort(
                sum(core.simulations for core in cores),
                sum(core.nodes for core in cores),
                sum(core.memory_bytes for core in cores),
                seconds,
            ),
            seed=self._seed,
            deterministic=stop in ("simulations", "memory", "decided"),
            engine_version=VERSION,
        )


def core_options(params: SearchParams, players: int, limits: Limits) -> dict[str, Any]:
    """The core search's keyword arguments for effective limits."""
    simulations = min(limits.simulations or math.inf, (limits.seconds or math.inf) * ASSUMED_SPEED)
    return {
        "exploration": params.exploration,
        "root_exploration": params.root_exploration,
        "epsilon": params.epsilon,
        "lead_value": round(params.lead_value),
        "target_value": round(params.target_value),
        "memory_bytes": limits.memory_bytes or DEFAULT_MEMORY_BYTES,
        "expected": limits.simulations or 0,
        "pool": params.pool_size(simulations),
        "policy": load_policy(players) if params.inference or params.follow else None,
        "temperatures": tuple(params.temperature * fitted for fitted in MODEL_TEMPERATURES[players]),
        "floor": params.floor,
        "follow": params.follow,
        "value": load_world_value(players) if params.uses_net_leaf(players) else None,
    }


def without_voids(view: CoreView) -> CoreView:
    """What the seat would know if draws and passes told nothing of the other hands."""
    return CoreView.snapshot(
        view.players,
        view.seat,
        view.layout.placements(),
        view.hand,
        view.sizes,
        view.talon_size,
        [0] * view.players,
        view.scores,
        view.forced,
    )


def analyze(
    view: View,
    limits: Limits | None = None,
    *,
    seed: int = 0,
    params: SearchParams | None = None,
    threads: int = 1,
) -> Analysis:
    """Evaluate every legal move of the seat to move.

    The same view, limits in simulations, seed, parameters and number of threads give the same answer.

    :raises SniffError: see :class:`Searcher`.
    """
    return Searcher(view, seed=seed, params=params, threads=threads).run(limits)


def recommend(
    view: View,
    limits: Limits | None = None,
    *,
    seed: int = 0,
    params: SearchParams | None = None,
    threads: int = 1,
) -> MoveEvaluation:
    """The move to make, with its evaluation.

    :raises ViewError: there is no move to make: the seat must draw or pass, or is not to move.
    :raises SniffError: see :class:`Searcher`.
    """
    best = analyze(view, limits, seed=seed, params=params, threads=threads).best
    if best is None:
        raise ViewError(f"no tile of the hand fits: seat {view.seat} must {view.must}", reason="NOT_TO_PLAY")
    return best


def distinct_moves(view: View) -> list[Move]:
    """The legal moves of the view's seat, those with equal futures once (the lowest attachment point)."""
    core = view.core()
    layout = core.layout
    return [
        Move.from_codes(tile, at) for tile, at in core.legal_moves() if at < 0 or layout.equal_points(tile, at)[0] == at
    ]


def _equal_points(view: View, move: Move) -> tuple[str, ...]:
    return tuple(str(point_name(at)) for at in view.core().layout.equal_points(*move.codes))


def merge_roots(cores: Sequence[CoreSearch]) -> list[RootMove]:
    """The root moves of several trees as if one tree had found them: visits add up, means and spreads are pooled."""
    if len(cores) == 1:
        return cores[0].root_moves()
    found: dict[tuple[int, int], list[RootMove]] = {}
    for core in cores:
        for row in core.root_moves():
            found.setdefault(row[:2], []).append(row)
    return sorted(map(_pooled, found.values()), key=lambda row: (-row[2], -row[7], row[0], row[1]))


def _pooled(rows: Sequence[RootMove]) -> RootMove:
    """One root move, as several trees found it."""
    visits = sum(row[2] for row in rows)
    teams = range(len(rows[0][4]))
    means = tuple(math.fsum(row[2] * row[4][team] for row in rows) / max(1, visits) for team in teams)
    spreads = tuple(_pooled_deviation(rows, team, means[team]) for team in teams)
    errors = tuple(math.hypot(*(row[2] * row[6][team] for row in rows)) / max(1, visits) for team in teams)
    utility = math.fsum(row[2] * row[7] for row in rows) / max(1, visits)
    return (rows[0][0], rows[0][1], visits, sum(row[3] for row in rows), means, spreads, errors, utility)


def _pooled_deviation(rows: Sequence[RootMove], team: int, mean: float) -> float:
    """Standard deviation of all simulations behind some rows, from the rows' own means and deviations."""
    visits = sum(row[2] for row in rows)
    within = math.fsum((row[2] - 1) * row[5][team] ** 2 for row in rows if row[2])
    between = math.fsum(row[2] * (row[4][team] - mean) ** 2 for row in rows)
    return math.sqrt((within + between) / max(1, visits - 1))


def _evaluations(view: View, cores: Sequence[CoreSearch], rows: Sequence[RootMove]) -> tuple[MoveEvaluation, ...]:
    best = rows[0][7]
    found = []
    for rank, (tile, at, visits, availability, means, deviations, errors, utility) in enumerate(rows, 1):
        values = _team_values(visits, means, deviations, errors)
        loss = max(0.0, best - utility) if visits else None
        line = _line(cores, tile, at) if visits else ()
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


def _team_values(
    visits: int, means: Sequence[float], deviations: Sequence[float], errors: Sequence[float]
) -> tuple[TeamValue, ...]:
    if not visits:
        return ()
    return tuple(
        TeamValue(team, mean, error, deviation)
        for team, (mean, deviation, error) in enumerate(zip(means, deviations, errors, strict=True))
    )


def _evaluate_exactly(view: View, rank: int, entry: MoveValue) -> MoveEvaluation:
    """A solved move; its line is best play of both seats to the end of the round, certain as nothing is hidden."""
    values = TeamValue(0, float(entry.margin), 0.0, 0.0), TeamValue(1, float(-entry.margin), 0.0, 0.0)
    line = tuple(LineStep(move, 0, False) for move in entry.line)
    return _evaluate(view, rank, entry.move, 0, 0, values, float(entry.loss), line)


def _root_value(rows: Sequence[RootMove]) -> tuple[TeamValue, ...]:
    """Mean and spread over all simulations, put together from those of the moves."""
    visits = sum(row[2] for row in rows)
    if not visits:
        return ()
    teams = range(len(rows[0][4]))
    means = [math.fsum(row[2] * row[4][team] for row in rows) / visits for team in teams]
    deviations = [_pooled_deviation(rows, team, means[team]) for team in teams]
    errors = [math.hypot(*(row[2] * row[6][team] for row in rows)) / visits for team in teams]
    return _team_values(visits, means, deviations, errors)


def _line(cores: Sequence[CoreSearch], tile: int, at: int) -> tuple[LineStep, ...]:
    """The way on in the tree that went furthest into it."""
    lines = [core.line(tile, at) for core in cores]
    longest = max(lines, key=lambda steps: steps[0][2] if steps else 0)
    return tuple(LineStep(Move.from_codes(*step[:2]), *step[2:]) for step in longest)


def _belief_table(belief: CoreBelief) -> BeliefTable:
    table = belief.table()
    table.setflags(write=False)
    return BeliefTable(table, belief.assignments)
