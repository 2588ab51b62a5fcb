"""One simulation in one known world: what a search makes of a move and a leaf, or of the end of a round."""

import math
from collections.abc import Sequence
from typing import Any

from sniffai import Round
from sniffai_ext.rows import RootMove
from sniffai_ext.search import Search
from sniffai_ext.search_options import SearchOptions


def one_simulation(round_: Round, move: tuple[int, int], **options: Any) -> RootMove:
    """What the one simulation of a move shows, all hands and the talon known."""
    core = round_.core()
    world = list(core.hands), list(core.talon)
    view = round_.view(round_.seat).core()
    search = Search(view, 1, SearchOptions(proofs=False, **options), root_moves=[move], world=world)
    assert search.run(1, math.inf) == "simulations"
    (row,) = search.root_moves()
    assert (row.tile, row.at, row.visits) == (*move, 1)
    return row


def named(round_: Round, move: tuple[int, int]) -> tuple[int, int]:
    """A move by the lowest of its equal attachment points."""
    tile, at = move
    return tile, at if at < 0 else round_.core().layout.equal_points(tile, at)[0]


def margins(gains: Sequence[float]) -> list[float]:
    """A team's gain less the mean of the others'."""
    return [gain - (sum(gains) - gain) / (len(gains) - 1) for gain in gains]
