"""Contests whose figures are kept in a file, and grow: what was played is not played again after a stop or a kill."""

import json
import math
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from sniffai.jobs.processes import Processes
from sniffai.play.adjusted import AdjustedMean
from sniffai.play.arena import Played, play_numbered
from sniffai.play.arena_result import ArenaSpec, Cost, take_in
from sniffai.play.statistics import Estimate
from sniffai.search.signature import signature

CHUNK_SECONDS: Final = 20.0
"""About how long a contest is played before its figures are written, and another has its turn."""

FIRST_CHUNK: Final = 4
"""Pairings of the first chunk, which shows how long they take."""


@dataclass(frozen=True)
class Contest:
    """Two players on paired deals, for the points of a round."""

    a: str
    b: str
    players: int
    seed: int = 1

    @property
    def key(self) -> str:
        """Its name in the file."""
        return f"{self.players} seats, seed {self.seed}: {self.b} over {self.a}"

    @property
    def spec(self) -> ArenaSpec:
        """The same for the arena; how many pairings are played, is decided elsewhere."""
        return ArenaSpec(self.a, self.b, self.players, seed=self.seed)


@dataclass
class Figures:
    """What a contest has given so far."""

    engine: int
    """The bench signature of the engine that played."""
    mean: AdjustedMean = field(default_factory=AdjustedMean)
    """B's margin, in points a round."""
    costs: tuple[Cost, Cost] = (Cost(), Cost())
    """Of A and of B."""
    seconds: float = 0.0
    """What it took: wall-clock time, all workers together."""

    def take(self, played: Played) -> None:
        """Add a pairing."""
        pairing, a, b = played
        take_in(self.mean, pairing, "points")
        self.costs = (self.costs[0] + a, self.costs[1] + b)

    @property
    def pairings(self) -> int:
        """Pairings so far."""
        return self.mean.groups

    @property
    def points(self) -> Estimate:
        """B's margin a round, less luck, in points."""
        return self.mean.estimate

    @property
    def milliseconds(self) -> float:
        """What a decision of B took, on average."""
        return 1000 * self.costs[1].mean_seconds

    @property
    def processor_milliseconds(self) -> tuple[float, float]:
        """What a decision of A and of B took of the processor, on average."""
        a, b = (1000 * cost.processor_seconds / max(1, cost.decisions) for cost in self.costs)
        return a, b

    @property
    def processor_share(self) -> float:
        """How much of the decisions' time the processor worked on them: 1 on a machine with nothing else to do."""
        wall = sum(cost.seconds for cost in self.costs)
        return sum(cost.processor_seconds for cost in self.costs) / wall if wall else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, value: dict[str, Any]) -> "Figures":
        """Read :meth:`to_dict` back."""
        a, b = (Cost(**cost) for cost in value["costs"])
        return cls(value["engine"], AdjustedMean(**value["mean"]), (a, b), value["seconds"])


class Store:
    """A file of figures. It is written anew after each chunk, so that a kill loses no more than that.

    :param path: it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        by_key = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self._figures = {key: Figures.from_dict(value) for key, value in by_key.items()}

    def figures(self, contest: Contest) -> Figures | None:
        """What is known of a contest; ``None`` if it was never played."""
        return self._figures.get(contest.key)

    def forget(self, contests: Iterable[Contest]) -> None:
        """Drop the figures of some contests."""
        for contest in contests:
            self._figures.pop(contest.key, None)

    def strangers(self, contests: Iterable[Contest], engine: int) -> list[Contest]:
        """Those that another engine has played."""
        known = ((contest, self.figures(contest)) for contest in contests)
        return [contest for contest, figures in known if figures is not None and figures.engine != engine]

    def keep(self, contest: Contest, figures: Figures) -> None:
        """Write the figures of a contest."""
        self._figures[contest.key] = figures
        by_key = {key: self._figures[key].to_dict() for key in sorted(self._figures)}
        beside = self._path.with_suffix(".tmp")
        beside.write_text(json.dumps(by_key, indent=1) + "\n", encoding="utf-8")
        os.replace(beside, self._path)


@dataclass(frozen=True)
class Goal:
    """When a contest is measured well enough."""

    pairings: int = 2500
    """At least so many."""
    error: float = 0.2
    """And a standard error of at most so many points."""

    def reached(self, figures: Figures | None) -> bool:
        """Whether it is."""
        return figures is not None and figures.pairings >= self.pairings and figures.points.standard_error <= self.error


def measure(
    store: Store, contests: Sequence[Contest], goal: Goal, seconds: float, workers: int
) -> Iterator[tuple[Contest, Figures]]:
    """Play the contests until each has reached the goal, or the time is up. Yields each after each chunk.

    The time is shared out so that all squared errors together become the smallest: a contest gets pairings in inverse
    proportion to the root of what one costs. Which pairings count does not depend on their results.

    :param seconds: of wall-clock time, for all of them together.
    """
    engine, end = signature(), time.monotonic() + seconds
    with Processes(workers) as processes:
        while time.monotonic() < end:
            open_ = [contest for contest in contests if not goal.reached(store.figures(contest))]
            if not open_:
                return
            contest = min(open_, key=lambda candidate: _turn(store.figures(candidate)))
            earlier = store.figures(contest)
            figures = Figures(engine) if earlier is None else replace(earlier, mean=replace(earlier.mean))
            started = time.monotonic()
            for played in processes.in_order(_play, _jobs(contest, figures, workers, end - started)):
                figures.take(played)
            figures.seconds += workers * (time.monotonic() - started)
            store.keep(contest, figures)
            yield contest, figures


def _turn(figures: Figures | None) -> tuple[int, float]:
    """The contest with the smallest comes next."""
    if figures is None:
        return 0, 0.0
    return 1, figures.pairings * math.sqrt(figures.seconds / figures.pairings)


def _jobs(contest: Contest, figures: Figures, workers: int, left: float) -> list[tuple[ArenaSpec, int]]:
    """The pairings of one chunk, by number."""
    count = FIRST_CHUNK
    if figures.pairings:
        each = figures.seconds / figures.pairings / workers
        count = max(1, int(min(CHUNK_SECONDS, left) / each))
    return [(contest.spec, number) for number in range(figures.pairings, figures.pairings + count)]


def _play(job: tuple[ArenaSpec, int]) -> Played:
    return play_numbered(*job)
