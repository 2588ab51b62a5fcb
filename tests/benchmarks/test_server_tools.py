"""The arithmetic of the tools that load and soak a server; tests/e2e/servers runs each of them."""

import asyncio
import itertools
import math
import time
from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.server import ratios, stages
from benchmarks.server.figures import Check, quantile, theil_sen, verdict
from benchmarks.server.process import ServerProcess, Vitals
from benchmarks.server.soak import Found, checks
from benchmarks.server.traffic import RateError, Sent, check_rate, closed_loop, goodput, open_loop, scheduled


def test_quantiles_are_values_that_were_there() -> None:
    assert [quantile([4, 1, 3, 2], share) for share in (0.25, 0.5, 0.51, 0.99, 1)] == [1, 2, 3, 4, 4]
    assert math.isnan(quantile([], 0.5))


def test_a_slope_with_its_interval() -> None:
    times = [i / 10 for i in range(60)]
    noise = [((i * 7919) % 101 - 50) / 100 for i in range(60)]
    slope, low, high = theil_sen(times, [2 * t + n for t, n in zip(times, noise, strict=True)])
    assert low < slope < high
    assert low < 2 < high
    assert high - low < 0.4
    assert theil_sen([0, 1, 2], [5, 5, 5]) == (0, 0, 0)


def test_one_failed_check_fails_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = Check("one", kept=True), Check("two", kept=False)
    assert [verdict([good]), verdict([good, bad])] == [0, 1]
    assert capsys.readouterr().out == "PASS  one\nPASS  one\nFAIL  two\n"


async def test_an_open_loop_does_not_wait_for_answers() -> None:
    async def slow(number: int) -> str:
        await asyncio.sleep(0.3)
        return "OK"

    started = time.perf_counter()
    found = await scheduled(slow, rate=50, seconds=0.4)
    assert len(found) == 20
    assert 0.6 < time.perf_counter() - started < 2
    gaps = [later.due - earlier.due for earlier, later in itertools.pairwise(found)]
    assert gaps == pytest.approx([0.02] * 19)


async def test_latency_counts_from_when_a_call_was_due() -> None:
    """The loop is blocked at the first call, so all others are late: that time is theirs."""

    async def blocking(number: int) -> str:
        if number == 0:
            time.sleep(0.2)
        return "OK"

    found = await scheduled(blocking, rate=100, seconds=1)
    late = [one.latency for one in found if one.due < found[0].due + 0.15]
    assert len(late) > 10
    assert min(late) > 0.04


async def test_a_loop_that_misses_its_rate_fails() -> None:
    async def blocking(number: int) -> str:
        time.sleep(0.02)
        return "OK"

    with pytest.raises(RateError, match=r"instead of 100\.0"):
        await open_loop(blocking, rate=100, seconds=0.3)


@pytest.mark.parametrize(("late", "good"), [(0.0, True), (0.009, True), (0.02, False)])
def test_one_per_cent_may_be_missed(late: float, good: bool) -> None:
    found = [Sent(i / 10, i / 10 * (1 + late), i / 10 + 1, "OK") for i in range(1000)]
    if good:
        check_rate(found, 10)
    else:
        with pytest.raises(RateError):
            check_rate(found, 10)


async def test_a_closed_loop_waits_for_each_answer() -> None:
    async def call(number: int) -> str:
        await asyncio.sleep(0.05)
        return "OK"

    found = await closed_loop(call, 2, seconds=0.3)
    assert 4 <= len(found) <= 14


def test_goodput_is_of_good_answers_in_the_time() -> None:
    ends = [(0.5, "OK"), (1.0, "OK"), (1.5, "UNAVAILABLE"), (2.9, "OK"), (3.0, "OK")]
    assert goodput([Sent(0, 0, end, code) for end, code in ends], 1, 3) == 1


def found(**changes: object) -> Found:
    rest = Vitals(50_000_000, 14, 20)
    samples = [(i / 60, 50_000_000 + (i * 7919) % 1000) for i in range(100)]
    good = Found(samples, rest, rest, Counter({"look OK": 3, "err INVALID_ARGUMENT": 2}), 0)
    return replace(good, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("broken", "changes"),
    [
        ("", {}),
        ("memory", {"samples": [(i / 60, 50_000_000 + 20_000 * i) for i in range(100)]}),
        ("threads", {"after": Vitals(50_000_000, 15, 20)}),
        ("descriptors", {"after": Vitals(50_000_000, 14, 21)}),
        ("calls", {"statuses": Counter({"look OK": 3, "look INTERNAL": 1})}),
        ("calls that the server", {"faults": 1}),
    ],
)
def test_what_a_soak_looks_for(broken: str, changes: dict[str, object]) -> None:
    failed = [check.text for check in checks(found(**changes), limit=1.0) if not check.kept]
    assert len(failed) == bool(broken)
    assert all(text.startswith(broken) for text in failed)


def test_a_soak_allows_for_threads_of_searches_that_made_way() -> None:
    more = found(after=Vitals(50_000_000, 16, 20))
    assert [check.kept for check in checks(more, 1.0, spare=2)] == [True] * 5
    assert [check.kept for check in checks(more, 1.0, spare=1)].count(False) == 1


def test_a_server_that_does_not_start_is_told() -> None:
    server = ServerProcess(slots=0)
    with pytest.raises(RuntimeError, match="did not start"), server:
        pass


def test_stages_of_a_request(capsys: pytest.CaptureFixture[str]) -> None:
    messages = list(itertools.islice(stages.requests(), 3))
    assert len(set(messages)) == 3
    times = stages.measured(messages)
    assert tuple(times) == stages.STAGES
    assert all(spent > 0 for spent in times.values())
    assert stages.shortest([{"read": 3.0}, {"read": 2.0}]) == {"read": 2.0}
    stages.print_table([{"read": 1200.0, "write": 1.4}, {"read": 600.0, "write": 1.0}], "microseconds")
    assert capsys.readouterr().out.splitlines()[3:] == [
        "| read | 1,200 | 600 |",
        "| write | 1 | 1 |",
        "| all | 1,201 | 601 |",
    ]


def test_forced_moves_have_no_choice() -> None:
    """What is set beside a health check is what its name says."""
    for forced in (True, False):
        some = list(itertools.islice(ratios.views(forced=forced), 5))
        assert [len(view.legal_moves()) == 1 for view in some] == [forced] * 5
