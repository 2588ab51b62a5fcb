"""Seeds: whole numbers in 0..2**64-1 that make every random choice repeatable."""

import hashlib
from typing import Final

from sniffai.checks import read_whole

MAX_SEED: Final = 2**64 - 1


def check_seed(seed: int) -> int:
    """The seed itself.

    :raises LimitsError: it is not a whole number in 0..2**64-1.
    """
    return read_whole(seed, "seed", 0, MAX_SEED)


def derived_seed(*parts: int) -> int:
    """A seed from numbers, 0..2**64-1: the same numbers give the same seed on every machine."""
    text = "/".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")
