"""Who may search next: a bounded queue by priority, in front of a fixed number of slots and one store of memory.

The queue is strict: a waiting interactive search goes before every analysis, an analysis before all bulk work, and
within a class the first to come goes first. Where the queue is full, the last to come of the least urgent class has to
go: the newcomer itself, unless it is more urgent than one that waits. A search whose memory is not free yet keeps its
place at the head, so that small searches cannot starve a large one. Everything here runs on one event loop.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from sniffai_server.callers import Priority, caller_of
from sniffai_server.refusals import ExpiredError, QueueFullError

__all__ = ["Admission", "Priority", "SlotQueue", "admission_of"]

HABIT: Final = 0.2
"""The weight of the latest search in the running mean of how long a slot is held."""


@dataclass(frozen=True, slots=True)
class Admission:
    """On whose behalf a search is asked for, and how urgent it is."""

    client: str
    priority: Priority


def admission_of(context: Any, requested: Priority) -> Admission:
    """The admission of a call: the best priority of its key caps the requested one."""
    caller = caller_of(context)
    return Admission(caller.name, max(requested, caller.best))


@dataclass(eq=False, slots=True)
class _Waiter:
    """One search that waits."""

    admission: Admission
    deadline: float | None
    memory: int
    turn: "asyncio.Future[None]"


class SlotQueue:
    """The slots of a server and the searches that wait for one.

    :param slots: how many searches run at the same time, at least 1.
    :param size: how many may wait, at least 0.
    :param memory: bytes that the trees of all running searches may take together.
    :param clock: seconds that only grow.
    """

    def __init__(self, slots: int, size: int, memory: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.slots = slots
        self.size = size
        self.memory = memory
        self._clock = clock
        self._busy = 0
        self._reserved = 0
        self._waiting: dict[Priority, deque[_Waiter]] = {priority: deque() for priority in Priority}
        self._held = 1.0

    @property
    def busy(self) -> int:
        """How many slots are taken."""
        return self._busy

    @property
    def reserved(self) -> int:
        """Bytes that running searches may take."""
        return self._reserved

    def depth(self, priority: Priority) -> int:
        """How many searches of a priority wait."""
        return len(self._waiting[priority])

    def check_room(self, admission: Admission) -> None:
        """Refuse at once what could not even wait, before any work is done for it.

        :raises QueueFullError: there is neither a slot nor room to wait.
        """
        least = max((priority for priority, line in self._waiting.items() if line), default=admission.priority)
        idle = self._busy < self.slots and self._depth() == 0
        if not idle and self._depth() >= self.size and least <= admission.priority:
            raise QueueFullError(self._expected_wait())

    @asynccontextmanager
    async def slot(self, admission: Admission, deadline: float | None, memory: int = 0) -> AsyncIterator[float]:
        """Wait for a slot and hold it; gives the seconds waited.

        :param deadline: the moment by the queue's clock after which the search need not begin any more.
        :param memory: bytes to reserve; more than the whole store counts as the whole store.
        :raises QueueFullError: there is no room to wait, or a more urgent search took the place.
        :raises ExpiredError: the deadline came first.
        """
        memory = min(memory, self.memory)
        asked = self._clock()
        await self._enter(_Waiter(admission, deadline, memory, asyncio.get_running_loop().create_future()))
        began = self._clock()
        try:
            yield began - asked
        finally:
            self._held += HABIT * (self._clock() - began - self._held)
            self._release(memory)

    async def _enter(self, waiter: _Waiter) -> None:
        """Take a slot now or in turn."""
        if self._depth() == 0 and self._fits(waiter):
            self._take(waiter)
            return
        line = self._waiting[waiter.admission.priority]
        line.append(waiter)
        self._grant()
        self._make_room(waiter)
        try:
            if not waiter.turn.done():
                left = None if waiter.deadline is None else waiter.deadline - self._clock()
                await asyncio.wait({waiter.turn}, timeout=left)
        except asyncio.CancelledError:
            self._leave(waiter)
            raise
        if not waiter.turn.done():
            self._leave(waiter)
            raise ExpiredError
        waiter.turn.result()

    def _leave(self, waiter: _Waiter) -> None:
        """Give up the place in the queue, or the slot that came in the same moment."""
        if not waiter.turn.done():
            self._waiting[waiter.admission.priority].remove(waiter)
            waiter.turn.cancel()
            self._grant()
        elif waiter.turn.exception() is None:
            self._release(waiter.memory)

    def _make_room(self, newcomer: _Waiter) -> None:
        """Send away the last of the least urgent while more wait than may."""
        while self._depth() > self.size:
            least = max(priority for priority, line in self._waiting.items() if line)
            last = self._waiting[least].pop()
            last.turn.set_exception(QueueFullError(self._expected_wait(), displaced=last is not newcomer))

    def _grant(self) -> None:
        """Give free slots to those whose turn it is; drop those whose deadline has passed."""
        for line in self._waiting.values():
            while line:
                if self._late(line[0]):
                    line.popleft().turn.set_exception(ExpiredError())
                elif self._fits(line[0]):
                    waiter = line.popleft()
                    self._take(waiter)
                    waiter.turn.set_result(None)
                else:
                    return

    def _take(self, waiter: _Waiter) -> None:
        self._busy += 1
        self._reserved += waiter.memory

    def _release(self, memory: int) -> None:
        self._busy -= 1
        self._reserved -= memory
        self._grant()

    def _fits(self, waiter: _Waiter) -> bool:
        return self._busy < self.slots and self._reserved + waiter.memory <= self.memory

    def _late(self, waiter: _Waiter) -> bool:
        return waiter.deadline is not None and self._clock() >= waiter.deadline

    def _depth(self) -> int:
        return sum(map(len, self._waiting.values()))

    def _expected_wait(self) -> float:
        """Seconds until the queue has moved on by a good part, by how long slots were held lately."""
        return self._held * (1 + self._depth() / 2) / self.slots
