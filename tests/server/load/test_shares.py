"""How the slots and the queue are shared by callers, with a clock of the test: nothing here depends on the machine."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

from sniffai_server.calls.refusals import QueueFullError
from sniffai_server.load.admission import QUANTUM, Admission, Priority, SlotQueue
from sniffai_server.load.turns import State, Turn

TICK = 0.01
"""Seconds of the test's clock from one slice of a search to the next."""


class Machine:
    """A queue whose searches use the time of the test's clock while they hold slots."""

    def __init__(self, slots: int, size: int = 64) -> None:
        self.now = 0.0
        self.queue = SlotQueue(slots, size, memory=1, clock=lambda: self.now)
        self.used: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.waits: dict[str, list[float]] = {}
        self.most_held: Counter[str] = Counter()
        self.tasks: list[asyncio.Task[None]] = []

    def ask(self, admission: Admission, seconds: float) -> None:
        """Ask for a search that takes so many seconds of a slot."""
        self.start(self._search(admission, seconds))

    def start(self, work: Awaitable[None]) -> None:
        self.tasks.append(asyncio.ensure_future(work))

    def keep(self, admission: Admission, seconds: float, searches: int) -> None:
        """A caller with so many searches at any time: each is followed by the next."""

        async def repeat() -> None:
            while True:
                await self._search(admission, seconds)

        for _ in range(searches):
            self.start(repeat())

    async def now_and_then(self, admission: Admission, seconds: float, pause: float, times: int) -> None:
        """A caller that asks for one search, waits for its answer and for a pause, and asks again."""
        for _ in range(times):
            await self._search(admission, seconds)
            await self.until(self.now + pause)

    async def until(self, moment: float) -> None:
        while self.now < moment:
            await asyncio.sleep(0)

    async def run(self, seconds: float, done: Callable[[], bool] = lambda: False) -> None:
        """Let the clock run."""
        end = self.now + seconds
        while self.now < end and not done():
            for _ in range(6):
                await asyncio.sleep(0)
            self.now += TICK
            self.queue.look_again()

    async def end(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        assert (self.queue.busy, self.queue.paused) == (0, 0)

    async def _search(self, admission: Admission, seconds: float) -> None:
        caller = admission.client
        try:
            async with self.queue.slot(admission, None) as turn:
                self.waits.setdefault(caller, []).append(turn.waited)
                await self._work(turn, seconds)
        except QueueFullError:
            self.refused[caller] += 1
            await self.until(self.now + 10 * TICK)

    async def _work(self, turn: Turn, seconds: float) -> None:
        done, last = 0.0, self.now
        while done < seconds - TICK / 2:
            await asyncio.sleep(0)
            if turn.state is State.RUNNING:
                done += self.now - last
                self.used[turn.caller] += self.now - last  # type: ignore[assignment]
            last = self.now
            if turn.wanted:
                turn.go.clear()
                self.queue.hand_over(turn, 0)
            while turn.state is not State.RUNNING:
                await asyncio.sleep(0)
                last = self.now


def of(caller: str, priority: Priority = Priority.INTERACTIVE, weight: int = 1) -> Admission:
    return Admission(caller, priority, weight)


@pytest.mark.parametrize("slots", [1, 2, 4])
@pytest.mark.parametrize("short", [0.02, 0.1, 0.5])
async def test_callers_get_the_same_time_however_long_their_searches_are(slots: int, short: float) -> None:
    """Turns alone would give nearly everything to the caller with the longer searches."""
    machine = Machine(slots)
    machine.keep(of("short"), short, 12)
    machine.keep(of("long"), 3.0, 12)
    await machine.run(12)
    shares = {caller: used / machine.used.total() for caller, used in machine.used.items()}
    await machine.end()
    assert shares["short"] == pytest.approx(0.5, abs=0.04)


@pytest.mark.parametrize("slots", [1, 2, 3])
@pytest.mark.parametrize("weights", [(1, 2), (1, 5), (3, 2)])
async def test_weights_divide_the_time(slots: int, weights: tuple[int, int]) -> None:
    machine = Machine(slots)
    for name, weight in zip("ab", weights, strict=True):
        machine.keep(of(name, weight=weight), 1.0, 8)
    await machine.run(20)
    share = machine.used["a"] / machine.used.total()
    await machine.end()
    assert share == pytest.approx(weights[0] / sum(weights), abs=0.03)


async def test_a_caller_that_needs_little_gets_all_of_it() -> None:
    """And what it leaves is divided by the others."""
    machine = Machine(2)
    machine.start(machine.now_and_then(of("little"), 0.1, 0.9, 40))
    machine.keep(of("a"), 1.0, 8)
    machine.keep(of("b"), 1.0, 8)
    await machine.run(30)
    used = dict(machine.used)
    await machine.end()
    assert used["little"] == pytest.approx(0.1 * 30, rel=0.2)
    assert used["a"] == pytest.approx(used["b"], rel=0.05)


@pytest.mark.parametrize("slots", [1, 2, 8])
async def test_an_idle_caller_waits_no_longer_than_a_quantum(slots: int) -> None:
    """Beside a neighbour with any number of long searches, all as urgent as its own."""
    machine = Machine(slots)
    machine.keep(of("greedy"), 30.0, 70)
    await machine.run(1.0)
    assert machine.queue.most_slots == slots
    machine.start(machine.now_and_then(of("idle"), 0.05, 0.17, 25))
    await machine.run(40, lambda: len(machine.waits.get("idle", ())) == 25)
    waits = machine.waits["idle"]
    await machine.end()
    assert len(waits) == 25 and not machine.refused["idle"]
    assert max(waits) <= QUANTUM + 3 * TICK


async def test_nobody_is_punished_for_time_that_no_one_else_wanted() -> None:
    machine = Machine(1)
    machine.keep(of("early"), 1.0, 4)
    await machine.run(50)
    machine.keep(of("late"), 1.0, 4)
    before = machine.used["early"]
    await machine.run(10)
    gained = machine.used["early"] - before
    await machine.end()
    assert gained == pytest.approx(5, abs=0.4)


async def test_nobody_saves_time_up_while_it_wants_little() -> None:
    """A caller with one search beside another with many has no right to what it did not ask for."""
    machine = Machine(4)
    machine.keep(of("one"), 50.0, 1)
    machine.keep(of("many"), 1.0, 12)
    await machine.run(30)
    machine.keep(of("one"), 1.0, 12)
    before = machine.used["many"]
    await machine.run(5)
    gained = machine.used["many"] - before
    await machine.end()
    assert gained == pytest.approx(10, abs=1)


async def test_equal_callers_on_enough_slots_do_not_disturb_each_other() -> None:
    """Once each has its share, no search is paused."""
    machine = Machine(2)
    for name in "ab":
        machine.keep(of(name), 100.0, 4)
    await machine.run(2)
    running = set(machine.queue._running)
    await machine.run(10)
    assert set(machine.queue._running) == running
    await machine.end()


async def test_one_caller_cannot_fill_the_queue_of_less_urgent_searches() -> None:
    """Who has more than its share of the queue makes room even for what is less urgent."""
    machine = Machine(1, size=4)
    machine.keep(of("greedy"), 30.0, 20)
    await machine.run(0.1)
    depth = machine.queue.depth(Priority.INTERACTIVE)
    machine.queue.check_room(of("other", Priority.BULK))
    with pytest.raises(QueueFullError):
        machine.queue.check_room(of("greedy", Priority.INTERACTIVE))
    for _ in range(3):
        machine.ask(of("other", Priority.BULK), 0.1)
    await machine.run(0.1)
    assert depth == 4
    assert machine.queue.depth(Priority.BULK) == 2  # its share, and no more
    assert machine.queue.callers(Priority.BULK) == 1
    assert machine.refused["other"] == 1
    await machine.end()


async def test_a_share_of_the_queue_is_by_weight() -> None:
    machine = Machine(1, size=9)
    machine.keep(of("a", weight=2), 30.0, 20)
    machine.keep(of("b"), 30.0, 20)
    await machine.run(0.3)
    waiting = {account.caller: account.fresh for account in machine.queue._waiting[Priority.INTERACTIVE].accounts}
    await machine.end()
    assert waiting == {"a": 6, "b": 3}


async def test_within_its_share_bulk_work_keeps_its_place() -> None:
    """A full queue takes from those above their shares: of two such callers, the less urgent searches."""
    queue = SlotQueue(slots=1, size=6, memory=1, clock=lambda: 0.0)
    ended: dict[str, bool] = {}

    async def ask(name: str, admission: Admission) -> None:
        try:
            async with queue.slot(admission, None):
                await asyncio.sleep(1000)
        except QueueFullError as error:
            ended[name] = error.displaced

    tasks = []
    wanted = [("run", of("x")), ("b1", of("modest", Priority.BULK))]
    wanted += [(f"i{number}", of("greedy")) for number in range(5)]
    wanted += [("c1", of("careful", Priority.ANALYSIS)), ("c2", of("careful", Priority.ANALYSIS))]
    for name, admission in wanted:
        tasks.append(asyncio.ensure_future(ask(name, admission)))
        await asyncio.sleep(0)
    await asyncio.sleep(0.01)
    assert ended == {"i4": True, "i3": True}
    for task in tasks:
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*tasks, return_exceptions=True)
