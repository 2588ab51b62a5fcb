from collections.abc import Sequence

from sniffai_ext.equity import Equity
from sniffai_ext.policy import Policy
from sniffai_ext.seat_model import SeatModel
from sniffai_ext.tree_params import TreeParams
from sniffai_ext.world_value import WorldValue

class SearchOptions:
    def __init__(
        self,
        params: TreeParams = ...,
        equity: Equity | None = None,
        match: bool = False,
        memory_bytes: int = ...,
        expected: int = 0,
        pool_size: int = 0,
        extra_size: int = 0,
        policy: Policy | None = None,
        temperatures: tuple[float, ...] = ...,
        value: WorldValue | None = None,
        proofs: bool = True,
        most_visits: int = ...,
        models: Sequence[SeatModel | None] = (),
        told: Sequence[float] | None = None,
    ) -> None: ...
    @property
    def params(self) -> TreeParams: ...
    @property
    def equity(self) -> Equity | None: ...
    @property
    def match(self) -> bool: ...
    @property
    def common_worlds(self) -> bool: ...
    @property
    def memory_bytes(self) -> int: ...
    @property
    def expected(self) -> int: ...
    @property
    def pool_size(self) -> int: ...
    @property
    def extra_size(self) -> int: ...
    @property
    def policy(self) -> Policy | None: ...
    @property
    def temperatures(self) -> tuple[float, ...]: ...
    @property
    def told(self) -> tuple[float, float, float] | None: ...
    @property
    def value(self) -> WorldValue | None: ...
    @property
    def proofs(self) -> bool: ...
    @property
    def most_visits(self) -> int: ...
    @property
    def models(self) -> tuple[SeatModel | None, ...]: ...
