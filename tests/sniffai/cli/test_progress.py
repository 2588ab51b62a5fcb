"""Progress on standard error: a bar in a terminal, elsewhere a line a minute."""

import pytest

from sniffai.cli.progress import ProgressLines, RateColumn, duration, progress_bar


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_long_work_tells_a_line_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    lines = ProgressLines(disable=True, get_time=clock)
    task = lines.add_task("pairings", total=10_000)
    lines.advance(task, 1000)  # results that were there already
    for _ in range(12):
        clock.now += 10
        lines.advance(task, 50)
    assert capsys.readouterr().err.splitlines() == [
        "sniffai: pairings: 1,300 of 10,000 done, 5/s, 29 min left",
        "sniffai: pairings: 1,600 of 10,000 done, 5/s, 28 min left",
    ]
    clock.now += 60
    lines.update(task, description="", completed=1600)
    assert capsys.readouterr().err == "sniffai: 1,600 of 10,000 done, 0/s\n"


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
