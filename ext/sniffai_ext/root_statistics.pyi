from collections.abc import Iterable

from sniffai_ext.rows import RootMove

FEW_VISITS: int
MATCH_POINTS: int
STATED_DRIFTS: float
RANK_CAUTION: float
CLOSE_CHANCES: float
DECISION_DOUBT: float

def ranked(rows: Iterable[RootMove], team: int | None = None) -> list[RootMove]: ...
def told_apart(gap: float, error: float) -> bool: ...
