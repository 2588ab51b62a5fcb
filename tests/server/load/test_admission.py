"""Who may search next: order, room, deadlines and memory, first without a server, then through one."""

import asyncio
import contextlib
import gc
import logging
import random
import time
import weakref
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from sniffai.v1 import analysis_pb2, analysis_service_pb2
from sniffai_server.calls.callers import CALLER, Caller, peer_host
from sniffai_server.calls.refusals import ExpiredError, QueueFullError
from sniffai_server.load.admission import QUANTUM, Admission, Priority, SlotQueue, admission_of
from sniffai_server.load.turns import State, Turn
from tests.server.support import TIMEOUT, choice, failure, running_server, story, stubs_of, told, view_message
from tests.waiting import wait_until

MEBIBYTE = 1 << 20
SOON = Admission("a", Priority.INTERACTIVE)
LATER = Admission("a", Priority.ANALYSIS)
LAST = Admission("a", Priority.BULK)


def of(caller: str, priority: Priority = Priority.ANALYSIS) -> Admission:
    return Admission(caller, priority)


class Line:
    """Searches that hold a slot of a queue until they are told to end."""

    def __init__(self, queue: SlotQueue) -> None:
        self.queue = queue
        self.order: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[float]] = {}
        self.turns: dict[str, Turn] = {}

    async def ask(self, name: str, admission: Admission, deadline: float | None = None, memory: int = 0) -> None:
        """Ask for a slot, and let the queue decide."""
        self._ends[name] = asyncio.Event()
        self.tasks[name] = asyncio.create_task(self._hold(name, admission, deadline, memory))
        await settle()

    async def _hold(self, name: str, admission: Admission, deadline: float | None, memory: int) -> float:
        async with self.queue.slot(admission, deadline, memory) as turn:
            self.order.append(name)
            self.turns[name] = turn
            await self._ends[name].wait()
        return turn.waited

    async def end(self, name: str) -> None:
        self._ends[name].set()
        await self.tasks[name]
        await settle()

    async def slice(self, name: str, kept: int = 0) -> None:
        """The end of a slice of a search: it hands its slot over if that is wanted."""
        turn = self.turns[name]
        if turn.state is State.RUNNING and turn.wanted:
            turn.go.clear()
            self.queue.hand_over(turn, kept)
        await settle()

    @property
    def running(self) -> set[str]:
        """Who holds a slot."""
        return {name for name, turn in self.turns.items() if turn.state is State.RUNNING}

    async def cancel(self, name: str) -> None:
        self.tasks[name].cancel()
        await asyncio.gather(self.tasks[name], return_exceptions=True)
        await settle()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_the_most_urgent_goes_first_then_the_first_to_come() -> None:
    line = Line(SlotQueue(slots=1, size=10, memory=1))
    await line.ask("running", LAST)
    for name, admission in (("b1", LAST), ("a1", LATER), ("i1", SOON), ("b2", LAST), ("i2", SOON), ("a2", LATER)):
        await line.ask(name, admission)
    assert [line.queue.depth(priority) for priority in Priority] == [2, 2, 2]
    for name in ("running", "i1", "i2", "a1", "a2", "b1", "b2"):
        assert line.order[-1] == name
        await line.end(name)
    assert line.queue.busy == 0


async def test_no_more_than_the_slots_run() -> None:
    line = Line(SlotQueue(slots=3, size=10, memory=1))
    for name in "abcde":
        await line.ask(name, SOON)
    assert (line.order, line.queue.busy) == (["a", "b", "c"], 3)
    await line.end("b")
    assert (line.order, line.queue.busy) == (["a", "b", "c", "d"], 3)


async def test_a_full_queue_refuses_at_once() -> None:
    line = Line(SlotQueue(slots=1, size=2, memory=1))
    for name in ("running", "w1", "w2", "too many"):
        await line.ask(name, LATER)
    with pytest.raises(QueueFullError) as refused:
        await line.tasks["too many"]
    assert 0.1 <= refused.value.retry_after <= 10
    assert not refused.value.displaced
    assert not line.tasks["w2"].done()


