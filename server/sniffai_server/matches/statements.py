"""What the database of matches is told and asked: each job of the store, inside a transaction.

Here are rows only. What they mean in the game is known to the store, so that the keeper need not load the game.

Nothing is ever changed in a stored step. Of two servers that store the same step of a match, one fails.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from sniffai_server.calls.callers import ADDRESS
from sniffai_server.calls.holdings import share_of
from sniffai_server.matches import clock
from sniffai_server.matches.errors import ConflictError, TooManyError
from sniffai_server.matches.prepared import Execute, Prepared
from sniffai_server.matches.records import LEASE_SECONDS, Listed
from sniffai_server.matches.tables import MATCHES, PLAYERS, SEATS, STEPS

RUNNING: Final = ("waiting", "playing")
"""The states of matches that are not over, as :class:`~sniffai.play.match_log.MatchState` names them."""
MOST_FOUND: Final = 500
"""Matches that one look for due work finds."""
_OVER: Final = sa.select(MATCHES.c.match_id).where(MATCHES.c.expires.is_(None)).order_by(MATCHES.c.updated)
"""Matches that are over, the oldest first."""
LEASE: Final = LEASE_SECONDS * clock.MICROSECONDS

_ADVANCE: Final = MATCHES.update().where(
    MATCHES.c.match_id == sa.bindparam("id"), MATCHES.c.step_count == sa.bindparam("before")
)
_ADVANCED: Final = (
    "id",
    "before",
    "step_count",
    "lease_owner",
    "state",
    "updated",
    "expires",
    "level_moves",
    "summary",
)
"""What is given for it, besides ``lease_until``."""


Loaded: TypeAlias = tuple[str, list[tuple[Any, ...]], list[tuple[Any, ...]]]
"""A match as its rows hold it: the setup, the steps, the hashes of its seats."""


class Statements:
    """The jobs by name. Each takes the connection of a transaction that has begun.

    :param shared: whether other servers use the database, too.
    """

    def __init__(self, dialect: sa.Dialect, *, shared: bool) -> None:
        self._shared = shared
        self._advance = Prepared(_ADVANCE, dialect, (*_ADVANCED, "lease_until"))
        self._lease = Prepared(_ADVANCE.values(lease_until=self._now() + LEASE), dialect, _ADVANCED)
        """The same with a new lease, by the clock of a database that servers share."""
        self._add_step = Prepared(STEPS.insert(), dialect, STEPS.columns.keys())

    # Changes

    def create(
        self,
        connection: sa.Connection,
        match: dict[str, Any],
        seats: list[dict[str, Any]],
        player: dict[str, Any],
        most: int,
    ) -> None:
        """Store a new match: see :meth:`Store.create`.

        :param match: its row; ``seats`` those of its seats, ``player`` that of who creates it.
        """
        running = MATCHES.c.state.in_(RUNNING)
        own = sa.func.count().filter(MATCHES.c.caller == match["caller"])
        every, owned = connection.execute(sa.select(sa.func.count(), own).where(running)).one()
        stranger = match["caller"].startswith(ADDRESS)
        share = share_of(most - (every - owned) if stranger else most)
        if owned >= share or every >= most:
            raise TooManyError(share if owned >= share else most, own=owned >= share)
        connection.execute(MATCHES.insert(), match)
        connection.execute(SEATS.insert(), seats)
        try:
            connection.execute(PLAYERS.insert(), player)
        except IntegrityError:
            raise ConflictError from None

    def append(
        self,
        connection: sa.Connection,
        advanced: dict[str, Any],
        step: dict[str, Any],
        token: bytes | None,
        player: bytes | None,
    ) -> None:
        """Store a step: see :meth:`Store.append`.

        :param advanced: what changes in the match's row, with its ``id`` and the number of steps ``before``.
        :param step: its row.
        :param token: the hash of the token of a seat that joins, and ``player`` of its player.
        """
        try:
            self.add_step(connection.exec_driver_sql, advanced, step)
        except IntegrityError:
            raise ConflictError from None
        if token is not None:
            connection.execute(_seat(step["match_id"], step["seat"]).values(token_hash=token))
        if player is not None and step["seat"] is not None:
            _add_player(connection, step["match_id"], player, step["seat"])

    def add_step(self, execute: Execute, advanced: dict[str, Any], step: dict[str, Any]) -> None:
        """Store a step of a seat that has joined: the part of :meth:`append` that is the same for all steps.

        :param execute: runs a statement of the driver's.
        :raises ConflictError: another step has been stored meanwhile.
        """
        leases = self._shared and advanced["lease_owner"]
        if not leases:
            advanced["lease_until"] = clock.now() + LEASE if advanced["lease_owner"] else 0
        if (self._lease if leases else self._advance).run(execute, advanced) != 1:
            raise ConflictError
        self._add_step.run(execute, step)

    def replace_token(
        self, connection: sa.Connection, match_id: str, seat: int, invitation: bytes, token: bytes, player: bytes
    ) -> bool:
        """Give a seat another token: see :meth:`Store.replace_token`."""
        statement = _seat(match_id, seat).where(SEATS.c.invitation_hash == invitation).values(token_hash=token)
        replaced = connection.execute(statement).rowcount == 1
        if replaced:
            _add_player(connection, match_id, player, seat)
        return replaced

    def use_up(self, connection: sa.Connection, match_id: str, seat: int, token: bytes) -> bool:
        """Use up an invitation: see :meth:`Store.use_up`."""
        statement = _seat(match_id, seat).where(SEATS.c.token_hash == token).values(invitation_hash=None)
        return connection.execute(statement).rowcount == 1

    def invite_again(
        self, connection: sa.Connection, match_id: str, invitations: Sequence[tuple[int, bytes]]
    ) -> list[int]:
        """Make new invitations: see :meth:`Store.invite_again`."""
        renewed = []
        for seat, invitation in invitations:
            statement = _seat(match_id, seat).where(SEATS.c.invitation_hash.is_not(None))
            if connection.execute(statement.values(invitation_hash=invitation)).rowcount:
                renewed.append(seat)
        return renewed

    def forget_request(self, connection: sa.Connection, player: bytes, request_hash: bytes) -> None:
        """Let a player use a request id again."""
        connection.execute(
            PLAYERS.update()
            .where(PLAYERS.c.player_hash == player, PLAYERS.c.request_hash == request_hash)
            .values(request_hash=None)
        )

    def claim(self, connection: sa.Connection, match_id: str, owner: str) -> bool:
        """Take or keep the right to think for a level: see :meth:`Store.claim`."""
        now = self._now()
        free = (MATCHES.c.lease_owner == owner) | (MATCHES.c.lease_until < now)
        claimed = connection.execute(
            MATCHES.update()
            .where(MATCHES.c.match_id == match_id, MATCHES.c.level_moves, free)
            .values(lease_owner=owner, lease_until=now + LEASE)
        )
        return claimed.rowcount == 1

    def remove_old(self, connection: sa.Connection, before: int) -> int:
        """Remove matches that were over before a time; returns how many."""
        return _remove(connection, _OVER.where(MATCHES.c.updated < before).limit(MOST_FOUND))

    def remove_excess(self, connection: sa.Connection, most: int, share: int) -> int:
        """Remove the oldest matches that are over: see :meth:`Store.remove_excess`."""
        number = sa.func.count().label("number")
        kept = sa.select(MATCHES.c.caller, number).where(MATCHES.c.expires.is_(None)).group_by(MATCHES.c.caller)
        removed, every = 0, 0
        for caller, count in connection.execute(kept).all():
            own = _OVER.where(MATCHES.c.caller == caller)
            gone = _remove(connection, own.limit(min(count - share, MOST_FOUND))) if count > share else 0
            removed, every = removed + gone, every + count - gone
        if every > most:
            removed += _remove(connection, _OVER.limit(min(every - most, MOST_FOUND)))
        return removed

    # Questions

    def ready(self, connection: sa.Connection) -> None:
        """Nothing: the database is open."""

    def load(self, connection: sa.Connection, match_id: str, after: int) -> Loaded | None:
        """A match: see :meth:`Store.load`."""
        setup = connection.execute(sa.select(MATCHES.c.setup).where(MATCHES.c.match_id == match_id)).scalar()
        if setup is None:
            return None
        steps = connection.execute(
            sa.select(STEPS.c.kind, STEPS.c.time, STEPS.c.seat, STEPS.c.text, STEPS.c.key_hash)
            .where(STEPS.c.match_id == match_id, STEPS.c.number > after)
            .order_by(STEPS.c.number)
        )
        seats = connection.execute(
            sa.select(SEATS.c.invitation_hash, SEATS.c.token_hash)
            .where(SEATS.c.match_id == match_id)
            .order_by(SEATS.c.seat)
        )
        return setup, list(map(tuple, steps)), list(map(tuple, seats))

    def step_counts(self, connection: sa.Connection, match_ids: Sequence[str]) -> dict[str, int]:
        """How many steps matches have."""
        query = sa.select(MATCHES.c.match_id, MATCHES.c.step_count).where(MATCHES.c.match_id.in_(match_ids))
        return {row.match_id: row.step_count for row in connection.execute(query)}

    def made_with(self, connection: sa.Connection, player: bytes, request_hash: bytes) -> tuple[str, int] | None:
        """The match that a player made with a request id, and when."""
        row = connection.execute(
            sa.select(PLAYERS.c.match_id, PLAYERS.c.created).where(
                PLAYERS.c.player_hash == player, PLAYERS.c.request_hash == request_hash
            )
        ).one_or_none()
        return None if row is None else (row.match_id, row.created)

    def listed(
        self, connection: sa.Connection, player: bytes, size: int, before: tuple[int, str] | None, running_only: bool
    ) -> list[Listed]:
        """A player's matches: see :meth:`Store.listed`."""
        query = (
            sa.select(MATCHES, PLAYERS.c.seats)
            .join_from(PLAYERS, MATCHES, PLAYERS.c.match_id == MATCHES.c.match_id)
            .where(PLAYERS.c.player_hash == player)
            .order_by(PLAYERS.c.created.desc(), PLAYERS.c.match_id.desc())
            .limit(size)
        )
        if before is not None:
            created, match_id = before
            earlier = PLAYERS.c.created < created
            query = query.where(earlier | ((PLAYERS.c.created == created) & (PLAYERS.c.match_id < match_id)))
        if running_only:
            query = query.where(MATCHES.c.state.in_(RUNNING))
        return [
            Listed(
                row.match_id,
                row.created,
                row.updated,
                row.state,
                tuple(seat for seat in range(4) if row.seats >> seat & 1),
                row.summary,
            )
            for row in connection.execute(query)
        ]

    def untouched(self, connection: sa.Connection, before: int) -> list[str]:
        """The matches of clients without a name that nobody has moved in: see :meth:`Store.untouched`."""
        moved = sa.exists().where(STEPS.c.match_id == MATCHES.c.match_id, STEPS.c.key_hash.is_not(None))
        return _ids(
            connection,
            sa.select(MATCHES.c.match_id)
            .where(
                MATCHES.c.caller.startswith(ADDRESS),
                MATCHES.c.state.in_(RUNNING),
                MATCHES.c.updated <= before,
                ~moved,
            )
            .order_by(MATCHES.c.updated)
            .limit(MOST_FOUND),
        )

    def expired(self, connection: sa.Connection, now: int) -> list[str]:
        """The matches in which nothing has happened for too long."""
        return _ids(connection, sa.select(MATCHES.c.match_id).where(MATCHES.c.expires <= now).limit(MOST_FOUND))

    def level_due(self, connection: sa.Connection, leased: bool) -> list[str]:
        """The matches in which a level is to move: see :meth:`Store.level_due`."""
        query = sa.select(MATCHES.c.match_id).where(MATCHES.c.level_moves)
        if not leased:
            query = query.where(MATCHES.c.lease_until < self._now()).limit(MOST_FOUND)
        return _ids(connection, query)

    def counts(self, connection: sa.Connection) -> dict[str, int]:
        """How many matches there are, by state."""
        query = sa.select(MATCHES.c.state, sa.func.count().label("number")).group_by(MATCHES.c.state)
        return {row.state: row.number for row in connection.execute(query)}

    def _now(self) -> Any:
        """The time of leases: the database's clock where servers share it."""
        if self._shared:
            return sa.cast(sa.func.extract("epoch", sa.func.clock_timestamp()) * clock.MICROSECONDS, sa.BigInteger)
        return clock.now()


