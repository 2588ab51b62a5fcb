"""The *bench signature*: a checksum of the engine's answers.

It uses fixed seeds and numbers of simulations: it changes when, and only when, the behaviour of rules, belief or search
changes.
"""

import zlib
from collections.abc import Iterator
from typing import Final

from sniffai.round import Round
from sniffai.rules import PLAYERS
from sniffai.search.analysis import Analysis
from sniffai.search.params import Limits
from sniffai.search.searcher import analyze
from sniffai.seeds import derived_seed
from sniffai.view import View

ROUNDS: Final = 4
SIMULATIONS: Final = 500
LONG: Final = 5_000
"""Simulations of the first decision of one more round: large trees use code that small ones do not reach."""


def signature() -> int:
    """The bench signature, 0..2**32-1: a checksum of the answers to every decision of some rounds."""
    check = 0
    for text in _answers():
        check = zlib.crc32(text.encode(), check)
    return check


def _answers() -> Iterator[str]:
    limits = Limits(simulations=SIMULATIONS)
    for players in PLAYERS:
        for deal in range(ROUNDS):
            round_ = Round.deal(players, derived_seed(players, deal), leader=deal % players)
            while not round_.over:
                view = round_.view(round_.seat)
                analysis = analyze(view, limits, seed=deal, inferred=False)
                yield _answer(view, analysis)
                round_.play(analysis.moves[0].move)
            yield f"{round_.scores}"
        view = Round.deal(players, derived_seed(players, ROUNDS), leader=0).view(0)
        yield _answer(view, analyze(view, Limits(simulations=LONG), inferred=False))


def _answer(view: View, analysis: Analysis) -> str:
    moves = [(str(entry.move), entry.visits, entry.availability) for entry in analysis.moves]
    return f"{view} {analysis.belief.world_count} {moves}"
