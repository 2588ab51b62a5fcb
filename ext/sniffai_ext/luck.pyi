from sniffai_ext.equity import Equity
from sniffai_ext.policy import Policy
from sniffai_ext.round import Round
from sniffai_ext.world_value import WorldValue

def draw_luck(
    round_: Round,
    policy: Policy,
    value: WorldValue,
    equity: Equity | None = None,
    seed: int = 0,
    count: int = 8,
    depth: int = 6,
) -> tuple[tuple[float, ...], tuple[float, ...]]: ...
def prospects(
    round_: Round,
    policy: Policy,
    value: WorldValue,
    equity: Equity | None = None,
    seed: int = 0,
    count: int = 8,
    depth: int = 6,
) -> list[tuple[int, int, tuple[float, ...], tuple[float, ...]]]: ...
