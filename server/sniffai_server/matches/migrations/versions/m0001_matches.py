"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "matches",
        sa.Column("match_id", sa.String(24), primary_key=True),
        sa.Column("setup", sa.Text, nullable=False, comment="JSON; it holds the seed, and so every tile"),
        sa.Column("caller", sa.Text, nullable=False, comment="who created it, for limits"),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("step_count", sa.Integer, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("updated", sa.BigInteger, nullable=False),
        sa.Column(
            "expires", sa.BigInteger, nullable=True, comment="when it ends if nothing happens; null once it is over"
        ),
        sa.Column("level_moves", sa.Boolean, nullable=False, comment="whether a level is to move"),
        sa.Column("lease_owner", sa.String(32), nullable=False, server_default=""),
        sa.Column("lease_until", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("summary", sa.Text, nullable=False, comment="JSON for lists of matches"),
    )
    op.create_index("matches_by_caller", "matches", ["caller", "state"])
    op.create_index("matches_by_expiry", "matches", ["expires"])
    op.create_index("matches_by_level", "matches", ["level_moves", "lease_until"])
    op.create_table(
        "steps",
        sa.Column("match_id", sa.String(24), sa.ForeignKey("matches.match_id", ondelete="CASCADE"), primary_key=True),
        sa.Column(
            "number",
            sa.Integer,
            primary_key=True,
            autoincrement=False,
            comment="from 1; of two writers one fails",
        ),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("time", sa.BigInteger, nullable=False),
        sa.Column("seat", sa.SmallInteger, nullable=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("key_hash", sa.LargeBinary(16), nullable=True, comment="of the idempotency key"),
    )
    op.create_index("steps_by_key", "steps", ["match_id", "seat", "key_hash"], unique=True)
    op.create_table(
        "seats",
        sa.Column("match_id", sa.String(24), sa.ForeignKey("matches.match_id", ondelete="CASCADE"), primary_key=True),
        sa.Column("seat", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("invitation_hash", sa.LargeBinary(32), nullable=True, comment="null once used up"),
        sa.Column("token_hash", sa.LargeBinary(32), nullable=True),
    )
    op.create_table(
        "players",
        sa.Column("player_hash", sa.LargeBinary(32), primary_key=True),
        sa.Column("match_id", sa.String(24), sa.ForeignKey("matches.match_id", ondelete="CASCADE"), primary_key=True),
        sa.Column("created", sa.BigInteger, nullable=False, comment="when the match was created"),
        sa.Column("seats", sa.Integer, nullable=False, comment="the seats joined, as bits"),
        sa.Column(
            "request_hash",
            sa.LargeBinary(16),
            nullable=True,
            comment="of the request id with which it was created",
        ),
    )
    op.create_index("players_by_time", "players", ["player_hash", "created", "match_id"])
    op.create_index("players_by_request", "players", ["player_hash", "request_hash"], unique=True)
    op.create_index("players_by_match", "players", ["match_id"])
