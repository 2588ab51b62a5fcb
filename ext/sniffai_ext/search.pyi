from collections.abc import Iterable, Sequence
from typing import Literal

from sniffai_ext.belief import Belief
from sniffai_ext.equity import Equity
from sniffai_ext.policy import Policy
from sniffai_ext.stop import StopFlag
from sniffai_ext.view import View
from sniffai_ext.world_value import WorldValue
from sniffai_ext.worlds import Pool

STATED_DRIFTS: float
RANK_CAUTION: float
CLOSE_CHANCES: float
DECISION_DOUBT: float
STOP_REASONS: tuple[str, ...]

RootMove = tuple[
    int,
    int,
    int,
    int,
    tuple[float, ...],
    tuple[float, ...],
    tuple[float, ...],
    float,
    float,
    tuple[float, ...],
    tuple[float, ...],
    tuple[float, ...],
    float,
    tuple[float, ...],
    bool,
]

def ranked(rows: Iterable[RootMove], team: int = -1) -> list[RootMove]: ...
def told_apart(gap: float, error: float) -> bool: ...

class Search:
    def __init__(
        self,
        view: View,
        seed: int,
        *,
        exploration: float = 40.0,
        root_exploration: float = 80.0,
        by_spread: float = 1.0,
        root_share: float = 0.5,
        revisit: float = 0.1,
        common_worlds: bool = True,
        epsilon: float = 0.1,
        equity: Equity | None = None,
        match: bool = False,
        memory_bytes: int = ...,
        expected: int = 0,
        pool: int = 0,
        extra_worlds: int = 0,
        policy: Policy | None = None,
        temperatures: tuple[float, float, float] = ...,
        floor: float = 0.05,
        follow: float = 0.0,
        value: WorldValue | None = None,
        root_moves: Sequence[tuple[int, int]] | None = None,
        world: tuple[Sequence[int], Sequence[int]] | None = None,
        proofs: bool = True,
        stop: StopFlag | None = None,
    ) -> None: ...
    @property
    def view(self) -> View: ...
    @property
    def belief(self) -> Belief: ...
    @property
    def pool(self) -> Pool | None: ...
    @property
    def simulations(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...
    @property
    def judging_team(self) -> int: ...
    def run(
        self,
        simulations: int,
        seconds: float,
        goal: float = 0.0,
        precision: float = 0.0,
        trees: int = 1,
        least: int = 0,
        pool_seconds: float = ...,
    ) -> Literal["simulations", "time", "memory", "stopped", "decided", "precise"]: ...
    def stop(self) -> None: ...
    def root_moves(self) -> list[RootMove]: ...
    def line(self, tile: int, at: int, least: int = 2) -> list[tuple[int, int, int, bool]]: ...
