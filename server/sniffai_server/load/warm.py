"""What makes the first call as quick as all others: tables and nets loaded before the server says that it serves."""

from typing import Final

from sniffai.round import Round
from sniffai.rules import TARGET
from sniffai.search.params import Limits
from sniffai.search.searcher import analyze

SIMULATIONS: Final = 64
"""How long each search is that only warms up; a few milliseconds."""


def warm_up() -> None:
    """Search a round of each table size a little."""
    for players in TARGET:
        analyze(Round.deal(players, seed=0, leader=0).view(0), Limits(simulations=SIMULATIONS))
