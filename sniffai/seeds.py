"""Seeds: whole numbers in 0..2**64-1 that make every random choice repeatable."""

import hashlib
from typing import Final

from sniffai.checks import read_whole

MAX_SEED: Final = 2**64 - 1

GOLDEN_STEP: Final = 0x9E3779B97F4A7C15
"""2**64 divided by the golden ratio: its multiples modulo 2**64 lie far apart (Knuth, TAOCP 3, 6.4)."""


def check_seed(seed: int) -> int:
    """The seed itself.

    :raises LimitsError: it is not a whole number in 0..2**64-1.
    """
    return read_whole(seed, "seed", 0, MAX_SEED)


def derived_seed(*parts: int | str) -> int:
    """A seed from numbers and texts, 0..2**64-1: the same parts give the same seed on every machine."""
    text = "/".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def tree_seed(seed: int, tree: int) -> int:
    """The seed of one of the trees of a search; that of tree 0 is the search's own."""
    return (seed + tree * GOLDEN_STEP) % 2**64
