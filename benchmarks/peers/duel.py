"""Two engines in the arena of the library: paired deals or matches, every one again with the seats swapped. 2 seats."""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any

from benchmarks.peers.engines import ENGINES
from benchmarks.peers.players import Engine
from sniffai import Limits, Move, View
from sniffai.play.arena import play_pairing
from sniffai.play.arena_result import ArenaResult, ArenaSpec, Cost, Pairing


@dataclass(frozen=True, slots=True)
class Duel:
    """Who plays whom, on what, how often."""

    peer: str
    """The first player, an engine by name."""
    limits: Limits
    """Of every decision, for both."""
    pairings: int
    whole_matches: bool
    engine: str = "sniffai"
    """The second player; results are from its side."""
    seed: int = 0

    def scaled(self, scale: float, seed: int) -> "Duel":
        """The same with more or fewer pairings, at least 2, and another seed."""
        return replace(self, pairings=max(2, round(scale * self.pairings)), seed=seed)

    @property
    def spec(self) -> ArenaSpec:
        """What the arena wants to know. It is handed the players, so the names in it mean nothing."""
        return ArenaSpec("search", "search", 2, self.pairings, self.whole_matches, self.seed, self.limits)


class Contestant:
    """An engine as a player of the arena, and what its searches have cost so far; other decisions cost nothing."""

    def __init__(self, engine: Engine, limits: Limits) -> None:
        self._engine = engine
        self._limits = limits
        self.cost = Cost()

    def choose(self, view: View, seed: int) -> Move:
        """See :meth:`sniffai.play.players.Player.choose`."""
        started = time.perf_counter()
        move, simulations = self._engine.search(view, self._limits, seed)
        if simulations:
            self.cost += Cost(1, time.perf_counter() - started, simulations)
        return move


def fight(duel: Duel, workers: int = 1, progress: Callable[[int], None] | None = None) -> ArenaResult:
    """Play a duel.

    :param workers: processes. Where the clock ends the searches, each needs a core of its own.
    :param progress: called with 1 after every pairing.
    """
    pairings: list[Pairing] = []
    peer, engine = Cost(), Cost()
    for pairing, peer_cost, engine_cost in _results([(duel, number) for number in range(duel.pairings)], workers):
        pairings.append(pairing)
        peer, engine = peer + peer_cost, engine + engine_cost
        if progress is not None:
            progress(1)
    return ArenaResult(duel.spec, tuple(pairings), (peer, engine))


def to_dict(duel: Duel, result: ArenaResult) -> dict[str, Any]:
    """Plain values, for JSON."""
    return {**result.to_dict(), "a": duel.peer, "b": duel.engine}


Job = tuple[Duel, int]


def _results(jobs: Sequence[Job], workers: int) -> Iterable[tuple[Pairing, Cost, Cost]]:
    if workers == 1:
        yield from map(_play, jobs)
        return
    with ProcessPoolExecutor(workers, get_context("spawn")) as executor:
        yield from executor.map(_play, jobs)


def _play(job: Job) -> tuple[Pairing, Cost, Cost]:
    duel, number = job
    peer, engine = (Contestant(ENGINES[name](), duel.limits) for name in (duel.peer, duel.engine))
    return play_pairing(duel.spec, peer, engine, number), peer.cost, engine.cost