async def test_a_full_queue_is_reported_before_any_work() -> None:
    line = Line(SlotQueue(slots=1, size=1, memory=1))
    line.queue.check_room(LAST)
    await line.ask("running", SOON)
    line.queue.check_room(LAST)
    await line.ask("waiting", LATER)
    line.queue.check_room(SOON)  # the one that waits would make room
    for admission in (LATER, LAST):
        with pytest.raises(QueueFullError):
            line.queue.check_room(admission)
    assert not line.tasks["waiting"].done()


async def test_a_queue_of_no_size_still_runs_what_has_a_slot() -> None:
    line = Line(SlotQueue(slots=1, size=0, memory=1))
    await line.ask("running", LAST)
    await line.ask("second", SOON)
    with pytest.raises(QueueFullError):
        await line.tasks["second"]
    await line.end("running")
    await line.ask("third", LAST)
    assert line.order == ["running", "third"]


async def test_a_more_urgent_search_takes_the_place_of_the_last_of_the_least_urgent() -> None:
    line = Line(SlotQueue(slots=1, size=3, memory=1))
    for name, admission in (("running", LATER), ("b1", LAST), ("b2", LAST), ("a1", LATER), ("i1", SOON)):
        await line.ask(name, admission)
    with pytest.raises(QueueFullError) as refused:
        await line.tasks["b2"]
    assert refused.value.displaced
    assert not any(line.tasks[name].done() for name in ("b1", "a1", "i1"))


async def test_expired_while_waiting_is_dropped() -> None:
    line = Line(SlotQueue(slots=1, size=5, memory=1))
    await line.ask("running", SOON)
    await line.ask("late", SOON, deadline=time.monotonic() + 0.05)
    await line.ask("patient", SOON)
    with pytest.raises(ExpiredError):
        await asyncio.wait_for(line.tasks["late"], TIMEOUT)
    assert line.queue.depth(Priority.INTERACTIVE) == 1
    await line.end("running")
    assert line.order == ["running", "patient"]


async def test_a_turn_that_comes_after_the_deadline_is_passed_on() -> None:
    """Even where the event loop was too busy to notice the deadline itself."""
    now = 100.0
    line = Line(SlotQueue(slots=1, size=5, memory=1, clock=lambda: now))
    await line.ask("running", SOON)
    await line.ask("late", SOON, deadline=now + 30)
    await line.ask("patient", LAST)
    now += 31
    await line.end("running")
    with pytest.raises(ExpiredError):
        await line.tasks["late"]
    assert line.order == ["running", "patient"]


async def test_the_time_in_the_queue_is_known() -> None:
    now = 0.0
    line = Line(SlotQueue(slots=1, size=5, memory=1, clock=lambda: now))
    await line.ask("running", SOON)
    await line.ask("waits", SOON)
    now = 7.0
    await line.end("running")
    await line.end("waits")
    assert [line.tasks[name].result() for name in ("running", "waits")] == [0.0, 7.0]


async def test_cancelled_while_waiting_leaves_the_queue() -> None:
    line = Line(SlotQueue(slots=1, size=1, memory=1))
    for name in ("running", "waits"):
        await line.ask(name, SOON)
    await line.cancel("waits")
    assert line.queue.depth(Priority.INTERACTIVE) == 0
    await line.ask("next", SOON)
    await line.end("running")
    assert line.order == ["running", "next"]


async def test_a_call_cancelled_at_its_turn_passes_the_slot_on() -> None:
    line = Line(SlotQueue(slots=1, size=2, memory=1))
    for name in ("running", "unlucky", "next"):
        await line.ask(name, SOON)
    line._ends["running"].set()
    while line.queue.depth(Priority.INTERACTIVE) == 2:
        await asyncio.sleep(0)
    line.tasks["unlucky"].cancel()
    await settle()
    assert line.order == ["running", "next"]
    await line.end("next")
    assert line.queue.busy == 0


async def test_searches_whose_memory_does_not_fit_wait() -> None:
    line = Line(SlotQueue(slots=3, size=5, memory=100))
    for name, memory in (("a", 60), ("b", 60), ("small", 10)):
        await line.ask(name, SOON, memory=memory)
    assert (line.order, line.queue.reserved, line.queue.busy) == (["a"], 60, 1)
    await line.end("a")
    assert (line.order, line.queue.reserved) == (["a", "b", "small"], 70)


