"""Loads code, tables and nets before the server reports SERVING, so that the first call is as fast as later ones."""

from typing import Final

from sniffai import review, wire
from sniffai.lazy import load_names
from sniffai.round import Round
from sniffai.rules import TARGET
from sniffai.search.params import Limits
from sniffai.search.searcher import analyze

SIMULATIONS: Final = 64
"""Simulations of each warm-up search, which takes a few milliseconds."""


def warm_up() -> None:
    """Import what calls use, and run a short search for each number of seats."""
    for package in (wire, review):
        load_names(package)
    for players in TARGET:
        analyze(Round.deal(players, seed=0, leader=0).view(0), Limits(simulations=SIMULATIONS))
