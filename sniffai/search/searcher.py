"""Analyse what one seat knows: information-set Monte Carlo tree search, with limits, a seed and a stop.

The search itself is :mod:`sniffai_ext.search`; this module runs it and makes the answer. The answer depends only on the
view, the seed, the limits, the parameters, the moves considered and the number of threads.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import lru_cache
from time import monotonic
from typing import Any, Final, TypeAlias, TypedDict, TypeVar, Unpack

from sniffai.checks import read_flag, shown
from sniffai.equity import load as load_equity
from sniffai.errors import LimitsError, ViewError
from sniffai.moves import Move
from sniffai.rules import team_of
from sniffai.search.analysis import Action, Analysis, BeliefTable, Effort, InferredBelief, MoveEvaluation, StopReason
from sniffai.search.candidates import Moves, considered_moves, distinct_moves
from sniffai.search.clock import CHOICE_SECONDS, SNAPSHOT_SECONDS, OnSnapshot, Run
from sniffai.search.endgame import solve_end
from sniffai.search.evaluation import searched, solved, unsearched
from sniffai.search.inferred import POLICY_MODEL, TOLD_MODEL, UNCHANGED, inferred_belief
from sniffai.search.nets import load_policy, load_world_value
from sniffai.search.opponents import Opponents, seat_models
from sniffai.search.params import (
    EVIDENCE_SLOPES,
    MAX_SIMULATIONS,
    MODEL_TEMPERATURES,
    TOLD_CHOICES,
    EffectiveLimits,
    Limits,
    SearchParams,
    check_threads,
)
from sniffai.search.roots import Root
from sniffai.search.solver import MoveValue
from sniffai.seeds import check_seed, tree_seed
from sniffai.version import VERSION
from sniffai.view import View
from sniffai_ext.belief import Belief as CoreBelief
from sniffai_ext.search import Search as CoreSearch
from sniffai_ext.search_options import SearchOptions
from sniffai_ext.seat_model import SeatModel
from sniffai_ext.stop import StopFlag
from sniffai_ext.turn import Turn
from sniffai_ext.worlds import Pool

S = TypeVar("S")
T = TypeVar("T")

__all__ = ["SearchSettings", "Searcher", "analyze", "distinct_moves", "recommend", "search_options"]

DECIDED_AT: Final = 0.99
"""A search with ``stop_when_decided`` ends when a move is the best with this probability. Chosen by judgement;
``python benchmarks/decided.py`` measures how often such moves are wrong (docs/search.md)."""

DEFAULT_PARAMS: Final = SearchParams()
"""Checked once, and not for every search."""

BRIEF_SIMULATIONS: Final = 64
"""A run of no more simulations is brief. The core looks whether it is stopped once in so many."""

_BY_COUNT: Final = ("simulations", "memory", "decided", "precise")
"""Reasons to stop that do not depend on a clock."""


World: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""All hands, a mask of tiles for each seat, and the talon's tiles in the order of drawing."""


class SearchSettings(TypedDict, total=False):
    """The keyword arguments of :class:`Searcher`, :func:`analyze` and all that are called likewise."""

    seed: int
    params: SearchParams | None
    threads: int
    include_moves: Moves
    exclude_moves: Moves
    opponents: Opponents
    inferred: bool


