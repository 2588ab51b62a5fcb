"""Measure the speed of the core on this machine. Speeds are medians over repeats on one processor."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Final

from sniffai.round import Round
from sniffai.rules import PLAYERS
from sniffai.search.nets import load_policy, load_world_value
from sniffai.search.params import Limits, SearchParams
from sniffai.search.searcher import analyze, search_options
from sniffai.seeds import derived_seed
from sniffai.view import View
from sniffai_ext.belief import Belief as CoreBelief
from sniffai_ext.rollout import rollouts, state_bytes
from sniffai_ext.search import Search as CoreSearch
from sniffai_ext.search_options import SearchOptions

REPEATS: Final = 5
SEARCH_SIMULATIONS: Final = 10_000
FEWEST_SIMULATIONS: Final = 1_000
"""Of a search where the scale asks for less than one whole search."""
POSITIONS: Final = 2_000
"""Different positions that the nets rate in turns: more than a processor could learn by heart."""


@dataclass(frozen=True, slots=True)
class Speed:
    """One measured speed."""

    name: str
    """What was measured."""
    players: int
    per_second: float
    """Median over the repeats, per second; or a ratio."""
    slowest: float
    fastest: float


def measure(scale: float = 1.0) -> Iterator[Speed]:
    """All speeds, one after the other; about 20 seconds at a scale of 1.

    :param scale: work of each repeat, relative to the default.
    """
    rollouts_only = SearchParams(net_leaf=False, inference=False, follow=0.0)
    works: dict[str, Callable[[int], Callable[[int], int]]] = {
        "random rollouts of a whole round": lambda players: _rollouts(players, 1.0, scale),
        "mostly greedy rollouts (epsilon 0.1)": lambda players: _rollouts(players, 0.1, scale),
        "simulations from a fresh deal, as shipped": lambda players: _simulations(players, scale, SearchParams()),
        "the same without nets, greedy rollouts": lambda players: _simulations(players, scale, rollouts_only),
        "decisions of the policy without search": lambda players: _decisions(players, scale),
        "replies of another seat, by the policy": lambda players: _replies(players, scale),
        "known worlds valued by the net": lambda players: _values(players, scale),
        "beliefs set up, at every decision of rounds": lambda players: _set_ups(players, scale),
        "belief samples, nothing excluded": lambda players: _samples(Round.deal(players, 1).view(0), scale),
        "belief samples after a draw": lambda players: _samples(_view_after_draw(players), scale),
    }
    for name, work in works.items():
        for players in PLAYERS:
            yield _speed(name, players, work(players))


def thread_ratio(scale: float = 1.0) -> Speed:
    """Simulations per second of two threads over those of one, with 2 seats, measured in turns."""
    view = Round.deal(2, 1, leader=0).view(0)
    count = max(2, int(400_000 * scale))
    ratios = []
    for repeat in range(REPEATS):
        alone, together = (_search_seconds(view, threads, threads * count, repeat) for threads in (1, 2))
        ratios.append(2 * alone / together)
    return Speed("simulations of two threads, over those of one", 2, median(ratios), min(ratios), max(ratios))


def equity_ratio(players: int, scale: float = 1.0) -> Speed:
    """Simulations per second with match equity at every end over those without, measured in turns."""
    limits = Limits(simulations=max(FEWEST_SIMULATIONS, int(SEARCH_SIMULATIONS * scale))).effective()
    with_equity = search_options(SearchParams(), players, limits)
    without = search_options(SearchParams(objective="round"), players, limits, with_equity=False)
    ratios = []
    for deal in range(REPEATS * 4):
        view = Round.deal(players, deal, leader=0).view(0)
        on, off = (_least_seconds(view, options, limits.most_simulations) for options in (with_equity, without))
        ratios.append(off / on)
    return Speed("simulations with match equity, over those without", players, median(ratios), min(ratios), max(ratios))


def packed_round_bytes() -> int:
    """The size of a round in the search, in bytes."""
    return state_bytes()


def _speed(name: str, players: int, work: Callable[[int], int]) -> Speed:
    """Repeat a piece of work that takes a seed and returns how many things it did."""
    work(0)
    speeds = []
    for repeat in range(REPEATS):
        started = time.perf_counter()
        done = work(repeat + 1)
        speeds.append(done / (time.perf_counter() - started))
    return Speed(name, players, median(speeds), min(speeds), max(speeds))


def _rollouts(players: int, epsilon: float, scale: float) -> Callable[[int], int]:
    count = max(1, int(200_000 * scale))

    def work(seed: int) -> int:
        rollouts(players, count, seed, epsilon)
        return count

    return work


def _simulations(players: int, scale: float, params: SearchParams) -> Callable[[int], int]:
    searches = max(1, int(20 * scale))
    simulations = max(FEWEST_SIMULATIONS, int(SEARCH_SIMULATIONS * min(1.0, 20 * scale)))
    limits = Limits(simulations=simulations).effective()

    def work(seed: int) -> int:
        for deal in range(searches):
            view = Round.deal(players, derived_seed(seed, deal), leader=0).view(0)
            search = CoreSearch(view.core(), deal, search_options(params, players, limits))
            search.run(simulations, math.inf)
        return searches * simulations

    return work


def _search_seconds(view: View, threads: int, simulations: int, seed: int) -> float:
    return analyze(view, Limits(simulations=simulations), seed=seed, threads=threads).effort.seconds


def _least_seconds(view: View, options: SearchOptions, simulations: int) -> float:
    """The shortest of three runs."""
    times = []
    for _ in range(3):
        started = time.perf_counter()
        CoreSearch(view.core(), 0, options).run(simulations, math.inf)
        times.append(time.perf_counter() - started)
    return min(times)


def _set_ups(players: int, scale: float) -> Callable[[int], int]:
    """Beliefs of the seat to move at every decision of some rounds."""
    views = []
    for seed in range(20):
        round_ = Round.deal(players, seed, leader=0)
        while not round_.over:
            views.append(round_.view(round_.seat).core())
            round_.play(round_.legal_moves()[0])
    times = max(1, int(100 * scale))

    def work(seed: int) -> int:
        for _ in range(times):
            for view in views:
                CoreBelief(view)
        return times * len(views)

    return work


def _decisions(players: int, scale: float) -> Callable[[int], int]:
    """Choices among at least two moves; the time includes playing the rounds."""
    policy = load_policy(players)
    rounds = max(1, int(10_000 * scale))

    def work(seed: int) -> int:
        return policy.play_rounds(rounds, seed)[0]

    return work


def _replies(players: int, scale: float) -> Callable[[int], int]:
    """Moves drawn as the other seats of a search do."""
    policy = load_policy(players)
    times = max(1, int(100 * scale))

    def work(seed: int) -> int:
        return policy.draw_replies(POSITIONS, times, seed)

    return work


def _values(players: int, scale: float) -> Callable[[int], int]:
    """Leaves of a search."""
    world_value = load_world_value(players)
    times = max(1, int(200 * scale))

    def work(seed: int) -> int:
        return world_value.judge_positions(POSITIONS, times, seed)[0]

    return work


def _samples(view: View, scale: float) -> Callable[[int], int]:
    belief = CoreBelief(view.core())
    count = max(1, int(200_000 * scale))

    def work(seed: int) -> int:
        belief.sample(count, seed)
        return count

    return work


def _view_after_draw(players: int) -> View:
    """A view in mid-round of a seat whose next neighbour has drawn and still hides tiles of that draw."""
    for seed in range(1000):
        round_ = Round.deal(players, seed, leader=0)
        while not round_.over:
            view = round_.view(round_.seat)
            if CoreBelief(view.core()).constrained and view.talon_size > 2:
                return view
            round_.play(round_.legal_moves()[0])
    raise AssertionError("no draw in a thousand rounds")
