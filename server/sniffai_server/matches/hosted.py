"""One match in memory."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sniffai.moves import Move
from sniffai.play.match_log import MatchLog
from sniffai_server.matches.pages import Pages
from sniffai_server.matches.records import SeatSecrets, Standing, StoredMatch
from sniffai_server.matches.terms import Terms

_JSON: Final = json.JSONEncoder(separators=(",", ":"))


class Hosted:
    """A match in memory, and who waits for it. Everything here runs on one event loop.

    :attr:`log` is replaced, never changed: what it shows is stored.
    """

    def __init__(self, match_id: str, terms: Terms, log: MatchLog, seats: tuple[SeatSecrets, ...]) -> None:
        self.match_id = match_id
        self.terms = terms
        self.log = log
        self.seats = list(seats)
        """By seat."""
        self.keys: dict[tuple[int | None, bytes], int] = {}
        """By seat and hash of an idempotency key: the number of the step."""
        self.lock = asyncio.Lock()
        """Held while a step is made and stored."""
        self.since = asyncio.get_running_loop().time()
        """When its last step was stored, or when it was loaded."""
        self.thinking: asyncio.Task[None] | None = None
        """Plays for levels until a person is to move."""
        self.choice: asyncio.Task[Move | None] | None = None
        """Chooses the next move of a level; cancelled if something else happens first."""
        self._moved = asyncio.Event()
        self._holds = 0
        self.pages = Pages(match_id)
        """What its seats may see: whoever plays and whoever watches gets the same messages."""

    @classmethod
    def of(cls, stored: StoredMatch, log: MatchLog) -> "Hosted":
        """A stored match.

        :param log: of its setup and steps.
        """
        hosted = cls(stored.match_id, stored.terms, log, stored.seats)
        for number, stored_step in enumerate(stored.steps, 1):
            if stored_step.key_hash is not None:
                hosted.keys[stored_step.step.seat, stored_step.key_hash] = number
        return hosted

    @property
    def busy(self) -> bool:
        """Whether it must stay in memory."""
        return self._holds > 0 or self.lock.locked() or self.thinking is not None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep it in memory."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1

    def move_on(self, log: MatchLog) -> None:
        """Replace the log by a later one, and wake whoever waits. A level that thinks begins anew."""
        self.log = log
        self.since = asyncio.get_running_loop().time()
        self.wake()
        if self.choice is not None:
            self.choice.cancel()

    def write_ahead(self, log: MatchLog, seat: int) -> None:
        """Write what a seat may see once a log has replaced this one. It is shown to nobody before.

        If the log is not stored after all, the pages turn back at the next look.
        """
        if log.step_count > self.log.step_count:
            self.pages.view(log, seat)
            self.pages.events(log, seat, self.log.number)

    def wake(self) -> None:
        """Wake whoever waits."""
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()

    async def next_move(self, number: int, seconds: float) -> None:
        """Wait until there is an event after that of a number, or the time is over, or :meth:`wake`."""
        if self.log.number == number:
            try:
                async with asyncio.timeout(seconds):
                    await self._moved.wait()
            except TimeoutError:
                return


def standing_of(log: MatchLog) -> Standing:
    """What the store must know of a match."""
    summary = {
        "seats": [[seat.name, seat.level, seat.joined] for seat in log.seats],
        "scores": log.scores,
        "round": log.round,
        "winner": log.winner,
    }
    return Standing(
        state=log.state.value,
        updated=log.changed,
        expires=log.expires,
        level_moves=log.level_to_move is not None,
        summary=_JSON.encode(summary),
    )
