"""The steps of matches: each is made on a copy, stored, and only then shown.

What a player will see of it is written while the database stores it.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from sniffai.play.match_log import MatchLog, Step
from sniffai_server.calls.refusals import StoreUnavailableError
from sniffai_server.matches import clock
from sniffai_server.matches.errors import ConflictError
from sniffai_server.matches.hosted import Hosted, standing_of
from sniffai_server.matches.memory import Memory
from sniffai_server.matches.observed import MatchObserver
from sniffai_server.matches.records import Change

if TYPE_CHECKING:
    from sniffai_server.matches.store import Store


class Steps:
    """Makes steps. Everything here runs on one event loop.

    :param owner: this server, in leases.
    :param on_step: called with a match after each step.
    """

    def __init__(
        self,
        store: "Store",
        memory: Memory,
        observer: MatchObserver,
        owner: str,
        on_step: Callable[[Hosted], None],
    ) -> None:
        self._store = store
        self._memory = memory
        self._observer = observer
        self._owner = owner
        self._on_step = on_step

    async def make(
        self,
        hosted: Hosted,
        step: Step,
        key: bytes | None = None,
        token: bytes | None = None,
        player: bytes | None = None,
    ) -> None:
        """Make a step, store it, then show it. The match's lock is held.

        :param key: the hash of the idempotency key.
        :param token: the hash of the token of a seat that joins, and ``player`` of its player.
        :raises ConflictError: another server has stored another one; it has been read.
        :raises StoreUnavailableError: it could not be stored.
        """
        after = hosted.log.copy()
        after.apply(step)
        change = Change(
            match_id=hosted.match_id,
            number=after.step_count,
            step=step,
            standing=standing_of(after),
            key_hash=key,
            lease_owner=self._owner if after.level_to_move is not None else "",
            token=token,
            player=player,
        )
        by = "server" if step.seat is None else "level" if after.seats[step.seat].level else "person"
        if by == "person" and step.seat is not None:
            asyncio.get_running_loop().call_soon(hosted.write_ahead, after, step.seat)
        try:
            await self._store.append(change, patient=by == "level")
        except (ConflictError, StoreUnavailableError) as error:
            with contextlib.suppress(StoreUnavailableError):
                await self._memory.read_again(hosted)
            # A change that seemed to fail may have been stored: then the key tells.
            raise (ConflictError if hosted.log.step_count >= change.number else StoreUnavailableError)() from error
        if key is not None:
            hosted.keys[step.seat, key] = change.number
        self._observer.stepped(step.kind, by)
        hosted.move_on(after)
        self._on_step(hosted)


def next_time(match_log: MatchLog) -> int:
    """The time of a step that is made now: never before the step before it."""
    return max(clock.now(), match_log.changed)
