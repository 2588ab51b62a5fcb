"""The levels of hosted matches: whose turn it is thinks, and then moves."""

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from sniffai.moves import Move
from sniffai.play.match_log import MatchLog, Step, StepKind
from sniffai_server.calls.current import current_call
from sniffai_server.calls.refusals import StoreUnavailableError
from sniffai_server.matches.background import Background
from sniffai_server.matches.errors import ConflictError
from sniffai_server.matches.hosted import Hosted
from sniffai_server.matches.levels import LevelSeats
from sniffai_server.matches.memory import Memory
from sniffai_server.matches.observed import MatchObserver
from sniffai_server.matches.records import LEASE_SECONDS
from sniffai_server.matches.steps import Steps, next_time
from sniffai_server.matches.tasks import Tasks, to_the_end

if TYPE_CHECKING:
    from sniffai_server.matches.store import Store

RETRY_SECONDS: Final = 1.0
"""Seconds after which a level's move is tried again if the database has failed."""


class Opponents:
    """Plays for levels. Of the servers of one database, one thinks for a match. Everything here runs on one event loop.

    :param owner: this server, in leases.
    """

    def __init__(
        self,
        store: "Store",
        memory: Memory,
        steps: Steps,
        seats: LevelSeats,
        tasks: Tasks,
        background: Background,
        observer: MatchObserver,
        owner: str,
    ) -> None:
        self._store = store
        self._memory = memory
        self._steps = steps
        self._seats = seats
        self._tasks = tasks
        self._background = background
        self._observer = observer
        self._owner = owner
        self._closing = False

    def finish(self) -> None:
        """Begin nothing more."""
        self._closing = True

    def start(self, hosted: Hosted) -> None:
        """Think, if a level is to move."""
        if hosted.log.level_to_move is not None and hosted.thinking is None and not self._closing:
            hosted.thinking = self._tasks.spawn(self._think(hosted))

    async def resume(self) -> None:
        """Take over what earlier servers have left, as soon as the database answers."""
        while not self._closing:
            try:
                await self.take_over(leased=not self._store.shared)
                return
            except StoreUnavailableError:
                await asyncio.sleep(RETRY_SECONDS)

    async def take_over(self, *, leased: bool) -> None:
        """Think in the matches in which a level is to move and nobody thinks.

        :param leased: also where another server thinks, or thought before it ended.
        """
        for match_id in await self._store.level_due(leased=leased):
            known = self._memory.matches.get(match_id)
            if known is not None and known.thinking is not None:
                continue
            if self._store.shared and not await self._store.claim(match_id, self._owner):
                continue
            hosted = await self._memory.find_current(match_id)
            if hosted is not None:
                self.start(hosted)

    async def _think(self, hosted: Hosted) -> None:
        """Play for levels until a person is to move."""
        try:
            while hosted.log.level_to_move is not None and not self._closing:
                try:
                    if not await self._play(hosted):
                        return
                except StoreUnavailableError:
                    await asyncio.sleep(RETRY_SECONDS)
        finally:
            hosted.thinking = None

    async def _play(self, hosted: Hosted) -> bool:
        """Play one move of a level; false if that is not, or no longer, up to this server."""
        match_log = hosted.log
        if self._store.shared and not await self._store.claim(hosted.match_id, self._owner):
            return False
        hosted.choice = self._tasks.spawn(self._choose(hosted, match_log))
        try:
            await asyncio.wait({hosted.choice})
            move = None if hosted.choice.cancelled() else hosted.choice.result()
        finally:
            hosted.choice.cancel()
            hosted.choice = None
        if move is None:
            return hosted.log is not match_log
        async with hosted.lock:
            if hosted.log is match_log:
                step = Step(StepKind.PLACE, next_time(match_log), match_log.to_move, str(move))
                with contextlib.suppress(ConflictError):
                    await to_the_end(self._steps.make(hosted, step))
        return True

    async def _choose(self, hosted: Hosted, match_log: MatchLog) -> Move | None:
        """The move of a level, once it may be shown."""
        since, loop = hosted.since, asyncio.get_running_loop()
        renewing = self._tasks.spawn(self._renew(hosted)) if self._store.shared else None
        try:
            await self._background.turn()
            move = await self._seats.choose(match_log, hosted.terms)
            if move is not None:
                await asyncio.sleep(self._seats.pause(match_log, hosted.terms, loop.time() - since))
                await self._background.turn()
            return move
        finally:
            self._observer.level_searched(current_call())
            if renewing is not None:
                renewing.cancel()

    async def _renew(self, hosted: Hosted) -> None:
        """Keep the right to think for a level."""
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            with contextlib.suppress(StoreUnavailableError):
                await self._store.claim(hosted.match_id, self._owner)
