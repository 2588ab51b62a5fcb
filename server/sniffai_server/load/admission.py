"""The queue for search slots: bounded, by priority, with a fixed number of slots and an amount of memory.

A more urgent class always goes first: interactive searches before analyses, analyses before bulk work. Within a class
the callers take turns: the one with the fewest slots goes first, of equals the one that has waited longest since its
last slot. The searches of one caller go in their order of arrival.

A running search gives up its slot between two slices of its work: at once to a more urgent search, and after
:data:`QUANTUM` seconds to one of its own class whose caller has fewer slots and got none for as long. Then it waits,
with its tree, to continue.

If the queue is full, one search of the least urgent class is refused: the last one of the caller with the most waiting.
A search whose memory is not free yet stays at the head, so that small searches cannot starve a large one. Only searches
that have started may pass it, since their end frees memory. Everything here runs on one event loop.
"""

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import chain, count, islice
from typing import Any, Final

from sniffai_server.calls.callers import Priority, caller_of
from sniffai_server.calls.refusals import ExpiredError, QueueFullError
from sniffai_server.load.lines import ClassLine
from sniffai_server.load.turns import Admission, State, Turn

__all__ = ["PAUSED_MOST", "Admission", "Priority", "SlotQueue", "Turn", "admission_of"]

HABIT: Final = 0.2
"""The weight of the latest search in the running mean of how long a slot is held."""
QUANTUM: Final = 0.2
"""Seconds that a search may keep its slot while another caller of its class, with fewer slots, waits."""

PAUSED_MOST: Final = 64
"""Maximum number of paused searches: each keeps a thread and its tree."""


def admission_of(context: Any, requested: Priority) -> Admission:
    """The client and the priority of a call. The priority is at most the highest that the client may request."""
    caller = caller_of(context)
    return Admission(caller.name, max(requested, caller.best))


