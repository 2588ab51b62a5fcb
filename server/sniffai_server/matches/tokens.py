"""Secrets of hosted matches: random, and stored as hashes only.

Each has 256 random bits, so a plain SHA-256 is enough: there is nothing to guess. A player's token may be made by the
client, so that its first call is safe to repeat; one that is plainly not random is refused.
"""

import hashlib
import hmac
import secrets
from itertools import pairwise
from typing import Final

MATCH_ID_BYTES: Final = 12
"""Random bytes of a match's id, which is no secret: enough that none occurs twice."""
TOKEN_BYTES: Final = 32
TOKEN_LENGTH: Final = 43
"""Characters of a token: :data:`TOKEN_BYTES` bytes in URL-safe base64."""
LEAST_DIFFERENT: Final = 8
"""Different characters in a token, and different steps from one to the next. Not one random token in 10^30 has
fewer."""
KEY_BYTES: Final = 16
"""Bytes that are kept of the hash of an idempotency key."""

_DIGITS: Final = frozenset("0123456789abcdef")
_LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def make_match_id() -> str:
    """A new id of a match."""
    return secrets.token_hex(MATCH_ID_BYTES)


def looks_like_match_id(text: str) -> bool:
    """Whether a text has the form of a match's id."""
    return len(text) == 2 * MATCH_ID_BYTES and _DIGITS.issuperset(text)


def make_token() -> str:
    """A new secret."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def looks_like_token(text: str) -> bool:
    """Whether a text has the form of a token."""
    return len(text) == TOKEN_LENGTH and _LETTERS.issuperset(text)


def looks_weak(token: str) -> bool:
    """Whether a token is plainly not random: it repeats a few characters, or counts."""
    steps = {ord(after) - ord(before) for before, after in pairwise(token)}
    return min(len(set(token)), len(steps)) < LEAST_DIFFERENT


def hash_of(token: str) -> bytes:
    """What is stored of a secret."""
    return hashlib.sha256(token.encode()).digest()


def matches_hash(token: str, stored: bytes | None) -> bool:
    """Whether a secret is the one of which a hash is stored. The time taken does not tell how much of it is right."""
    given = hash_of(token)
    return hmac.compare_digest(given, stored or bytes(len(given))) and stored is not None


def key_hash(key: str) -> bytes:
    """What is stored of an idempotency key or a request id."""
    return hashlib.sha256(key.encode()).digest()[:KEY_BYTES]
