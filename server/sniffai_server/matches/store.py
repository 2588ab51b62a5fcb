"""The store of hosted matches: their setups, every step, and hashes of their secrets.

What each job does in the database is in :mod:`~sniffai_server.matches.statements`, which this module does not need:
SQLAlchemy is loaded where the jobs are done.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from sniffai.play.match_log import Step, StepKind
from sniffai_server.matches.errors import DatabaseError
from sniffai_server.matches.place import MEMORY, Place
from sniffai_server.matches.records import Change, Listed, NewMatch, SeatSecrets, StoredMatch, StoredStep
from sniffai_server.matches.terms import Terms
from sniffai_server.matches.writer import Writer

if TYPE_CHECKING:
    from sniffai_server.matches.database import Database

log = logging.getLogger(__name__)


class Store:
    """Stores matches.

    :param database: where they are kept; or a function that opens the database, which is then used by a thread.
    :param on_commit: called with the seconds that each change took.
    """

    def __init__(
        self,
        database: "Place | Callable[[], Database]",
        on_commit: Callable[[float], None] = lambda seconds: None,
    ) -> None:
        place = database if isinstance(database, Place) else None
        self.shared = place is not None and place.shared
        """Whether other servers may use it, too."""
        self.lasts = place is not None and place.lasts
        """Whether its matches go on after this process has ended."""
        self._writer = Writer(database, on_commit)
        self.start = self._writer.start
        self.hurry = self._writer.hurry
        self.close = self._writer.close

    async def ready(self) -> None:
        """Open the database now.

        :raises DatabaseError: it cannot be used.
        """
        await self._writer.do("ready")

    # Changes

    async def create(self, new: NewMatch, most: int) -> None:
        """Store a new match.

        One caller may have a quarter of the places; one that only its address tells apart, a quarter of those that the
        other callers have not taken. So several such callers cannot take all.

        :param most: how many matches may be in play.
        :raises TooManyError: there are as many.
        :raises ConflictError: the player has made a match with the same request id.
        """
        created = new.terms.log.created
        match = {
            "match_id": new.match_id,
            "setup": new.terms.to_text(),
            "caller": new.account,
            "created": created,
            "step_count": 0,
            **new.standing.columns(),
        }
        seats = [
            {"match_id": new.match_id, "seat": seat, "invitation_hash": invitation}
            for seat, invitation in enumerate(new.invitations)
        ]
        player = {
            "player_hash": new.player,
            "match_id": new.match_id,
            "created": created,
            "seats": 0,
            "request_hash": new.request_hash,
        }
        await self._writer.do("create", match, seats, player, most, writes=True, order=new.match_id)

    async def append(self, change: Change, *, patient: bool = False) -> None:
        """Store a step.

        :param patient: whether it may wait a moment to share another commit, since no call waits for it.
        :raises ConflictError: another step has been stored meanwhile.
        """
        advanced = {
            "id": change.match_id,
            "before": change.number - 1,
            "step_count": change.number,
            "lease_owner": change.lease_owner,
            **change.standing.columns(),
        }
        step = {
            "match_id": change.match_id,
            "number": change.number,
            "kind": change.step.kind.value,
            "time": change.step.time,
            "seat": change.step.seat,
            "text": change.step.text,
            "key_hash": change.key_hash,
        }
        await self._writer.do(
            "append",
            advanced,
            step,
            change.token,
            change.player,
            writes=True,
            order=change.match_id,
            patient=patient,
        )

    async def replace_token(self, match_id: str, seat: int, invitation: bytes, token: bytes, player: bytes) -> bool:
        """Give a seat that has been taken another token; false if its invitation is used up."""
        replaced: bool = await self._writer.do(
            "replace_token", match_id, seat, invitation, token, player, writes=True, order=match_id
        )
        return replaced

    async def use_up(self, match_id: str, seat: int, token: bytes) -> bool:
        """Use up the invitation of a seat, since its token is used; false if the seat has another token by now."""
        used: bool = await self._writer.do("use_up", match_id, seat, token, writes=True, order=match_id)
        return used

    async def invite_again(self, match_id: str, invitations: Iterable[tuple[int, bytes]]) -> list[int]:
        """Give the seats whose invitations are not used up new ones; returns those seats."""
        renewed: list[int] = await self._writer.do(
            "invite_again", match_id, list(invitations), writes=True, order=match_id
        )
        return renewed

    async def forget_request(self, player: bytes, request_hash: bytes) -> None:
        """Let a player use a request id again."""
        await self._writer.do("forget_request", player, request_hash, writes=True)

    async def claim(self, match_id: str, owner: str) -> bool:
        """Take or keep the right to think for a match's level; false if another server has it."""
        claimed: bool = await self._writer.do("claim", match_id, owner, writes=True, order=match_id)
        return claimed

    async def remove_old(self, before: int) -> int:
        """Remove matches that were over before a time; returns how many."""
        removed: int = await self._writer.do("remove_old", before, writes=True)
        return removed

    async def remove_excess(self, most: int, share: int) -> int:
        """Remove the oldest matches that are over where there are too many; returns how many.

        :param most: how many may be kept.
        :param share: how many of one caller.
        """
        removed: int = await self._writer.do("remove_excess", most, share, writes=True)
        return removed

    # Questions

    async def load(self, match_id: str, after: int = 0) -> StoredMatch | None:
        """A match; ``None`` if there is none.

        :param after: leave out its first steps.
        """
        stored = await self._writer.do("load", match_id, after)
        if stored is None:
            return None
        setup, steps, seats = stored
        return StoredMatch(
            match_id,
            Terms.from_text(setup),
            tuple(StoredStep(Step(StepKind(kind), *fields), key_hash) for kind, *fields, key_hash in steps),
            tuple(SeatSecrets(*hashes) for hashes in seats),
        )

    async def step_counts(self, match_ids: Iterable[str]) -> dict[str, int]:
        """How many steps matches have."""
        counts: dict[str, int] = await self._writer.do("step_counts", list(match_ids))
        return counts

    async def made_with(self, player: bytes, request_hash: bytes) -> tuple[str, int] | None:
        """The match that a player made with a request id, and when."""
        stored: tuple[str, int] | None = await self._writer.do("made_with", player, request_hash)
        return stored

    async def listed(
        self, player: bytes, size: int, before: tuple[int, str] | None, running_only: bool
    ) -> list[Listed]:
        """A player's matches, newest first.

        :param before: creation time and id of the match after which to go on.
        """
        matches: list[Listed] = await self._writer.do("listed", player, size, before, running_only)
        return matches

    async def untouched(self, before: int) -> list[str]:
        """The matches of callers that only their address tells apart in which no person has ever moved.

        :param before: and nothing else has happened since this time.
        """
        match_ids: list[str] = await self._writer.do("untouched", before)
        return match_ids

    async def expired(self, now: int) -> list[str]:
        """The matches in which nothing has happened for too long."""
        match_ids: list[str] = await self._writer.do("expired", now)
        return match_ids

    async def level_due(self, *, leased: bool) -> list[str]:
        """The matches in which a level is to move.

        :param leased: also those for which another server thinks, or thought before it ended.
        """
        match_ids: list[str] = await self._writer.do("level_due", leased)
        return match_ids

    async def counts(self) -> dict[str, int]:
        """How many matches there are, by state."""
        counts: dict[str, int] = await self._writer.do("counts")
        return counts


async def store_of(place: Place, on_commit: Callable[[float], None] = lambda seconds: None) -> Store:
    """The store of a place, ready. If nobody has chosen the place and it cannot be used, matches are kept in memory.

    A database in memory is opened at its first use: most servers of a test never use it.

    :param on_commit: called with the seconds that each change took.
    :raises DatabaseError: the place that somebody has chosen cannot be used.
    """
    store = Store(place, on_commit)
    try:
        if not store.lasts:
            store.start()
            return store
        await store.ready()
    except BaseException as error:
        await asyncio.to_thread(store.close)
        if place.chosen or not isinstance(error, DatabaseError):
            raise
        log.warning("matches are kept in memory, and end with this server: %s", error)
        return await store_of(Place(MEMORY, chosen=True), on_commit)
    return store