class SlotQueue:
    """The slots of a server and the searches that wait for one.

    :param slots: how many searches run at the same time, at least 1.
    :param size: how many searches may wait for their first slot, at least 0.
    :param memory: bytes that the trees of all searches may take together.
    :param clock: a monotonic clock, in seconds.
    :param share: how many slots one caller may hold; all if not given.
    """

    def __init__(
        self,
        slots: int,
        size: int,
        memory: int,
        clock: Callable[[], float] = time.monotonic,
        share: int | None = None,
    ) -> None:
        self.slots = slots
        self.size = size
        self.memory = memory
        self._clock = clock
        self._share = slots if share is None else share
        self._reserved = 0
        self._waiting: dict[Priority, ClassLine] = {priority: ClassLine() for priority in Priority}
        self._running: dict[Turn, None] = {}
        self._aside: set[Turn] = set()
        """Turns that neither hold a slot nor wait for one."""
        self._turns: Counter[str] = Counter()
        """How many turns each caller has, whatever their state."""
        self._slots_of: Counter[str] = Counter()
        """How many slots each caller holds."""
        self._served: dict[str, int] = {}
        """The number of the latest slot of each caller with a turn."""
        self._gave: dict[str, float] = {}
        """When each caller with a turn last released a slot."""
        self._numbers = count()
        self._held = 1.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> int:
        """How many slots are taken."""
        return len(self._running)

    @property
    def reserved(self) -> int:
        """Bytes that are reserved for searches that have started."""
        return self._reserved

    @property
    def paused(self) -> int:
        """How many searches are paused and wait to continue."""
        return sum(line.begun for line in self._waiting.values())

    def depth(self, priority: Priority) -> int:
        """How many searches of a priority wait for their first slot."""
        return self._waiting[priority].fresh

    def check_room(self, admission: Admission) -> None:
        """Refuse a search early, before any work is done for it, if it could not even wait.

        :raises QueueFullError: no slot is free and the queue is full.
        """
        idle = self.busy < self.slots and not any(self._waiting.values())
        if (idle and self._slots_of[admission.client] < self._share) or self._depth() < self._room:
            return
        least = max((priority for priority in Priority if self.depth(priority)), default=admission.priority)
        line = self._waiting[admission.priority]
        another = least == admission.priority and line.longest > line.fresh_of(admission.client) + 1
        if least <= admission.priority and not another:
            raise QueueFullError(self._expected_wait())

    @asynccontextmanager
    async def slot(self, admission: Admission, deadline: float | None, memory: int = 0) -> AsyncIterator[Turn]:
        """Wait for a slot and hold it, except while it is handed over; yields the turn.

        :param deadline: the moment, by the queue's clock, after which the search need not start any more.
        :param memory: bytes to reserve, cut to the memory of the queue.
        :raises QueueFullError: the queue is full, or a more urgent search took the place.
        :raises ExpiredError: the deadline passed first.
        """
        turn = Turn(
            admission,
            deadline,
            memory=min(memory, self.memory),
            number=next(self._numbers),
            asked=self._clock(),
            began=asyncio.get_running_loop().create_future(),
        )
        self._turns[turn.caller] += 1
        try:
            await self._enter(turn)
            turn.waited = self._clock() - turn.asked
            yield turn
        finally:
            self._end(turn)

    def hand_over(self, turn: Turn, kept: int) -> None:
        """Release the slot of a search that will continue with its next slot: ``turn.go`` is set then.

        :param kept: bytes of its tree, which stay reserved.
        """
        if turn.state is not State.RUNNING or turn.ended:
            turn.go.set()
            return
        self._give_back(turn, min(kept, turn.memory))
        turn.state = State.WAITING
        self._waiting[turn.priority].add(turn)
        self._grant()

    def leave(self, turn: Turn) -> None:
        """End the wait of a paused search. Its tree's memory stays reserved until its turn is over."""
        turn.wake()
        if turn.state is State.WAITING and not turn.fresh:
            self._waiting[turn.priority].remove(turn)
            self._set_aside(turn)
            self._grant()

    def step_aside(self, turn: Turn) -> None:
        """Release the slot of a turn that waits for something other than a slot."""
        if turn.state is State.RUNNING:
            self._give_back(turn, turn.memory)
            self._set_aside(turn)
            self._grant()

    def come_back(self, turn: Turn) -> None:
        """Give a turn that stepped aside a slot at once, even if none is free."""
        if turn.state is State.ASIDE:
            self._aside.remove(turn)
            self._take(turn)

    def look_again(self) -> None:
        """Decide which searches must hand their slots over now, and when to decide again."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        victims: set[Turn] = set()
        soonest = math.inf
        slots_of = self._slots_of.copy()
        for turn in self._first(self.slots):
            if turn.fresh and self.paused + len(victims) >= PAUSED_MOST:
                continue
            victim, wait = self._victim(turn, victims, slots_of)
            soonest = min(soonest, wait)
            if victim is not None:
                victims.add(victim)
                slots_of[victim.caller] -= 1
                slots_of[turn.caller] += 1
        for turn in self._running:
            turn.wanted = turn in victims
        if soonest < math.inf:
            self._timer = asyncio.get_running_loop().call_later(soonest, self.look_again)

    def _victim(self, turn: Turn, spared: set[Turn], slots_of: Counter[str]) -> tuple[Turn | None, float]:
        """The running search to pause for one that waits, or the seconds until there may be one.

        It is the longest-running one of the caller with the most slots, among the least urgent.
        """
        soonest, now = math.inf, self._clock()
        ranked = sorted(
            (other for other in self._running if other not in spared and not other.ended),
            key=lambda other: (-other.priority, -slots_of[other.caller], other.since),
        )
        for other in ranked:
            if self._reserved - other.memory + turn.memory - (turn.kept or 0) > self.memory:
                continue
            if other.priority > turn.priority:
                return other, math.inf
            if other.priority == turn.priority and slots_of[other.caller] > slots_of[turn.caller]:
                wait = max(other.since, self._gave.get(turn.caller, -math.inf)) + QUANTUM - now
                if wait <= 0:
                    return other, math.inf
                soonest = min(soonest, wait)
        return None, soonest

    def _first(self, most: int) -> list[Turn]:
        """The first waiting turns, at most ``most``, in the order in which they get slots."""
        lines = (line.order(self._slots_of, self._served) for line in self._waiting.values())
        return list(islice(chain.from_iterable(lines), most))

    async def _enter(self, turn: Turn) -> None:
        """Take a slot, now or after waiting."""
        if not any(self._waiting.values()) and self._fits(turn):
            self._take(turn)
            return
        self._waiting[turn.priority].add(turn)
        self._grant()
        self._make_room(turn)
        if not turn.began.done():
            left = None if turn.deadline is None else turn.deadline - self._clock()
            await asyncio.wait({turn.began}, timeout=left)
            if not turn.began.done():
                raise ExpiredError
        turn.began.result()

    def _end(self, turn: Turn) -> None:
        """Release everything that a turn has."""
        if turn.state is State.RUNNING:
            self._give_back(turn, 0)
            self._held += HABIT * (turn.spent - self._held)
        elif turn.state is State.WAITING:
            self._waiting[turn.priority].remove(turn)
        self._aside.discard(turn)
        self._reserved -= turn.kept or 0
        turn.kept, turn.state = None, State.OVER
        if not turn.began.cancel() and not turn.began.cancelled():
            turn.began.exception()  # retrieved, so that asyncio logs no error for it
        del turn.began  # its error's traceback would keep the turn and its search alive
        turn.wake()
        self._turns[turn.caller] -= 1
        if not self._turns[turn.caller]:
            del self._turns[turn.caller]
            self._served.pop(turn.caller, None)
            self._gave.pop(turn.caller, None)
        self._grant()

    def _make_room(self, newcomer: Turn) -> None:
        """Refuse one search if too many wait."""
        while self._depth() > self._room:
            least = max(priority for priority in Priority if self.depth(priority))
            last = self._waiting[least].last()
            self._refuse(last, QueueFullError(self._expected_wait(), displaced=last is not newcomer))

    def _refuse(self, turn: Turn, error: Exception) -> None:
        """End the wait of a turn with an error."""
        self._waiting[turn.priority].remove(turn)
        turn.state = State.OVER
        turn.began.set_exception(error)

    def _grant(self) -> None:
        """Give free slots to the turns that are next, and drop those whose deadlines have passed."""
        while late := [turn for line in self._waiting.values() for turn in line.heads({}, {}) if self._late(turn)]:
            for expired in late:
                self._drop(expired)
        while (turn := self._next()) is not None:
            self._waiting[turn.priority].remove(turn)
            fresh = turn.fresh
            self._take(turn)
            if fresh:
                turn.began.set_result(None)
            else:
                turn.go.set()
        self.look_again()

    def _next(self) -> Turn | None:
        """The turn that gets the next free slot; ``None`` if there is none."""
        blocked = False
        for line in self._waiting.values():
            for turn in line.heads(self._slots_of, self._served):
                if self.busy >= self.slots:
                    return None
                if self._slots_of[turn.caller] >= self._share:
                    continue
                if not self._fits(turn):
                    blocked = True
                elif not (blocked and turn.fresh):
                    return turn
        return None

    def _drop(self, turn: Turn) -> None:
        """Drop a turn whose deadline has passed: it is refused, or, if it has started, answers with what it has."""
        if turn.fresh:
            self._refuse(turn, ExpiredError())
        else:
            self._waiting[turn.priority].remove(turn)
            self._set_aside(turn)
            turn.wake()

    def _take(self, turn: Turn) -> None:
        """Give a turn a slot and its memory."""
        self._reserved += turn.memory - (turn.kept or 0)
        turn.kept, turn.state, turn.since = None, State.RUNNING, self._clock()
        self._running[turn] = None
        self._slots_of[turn.caller] += 1
        self._served[turn.caller] = next(self._numbers)

    def _give_back(self, turn: Turn, kept: int) -> None:
        """Release a turn's slot, and its memory except for what it keeps."""
        self._reserved += kept - turn.memory
        turn.kept, turn.wanted = kept, False
        self._gave[turn.caller] = self._clock()
        turn.spent += self._gave[turn.caller] - turn.since
        del self._running[turn]
        self._slots_of[turn.caller] -= 1
        if not self._slots_of[turn.caller]:
            del self._slots_of[turn.caller]

    def _set_aside(self, turn: Turn) -> None:
        turn.state = State.ASIDE
        self._aside.add(turn)

    def _fits(self, turn: Turn) -> bool:
        memory = self._reserved + turn.memory - (turn.kept or 0)
        return self.busy < self.slots and self._slots_of[turn.caller] < self._share and memory <= self.memory

    def _late(self, turn: Turn) -> bool:
        return turn.deadline is not None and self._clock() >= turn.deadline

    @property
    def _room(self) -> int:
        """How many turns may wait for their first slot. Turns that stepped aside count as waiting."""
        return max(0, self.size - len(self._aside))

    def _depth(self) -> int:
        return sum(line.fresh for line in self._waiting.values())

    def _expected_wait(self) -> float:
        """Estimated seconds until half of the queue has started, from how long slots were held lately."""
        return self._held * (1 + self._depth() / 2) / self.slots
