"""The store of hosted matches: their setups, every step, and hashes of their secrets.

Nothing is ever changed in a stored step. Of two servers that store the same step of a match, one fails.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from sniffai.play.match_log import MatchState, Step, StepKind
from sniffai_server.matches import clock
from sniffai_server.matches.database import Database
from sniffai_server.matches.errors import ConflictError, TooManyError
from sniffai_server.matches.records import (
    LEASE_SECONDS,
    Change,
    Listed,
    NewMatch,
    SeatSecrets,
    StoredMatch,
    StoredStep,
)
from sniffai_server.matches.tables import MATCHES, PLAYERS, SEATS, STEPS
from sniffai_server.matches.terms import Terms
from sniffai_server.matches.writer import Writer

RUNNING: Final = (MatchState.WAITING.value, MatchState.PLAYING.value)
MOST_FOUND: Final = 500
"""Matches that one look for due work finds."""
_OVER: Final = sa.select(MATCHES.c.match_id).where(MATCHES.c.expires.is_(None)).order_by(MATCHES.c.updated)
"""Matches that are over, the oldest first."""
LEASE: Final = LEASE_SECONDS * clock.MICROSECONDS

# Statements of every step, made once

_ADVANCE: Final = MATCHES.update().where(
    MATCHES.c.match_id == sa.bindparam("id"), MATCHES.c.step_count == sa.bindparam("before")
)
_ADD_STEP: Final = STEPS.insert()


class Store:
    """Stores matches.

    :param database: opens the database.
    :param shared: whether other servers may use it, too.
    :param on_commit: called with the seconds that each change took.
    """

    def __init__(
        self,
        database: Callable[[], Database],
        *,
        shared: bool = False,
        on_commit: Callable[[float], None] = lambda seconds: None,
    ) -> None:
        self.shared = shared
        self._writer = Writer(database, on_commit)
        self.ready = self._writer.ready
        self.close = self._writer.close
        self._lease = _ADVANCE.values(lease_until=self._now() + LEASE) if shared else _ADVANCE

    # Changes

    async def create(self, new: NewMatch, most: int, share: int) -> None:
        """Store a new match.

        :param most: how many matches may be in play.
        :param share: how many of one caller.
        :raises TooManyError: there are as many.
        :raises ConflictError: the player has made a match with the same request id.
        """

        def work(connection: sa.Connection) -> None:
            running = MATCHES.c.state.in_(RUNNING)
            own = sa.func.count().filter(MATCHES.c.caller == new.terms.caller)
            every, owned = connection.execute(sa.select(sa.func.count(), own).where(running)).one()
            if owned >= share or every >= most:
                raise TooManyError(own=owned >= share)
            connection.execute(
                MATCHES.insert().values(
                    match_id=new.match_id,
                    setup=new.terms.to_text(),
                    caller=new.terms.caller,
                    created=new.terms.log.created,
                    step_count=0,
                    **_standing(new),
                )
            )
            connection.execute(
                SEATS.insert(),
                [
                    {"match_id": new.match_id, "seat": seat, "invitation_hash": invitation}
                    for seat, invitation in enumerate(new.invitations)
                ],
            )
            player = {
                "player_hash": new.player,
                "match_id": new.match_id,
                "created": new.terms.log.created,
                "seats": 0,
                "request_hash": new.request_hash,
            }
            try:
                connection.execute(PLAYERS.insert().values(player))
            except IntegrityError:
                raise ConflictError from None

        await self._writer.do(work, writes=True, order=new.match_id)

    async def append(self, change: Change) -> None:
        """Store a step.

        :raises ConflictError: another step has been stored meanwhile.
        """
        step, lease = change.step, clock.now() + LEASE if change.lease_owner else 0
        advanced = {
            "id": change.match_id,
            "before": change.number - 1,
            "step_count": change.number,
            "lease_owner": change.lease_owner,
            **_standing(change),
        }
        added = {
            "match_id": change.match_id,
            "number": change.number,
            "kind": step.kind.value,
            "time": step.time,
            "seat": step.seat,
            "text": step.text,
            "key_hash": change.key_hash,
        }

        def work(connection: sa.Connection) -> None:
            leases = self.shared and change.lease_owner
            advance, fields = (self._lease, advanced) if leases else (_ADVANCE, {**advanced, "lease_until": lease})
            if connection.execute(advance, fields).rowcount != 1:
                raise ConflictError
            try:
                connection.execute(_ADD_STEP, added)
            except IntegrityError:
                raise ConflictError from None
            if change.token is not None:
                connection.execute(_seat(change.match_id, step.seat).values(token_hash=change.token))
            if change.player is not None and step.seat is not None:
                _add_player(connection, change.match_id, change.player, step.seat)

        await self._writer.do(work, writes=True, order=change.match_id)

    async def replace_token(self, match_id: str, seat: int, invitation: bytes, token: bytes, player: bytes) -> bool:
        """Give a seat that has been taken another token; false if its invitation is used up."""

        def work(connection: sa.Connection) -> bool:
            statement = _seat(match_id, seat).where(SEATS.c.invitation_hash == invitation).values(token_hash=token)
            replaced = connection.execute(statement).rowcount == 1
            if replaced:
                _add_player(connection, match_id, player, seat)
            return replaced

        return await self._writer.do(work, writes=True, order=match_id)

    async def use_up(self, match_id: str, seat: int, token: bytes) -> bool:
        """Use up the invitation of a seat, since its token is used; false if the seat has another token by now."""

        def work(connection: sa.Connection) -> bool:
            statement = _seat(match_id, seat).where(SEATS.c.token_hash == token).values(invitation_hash=None)
            return connection.execute(statement).rowcount == 1

        return await self._writer.do(work, writes=True, order=match_id)

    async def invite_again(self, match_id: str, invitations: Iterable[tuple[int, bytes]]) -> list[int]:
        """Give the seats whose invitations are not used up new ones; returns those seats."""

        def work(connection: sa.Connection) -> list[int]:
            renewed = []
            for seat, invitation in invitations:
                statement = _seat(match_id, seat).where(SEATS.c.invitation_hash.is_not(None))
                if connection.execute(statement.values(invitation_hash=invitation)).rowcount:
                    renewed.append(seat)
            return renewed

        return await self._writer.do(work, writes=True, order=match_id)

    async def forget_request(self, player: bytes, request_hash: bytes) -> None:
        """Let a player use a request id again."""

        def work(connection: sa.Connection) -> None:
            connection.execute(
                PLAYERS.update()
                .where(PLAYERS.c.player_hash == player, PLAYERS.c.request_hash == request_hash)
                .values(request_hash=None)
            )

        await self._writer.do(work, writes=True)

    async def claim(self, match_id: str, owner: str) -> bool:
        """Take or keep the right to think for a match's level; false if another server has it."""

        def work(connection: sa.Connection) -> bool:
            now = self._now()
            free = (MATCHES.c.lease_owner == owner) | (MATCHES.c.lease_until < now)
            claimed = connection.execute(
                MATCHES.update()
                .where(MATCHES.c.match_id == match_id, MATCHES.c.level_moves, free)
                .values(lease_owner=owner, lease_until=now + LEASE)
            )
            return claimed.rowcount == 1

        return await self._writer.do(work, writes=True, order=match_id)

    async def remove_old(self, before: int) -> int:
        """Remove matches that were over before a time; returns how many."""

        def work(connection: sa.Connection) -> int:
            return _remove(connection, _OVER.where(MATCHES.c.updated < before).limit(MOST_FOUND))

        return await self._writer.do(work, writes=True)

    async def remove_excess(self, most: int, share: int) -> int:
        """Remove the oldest matches that are over where there are too many; returns how many.

        :param most: how many may be kept.
        :param share: how many of one caller.
        """

        def work(connection: sa.Connection) -> int:
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

        return await self._writer.do(work, writes=True)

    # Questions

    async def load(self, match_id: str, after: int = 0) -> StoredMatch | None:
        """A match; ``None`` if there is none.

        :param after: leave out its first steps.
        """

        def work(connection: sa.Connection) -> StoredMatch | None:
            setup = connection.execute(sa.select(MATCHES.c.setup).where(MATCHES.c.match_id == match_id)).scalar()
            if setup is None:
                return None
            steps = connection.execute(
                sa.select(STEPS).where(STEPS.c.match_id == match_id, STEPS.c.number > after).order_by(STEPS.c.number)
            )
            seats = connection.execute(sa.select(SEATS).where(SEATS.c.match_id == match_id).order_by(SEATS.c.seat))
            return StoredMatch(
                match_id,
                Terms.from_text(setup),
                tuple(map(_step, steps)),
                tuple(SeatSecrets(row.invitation_hash, row.token_hash) for row in seats),
            )

        return await self._writer.do(work, writes=False)

    async def step_counts(self, match_ids: Iterable[str]) -> dict[str, int]:
        """How many steps matches have."""
        ids = list(match_ids)

        def work(connection: sa.Connection) -> dict[str, int]:
            found = sa.select(MATCHES.c.match_id, MATCHES.c.step_count).where(MATCHES.c.match_id.in_(ids))
            return {row.match_id: row.step_count for row in connection.execute(found)}

        return await self._writer.do(work, writes=False)

    async def made_with(self, player: bytes, request_hash: bytes) -> tuple[str, int] | None:
        """The match that a player made with a request id, and when."""

        def work(connection: sa.Connection) -> tuple[str, int] | None:
            row = connection.execute(
                sa.select(PLAYERS.c.match_id, PLAYERS.c.created).where(
                    PLAYERS.c.player_hash == player, PLAYERS.c.request_hash == request_hash
                )
            ).one_or_none()
            return None if row is None else (row.match_id, row.created)

        return await self._writer.do(work, writes=False)

    async def listed(
        self, player: bytes, size: int, before: tuple[int, str] | None, running_only: bool
    ) -> list[Listed]:
        """A player's matches, newest first.

        :param before: creation time and id of the match after which to go on.
        """
        found = (
            sa.select(MATCHES, PLAYERS.c.seats)
            .join_from(PLAYERS, MATCHES, PLAYERS.c.match_id == MATCHES.c.match_id)
            .where(PLAYERS.c.player_hash == player)
            .order_by(PLAYERS.c.created.desc(), PLAYERS.c.match_id.desc())
            .limit(size)
        )
        if before is not None:
            created, match_id = before
            earlier = PLAYERS.c.created < created
            found = found.where(earlier | ((PLAYERS.c.created == created) & (PLAYERS.c.match_id < match_id)))
        if running_only:
            found = found.where(MATCHES.c.state.in_(RUNNING))

        def work(connection: sa.Connection) -> list[Listed]:
            return [
                Listed(
                    row.match_id,
                    row.created,
                    row.updated,
                    row.state,
                    tuple(seat for seat in range(4) if row.seats >> seat & 1),
                    row.summary,
                )
                for row in connection.execute(found)
            ]

        return await self._writer.do(work, writes=False)

    async def expired(self, now: int) -> list[str]:
        """The matches in which nothing has happened for too long."""
        return await self._ids(sa.select(MATCHES.c.match_id).where(MATCHES.c.expires <= now).limit(MOST_FOUND))

    async def level_due(self, *, leased: bool) -> list[str]:
        """The matches in which a level is to move.

        :param leased: also those for which another server thinks, or thought before it ended.
        """
        found = sa.select(MATCHES.c.match_id).where(MATCHES.c.level_moves)
        if not leased:
            found = found.where(MATCHES.c.lease_until < self._now()).limit(MOST_FOUND)
        return await self._ids(found)

    async def counts(self) -> dict[str, int]:
        """How many matches there are, by state."""

        def work(connection: sa.Connection) -> dict[str, int]:
            found = sa.select(MATCHES.c.state, sa.func.count().label("number")).group_by(MATCHES.c.state)
            return {row.state: row.number for row in connection.execute(found)}

        return await self._writer.do(work, writes=False)

    async def _ids(self, found: "sa.Select[tuple[str]]") -> list[str]:
        def work(connection: sa.Connection) -> list[str]:
            return [row.match_id for row in connection.execute(found)]

        return await self._writer.do(work, writes=False)

    def _now(self) -> Any:
        """The time of leases: the database's clock where servers share it."""
        if self.shared:
            return sa.cast(sa.func.extract("epoch", sa.func.clock_timestamp()) * clock.MICROSECONDS, sa.BigInteger)
        return clock.now()


