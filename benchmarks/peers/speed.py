"""Simulations a second side by side: every engine on the same positions, in one process, in turns. 2 seats."""

import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from benchmarks.peers.engines import ENGINES
from benchmarks.peers.players import Engine
from benchmarks.peers.worlds import action_of
from sniffai import Limits, Round, View
from sniffai.play.players import GreedyPlayer
from sniffai.seeds import derived_seed

FRESH: Final = "fresh deal"
MIDDLE: Final = "mid-round"
MIDDLE_PLACEMENTS: Final = range(6, 11)
"""Placements before a mid-round decision."""


@dataclass(frozen=True, slots=True)
class Speed:
    """One engine on one kind of position within one kind of limits."""

    engine: str
    positions: str
    limit: str
    """What each search may spend, in words."""
    per_second: float
    """Simulations a second of processor time, over all positions; all overhead of a decision included."""
    ratio: float
    """Median over the positions of sniffai's speed by this engine's, on the same position, one after the other."""
    least_ratio: float
    most_ratio: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def measure(
    engines: Sequence[str], limits: Limits, positions: int, progress: Callable[[int], None] | None = None
) -> list[Speed]:
    """Every engine on fresh deals and mid-round decisions; sniffai must be among them.

    :param limits: of each search.
    :param positions: of each kind.
    :param progress: called with 1 after every position.
    """
    stay_on_one_core()
    speeds = []
    for kind, views in ((FRESH, fresh_views()), (MIDDLE, middle_views())):
        table: list[dict[str, tuple[int, float]]] = []
        for number in range(positions):
            view = next(views)
            table.append({name: _search(ENGINES[name](), view, limits, number) for name in engines})
            if progress is not None:
                progress(1)
        speeds += [_speed(name, kind, limits, table) for name in engines]
    return speeds


def fresh_views() -> Iterator[View]:
    """Random leaders of deals."""
    for seed in range(10**6):
        yield Round.deal(2, derived_seed(seed, 2), leader=seed % 2).view(seed % 2)


def middle_views() -> Iterator[View]:
    """Decisions with a real choice and a talon to draw from, after some placements of greedy players."""
    for seed in range(10**6):
        round_ = Round.deal(2, derived_seed(seed, 3), leader=seed % 2)
        placements = MIDDLE_PLACEMENTS[seed % len(MIDDLE_PLACEMENTS)]
        while not round_.over and len(round_.moves) < placements:
            round_.play(GreedyPlayer().choose(round_.view(round_.seat), derived_seed(seed, len(round_.moves))))
        if round_.talon and len({action_of(move) for move in round_.legal_moves()}) > 1:
            yield round_.view(round_.seat)


def stay_on_one_core() -> None:
    """Keep this process on one of its cores, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def _search(engine: Engine, view: View, limits: Limits, seed: int) -> tuple[int, float]:
    """Simulations and seconds of one search. Processor time: what else the machine does matters little."""
    gc.collect()  # or another engine's tree is cleared away on this one's account
    started = time.process_time()
    simulations = engine.search(view, limits, seed).simulations
    return simulations, time.process_time() - started


def _speed(name: str, kind: str, limits: Limits, table: Sequence[dict[str, tuple[int, float]]]) -> Speed:
    simulations, seconds = (sum(row[name][part] for row in table) for part in (0, 1))
    own, other = ([row[each][0] / row[each][1] for row in table] for each in ("sniffai", name))
    ratios = [a / b for a, b in zip(own, other, strict=True)]
    limit = f"{limits.simulations:,} simulations" if limits.seconds is None else f"{1000 * limits.seconds:.0f} ms"
    return Speed(name, kind, limit, simulations / seconds, median(ratios), min(ratios), max(ratios))
