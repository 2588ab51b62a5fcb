from collections.abc import Iterable
from typing import Literal, TypeAlias

from sniffai_ext.equity import Equity
from sniffai_ext.policy import Policy
from sniffai_ext.view import View

Kind: TypeAlias = Literal["careless", "policy", "hasty", "own"]

KINDS: tuple[Kind, ...]

class SeatModel:
    def __init__(
        self, parts: Iterable[tuple[Kind, float, float]], policy: Policy | None = None, equity: Equity | None = None
    ) -> None: ...
    @property
    def parts(self) -> tuple[tuple[Kind, float, float], ...]: ...
    @property
    def policy(self) -> Policy | None: ...
    @property
    def equity(self) -> Equity | None: ...
    def chances(self, view: View) -> list[tuple[int, int, float]]: ...
    def choose(self, view: View, seed: int) -> tuple[int, int]: ...