async def test_a_waiting_large_search_may_be_passed_by_the_more_urgent_only() -> None:
    line = Line(SlotQueue(slots=3, size=5, memory=100))
    for name, admission, memory in (("a", LATER, 60), ("large", LATER, 60), ("bulk", LAST, 1), ("urgent", SOON, 1)):
        await line.ask(name, admission, memory=memory)
    assert line.order == ["a", "urgent"]


async def test_more_than_the_whole_memory_counts_as_all_of_it() -> None:
    line = Line(SlotQueue(slots=2, size=5, memory=100))
    await line.ask("huge", SOON, memory=1000)
    await line.ask("small", SOON, memory=1)
    assert (line.order, line.queue.reserved) == (["huge"], 100)
    await line.end("huge")
    assert line.order == ["huge", "small"]


async def test_the_queue_holds_nothing_after_all_searches() -> None:
    """Whatever happens to a hundred searches, in the end nothing is held."""
    queue = SlotQueue(slots=3, size=20, memory=100)

    async def one(number: int) -> None:
        admission = Admission("a", Priority(number % 3))
        deadline = time.monotonic() + 0.005 * (number % 7)
        with contextlib.suppress(QueueFullError, ExpiredError):
            async with queue.slot(admission, deadline, memory=number):
                await asyncio.sleep(0.002 * (number % 3))

    tasks = [asyncio.create_task(one(number)) for number in range(100)]
    for number, task in enumerate(tasks):
        if number % 5 == 0:
            await asyncio.sleep(0)
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (queue.busy, queue.reserved, [queue.depth(priority) for priority in Priority]) == (0, 0, [0, 0, 0])


async def test_callers_of_a_class_take_turns() -> None:
    """However many searches one of them has waiting."""
    now = 0.0
    line = Line(SlotQueue(slots=1, size=10, memory=1, clock=lambda: now))
    for name in ("a1", "a2", "a3", "b1", "b2", "c1"):
        await line.ask(name, of(name[0]))
    for name in ("a1", "b1", "c1", "a2", "b2", "a3"):
        assert line.order[-1] == name
        now += 0.1
        await line.end(name)
    assert line.queue.busy == 0


async def test_the_client_with_fewer_slots_goes_first() -> None:
    line = Line(SlotQueue(slots=3, size=10, memory=1))
    for name in ("a1", "a2", "b1", "a3", "b2", "c1"):
        await line.ask(name, of(name[0]))
    assert line.order == ["a1", "a2", "b1"]
    await line.end("b1")
    assert line.order[3:] == ["c1"]
    await line.end("c1")
    assert line.order[4:] == ["b2"]


async def test_one_caller_cannot_fill_the_queue() -> None:
    """A newcomer with nothing waiting takes the place of the last of whoever has the most waiting."""
    line = Line(SlotQueue(slots=1, size=4, memory=1))
    for name in ("a0", "a1", "a2", "a3", "a4"):
        await line.ask(name, of("a"))
    line.queue.check_room(of("b"))
    with pytest.raises(QueueFullError):
        line.queue.check_room(of("a"))
    for name, gone in (("b1", "a4"), ("c1", "a3")):
        await line.ask(name, of(name[0]))
        with pytest.raises(QueueFullError) as refused:
            await line.tasks[gone]
        assert refused.value.displaced
    for name in ("b2", "d1"):  # nobody has more waiting than b would have; then d pushes out one of a's two
        with contextlib.suppress(QueueFullError):
            await line.ask(name, of(name[0]))
    with pytest.raises(QueueFullError) as refused:
        await line.tasks["b2"]
    assert not refused.value.displaced
    with pytest.raises(QueueFullError):
        await line.tasks["a2"]
    with pytest.raises(QueueFullError):
        line.queue.check_room(of("e"))
    await line.end("a0")
    assert line.order == ["a0", "b1"]


