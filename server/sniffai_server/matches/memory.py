"""The matches in memory, and how they keep up with what is stored.

If other servers share the database, each question first reads what they have stored.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sniffai.play.match_log import MatchLog
from sniffai_server.calls.refusals import UnknownMatchError
from sniffai_server.matches.hosted import Hosted
from sniffai_server.matches.tasks import Tasks
from sniffai_server.matches.tokens import looks_like_match_id

if TYPE_CHECKING:
    from sniffai_server.matches.store import Store

KEPT: Final = 2000
"""Matches in memory, besides those in use."""


class Memory:
    """The matches in memory. Everything here runs on one event loop.

    :param on_load: called with each match that was read from the store.
    """

    def __init__(self, store: "Store", tasks: Tasks, on_load: Callable[[Hosted], None]) -> None:
        self._store = store
        self._tasks = tasks
        self._on_load = on_load
        self.matches: OrderedDict[str, Hosted] = OrderedDict()
        """By id; those asked for last come last."""
        self._loading: dict[str, asyncio.Task[Hosted | None]] = {}

    async def match(self, match_id: str) -> Hosted:
        """A match.

        :raises UnknownMatchError: there is none.
        """
        hosted = await self.find(match_id)
        if hosted is None:
            raise UnknownMatchError
        return hosted

    async def find(self, match_id: str) -> Hosted | None:
        """A match, from memory or from the store; ``None`` if there is none."""
        hosted = self.matches.get(match_id)
        if hosted is not None:
            self.matches.move_to_end(match_id)
            return hosted
        if not looks_like_match_id(match_id):
            return None
        loading = self._loading.get(match_id)
        if loading is None:
            loading = self._loading[match_id] = self._tasks.spawn(self._load(match_id))
            loading.add_done_callback(lambda _: self._loading.pop(match_id, None))
        return await asyncio.shield(loading)

    async def find_current(self, match_id: str) -> Hosted | None:
        """A match with what other servers have stored of it; ``None`` if there is none."""
        hosted = await self.find(match_id)
        if hosted is not None:
            await self.read_changes(hosted)
        return hosted

    def keep(self, hosted: Hosted) -> None:
        """Keep a match, perhaps in the place of those that nobody has used for long."""
        self.matches[hosted.match_id] = hosted
        excess = len(self.matches) - KEPT
        if excess > 0:
            idle = [match_id for match_id, match in self.matches.items() if not match.busy]
            for match_id in idle[:excess]:
                del self.matches[match_id]

    async def read_changes(self, hosted: Hosted) -> None:
        """Read what other servers have stored of a match."""
        if self._store.shared:
            await self.read_changes_of([hosted])

    async def read_changes_of(self, matches: list[Hosted]) -> None:
        """The same of several matches, which other servers may change."""
        counts = await self._store.step_counts([match.match_id for match in matches])
        for match in matches:
            if counts.get(match.match_id, 0) > match.log.step_count:
                async with match.lock:
                    await self.read_again(match)

    async def read_again(self, hosted: Hosted) -> None:
        """Bring a match up to what is stored. Its lock is held."""
        stored = await self._store.load(hosted.match_id, hosted.log.step_count)
        if stored is None:
            return
        hosted.seats = list(stored.seats)
        if not stored.steps:
            return
        after = hosted.log.copy()
        for stored_step in stored.steps:
            after.apply(stored_step.step)
            if stored_step.key_hash is not None:
                hosted.keys[stored_step.step.seat, stored_step.key_hash] = after.step_count
        hosted.move_on(after)

    async def read_seats(self, hosted: Hosted) -> bool:
        """Read the secrets of a match again; whether they differ."""
        stored = await self._store.load(hosted.match_id, hosted.log.step_count)
        if stored is None or list(stored.seats) == hosted.seats:
            return False
        hosted.seats = list(stored.seats)
        return True

    async def _load(self, match_id: str) -> Hosted | None:
        stored = await self._store.load(match_id)
        if stored is None:
            return None
        match_log = await asyncio.to_thread(
            MatchLog, stored.terms.log, [stored_step.step for stored_step in stored.steps]
        )
        hosted = Hosted.of(stored, match_log)
        self.keep(hosted)
        self._on_load(hosted)
        return hosted
