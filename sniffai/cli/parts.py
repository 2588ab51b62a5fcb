"""What several commands share: reading a file or standard input, deals by option, tables."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from rich import box
from rich.console import Console, JustifyMethod, OverflowMethod
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from sniffai.errors import LimitsError, NotationError
from sniffai.explain.languages import LANGUAGES, read_language
from sniffai.matchfile import decode

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option("as_json", "--json", is_flag=True, help="Print JSON for a program.")


class BadInput(click.ClickException):
    """Input that cannot be used: exit status 2."""

    exit_code = 2


def read_text(source: str) -> str:
    """The text of a file, or of standard input for ``-``.

    :raises BadInput: there is no such file, or it is not UTF-8 text.
    """
    if source == "-" and sys.stdin is None:
        raise BadInput("standard input is closed")
    try:
        return decode(sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes())
    except OSError as error:
        raise BadInput(f"{source}: {error.strerror}") from None
    except NotationError as error:
        raise BadInput(f"{source}: {error}") from None


def read_lang(_context: click.Context, _option: click.Parameter, code: str | None) -> str | None:
    """The language that a code asks for, where one is given.

    :raises BadInput: there is no such language.
    """
    try:
        return None if code is None else read_language(code)
    except LimitsError as error:
        raise BadInput(f"--lang: {error.message}") from None


lang_option = click.option(
    "language", "--lang", metavar="CODE", callback=read_lang, help=f"Language of the words: {', '.join(LANGUAGES)}."
)


def deal_options(function: F) -> F:
    """The options ``--players`` and ``--seed`` of a deal by lot."""
    function = click.option(
        "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Decides the lots."
    )(function)
    return click.option(
        "--players", type=click.IntRange(2, 4), default=2, show_default=True, help="Seats at the table."
    )(function)


def table(*columns: str) -> Table:
    """An empty table; a column whose name ends in ``>`` is aligned to the right.

    One whose name ends in ``?`` is left out where there is no room for it.
    """
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        overflow: OverflowMethod = SPARE if name.endswith("?") else "ellipsis"
        justify: JustifyMethod = "right" if name.endswith(">") else "left"
        made.add_column(name.rstrip(">?"), justify=justify, no_wrap=True, overflow=overflow)
    return made


SPARE: Final = "crop"
"""How a column that can be left out is marked."""


def show(what: Table | str) -> None:
    """Print for people; into a pipe or file as wide as it needs, so that no line is broken."""
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, width=WIDE)
    elif isinstance(what, Table):
        fit(what, console.width)
    console.print(what)


WIDE: Final = 200
"""Letters in a line of a pipe or file: more than a table has."""


def fit(made: Table, width: int) -> None:
    """Make a table as narrow as a terminal, if it can be: closer columns, none to spare, text in several lines."""
    if _width(made) <= width:
        return
    made.padding, made.collapse_padding = (0, 1), True
    for column in [column for column in reversed(made.columns) if column.overflow == SPARE]:
        if _width(made) > width:
            made.columns.remove(column)
    if _width(made) > width:
        made.padding = 0
        for column in made.columns:
            column.no_wrap = column.justify == "right"


def _width(made: Table) -> int:
    """Letters that a table takes where there is room."""
    console = Console(width=10 * WIDE)
    return console.measure(made).maximum


def progress_bar() -> Progress:
    """A bar on standard error; nothing where that is no terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
