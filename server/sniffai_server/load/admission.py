"""The queue for search slots: bounded, by priority, with a fixed number of slots and an amount of memory.

A more urgent class always goes first: interactive searches before analyses, analyses before bulk work. Within a class
the slots are shared by time and weight, as in weighted fair queueing: the caller that has used least for its weight
goes first (:mod:`sniffai_server.load.lines`). The searches of one caller go in their order of arrival.

A running search gives up its slot between two slices of its work: at once to a more urgent search, and after
:data:`QUANTUM` seconds to one of its own class whose caller holds less than its share. Then it waits, with its tree, to
continue.

If the queue is full, a caller with more than its share of it loses a search: the last one of its least urgent class. A
search whose memory is not free yet stays at the head, so that small searches cannot starve a large one. Only searches
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
from sniffai_server.load.accounts import Account
from sniffai_server.load.lines import QUANTUM, ClassLine
from sniffai_server.load.turns import Admission, State, Turn

__all__ = ["PAUSED_MOST", "QUANTUM", "Admission", "Priority", "SlotQueue", "Turn", "admission_of"]

HABIT: Final = 0.2
"""The weight of the latest search in the running mean of how long a slot is held."""
MOMENT: Final = 1e-6
"""Seconds for which nothing waits."""

PAUSED_MOST: Final = 64
"""Maximum number of paused searches: each keeps a thread and its tree."""


def admission_of(context: Any, requested: Priority) -> Admission:
    """The client of a call, its weight and the priority, which is at most the highest that the client may request."""
    caller = caller_of(context)
    return Admission(caller.name, max(requested, caller.best), caller.weight)


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

    def callers(self, priority: Priority) -> int:
        """How many callers have searches of a priority that wait for their first slot."""
        return sum(account.fresh > 0 for account in self._waiting[priority].accounts)

    @property
    def most_slots(self) -> int:
        """How many slots the caller with the most holds."""
        return max(self._slots_of().values(), default=0)

    def check_room(self, admission: Admission) -> None:
        """Refuse a search early, before any work is done for it, if it could not even wait.

        :raises QueueFullError: no slot is free and the queue is full.
        """
        if self._depth() < self._room:
            return
        if self.busy < self.slots and not any(self._waiting.values()):
            account = self._waiting[admission.priority].account(admission.client)
            if account is None or account.slots < self._share:
                return
        if self._surplus(admission) == (admission.priority, admission.client):
            raise QueueFullError(self._expected_wait())

    @asynccontextmanager
    async def slot(self, admission: Admission, deadline: float | None, memory: int = 0) -> AsyncIterator[Turn]:
        """Wait for a slot and hold it, except while it is handed over; yields the turn.

        :param deadline: the moment, by the queue's clock, after which the search need not start any more.
        :param memory: bytes to reserve, cut to the memory of the queue.
        :raises QueueFullError: the queue is full, or a more urgent search took the place.
        :raises ExpiredError: the deadline passed first.
        """
        asked = self._clock()
        turn = Turn(
            admission,
            self._waiting[admission.priority].open(admission.client, admission.weight, asked),
            deadline,
            memory=min(memory, self.memory),
            number=next(self._numbers),
            asked=asked,
            began=asyncio.get_running_loop().create_future(),
        )
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
        self._waiting[turn.priority].add(turn, self._clock())
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
        moved: Counter[Account] = Counter()
        if any(self._waiting.values()):
            for turn in self._first(self.slots):
                if turn.fresh and self.paused + len(victims) >= PAUSED_MOST:
                    continue
                victim, wait = self._victim(turn, victims, moved)
                soonest = min(soonest, wait)
                if victim is not None:
                    victims.add(victim)
                    moved[victim.account] -= 1
                    moved[turn.account] += 1
        for turn in self._running:
            turn.wanted = turn in victims
        if soonest < math.inf:
            self._timer = asyncio.get_running_loop().call_later(soonest, self.look_again)

    def _victim(self, turn: Turn, spared: set[Turn], moved: Counter[Account]) -> tuple[Turn | None, float]:
        """The running search to pause for one that waits, or the seconds until there may be one.

        It is the longest-running one of the caller with the most slots for its weight, among the least urgent.

        :param moved: how many slots each caller will have got from others.
        """
        soonest, now = math.inf, self._clock()
        ranked = sorted(
            (other for other in self._running if other not in spared and not other.ended),
            key=lambda other: (
                -other.priority,
                -(other.account.slots + moved[other.account]) / other.account.weight,
                other.since,
            ),
        )
        for other in ranked:
            if self._reserved - other.memory + turn.memory - (turn.kept or 0) > self.memory:
                continue
            if other.priority > turn.priority:
                return other, math.inf
            if other.priority == turn.priority:
                wait = _seconds_to_turn(turn.account, other, moved, now)
                if wait <= MOMENT:
                    return other, math.inf
                soonest = min(soonest, wait)
        return None, soonest

    def _first(self, most: int) -> list[Turn]:
        """The first waiting turns, at most ``most``, in the order in which they get slots."""
        now = self._clock()
        lines = (line.order(now) for line in self._waiting.values())
        return list(islice(chain.from_iterable(lines), most))

    async def _enter(self, turn: Turn) -> None:
        """Take a slot, now or after waiting."""
        if not any(self._waiting.values()) and self._fits(turn):
            self._take(turn)
            return
        self._waiting[turn.priority].add(turn, turn.asked)
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
        self._waiting[turn.priority].close(turn.account)
        self._grant()

    def _make_room(self, newcomer: Turn) -> None:
        """Refuse one search if too many wait."""
        while self._depth() > self._room:
            priority, caller = self._surplus()
            last = self._waiting[priority].last(caller)
            self._refuse(last, QueueFullError(self._expected_wait(), displaced=last is not newcomer))

    def _surplus(self, newcomer: Admission | None = None) -> tuple[Priority, str]:
        """The class and the caller of the search to refuse if too many wait: the last of them.

        Only callers with more than their share of the queue lose searches: those of the least urgent class first, of
        these the caller with the most waiting for its weight, of equals the last to arrive.

        :param newcomer: a search that would wait, too.
        """
        waiting: Counter[str] = Counter()
        weights: dict[str, int] = {}
        ends: list[tuple[Priority, str, float]] = []
        for priority, line in self._waiting.items():
            for account in line.accounts:
                if account.fresh:
                    waiting[account.caller] += account.fresh
                    weights[account.caller] = account.weight
                    ends.append((priority, account.caller, line.last(account.caller).number))
        if newcomer is not None:
            waiting[newcomer.client] += 1
            weights[newcomer.client] = newcomer.weight
            ends.append((newcomer.priority, newcomer.client, math.inf))
        room = self._room / sum(weights.values())
        each = {caller: waiting[caller] / weight for caller, weight in weights.items()}
        over = (end for end in ends if each[end[1]] > room)
        priority, caller, _ = max(over, key=lambda end: (end[0], each[end[1]], end[2]))
        return priority, caller

    def _refuse(self, turn: Turn, error: Exception) -> None:
        """End the wait of a turn with an error."""
        self._waiting[turn.priority].remove(turn)
        turn.state = State.OVER
        turn.began.set_exception(error)

    def _grant(self) -> None:
        """Give free slots to the turns that are next, and drop those whose deadlines have passed."""
        if any(self._waiting.values()):
            now = self._clock()
            while late := [turn for line in self._waiting.values() for turn in line.heads(now) if self._late(turn)]:
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
        if self.busy >= self.slots:
            return None
        blocked, now = False, self._clock()
        for line in self._waiting.values():
            for turn in line.heads(now):
                if turn.account.slots >= self._share:
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
        turn.account.take(turn.since, next(self._numbers))

    def _give_back(self, turn: Turn, kept: int) -> None:
        """Release a turn's slot, and its memory except for what it keeps."""
        self._reserved += kept - turn.memory
        turn.kept, turn.wanted = kept, False
        now = self._clock()
        turn.spent += now - turn.since
        turn.account.give_back(turn.since, now)
        del self._running[turn]

    def _set_aside(self, turn: Turn) -> None:
        turn.state = State.ASIDE
        self._aside.add(turn)

    def _fits(self, turn: Turn) -> bool:
        memory = self._reserved + turn.memory - (turn.kept or 0)
        return self.busy < self.slots and turn.account.slots < self._share and memory <= self.memory

    def _late(self, turn: Turn) -> bool:
        return turn.deadline is not None and self._clock() >= turn.deadline

    @property
    def _room(self) -> int:
        """How many turns may wait for their first slot. Turns that stepped aside count as waiting."""
        return max(0, self.size - len(self._aside))

    def _slots_of(self) -> Counter[str]:
        """How many slots each caller holds, over all classes."""
        slots: Counter[str] = Counter()
        for turn in self._running:
            slots[turn.caller] += 1
        return slots

    def _depth(self) -> int:
        return sum(line.fresh for line in self._waiting.values())

    def _expected_wait(self) -> float:
        """Estimated seconds until half of the queue has started, from how long slots were held lately."""
        return self._held * (1 + self._depth() / 2) / self.slots


def _seconds_to_turn(mine: Account, other: Turn, moved: Counter[Account], now: float) -> float:
    """The seconds until a caller may have the slot of another one's search of the same class; infinite if never.

    A caller that has at least as many slots for its weight gets none. Where both would get nearer to their shares, it
    gets the slot as soon as the other's search has had it for :data:`QUANTUM` seconds. So does a caller that has had
    none yet. Otherwise the slot goes back and forth: to whoever has used less for its weight.
    """
    theirs = other.account
    held, more = mine.slots + moved[mine], theirs.slots + moved[theirs]
    if held * theirs.weight >= more * mine.weight:
        return math.inf
    least = other.since + QUANTUM - now
    if mine.served < 0 or (held + 1) * theirs.weight <= (more - 1) * mine.weight:
        return least
    ahead = mine.used_at(now) - theirs.used_at(now)
    return max(least, ahead / (more / theirs.weight - held / mine.weight))
