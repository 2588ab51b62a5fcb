"""Progress bars on standard error."""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from sniffai.cli.signs import complain
from sniffai.cli.terminal import is_terminal, takes_escapes
from sniffai.jobs.executor import Executor
from sniffai.jobs.resumed import ResumedExecutor

LINE_SECONDS: Final = 60.0
"""Between two lines where no bar can be drawn."""
PACE_SECONDS: Final = 300.0
"""How far back the rate looks, with more than :data:`PACE_SAMPLES` since then."""
PACE_SAMPLES: Final = 10
SAMPLE_SECONDS: Final = 1.0
"""What is done within this time is one sample."""


@contextmanager
def counted(unit: str, total: int, work: Executor | None = None) -> Iterator[Callable[[int], None]]:
    """A bar for one piece of work. Yields a function that is told how many more are done.

    :param unit: what is counted.
    :param work: what does it.
    """
    with progress_bar(unit, work) as progress:
        bar = progress.add_task("", total=total)
        yield lambda done: progress.advance(bar, done)


def progress_bar(unit: str = "", work: Executor | None = None) -> "WorkProgress":
    """A bar on standard error with the rate and the time left.

    Where that is not a terminal, or one without escape sequences, a line a minute tells the same.

    :param unit: what is counted; where it is not given each task says what it does.
    :param work: what does the work: results that it takes over from a file have no part in the rate.
    """
    console = Console(stderr=True, markup=False, emoji=False)
    columns: Iterable[ProgressColumn] = (
        *(() if unit else (TextColumn("{task.description}", markup=False),)),
        BarColumn(),
        MofNCompleteColumn(),
        *((TextColumn(unit, markup=False),) if unit else ()),
        RateColumn(),
        TimeElapsedColumn(),
        TimeLeftColumn(),
    )
    if is_terminal(sys.stderr) and takes_escapes(sys.stderr):
        return WorkProgress(*columns, work=work, console=console, transient=True)
    return ProgressLines(*columns, work=work, console=console, disable=True)


class Pace:
    """How fast this run works.

    :param now: the clock when the work begins, in seconds.
    """

    def __init__(self, now: float) -> None:
        self._samples = deque([(now, 0.0)])

    def add(self, now: float, amount: float) -> None:
        """So much more is done."""
        done = self._samples[-1][1] + amount
        if len(self._samples) > 1 and now - self._samples[-2][0] < SAMPLE_SECONDS:
            self._samples.pop()
        self._samples.append((now, done))
        while len(self._samples) > PACE_SAMPLES and now - self._samples[0][0] > PACE_SECONDS:
            self._samples.popleft()

    @property
    def rate(self) -> float | None:
        """How many are done a second; ``None`` before any is."""
        (start, before), (end, done) = self._samples[0], self._samples[-1]
        return (done - before) / (end - start) if end > start else None


class WorkProgress(Progress):
    """A bar whose rate and time left rest on what this run does itself.

    :param work: see :func:`progress_bar`.
    """

    def __init__(self, *columns: ProgressColumn, work: Executor | None = None, **options: Any) -> None:
        super().__init__(*columns, **options)
        self._work = work

    def add_task(self, description: str, *args: Any, **options: Any) -> TaskID:
        """See :class:`Progress`."""
        return super().add_task(description, *args, pace=Pace(self.get_time()), **options)

    def advance(self, task_id: TaskID, advance: float = 1) -> None:
        """See :class:`Progress`."""
        super().advance(task_id, advance)
        self._count(self._tasks[task_id], advance)

    def update(self, task_id: TaskID, **changes: Any) -> None:
        """See :class:`Progress`. Another total begins another part of the work."""
        task = self._tasks[task_id]
        total, before = task.total, task.completed
        super().update(task_id, **changes)
        if task.total != total or task.completed < before:
            task.fields["pace"] = Pace(self.get_time())
        else:
            self._count(task, task.completed - before)

    def skip(self, task_id: TaskID, amount: int) -> None:
        """So much more need not be done."""
        super().advance(task_id, amount)

    def _count(self, task: Task, amount: float) -> None:
        if amount and not (isinstance(self._work, ResumedExecutor) and self._work.taken_over):
            task.fields["pace"].add(self.get_time(), amount)


class RateColumn(ProgressColumn):
    """How many are done a second."""

    def render(self, task: Task) -> Text:
        """See :class:`ProgressColumn`."""
        rate = task.fields["pace"].rate
        return Text("" if rate is None else f"{rate:.3g}/s", style="progress.data.speed")


class TimeLeftColumn(ProgressColumn):
    """How long the rest takes."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        """See :class:`ProgressColumn`."""
        return Text(_left(task), style="progress.remaining")


def _left(task: Task) -> str:
    """``5 min left``; nothing where that is not known."""
    rate = task.fields["pace"].rate
    return f"{duration(task.remaining / rate)} left" if rate and task.remaining is not None else ""


class ProgressLines(WorkProgress):
    """Tells in a line a minute how far the work is, for files and other places where no bar can be drawn."""

    _told: float | None = None
    """When the last line came, or the work began."""

    def add_task(self, description: str, *args: Any, **options: Any) -> TaskID:
        """See :class:`Progress`."""
        self._told = self.get_time()
        return super().add_task(description, *args, **options)

    def _count(self, task: Task, amount: float) -> None:
        super()._count(task, amount)
        now, rate = self.get_time(), task.fields["pace"].rate
        if self._told is None or now - self._told < LINE_SECONDS or rate is None or task.total is None:
            return
        self._told = now
        what = f"{task.description}: " if task.description else ""
        complain(f"{what}{task.completed:,.0f} of {task.total:,.0f} done, {rate:.3g}/s, {_left(task)}")


def duration(seconds: float) -> str:
    """``2 h 05 min``, ``5 min``, or ``40 s``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"
