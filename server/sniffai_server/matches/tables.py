"""The tables of hosted matches. ``migrations`` makes them; a test compares the two."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
)

METADATA: Final = MetaData()

# Times are whole microseconds since 1970.

MATCHES: Final = Table(
    "matches",
    METADATA,
    Column("match_id", String(24), primary_key=True),
    Column("setup", Text, nullable=False, comment="JSON; it holds the seed, and so every tile"),
    Column("caller", Text, nullable=False, comment="who created it, for limits"),
    Column("created", BigInteger, nullable=False),
    Column("step_count", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("updated", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=True, comment="when it ends if nothing happens; null once it is over"),
    Column("level_moves", Boolean, nullable=False, comment="whether a level is to move"),
    Column("lease_owner", String(32), nullable=False, server_default=""),
    Column("lease_until", BigInteger, nullable=False, server_default="0"),
    Column("summary", Text, nullable=False, comment="JSON for lists of matches"),
    Index("matches_by_caller", "caller", "state"),
    Index("matches_by_expiry", "expires"),
    Index("matches_by_level", "level_moves", "lease_until"),
)

STEPS: Final = Table(
    "steps",
    METADATA,
    Column("match_id", String(24), ForeignKey("matches.match_id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False, comment="from 1; of two writers one fails"),
    Column("kind", String(16), nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("seat", SmallInteger, nullable=True),
    Column("text", Text, nullable=False),
    Column("key_hash", LargeBinary(16), nullable=True, comment="of the idempotency key"),
    Index("steps_by_key", "match_id", "seat", "key_hash", unique=True),
)

SEATS: Final = Table(
    "seats",
    METADATA,
    Column("match_id", String(24), ForeignKey("matches.match_id", ondelete="CASCADE"), primary_key=True),
    Column("seat", SmallInteger, primary_key=True, autoincrement=False),
    Column("invitation_hash", LargeBinary(32), nullable=True, comment="null once used up"),
    Column("token_hash", LargeBinary(32), nullable=True),
)

PLAYERS: Final = Table(
    "players",
    METADATA,
    Column("player_hash", LargeBinary(32), primary_key=True),
    Column("match_id", String(24), ForeignKey("matches.match_id", ondelete="CASCADE"), primary_key=True),
    Column("created", BigInteger, nullable=False, comment="when the match was created"),
    Column("seats", Integer, nullable=False, comment="the seats joined, as bits"),
    Column("request_hash", LargeBinary(16), nullable=True, comment="of the request id with which it was created"),
    Index("players_by_time", "player_hash", "created", "match_id"),
    Index("players_by_request", "player_hash", "request_hash", unique=True),
    Index("players_by_match", "match_id"),
)
