"""What happens to matches by itself: they expire, old ones are removed, and other servers change them."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sniffai.errors import SniffError
from sniffai.play.match_log import MatchState, Step, StepKind
from sniffai_server.calls.holdings import share_of
from sniffai_server.calls.refusals import StoreUnavailableError
from sniffai_server.matches import clock
from sniffai_server.matches.errors import ConflictError
from sniffai_server.matches.hosted import Hosted
from sniffai_server.matches.memory import Memory
from sniffai_server.matches.opponents import Opponents
from sniffai_server.matches.steps import Steps, next_time
from sniffai_server.matches.tasks import to_the_end
from sniffai_server.settings import Settings

if TYPE_CHECKING:
    from sniffai_server.matches.store import Store

LOOK_SECONDS: Final = 0.2
"""Seconds between two looks at what other servers have stored."""
SWEEP_SECONDS: Final = 5.0
"""Seconds between two looks for matches that have expired, or whose level nobody thinks for."""

log = logging.getLogger(__name__)


class Upkeep:
    """Looks after all matches from time to time.

    :param lasting: whether the store may hold matches of an earlier server.
    """

    def __init__(
        self, settings: Settings, store: "Store", memory: Memory, steps: Steps, opponents: Opponents, *, lasting: bool
    ) -> None:
        self._settings = settings
        self._store = store
        self._memory = memory
        self._steps = steps
        self._opponents = opponents
        self._lasting = lasting
        self.counts: dict[str, int] = {}
        """How many matches there are, by state, at the last look."""

    async def sweep(self) -> None:
        """From time to time end, remove and take over matches."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            if not self._lasting and not self._memory.matches:
                continue  # a database in memory that nobody has used
            try:
                await self.look_after()
            except (StoreUnavailableError, SniffError) as error:
                log.error("the sweep of matches failed: %s", error)

    async def look_after(self) -> None:
        """End matches that have expired, remove old ones, and take over those whose levels nobody thinks for."""
        for match_id in await self._store.expired(clock.now()):
            hosted = await self._memory.find_current(match_id)
            if hosted is not None:
                await self.expire_if_due(hosted)
        if self._short_of_places:
            await self._make_room()
        if self._settings.match_keep_days:
            await self._store.remove_old(clock.now() - int(self._settings.match_keep_days * clock.DAY))
        most = self._settings.max_kept_matches
        if sum(count for state, count in self.counts.items() if MatchState(state).over) > share_of(most):
            await self._store.remove_excess(most, share_of(most))
        if self._store.shared:
            await self._opponents.take_over(leased=False)
        self.counts = await self._store.counts()

    async def look(self) -> None:
        """From time to time read what other servers have stored of matches that someone waits for."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            waited = [match for match in self._memory.matches.values() if match.busy]
            if waited:
                with contextlib.suppress(StoreUnavailableError):
                    await self._memory.read_changes_of(waited)

    async def expire_if_due(self, hosted: Hosted) -> None:
        """End a match in which nothing has happened for too long."""
        if _due(hosted):
            await self._end(hosted, _due)

    @property
    def _short_of_places(self) -> bool:
        """Whether less than a quarter of the places was free at the last look."""
        most = self._settings.max_matches
        return sum(count for state, count in self.counts.items() if not MatchState(state).over) > most - share_of(most)

    async def _make_room(self) -> None:
        """End the matches of clients without a name in which no person has moved for some time.

        Those that someone watches go on, and so does every match in which a person has ever moved.
        """
        before = clock.now() - round(self._settings.match_untouched_seconds * clock.MICROSECONDS)
        for match_id in await self._store.untouched(before):
            hosted = await self._memory.find_current(match_id)
            if hosted is not None and not hosted.busy:
                await self._end(hosted, lambda match: not match.keys and match.log.changed <= before)

    async def _end(self, hosted: Hosted, due: Callable[[Hosted], bool]) -> None:
        """End a match, unless something happens before that makes it go on."""

        async def expire() -> None:
            async with hosted.lock:
                if due(hosted) and not hosted.log.state.over:
                    with contextlib.suppress(ConflictError):
                        await self._steps.make(hosted, Step(StepKind.EXPIRE, next_time(hosted.log)))

        await to_the_end(expire())


def _due(hosted: Hosted) -> bool:
    """Whether nothing has happened in a match for too long."""
    expires = hosted.log.expires
    return expires is not None and expires <= clock.now()