async def test_a_less_urgent_search_makes_way_at_once() -> None:
    line = Line(SlotQueue(slots=1, size=5, memory=1, clock=lambda: 0.0))
    await line.ask("bulk", LAST)
    await line.slice("bulk")
    assert line.running == {"bulk"}
    await line.ask("urgent", SOON)
    assert line.turns["bulk"].wanted and not line.turns["bulk"].go.is_set()
    await line.slice("bulk")
    assert (line.running, line.queue.paused, line.queue.depth(Priority.BULK)) == ({"urgent"}, 1, 0)
    await line.end("urgent")
    assert line.running == {"bulk"} and line.turns["bulk"].go.is_set() and not line.turns["bulk"].wanted
    await line.end("bulk")
    assert (line.queue.busy, line.queue.paused) == (0, 0)


async def test_long_searches_of_several_callers_take_turns() -> None:
    now = 0.0
    line = Line(SlotQueue(slots=2, size=9, memory=1, clock=lambda: now))
    for name in ("a1", "a2", "b1", "c1"):
        await line.ask(name, of(name[0]))
    seen = []
    for _ in range(9):
        for name in sorted(line.running):
            await line.slice(name)
        seen.append(" ".join(sorted(line.running)))
        now += 1.01 * QUANTUM
        line.queue.look_again()
    assert seen[:3] == ["a1 a2", "b1 c1", "b1 c1"]  # a has had one quantum more than the others
    assert seen[3:] == ["a1 b1", "a1 c1", "a1 b1", "b1 c1", "a1 c1", "a1 b1"]


async def test_searches_of_one_client_do_not_take_turns() -> None:
    now = 0.0
    line = Line(SlotQueue(slots=1, size=9, memory=1, clock=lambda: now))
    await line.ask("a1", of("a"))
    await line.ask("a2", of("a"))
    now += 100 * QUANTUM
    line.queue.look_again()
    assert not line.turns["a1"].wanted


async def test_what_a_paused_search_keeps_stays_reserved() -> None:
    line = Line(SlotQueue(slots=1, size=9, memory=100))
    await line.ask("bulk", LAST, memory=80)
    await line.ask("urgent", SOON, memory=60)
    await line.slice("bulk", kept=30)
    assert (line.running, line.queue.reserved) == ({"urgent"}, 90)
    await line.end("urgent")
    assert (line.running, line.queue.reserved) == ({"bulk"}, 80)
    await line.end("bulk")
    assert line.queue.reserved == 0


async def test_a_search_does_not_make_way_for_one_that_would_not_fit() -> None:
    line = Line(SlotQueue(slots=1, size=9, memory=100))
    await line.ask("bulk", LAST, memory=80)
    await line.ask("urgent", SOON, memory=60)
    await line.slice("bulk", kept=50)
    assert line.running == {"bulk"} and line.turns["bulk"].go.is_set()
    await line.end("bulk")
    assert (line.running, line.queue.reserved) == ({"urgent"}, 60)


async def test_a_paused_search_whose_end_comes_answers_without_a_slot() -> None:
    line = Line(SlotQueue(slots=1, size=9, memory=100))
    await line.ask("bulk", LAST, memory=80)
    await line.ask("urgent", SOON, memory=10)
    await line.slice("bulk", kept=30)
    line.queue.leave(line.turns["bulk"])
    assert line.turns["bulk"].go.is_set()
    assert (line.queue.paused, line.queue.reserved, line.running) == (0, 40, {"urgent"})
    await line.end("bulk")
    assert line.queue.reserved == 10
    await line.end("urgent")
    assert (line.queue.reserved, line.queue.busy) == (0, 0)


