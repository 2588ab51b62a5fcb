"""Progress bars on standard error."""

import sys
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
    TimeRemainingColumn,
)
from rich.text import Text

from sniffai.cli.signs import complain
from sniffai.cli.terminal import is_terminal, takes_escapes

LINE_SECONDS: Final = 60.0
"""Between two lines where no bar can be drawn."""


@contextmanager
def counted(unit: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar for one piece of work. Yields a function that is told how many more are done.

    :param unit: what is counted.
    """
    with progress_bar(unit) as progress:
        bar = progress.add_task("", total=total)
        yield lambda done: progress.advance(bar, done)


def progress_bar(unit: str = "") -> Progress:
    """A bar on standard error with the rate and the time left.

    Where that is not a terminal, or one without escape sequences, a line a minute tells the same.

    :param unit: what is counted; where it is not given each task says what it does.
    """
    console = Console(stderr=True, markup=False, emoji=False)
    columns: Iterable[ProgressColumn] = (
        *(() if unit else (TextColumn("{task.description}", markup=False),)),
        BarColumn(),
        MofNCompleteColumn(),
        *((TextColumn(unit, markup=False),) if unit else ()),
        RateColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    if is_terminal(sys.stderr) and takes_escapes(sys.stderr):
        return Progress(*columns, console=console, transient=True)
    return ProgressLines(*columns, console=console, disable=True)


class RateColumn(ProgressColumn):
    """How many are done a second."""

    def render(self, task: Task) -> Text:
        """See :class:`ProgressColumn`."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.3g}/s", style="progress.data.speed")


class ProgressLines(Progress):
    """Tells in a line a minute how far the work is, for files and other places where no bar can be drawn."""

    _told: tuple[float, float] | None = None
    """When the last line came, and how much was done then."""

    def advance(self, task_id: TaskID, advance: float = 1) -> None:
        """See :class:`Progress`."""
        super().advance(task_id, advance)
        self._tell(task_id)

    def update(self, task_id: TaskID, **changes: Any) -> None:
        """See :class:`Progress`."""
        super().update(task_id, **changes)
        self._tell(task_id)

    def _tell(self, task_id: TaskID) -> None:
        task, now = self._tasks[task_id], self.get_time()
        if self._told is None or task.completed < self._told[1]:  # the work begins, or its next part
            self._told = now, task.completed
            return
        since, before = self._told
        if now - since < LINE_SECONDS or task.total is None:
            return
        self._told = now, task.completed
        rate = (task.completed - before) / (now - since)
        left = f", {duration((task.total - task.completed) / rate)} left" if rate else ""
        what = f"{task.description}: " if task.description else ""
        complain(f"{what}{task.completed:,.0f} of {task.total:,.0f} done, {rate:.3g}/s{left}")


def duration(seconds: float) -> str:
    """``2 h 05 min``, ``5 min``, or ``40 s``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"