def _remove(connection: sa.Connection, which: "sa.Select[tuple[str]]") -> int:
    """Remove matches; returns how many."""
    found = connection.execute(which).scalars().all()
    for table in (STEPS, SEATS, PLAYERS, MATCHES):
        connection.execute(table.delete().where(table.c.match_id.in_(found)))
    return len(found)


def _standing(one: NewMatch | Change) -> dict[str, Any]:
    standing = one.standing
    return {
        "state": standing.state,
        "updated": standing.updated,
        "expires": standing.expires,
        "level_moves": standing.level_moves,
        "summary": standing.summary,
    }


def _seat(match_id: str, seat: int | None) -> sa.Update:
    return SEATS.update().where(SEATS.c.match_id == match_id, SEATS.c.seat == seat)


def _add_player(connection: sa.Connection, match_id: str, player: bytes, seat: int) -> None:
    """Add a seat to a player's match."""
    mine = PLAYERS.update().where(PLAYERS.c.player_hash == player, PLAYERS.c.match_id == match_id)
    if connection.execute(mine.values(seats=PLAYERS.c.seats.op("|")(1 << seat))).rowcount:
        return
    created = sa.select(MATCHES.c.created).where(MATCHES.c.match_id == match_id).scalar_subquery()
    connection.execute(PLAYERS.insert().values(player_hash=player, match_id=match_id, created=created, seats=1 << seat))


def _step(row: Any) -> StoredStep:
    return StoredStep(Step(StepKind(row.kind), row.time, row.seat, row.text), row.key_hash)