@pytest.mark.parametrize("seed", range(20))
async def test_every_paused_search_goes_on_in_the_end(seed: int) -> None:
    """Random searches, with little memory: all of them end, none holds more than there is, nothing is left."""
    lots, now = random.Random(seed), 0.0
    queue = SlotQueue(slots=2, size=50, memory=100, clock=lambda: now)
    ended = []

    async def one(number: int) -> None:
        admission = Admission(lots.choice("abc"), lots.choice(list(Priority)))
        async with queue.slot(admission, None, memory=lots.randrange(1, 101)) as turn:
            tree = 0
            for _ in range(lots.randrange(1, 8)):
                await asyncio.sleep(0)
                assert turn.state is State.RUNNING
                tree = lots.randrange(tree, turn.memory + 1)
                if turn.wanted:
                    turn.go.clear()
                    queue.hand_over(turn, tree)
                    while not turn.go.is_set():
                        await asyncio.sleep(0)
        ended.append(number)

    tasks = [asyncio.create_task(one(number)) for number in range(30)]
    await asyncio.sleep(0)
    while not all(task.done() for task in tasks):
        now += QUANTUM / 3
        queue.look_again()
        assert queue.busy or all(task.done() for task in tasks) or not any(map(bool, queue._waiting.values()))
        assert queue.busy <= 2 and queue.reserved <= 100
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert len(ended) == 30
    assert (queue.busy, queue.reserved, queue.paused) == (0, 0, 0)
    assert not any(line.accounts for line in queue._waiting.values())


@pytest.mark.parametrize("late", [True, False])
async def test_nothing_keeps_a_refused_search(late: bool) -> None:
    """Neither by its error nor by the queue: it goes at once, not when the garbage collector comes by."""
    now = 0.0
    queue = SlotQueue(slots=1, size=0 if not late else 1, memory=1, clock=lambda: now)

    class Search:
        pass

    async def ask(search: Search) -> None:
        async with queue.slot(LAST, 1.0):
            raise AssertionError(search)

    gc.collect()
    gc.disable()
    try:
        async with queue.slot(LAST, None):
            search = Search()
            left = weakref.ref(search)
            task = asyncio.create_task(ask(search))
            del search
            await settle()
            now = 2.0
        with contextlib.suppress(ExpiredError, QueueFullError):
            await task
        del task
        await settle()
        assert left() is None
    finally:
        gc.enable()


async def test_a_search_that_makes_way_comes_back_at_once() -> None:
    """As a review whose reader takes nothing: it holds no slot, and waits for none when the reader goes on."""
    line = Line(SlotQueue(slots=1, size=2, memory=1))
    await line.ask("first", LAST)
    await line.ask("second", LAST)
    line.queue.step_aside(line.turns["first"])
    await settle()
    assert line.running == {"second"}
    await line.ask("third", LAST)
    await line.ask("fourth", LAST)  # the one aside takes one of the two places to wait
    with pytest.raises(QueueFullError):
        await line.tasks["fourth"]
    line.queue.come_back(line.turns["first"])
    assert (line.running, line.queue.busy) == ({"first", "second"}, 2)
    await line.end("second")
    assert line.order == ["first", "second"]
    await line.end("first")
    assert line.order[-1] == "third"


async def test_one_callers_share_of_the_slots() -> None:
    line = Line(SlotQueue(slots=4, size=9, memory=1, share=2))
    for name in ("a1", "a2", "a3", "b1"):
        await line.ask(name, of(name[0]))
    assert line.running == {"a1", "a2", "b1"}
    await line.end("a1")
    assert line.running == {"a1", "a2", "a3", "b1"} - {"a1"}


class Context:
    def auth_context(self) -> dict[str, Any]:
        return {}

    def peer(self) -> str:
        return "ipv6:%5B::1%5D:50000"


def test_the_keys_best_priority_caps_the_requested_one() -> None:
    token = CALLER.set(Caller("alice", best=Priority.ANALYSIS))
    try:
        asked = {priority: admission_of(Context(), priority) for priority in Priority}
    finally:
        CALLER.reset(token)
    assert asked == {
        Priority.INTERACTIVE: Admission("alice", Priority.ANALYSIS),
        Priority.ANALYSIS: Admission("alice", Priority.ANALYSIS),
        Priority.BULK: Admission("alice", Priority.BULK),
    }


def test_without_a_key_the_address_is_the_client() -> None:
    assert admission_of(Context(), Priority.BULK) == Admission("::1", Priority.BULK)


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("ipv4:127.0.0.1:5", "127.0.0.1"),
        ("ipv6:[::1]:5", "::1"),
        ("ipv6:%5B2001:db8::7%5D:443", "2001:db8::/64"),
        ("ipv6:[2001:db8::ffff:0:0:7]:443", "2001:db8::/64"),
        ("ipv6:[2001:db8:0:1::7]:443", "2001:db8:0:1::/64"),
        ("ipv6:[::ffff:192.0.2.7]:443", "192.0.2.7"),
        ("ipv6:[fe80::7%eth0]:443", "fe80::7%eth0"),
        ("ipv6:[fd00::7]:443", "fd00::7"),
        ("unix:/run/socket", "unix"),
        ("", "unknown"),
    ],
)
def test_the_host_of_a_peer_is_read(peer: str, host: str) -> None:
    assert peer_host(peer) == host