def _ids(connection: sa.Connection, query: "sa.Select[tuple[str]]") -> list[str]:
    return [row.match_id for row in connection.execute(query)]


def _remove(connection: sa.Connection, which: "sa.Select[tuple[str]]") -> int:
    """Remove matches; returns how many."""
    match_ids = connection.execute(which).scalars().all()
    for table in (STEPS, SEATS, PLAYERS, MATCHES):
        connection.execute(table.delete().where(table.c.match_id.in_(match_ids)))
    return len(match_ids)


def _seat(match_id: str, seat: int | None) -> sa.Update:
    return SEATS.update().where(SEATS.c.match_id == match_id, SEATS.c.seat == seat)


def _add_player(connection: sa.Connection, match_id: str, player: bytes, seat: int) -> None:
    """Add a seat to a player's match."""
    mine = PLAYERS.update().where(PLAYERS.c.player_hash == player, PLAYERS.c.match_id == match_id)
    if connection.execute(mine.values(seats=PLAYERS.c.seats.op("|")(1 << seat))).rowcount:
        return
    created = sa.select(MATCHES.c.created).where(MATCHES.c.match_id == match_id).scalar_subquery()
    connection.execute(PLAYERS.insert().values(player_hash=player, match_id=match_id, created=created, seats=1 << seat))
