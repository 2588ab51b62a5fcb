"""Progress on standard error: a bar in a terminal, elsewhere a line a minute."""

from collections.abc import Generator, Iterable
from pathlib import Path

import pytest

from sniffai.cli.progress import Pace, ProgressLines, RateColumn, TimeLeftColumn, WorkProgress, duration, progress_bar
from sniffai.jobs import JobResult, JobSpec, ResumedExecutor, open_results
from sniffai.jobs.executor import in_order


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_long_work_tells_a_line_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    lines = ProgressLines(disable=True, get_time=clock)
    task = lines.add_task("pairings", total=10_000)
    lines.skip(task, 1000)
    for _ in range(12):
        clock.now += 10
        lines.advance(task, 50)
    assert capsys.readouterr().err.splitlines() == [
        "sniffai: pairings: 1,300 of 10,000 done, 5/s, 29 min left",
        "sniffai: pairings: 1,600 of 10,000 done, 5/s, 28 min left",
    ]
    lines.update(task, description="tables", completed=10, total=20)  # the next part of the work
    clock.now += 60
    lines.update(task, completed=12)
    assert capsys.readouterr().err == "sniffai: tables: 12 of 20 done, 0.0333/s, 4 min left\n"


class Slow:
    """Does a job in ten seconds of a clock."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.done: list[int] = []

    def __enter__(self) -> "Slow":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, specs: Iterable[JobSpec]) -> Generator[JobResult, None, None]:
        for spec in specs:
            self.clock.now += 10
            self.done.append(spec.numbers.start)
            yield JobResult(spec.address, [], 10.0)


def test_what_was_there_already_is_not_done_now(tmp_path: Path) -> None:
    specs = [JobSpec("arena", {}, range(number, number + 1)) for number in range(12)]
    clock, file = Clock(), tmp_path / "r.jsonl"
    with open_results(file, "arena") as results:
        for spec in (*specs[:4], *specs[5:9]):
            results.add(spec, JobResult(spec.address, [], 10.0))
    inner = Slow(clock)
    with ResumedExecutor(inner, open_results(file, "arena")) as work:
        bar = WorkProgress(work=work, disable=True, get_time=clock)
        task = bar.add_task("", total=24)
        seen = []
        for _ in in_order(work, specs):
            bar.advance(task, 2)
            seen.append(" ".join(str(column.render(bar.tasks[0])) for column in (RateColumn(), TimeLeftColumn())))
        assert (work.found, work.taken_over) == (8, False)
    assert inner.done == [4, 9, 10, 11]
    assert seen[:4] == [" "] * 4
    assert seen[4:] == [f"0.2/s {left} s left" for left in (70, 60, 50, 40, 30, 20, 10, 0)]


def test_the_rate_forgets_what_was_long_ago() -> None:
    pace = Pace(0.0)
    assert pace.rate is None
    for second in range(1, 1001):
        pace.add(second, 1 if second <= 500 else 3)
    assert pace.rate == pytest.approx(3)
    for second in range(2000, 12_001, 1000):  # fewer than one in that time
        pace.add(second, 50)
    assert pace.rate == pytest.approx(0.05)


def test_short_work_tells_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("deals") as bar:
        task = bar.add_task("", total=3)
        bar.advance(task, 3)
    assert capsys.readouterr() == ("", "")


def test_the_bar_has_the_rate() -> None:
    clock = Clock()
    lines = ProgressLines(disable=True, get_time=clock)
    task = lines.add_task("", total=10)
    assert str(RateColumn().render(lines.tasks[0])) == ""
    for _ in range(4):
        clock.now += 2
        lines.advance(task, 1)
    assert str(RateColumn().render(lines.tasks[0])) == "0.5/s"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (99.4, "99 s"), (100, "2 min"), (3599, "1 h 00 min"), (7500, "2 h 05 min"), (1e6, "277 h 47 min")],
)
def test_times_are_told_shortly(seconds: float, text: str) -> None:
    assert duration(seconds) == text