def search(
    stubs: SimpleNamespace, timeout: float = TIMEOUT, seconds: int = 15, priority: str = "", **fields: Any
) -> Any:
    """A long search as a call in flight."""
    request = analysis_service_pb2.AnalyzeRequest(view=view_message(choice()), limits={"time": {"seconds": seconds}})
    request.priority = getattr(analysis_service_pb2, f"PRIORITY_{priority or 'ANALYSIS'}")
    request.limits.MergeFrom(type(request.limits)(**fields))
    return stubs.analysis.Analyze.future(request, timeout=timeout)


@pytest.fixture
def full() -> Iterator[SimpleNamespace]:
    """A server with one slot and room for two, all taken by bulk searches."""
    with running_server(slots=1, queue_size=2) as server, stubs_of(server.address) as stubs:
        queue = server.server.searches.queue
        calls = [search(stubs, priority="BULK")]
        wait_until(lambda: queue.busy == 1)
        for waiting in (1, 2):
            calls.append(search(stubs, priority="BULK"))
            wait_until(lambda waiting=waiting: queue.depth(Priority.BULK) == waiting)
        yield SimpleNamespace(server=server, stubs=stubs, calls=calls, queue=queue)
        for call in calls:
            call.cancel()
        wait_until(lambda: queue.busy == 0)


def test_an_overloaded_server_says_at_once_when_to_come_back(full: SimpleNamespace) -> None:
    times = []
    for _ in range(30):
        started = time.perf_counter()
        error = told(search(full.stubs, priority="BULK").exception())
        times.append(time.perf_counter() - started)
        assert (error.code, error.reason, error.domain) == ("UNAVAILABLE", "QUEUE_FULL", "sniffai")
        assert error.metadata == {"displaced": "false"}
        assert 0.1 <= error.retry_after <= 10
        assert int(error.trailers["grpc-retry-pushback-ms"]) == round(error.retry_after * 1000)
        assert error.trailers["x-request-id"]
    assert min(times) < 0.02  # of those, the one that the machine delayed least


@pytest.mark.parametrize("method", ["RecommendMove", "Analyze", "StreamAnalyze"])
def test_a_full_queue_refuses_what_would_search_and_nothing_else(full: SimpleNamespace, method: str) -> None:
    bulk = {"priority": analysis_service_pb2.PRIORITY_BULK, "limits": {"simulations": 10}}
    kind = getattr(analysis_service_pb2, f"{method}Request")

    def ask(view: dict[str, Any], **fields: Any) -> Any:
        return full.stubs.call(method, kind(view=view_message(view), **bulk, **fields))

    assert failure(lambda: ask(choice())).reason == "QUEUE_FULL"
    assert failure(lambda: ask(choice(), include_moves=[{"tile": "3|3"}])).reason == "MOVE_NOT_LEGAL"
    forced = ask(story())
    last = forced[-1] if method == "StreamAnalyze" else forced
    assert last.analysis.stop_reason == analysis_pb2.STOP_REASON_FORCED
    assert (full.queue.busy, full.queue.depth(Priority.BULK)) == (1, 2)


def test_the_log_has_the_priority_of_a_refused_search(full: SimpleNamespace, caplog: pytest.LogCaptureFixture) -> None:
    def lines() -> list[dict[str, Any]]:
        return [record.__dict__["fields"] for record in caplog.records if "fields" in record.__dict__]

    with caplog.at_level(logging.INFO):
        search(full.stubs, priority="BULK").exception()
        wait_until(lines)
    assert [(one["reason"], one["priority"]) for one in lines()] == [("QUEUE_FULL", "bulk")]