class Searcher:
    """One search of a view. It can be run several times, and stopped from any thread.

    Several threads may use it: a run waits for the present one to end, and :meth:`stop` never waits. If a signal
    handler raises, as Ctrl-C does, the run ends at once with that error; a later run continues with the same trees.

    :param view: the seat is to move.
    :param seed: 0..2**64-1.
    :param threads: 1..64; each thread grows its own tree, and the trees are pooled at the root (root parallelism).
    :param include_moves: the only moves to consider now, such as ``["4|5@4|6:HIGH"]``; all where not given. A move
        stands for all its equal attachment points.
    :param exclude_moves: moves not to consider now; not together with ``include_moves``.
    :param opponents: by seat, how it chooses, as far as that is known: then the seat does so throughout the tree, and
        its past choices are judged by it. The search's own model for all others.
    :param inferred: whether answers have the inferred belief, which takes 0.1 to 0.4 ms; nothing else depends on it.
    :raises ViewError: it is not the seat's turn, or the round is over.
    :raises MoveError: a move to include or exclude is not legal or named twice, or none is left.
    :raises LimitsError: the seed or the number of threads is out of range, or an opponent is none of the other seats.
    """

    def __init__(
        self,
        view: View,
        *,
        seed: int = 0,
        params: SearchParams | None = None,
        threads: int = 1,
        include_moves: Moves = None,
        exclude_moves: Moves = None,
        opponents: Opponents = None,
        inferred: bool = True,
    ) -> None:
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
        self._legal = distinct_moves(view)
        self._moves = considered_moves(view, self._legal, include_moves, exclude_moves)
        self._seed = check_seed(seed)
        self._params = params or DEFAULT_PARAMS
        self._threads = check_threads(threads)
        self._models = seat_models(opponents, view.players, view.seat)
        self._cores: list[CoreSearch] = []
        self._least = [0] * self._threads
        """By tree, the simulations before which it does not end by itself."""
        self._hurried = False
        self._infers = read_flag(inferred, "inferred")
        self._inferred: tuple[list[Pool], InferredBelief | None] = ([], None)
        """Of these pools, which do not change."""
        self._stop = StopFlag()
        self._turn = Turn("the searcher")

    def run(
        self,
        limits: Limits | None = None,
        *,
        end: float | None = None,
        on_snapshot: OnSnapshot | None = None,
        interval: float = SNAPSHOT_SECONDS,
        on_slice: Callable[[], None] | None = None,
    ) -> Analysis:
        """Search until a limit is hit or :meth:`stop` is called.

        A further run continues with the same trees: ``simulations`` counts those of all runs, ``seconds`` starts again,
        and ``memory_bytes`` stays as it was. A forced move, draw or pass is answered at once. A run waits for another
        run of the same searcher to end; inside one (in ``on_snapshot``, or in a signal handler) it is refused.

        :param end: when the run ends at the latest, in seconds of ``time.monotonic()``, with the stop reason
            ``"deadline"``. If that has passed, the run takes a millisecond.
        :param on_snapshot: called in this thread with the analysis so far, every ``interval`` seconds. It should be
            quick. Snapshots do not change the answer.
        :param interval: seconds between snapshots, above 0.
        :param on_slice: called in this thread about fifty times a second. It may block as long as it likes: the search
            rests meanwhile, and the limit of time does not count it. It changes nothing else in the answer.
        :raises LimitsError: ``limits`` is no :class:`Limits`, or ``end`` or ``interval`` is out of range.
        :raises BusyError: it is called from within a run.
        """
        limits = _read_limits(limits)
        with self._turn:
            return self._run(Run.of(limits, end, on_snapshot, interval, on_slice))

    def choose(self, limits: Limits | None = None) -> Move:
        """Search as :meth:`run` does, and return the best move only.

        No analysis is made. That spares 0.3 to 0.6 ms, in which a run with a limit of time searches on; with a limit
        of simulations it is the first move of the analysis.

        :raises LimitsError: ``limits`` is no :class:`Limits`.
        :raises ViewError: no tile of the hand fits.
        :raises BusyError: it is called from within a run.
        """
        limits = _read_limits(limits)
        if not self._legal:
            raise _not_to_play(self._view)
        with self._turn:
            return self._choose(Run.of(limits, None, None, SNAPSHOT_SECONDS, reserve=CHOICE_SECONDS))

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a searcher cannot be copied or pickled: make a new one with the same view and seed")

    @property
    def forced(self) -> bool:
        """Whether there is nothing to choose, so that :meth:`run` answers at once."""
        return len(self._legal) <= 1

    def is_brief(self, limits: EffectiveLimits) -> bool:
        """Whether a run takes a millisecond or so, and ends no earlier where it is stopped.

        :param limits: of that run.
        """
        solves = self._view.players == 2 and not self._view.talon_size
        return limits.most_simulations <= BRIEF_SIMULATIONS and self._threads == 1 and not (solves or self._models)

    def stop(self) -> None:
        """End the run within a millisecond, or at once when it starts. May be called from any thread."""
        self._stop.stop()

    @property
    def simulations(self) -> int:
        """Of all runs; 0 where nothing was searched."""
        return sum(core.simulations for core in self._cores)

    @property
    def memory_bytes(self) -> int:
        """Size of the trees, in bytes."""
        return sum(core.memory_bytes for core in self._cores)

    def free(self) -> None:
        """Free the trees, after the present run. A further run starts from scratch."""
        with self._turn:
            self._cores = []

    def _run(self, run: Run) -> Analysis:
        if self.forced:
            return self._forced(run)
        end = self._exact(run)
        if end is not None:
            return self._solved(*end, run)
        self._open(run)
        return self._searched(self._grow(run), run)

    def _choose(self, run: Run) -> Move:
        if self.forced:
            return self._moves[0]
        end = self._exact(run)
        if end is not None:
            return self._kept(end[0])[0].move
        self._open(run)
        self._grow(run)
        first = self._root().rows[0]
        return Move.from_codes(first.tile, first.at)

    def _kept(self, entries: Sequence[MoveValue]) -> list[MoveValue]:
        """Of solved moves, those that are considered."""
        kept = set(self._moves)
        return [entry for entry in entries if entry.move in kept]

    def _exact(self, run: Run) -> tuple[Sequence[MoveValue], int] | None:
        """As :meth:`_solve`, where exact values may answer."""
        # They are those of best replies: a seat that is known to choose otherwise makes others.
        solvable = self._params.exact and not self._models and not self._cores
        return self._solve(run) if solvable else None

    def _solve(self, run: Run) -> tuple[Sequence[MoveValue], int] | None:
        """Every distinct legal move with its exact value, and the placements tried; ``None`` if it must be searched.

        It takes only a share of the run's time.
        """
        end = solve_end(self._view, self._params, self._stop, lambda: run.solver_seconds)
        if end is None or end.moves is None:
            self._hurried |= end is not None and end.late
            return None
        return end.moves, end.nodes

    def _open(self, run: Run) -> None:
        """Make the trees, each with its own seed and its share of the memory."""
        if not self._cores:
            options = self._options(run.shortened())
            self._hurried |= run.by_end and options.pool_size != self._options(run.limits).pool_size
            self._cores = [self._core(tree_seed(self._seed, tree), options) for tree in range(self._threads)]

    def _options(self, limits: EffectiveLimits) -> SearchOptions:
        """The options of each tree."""
        return search_options(self._params, self._view.players, limits.share(self._threads), models=self._models)

    def _core(self, seed: int, options: SearchOptions) -> CoreSearch:
        view = self._view.without_voids() if self._params.forget else self._view
        moves = [move.codes for move in self._moves] if len(self._moves) < len(self._legal) else None
        return CoreSearch(view.core(), seed, options, root_moves=moves, world=self._world(), stop=self._stop)

    def _world(self) -> World | None:
        """Where every tile lies; ``None`` where that is hidden."""
        return None

    def _grow(self, run: Run) -> StopReason:
        """Grow all trees until the run ends, with snapshots; returns the stop reason.

        The trees do not depend on where the slices of the run end.
        """
        while True:
            stop = self._advance(run, run.slice)
            if stop != "time" or run.left <= 0:
                return "deadline" if stop == "time" and run.by_end else stop
            run.pause()
            if run.snapshot_due:
                run.hand_over(self._searched("running", run))

    def _advance(self, run: Run, seconds: float) -> StopReason:
        """Run all trees side by side for some time; returns the stop reason.

        A tree stops when it knows enough, as far as it can judge for all trees. If the pooled trees then do not know
        enough, all go on for a while, whatever each of them knows.
        """
        limits, end = run.limits, monotonic() + seconds
        total = limits.most_simulations
        shares = [total // self._threads + (k < total % self._threads) for k in range(self._threads)]
        while True:
            stop = self._run_trees(run, shares, end)
            if stop not in ("decided", "precise") or self._threads == 1:
                return stop
            if enough := self._enough(limits):
                return enough
            if all(core.simulations >= share for core, share in zip(self._cores, shares, strict=True)):
                return "simulations"
            # An eighth more, and at least one check of the clock (64 simulations) more. Chosen by judgement.
            self._least = [core.simulations + max(64, core.simulations // 8) for core in self._cores]

    def _run_trees(self, run: Run, shares: Sequence[int], end: float) -> StopReason:
        """Run every tree until it stops; returns the reason of the first that could not go on, else of the last."""
        goal = DECIDED_AT if run.limits.stop_when_decided else 0.0
        precision = run.limits.target_standard_error or 0.0
        parts = zip(self._cores, shares, self._least, strict=True)
        work = [part for part in parts if part[1]]  # with fewer simulations than threads, some trees have none

        def grow(part: tuple[CoreSearch, int, int]) -> str:
            core, share, least = part
            left = end - monotonic()  # read here: a thread may start late
            if left <= 0 and core is not self._cores[0]:
                return "time"
            return core.run(share, left, goal, precision, self._threads, least, run.pool_seconds)

        stops = self._side_by_side(grow, work)
        reasons: tuple[StopReason, ...] = ("stopped", "time", "memory", "decided", "precise", "simulations")
        return next(reason for reason in reasons if reason in stops)

    def _enough(self, limits: Limits) -> StopReason | None:
        """Why the pooled trees end the search; ``None`` if they do not."""
        root = self._root()
        if limits.stop_when_decided and root.decided(DECIDED_AT):
            return "decided"
        if limits.target_standard_error is not None and root.precise(limits.target_standard_error):
            return "precise"
        return None

    def _side_by_side(self, work: Callable[[S], T], parts: Sequence[S]) -> list[T]:
        """Do the first part of some work in this thread, and every other part in a thread of its own.

        The core releases the interpreter's lock. If this thread only waited, there would be one thread more, and the
        system would now and then start two of them on the same processor.
        """
        if len(parts) == 1:
            return [work(parts[0])]
        others: list[Future[T]] = []
        self._stop.resume()
        try:
            with ThreadPoolExecutor(len(parts) - 1) as threads:
                try:
                    others.extend(threads.submit(work, part) for part in parts[1:])
                    return [work(parts[0]), *(other.result() for other in others)]
                except BaseException:
                    self._stop.call_off()
                    _outlast(others)
                    raise
        finally:
            self._stop.resume()

    def _root(self) -> Root:
        """The statistics of all trees, pooled."""
        return Root.of(self._cores, team_of(self._view.players, self._view.seat))

    def _belief(self) -> BeliefTable:
        """Where the hidden tiles may be."""
        return _belief_table(self._cores[0].belief if self._cores else CoreBelief.of(self._view.core()))

    @property
    def _pools(self) -> list[Pool]:
        """The pools of the trees that have one."""
        return [core.pool for core in self._cores if core.pool is not None]

    def _worlds(self) -> tuple[int, float] | None:
        """Weighted worlds in use and their effective number; ``None`` if every simulation draws a fresh world."""
        pools = self._pools
        if not pools:
            return None
        if pools[0].complete:
            return pools[0].size, pools[0].effective
        return sum(pool.size for pool in pools), math.fsum(pool.effective for pool in pools)

    def _inferred_belief(self, belief: BeliefTable) -> InferredBelief | None:
        """What the weighted worlds say about the hidden tiles, if that is asked for; computed once.

        :param belief: the exact one.
        """
        pools = self._pools if self._infers else []
        if self._inferred[0] != pools:
            model = TOLD_MODEL if any(self._models) else POLICY_MODEL
            slopes = UNCHANGED if any(self._models) else EVIDENCE_SLOPES[self._view.players]
            self._inferred = pools, inferred_belief(pools, belief.table, slopes, model)
        return self._inferred[1]

    def _forced(self, run: Run) -> Analysis:
        action: Action = "play" if self._legal else ("draw" if self._view.must == "draw" else "pass")
        return Analysis(
            action=action,
            moves=unsearched(self._view, self._moves),
            root_values=(),
            belief=self._belief(),
            source="forced",
            stop_reason="forced",
            effective_limits=run.limits,
            effort=Effort(0, 0, 0, 0.0),
            seed=self._seed,
            deterministic=True,
            engine_version=VERSION,
        )

    def _solved(self, entries: Sequence[MoveValue], nodes: int, run: Run) -> Analysis:
        moves = solved(self._view, self._kept(entries))
        return Analysis(
            action="play",
            moves=moves,
            root_values=moves[0].values,
            belief=self._belief(),
            source="exact",
            stop_reason="exact",
            effective_limits=run.limits,
            effort=Effort(0, nodes, 0, run.spent),
            seed=self._seed,
            deterministic=True,
            engine_version=VERSION,
            omitted_move_count=len(self._legal) - len(moves),
        )

    def _searched(self, stop: StopReason, run: Run) -> Analysis:
        cores = self._cores
        root = self._root()
        worlds, effective = self._worlds() or (None, None)
        belief = self._belief()
        return Analysis(
            action="play",
            moves=searched(self._view, cores, root, hidden=self._hidden),
            root_values=root.value(),
            belief=belief,
            source="search",
            stop_reason=stop,
            effective_limits=run.limits,
            effort=Effort(
                self.simulations,
                sum(core.nodes for core in cores),
                sum(core.memory_bytes for core in cores),
                run.spent,
            ),
            seed=self._seed,
            deterministic=stop in _BY_COUNT and not self._hurried and not any(pool.hurried for pool in self._pools),
            engine_version=VERSION,
            worlds_used=worlds,
            effective_sample_size=effective,
            inferred_belief=self._inferred_belief(belief),
            omitted_move_count=len(self._legal) - len(self._moves),
            final=stop != "running",
        )

    _hidden = True
    """Whether there are tiles that the seat does not know."""


def search_options(
    params: SearchParams,
    players: int,
    limits: EffectiveLimits,
    *,
    with_equity: bool = True,
    models: tuple[SeatModel | None, ...] = (),
) -> SearchOptions:
    """The core's options for one tree.

    :param limits: of that tree.
    :param with_equity: whether chances to win the match are reported; needed where they are what counts.
    :param models: by seat, how it chooses where that is known.
    """
    simulations = limits.likely_simulations
    expected, pool_size = int(min(simulations, MAX_SIMULATIONS)), params.pool_size(simulations)
    wanted = (params, players, limits.memory_bytes, expected, pool_size, with_equity)
    return _new_options(*wanted, models) if models else _kept_options(*wanted)


def _new_options(
    params: SearchParams,
    players: int,
    memory_bytes: int,
    expected: int,
    pool_size: int,
    with_equity: bool,
    models: tuple[SeatModel | None, ...] = (),
) -> SearchOptions:
    return SearchOptions(
        params,
        equity=load_equity(players).core if with_equity else None,
        match=params.objective == "match",
        memory_bytes=memory_bytes,
        expected=expected,
        pool_size=pool_size,
        extra_size=params.extra_size(pool_size),
        policy=load_policy(players) if params.inference or params.follow or models else None,
        temperatures=tuple(params.temperature * fitted for fitted in MODEL_TEMPERATURES[players]),
        value=load_world_value(players) if params.net_leaf else None,
        models=models,
        told=TOLD_CHOICES[players],
    )


_kept_options = lru_cache(maxsize=64)(_new_options)
"""Options never change, and most searches of a server ask for the same few."""


def analyze(view: View, limits: Limits | None = None, **settings: Unpack[SearchSettings]) -> Analysis:
    """Evaluate all legal moves of the seat to move, or only those that are included or not excluded.

    The same view, limits in simulations, seed, parameters and number of threads give the same answer.

    :param settings: as for :class:`Searcher`.
    :raises SniffError: see :class:`Searcher`.
    """
    return Searcher(view, **settings).run(limits)


def recommend(view: View, limits: Limits | None = None, **settings: Unpack[SearchSettings]) -> MoveEvaluation:
    """The move to make, with its evaluation; parameters as :func:`analyze`.

    :raises ViewError: there is no move to make: the seat must draw or pass, or is not to move.
    :raises SniffError: see :class:`Searcher`.
    """
    best = analyze(view, limits, **settings).best
    if best is None:
        raise _not_to_play(view)
    return best


def _not_to_play(view: View) -> ViewError:
    return ViewError(f"no tile of the hand fits: seat {view.seat} must {view.must}", reason="NOT_TO_PLAY")


def _read_limits(limits: Limits | None) -> EffectiveLimits:
    if limits is not None and not isinstance(limits, Limits):
        raise LimitsError(f"Limits are expected, not {shown(limits)}", reason="NOT_LIMITS", field="limits")
    return (limits or Limits()).effective()


def _outlast(work: Sequence[Future[T]]) -> None:
    """Wait for cancelled work to end, even if Ctrl-C comes again: it would be no faster."""
    while True:
        try:
            wait(work)
            return
        except BaseException:
            continue


def _belief_table(belief: CoreBelief) -> BeliefTable:
    table = belief.table()
    table.setflags(write=False)
    return BeliefTable(table, belief.assignments)
