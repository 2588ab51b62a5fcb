from collections.abc import Mapping, Sequence
from typing import Literal

from sniffai_ext.belief import Belief
from sniffai_ext.rows import LineMove, RootMove
from sniffai_ext.search_options import SearchOptions
from sniffai_ext.stop import StopFlag
from sniffai_ext.view import View
from sniffai_ext.worlds import Pool

STOP_REASONS: tuple[str, ...]

class Search:
    def __init__(
        self,
        view: View,
        seed: int,
        options: SearchOptions | None = None,
        *,
        root_moves: Sequence[tuple[int, int]] | None = None,
        world: tuple[Sequence[int], Sequence[int]] | None = None,
        pool: Pool | None = None,
        replies: Mapping[tuple[int, int], Sequence[tuple[int, int] | None]] | None = None,
        stop: StopFlag | None = None,
    ) -> None: ...
    @property
    def view(self) -> View: ...
    @property
    def belief(self) -> Belief: ...
    @property
    def options(self) -> SearchOptions: ...
    @property
    def pool(self) -> Pool | None: ...
    @property
    def simulations(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...
    @property
    def judging_team(self) -> int | None: ...
    def run(
        self,
        simulations: int,
        seconds: float,
        goal: float = 0.0,
        precision: float = 0.0,
        trees: int = 1,
        least: int = 0,
        pool_seconds: float = ...,
    ) -> Literal["simulations", "seconds", "memory", "stopped", "decided", "precise"]: ...
    def stop(self) -> None: ...
    def root_moves(self) -> list[RootMove]: ...
    def outcome_count(self, tile: int, at: int) -> int: ...
    def line(self, tile: int, at: int, least: int = 2) -> list[LineMove]: ...
