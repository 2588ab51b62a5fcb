"""Positions to ask about, all of about the same cost: the lead of a fresh deal of 2 seats."""

import itertools
from collections.abc import Iterator

import sniffai
from sniffai.search.candidates import distinct_moves


def leads() -> Iterator[sniffai.View]:
    """Leads of deals by seed, without end; each has seven moves to choose from."""
    for seed in itertools.count():
        round_ = sniffai.Round.deal(2, seed)
        view = round_.view(round_.seat)
        if len(distinct_moves(view)) == 7:
            yield view
