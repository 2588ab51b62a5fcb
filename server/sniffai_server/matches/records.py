"""What the store of matches takes and gives, as values."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # the keeper of the database needs no game
    from sniffai.play.match_log import Step
    from sniffai_server.matches.terms import Terms

LEASE_SECONDS: Final = 10
"""How long a server may think for a level before another one may take over."""


@dataclass(frozen=True, slots=True)
class SeatSecrets:
    """What is stored of a seat's secrets: hashes."""

    invitation: bytes | None = None
    """``None`` once it is used up, and for a level."""
    token: bytes | None = None
    """``None`` before someone joined."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a match has come to, as far as the store must know it without replaying the match."""

    state: str
    updated: int
    """Microseconds since 1970."""
    expires: int | None
    level_moves: bool
    """Whether a level is to move."""
    summary: str
    """JSON for lists of matches."""

    def columns(self) -> dict[str, Any]:
        """The columns of the match's row."""
        return {
            "state": self.state,
            "updated": self.updated,
            "expires": self.expires,
            "level_moves": self.level_moves,
            "summary": self.summary,
        }


@dataclass(frozen=True, slots=True)
class NewMatch:
    """A match to be stored."""

    match_id: str
    terms: "Terms"
    standing: Standing
    invitations: tuple[bytes | None, ...]
    """Hashes, by seat."""
    player: bytes
    """The hash of the token of the player that creates it."""
    request_hash: bytes | None
    account: str
    """Whose place it takes: see :attr:`Caller.account`."""


@dataclass(frozen=True, slots=True)
class Change:
    """One step of a match to be stored.

    It fails if the match has other steps than the change knows of.
    """

    match_id: str
    number: int
    """The step's number, from 1."""
    step: "Step"
    standing: Standing
    key_hash: bytes | None = None
    """Of the idempotency key."""
    lease_owner: str = ""
    """The server that thinks for the level, if one is to move."""
    token: bytes | None = None
    """The hash of the token of a seat that joins."""
    player: bytes | None = None
    """The hash of the token of the player that joins."""


@dataclass(frozen=True, slots=True)
class StoredStep:
    """A step, with the hash of its idempotency key."""

    step: "Step"
    key_hash: bytes | None


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match as it is stored."""

    match_id: str
    terms: "Terms"
    steps: tuple[StoredStep, ...]
    seats: tuple[SeatSecrets, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """A match in a player's list."""

    match_id: str
    created: int
    updated: int
    state: str
    own_seats: tuple[int, ...]
    summary: str
