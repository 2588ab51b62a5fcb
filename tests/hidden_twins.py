"""Rounds that are the same to the seat to move, and differ in what it cannot see."""

from collections.abc import Iterator
from random import Random

import sniffai
from tests.pairing_library import library_round
from tests.reference import at_random
from tests.reference_belief import agrees, any_assignment, deal_of, seen

LEAST = 6
"""Pairs whose hidden hands differ, of those that are made."""


def hidden_twins(players: int) -> Iterator[tuple[sniffai.Round, sniffai.Round]]:
    """Pairs of rounds; expects that enough of them differ."""
    moved = 0
    for seed in range(25):
        twin = at_random(players, seed, 6 + seed % 8)
        if twin.over:
            continue
        sight, rng = seen(twin, twin.seat), Random(seed)
        assignment = next(found for found in (any_assignment(sight, rng) for _ in range(200)) if agrees(sight, found))
        other = deal_of(sight, assignment)
        for move in twin.layout.placements:
            other.play(*move)
        moved += other.hands != twin.hands
        yield library_round(twin), library_round(other)
    assert moved >= LEAST
