"""Seeds: whole numbers in 0..2**64-1 that make every random choice repeatable."""

import hashlib
from typing import Final

from sniffai.checks import read_whole

MAX_SEED: Final = 2**64 - 1
MAX_MESSAGE_SEED: Final = 2**63 - 1
"""The largest seed that a message can contain."""


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
    """The seed of one of the trees of a search; that of tree 0 is the search's own.

    It is hashed: a generator is seeded by two steps of splitmix64, so seeds one step of it apart would share half of
    their generators' state.
    """
    return derived_seed(seed, "tree", tree) if tree else seed