def test_health_and_rules_never_wait(full: SimpleNamespace) -> None:
    health = health_pb2_grpc.HealthStub(full.stubs.channel)
    times = []
    for _ in range(30):
        started = time.perf_counter()
        assert health.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT).status == 1
        times.append(time.perf_counter() - started)
    assert sorted(times)[15] < 0.1


def test_an_urgent_call_displaces_bulk_work(full: SimpleNamespace) -> None:
    urgent = search(full.stubs, seconds=1, priority="INTERACTIVE")
    error = told(full.calls[2].exception(timeout=TIMEOUT))
    assert (error.code, error.reason, error.metadata) == ("UNAVAILABLE", "QUEUE_FULL", {"displaced": "true"})
    assert "grpc-retry-pushback-ms" in error.trailers
    full.calls[0].cancel()
    assert urgent.result().analysis.effort.simulations > 0
    assert not full.calls[1].done()


def test_expired_in_the_queue_is_never_searched(full: SimpleNamespace) -> None:
    full.calls[2].cancel()
    wait_until(lambda: full.queue.depth(Priority.BULK) == 1)
    error = told(search(full.stubs, timeout=0.5, priority="BULK").exception())
    assert error.code == "DEADLINE_EXCEEDED"
    assert error.reason in ("EXPIRED_IN_QUEUE", "")
    wait_until(lambda: full.queue.depth(Priority.BULK) == 1)
    full.calls[0].cancel()
    full.calls[1].cancel()
    wait_until(lambda: full.queue.busy == 0)
    stops = ("stopped", "time", "deadline", "simulations")
    sample = full.server.server.metrics.registry.get_sample_value

    def searches() -> float:
        return sum(sample("sniffai_searches_total", {"stop_reason": stop}) or 0 for stop in stops)

    wait_until(lambda: searches() >= 1)  # a call is counted when it has ended, a moment after its slot is free
    assert searches() <= 2  # the two that were cancelled; the expired one is none


def test_a_retrying_client_waits_as_told(full: SimpleNamespace) -> None:
    """A client with a retry policy heeds the pushback and gets through once there is room."""
    policy = (
        '{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.01s",'
        ' "maxBackoff": "0.02s", "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]}}]}'
    )
    with grpc.insecure_channel(full.server.address, [("grpc.service_config", policy)]) as channel:
        call = channel.unary_unary("/sniffai.v1.AnalysisService/Analyze").future(
            analysis_service_pb2.AnalyzeRequest(
                view=view_message(choice()),
                limits={"simulations": 100},
                priority=analysis_service_pb2.PRIORITY_BULK,
            ).SerializeToString(),
            timeout=TIMEOUT,
        )
        registry = full.server.server.metrics.registry
        wait_until(lambda: registry.get_sample_value("sniffai_rejected_total", {"reason": "QUEUE_FULL"}))
        for running in full.calls:
            running.cancel()
        assert call.result()


def test_all_searches_together_stay_below_the_memory_cap() -> None:
    with running_server(slots=2, max_total_bytes=3 * MEBIBYTE) as server, stubs_of(server.address) as stubs:
        queue = server.server.searches.queue
        calls = [search(stubs, memory_bytes=2 * MEBIBYTE, simulations=100_000_000) for _ in range(2)]
        wait_until(lambda: queue.depth(Priority.ANALYSIS) == 1)
        assert (queue.busy, queue.reserved) == (1, 2 * MEBIBYTE)
        for call in calls:
            call.cancel()


def test_more_memory_than_all_searches_may_have_is_clamped() -> None:
    with running_server(slots=1, max_total_bytes=MEBIBYTE) as small, stubs_of(small.address) as stubs:
        found = search(stubs, memory_bytes=64 * MEBIBYTE, simulations=100).result().analysis
        assert found.effective_limits.memory_bytes == MEBIBYTE
        assert [(w.field, w.reason) for w in found.warnings] == [("limits.memory_bytes", "CLAMPED")]


def test_refused_calls_take_no_place(full: SimpleNamespace) -> None:
    for _ in range(5):
        assert failure(lambda: search(full.stubs, priority="BULK").result()).reason == "QUEUE_FULL"
    assert (full.queue.busy, full.queue.depth(Priority.BULK)) == (1, 2)
