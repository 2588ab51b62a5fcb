"""Who may search next: a bounded queue by priority, in front of a fixed number of slots and one store of memory.

Between classes the queue is strict: a waiting interactive search goes before every analysis, an analysis before all
bulk work. Within a class the callers take turns: whoever holds the fewest slots goes first, of equals whoever got one
least lately; among one caller's searches the first to come goes first.

A search that runs hands its slot over, between two slices of its work, to a more urgent one at once, and after
:data:`QUANTUM` seconds to one of its own class whose caller holds fewer slots and has had none for as long. Then it
waits, with its tree, to go on.

Where the queue is full, one of the least urgent class has to go: the last of the caller who has the most waiting there.
A search whose memory is not free yet keeps its place at the head, so that small searches cannot starve a large one;
only those that have begun may pass it, since their end frees memory. Everything here runs on one event loop.
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
"""Seconds that a search may go on while another caller of its class, with fewer slots, waits."""

PAUSED_MOST: Final = 64
"""Searches that may have handed their slot over and wait to go on: each keeps a thread, and its tree."""


def admission_of(context: Any, requested: Priority) -> Admission:
    """The admission of a call: the best priority of its key caps the requested one."""
    caller = caller_of(context)
    return Admission(caller.name, max(requested, caller.best))


class SlotQueue:
    """The slots of a server and the searches that wait for one.

    :param slots: how many searches run at the same time, at least 1.
    :param size: how many may wait that have not begun, at least 0.
    :param memory: bytes that the trees of all searches may take together.
    :param clock: seconds that only grow.
    :param share: how many slots one caller may hold; all where not given.
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
        """Turns without a slot that do not wait for one."""
        self._turns: Counter[str] = Counter()
        """How many turns each caller has, whatever their state."""
        self._slots_of: Counter[str] = Counter()
        """How many slots each caller holds."""
        self._served: dict[str, int] = {}
        """The number of the latest slot of each caller who has a turn."""
        self._gave: dict[str, float] = {}
        """When each caller who has a turn gave a slot back last."""
        self._numbers = count()
        self._held = 1.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> int:
        """How many slots are taken."""
        return len(self._running)

    @property
    def reserved(self) -> int:
        """Bytes that are set aside for searches that have begun."""
        return self._reserved

    @property
    def paused(self) -> int:
        """How many searches have handed their slot over and wait to go on."""
        return sum(line.begun for line in self._waiting.values())

    def depth(self, priority: Priority) -> int:
        """How many searches of a priority wait that have not begun."""
        return self._waiting[priority].fresh

    def check_room(self, admission: Admission) -> None:
        """Refuse at once what could not even wait, before any work is done for it.

        :raises QueueFullError: there is neither a slot nor room to wait.
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
        """Wait for a slot and hold it, but for the times in which it is handed over; gives the turn.

        :param deadline: the moment by the queue's clock after which the search need not begin any more.
        :param memory: bytes to reserve; more than the whole store counts as the whole store.
        :raises QueueFullError: there is no room to wait, or another search took the place.
        :raises ExpiredError: the deadline came first.
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
        """Let those that wait have the slot of a search, which goes on in its next turn: ``turn.go`` tells when.

        :param kept: bytes that its tree takes: they stay reserved.
        """
        if turn.state is not State.RUNNING or turn.ended:
            turn.go.set()
            return
        self._give_back(turn, min(kept, turn.memory))
        turn.state = State.WAITING
        self._waiting[turn.priority].add(turn)
        self._grant()

    def leave(self, turn: Turn) -> None:
        """Let a search that waits to go on wait no more. Its tree's memory stays reserved until its turn is over."""
        turn.wake()
        if turn.state is State.WAITING and not turn.fresh:
            self._waiting[turn.priority].remove(turn)
            self._set_aside(turn)
            self._grant()

    def step_aside(self, turn: Turn) -> None:
        """Let those that wait have the slot of a turn that waits for something else, until it comes back."""
        if turn.state is State.RUNNING:
            self._give_back(turn, turn.memory)
            self._set_aside(turn)
            self._grant()

    def come_back(self, turn: Turn) -> None:
        """Give a turn that stepped aside a slot at once, even where none is free."""
        if turn.state is State.ASIDE:
            self._aside.remove(turn)
            self._take(turn)

    def look_again(self) -> None:
        """Decide which searches are to hand their slots over now, and when to look again."""
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
        """Which search is to make way for one that waits; where there is none, the seconds until there may be one.

        It is one of the least urgent, of the caller with the most slots, the one that has gone on longest.
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
        """Those that wait, at most so many, in the order in which they should go."""
        lines = (line.order(self._slots_of, self._served) for line in self._waiting.values())
        return list(islice(chain.from_iterable(lines), most))

    async def _enter(self, turn: Turn) -> None:
        """Take a slot now or in turn."""
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
        """Give back whatever a turn has."""
        if turn.state is State.RUNNING:
            self._give_back(turn, 0)
            self._held += HABIT * (turn.spent - self._held)
        elif turn.state is State.WAITING:
            self._waiting[turn.priority].remove(turn)
        self._aside.discard(turn)
        self._reserved -= turn.kept or 0
        turn.kept, turn.state = None, State.OVER
        if not turn.began.cancel() and not turn.began.cancelled():
            turn.began.exception()  # told already, or to nobody: its task was cancelled
        del turn.began  # an error that it holds has frames in its traceback that hold the turn, and the search with it
        turn.wake()
        self._turns[turn.caller] -= 1
        if not self._turns[turn.caller]:
            del self._turns[turn.caller]
            self._served.pop(turn.caller, None)
            self._gave.pop(turn.caller, None)
        self._grant()

    def _make_room(self, newcomer: Turn) -> None:
        """Send one away where more wait than may."""
        while self._depth() > self._room:
            least = max(priority for priority in Priority if self.depth(priority))
            last = self._waiting[least].last()
            self._refuse(last, QueueFullError(self._expected_wait(), displaced=last is not newcomer))

    def _refuse(self, turn: Turn, error: Exception) -> None:
        """Tell one that waits that it will not begin."""
        self._waiting[turn.priority].remove(turn)
        turn.state = State.OVER
        turn.began.set_exception(error)

    def _grant(self) -> None:
        """Give free slots to those whose turn it is, and drop those whose deadline has passed."""
        while late := [turn for line in self._waiting.values() for turn in line.heads({}, {}) if self._late(turn)]:
            for one in late:
                self._drop(one)
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
        """Whose turn it is, where there is a slot."""
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
        """Take out one whose deadline has passed: it does not begin, or answers with what it has."""
        if turn.fresh:
            self._refuse(turn, ExpiredError())
        else:
            self._waiting[turn.priority].remove(turn)
            self._set_aside(turn)
            turn.wake()

    def _take(self, turn: Turn) -> None:
        """Give a turn a slot and the memory that it may take."""
        self._reserved += turn.memory - (turn.kept or 0)
        turn.kept, turn.state, turn.since = None, State.RUNNING, self._clock()
        self._running[turn] = None
        self._slots_of[turn.caller] += 1
        self._served[turn.caller] = next(self._numbers)

    def _give_back(self, turn: Turn, kept: int) -> None:
        """Take a turn's slot, and its memory but for what it keeps."""
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
        """How many may wait that have not begun: those that stepped aside count."""
        return max(0, self.size - len(self._aside))

    def _depth(self) -> int:
        return sum(line.fresh for line in self._waiting.values())

    def _expected_wait(self) -> float:
        """Seconds until the queue has moved on by a good part, by how long slots were held lately."""
        return self._held * (1 + self._depth() / 2) / self.slots
