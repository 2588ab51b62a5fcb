"""Progress bars on standard error."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from sniffai.cli.terminal import is_terminal, takes_escapes


@contextmanager
def counted(unit: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar for one piece of work. Yields a function that is told how many more are done.

    :param unit: what is counted.
    """
    with progress_bar(unit) as progress:
        bar = progress.add_task("", total=total)
        yield lambda done: progress.advance(bar, done)


def progress_bar(unit: str = "") -> Progress:
    """A bar on standard error; nothing where that is not a terminal, or one without escape sequences.

    :param unit: what is counted; where it is not given each task says what it does.
    """
    console = Console(stderr=True, markup=False, emoji=False)
    live = is_terminal(sys.stderr) and takes_escapes(sys.stderr)
    columns: Iterable[ProgressColumn] = (
        *(() if unit else (TextColumn("{task.description}", markup=False),)),
        BarColumn(),
        MofNCompleteColumn(),
        *((TextColumn(unit, markup=False),) if unit else ()),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, transient=True, disable=not live)
