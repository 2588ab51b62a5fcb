"""The one place of the command line that prints.

Whatever is printed passes :func:`sniffai.checks.visible`, so that no name, comment, file name or message of a server
can steer a terminal. Tables lose no value, however narrow the terminal is. Escape sequences are sent to terminals that
take them, and nowhere where ``NO_COLOR`` is set.
"""

import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import StringIO
from typing import IO, Any, Final

from rich import box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column, Table
from rich.text import Text

from sniffai.checks import visible
from sniffai.cli.standard_input import read_line

SPARE: Final = "crop"
"""The mark of a column that can be left out."""

ISOLATES: Final = str.maketrans("", "", "\u2068\u2069")
"""Characters that isolate the direction of a name on a page; a terminal does not need them."""

WIDEST: Final = 100_000
"""Letters of a line that is not to be broken."""

NO_FIRST: Final = "。、，：；！？）」』·%"
"""Letters that no line begins with."""
NO_LAST: Final = "（「『-"
"""Letters that no line ends with."""

ASCII_HEAD: Final = box.Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
"""Frames of a table: a line of hyphens under the head."""

DUMB: Final = ("dumb", "unknown")
"""Values of TERM of terminals that take no escape sequences."""


class ReaderGoneError(Exception):
    """The reader of standard output closed it."""


# Text


def tell(text: str = "") -> None:
    """Print a line, or several.

    :raises ReaderGoneError: the reader closed the output.
    :raises OSError: the output cannot be written.
    """
    _write(visible(text.translate(ISOLATES)) + "\n")


def tell_pieces(pieces: Iterable[tuple[str, str]]) -> None:
    """Print one line of a drawing, with styles where the terminal takes them.

    :param pieces: each with its style as rich names it, such as ``"bold cyan"``; ``""`` for none.
    :raises ReaderGoneError: nobody reads any more.
    :raises OSError: the output cannot be written.
    """
    text = Text()
    for piece, style in pieces:
        text.append(visible(piece.translate(ISOLATES), ""), style)
    target = StringIO()
    _console(target, WIDEST).print(text, no_wrap=True, crop=False)
    _write(target.getvalue().rstrip() + "\n")


def tell_folded(text: str) -> None:
    """Print a text whose lines are broken between words, or between wide letters, where the terminal is too narrow."""
    safe, width = visible(text.translate(ISOLATES)), terminal_width()
    lines = safe.split("\n") if width is None else [part for line in safe.split("\n") for part in _folded(line, width)]
    _write("".join(f"{line}\n" for line in lines))


def _folded(line: str, width: int) -> Iterator[str]:
    """A line in parts of no more cells than a terminal has columns."""
    while cell_len(line) > width:
        fits = next(i for i in range(len(line), 0, -1) if cell_len(line[:i]) <= width)
        at = next((i for i in range(fits, 0, -1) if _may_break(line, i)), fits)
        yield line[:at].rstrip()
        line = line[at:].lstrip()
    yield line


def _may_break(line: str, at: int) -> bool:
    """Whether a new line may begin with this letter: after a blank, or beside a wide letter."""
    before, after = line[at - 1], line[at]
    if after in NO_FIRST or before in NO_LAST:
        return False
    return before == " " or after == " " or max(cell_len(before), cell_len(after)) > 1


def ask(prompt: str) -> str | None:
    """Print a question and read a line: ``None`` where the input has ended.

    What does not come from a terminal is printed, so that the output reads as a conversation.

    :raises ReaderGoneError: nobody reads the question.
    :raises OSError: the output cannot be written, or the input cannot be read.
    """
    _write(visible(prompt.translate(ISOLATES), ""))
    finish()
    line = read_line()
    if not line:
        _write("\n")
        return None
    if not _is_terminal(sys.stdin):
        _write(visible(line.strip(), "") + "\n")
    return line


def tell_json(value: Any, indent: int | None = None) -> None:
    """Print a value as JSON."""
    tell_json_text(json.dumps(value, indent=indent))


def tell_json_text(text: str) -> None:
    """Print JSON that is ASCII."""
    _write(text.replace("\x7f", "\\u007f") + "\n")


def finish() -> None:
    """Flush what has been printed.

    :raises ReaderGoneError: the reader closed the output.
    :raises OSError: the output cannot be written.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGoneError from None


def give_up() -> None:
    """Discard what is still to be written, without an error."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_printed: list[str] = []
"""What was printed so far."""


def printed() -> str:
    """Everything printed so far, whether or not it was read."""
    return "".join(_printed)


def begin() -> None:
    """Forget what was printed so far."""
    _printed.clear()


def _write(text: str) -> None:
    _printed.append(text)
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        raise ReaderGoneError from None


# Tables


class SafeTable(Table):
    """A table whose cells cannot steer a terminal."""

    def add_row(self, *cells: Any, **options: Any) -> None:
        """Append a row."""
        super().add_row(*(visible(str(cell).translate(ISOLATES), "") for cell in cells), **options)


def text_table(*columns: str, ascii_only: bool = False) -> Table:
    """An empty table; a column whose name ends in ``>`` is aligned to the right.

    One whose name ends in ``?`` is left out where there is no room for it.
    """
    made = SafeTable(box=ASCII_HEAD if ascii_only else box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        justify: JustifyMethod = "right" if name.endswith(">") else "left"
        head = visible(name.rstrip(">?").translate(ISOLATES), "")
        made.add_column(head, justify=justify, no_wrap=True, overflow=SPARE if name.endswith("?") else "fold")
    return made


def show(made: Table) -> None:
    """Print a table: as wide as it needs to be into a pipe or file, as narrow as it has to be into a terminal.

    A terminal that is too narrow for any table gets each row as lines of names and values.
    """
    if made.title is not None:
        made.title = visible(str(made.title).translate(ISOLATES), "")
    width, columns = terminal_width(), list(made.columns)
    if width is not None and not fit(made, width):
        made.columns = columns  # there is room for those to spare as well
        tell("\n".join(_records(made)))
        return
    target = StringIO()
    _console(target, _width(made) if width is None else width).print(made)
    _write("".join(f"{line.rstrip()}\n" for line in target.getvalue().splitlines()))


def terminal_width() -> int | None:
    """Letters in a line of the terminal; ``None`` into a pipe or file."""
    if not _is_terminal(sys.stdout):
        return None
    return max(1, shutil.get_terminal_size().columns)


def terminal_rows() -> int | None:
    """Lines of the terminal; ``None`` into a pipe or file."""
    return max(1, shutil.get_terminal_size().lines) if _is_terminal(sys.stdout) else None


def fit(made: Table, width: int) -> bool:
    """Make a table as narrow as a terminal: closer columns, none to spare, text in several lines.

    :return: whether it can be.
    """
    if _width(made) <= width:
        return True
    made.padding, made.collapse_padding = (0, 1), True
    for column in [column for column in reversed(made.columns) if column.overflow == SPARE]:
        if _width(made) > width:
            made.columns.remove(column)
    if _width(made) > width:
        made.padding = 0
        for column in made.columns:
            column.no_wrap = column.justify == "right"
    gaps = len(made.columns) - 1
    return _width(made) <= width or sum(map(_least, made.columns)) + gaps <= width


def _width(made: Table) -> int:
    """Letters that a table takes where there is room."""
    console = Console(file=StringIO(), width=1_000_000, height=100, markup=False, emoji=False)
    title = max((cell_len(line) for line in str(made.title or "").splitlines()), default=0)
    return max(console.measure(made).maximum, title)


def _least(column: Column) -> int:
    """Letters that a column takes at least."""
    texts = [str(column.header), *map(str, column.cells)]
    return max(cell_len(part) for text in texts for part in ([text] if column.no_wrap else text.split() or [""]))


def _records(made: Table) -> Iterator[str]:
    """The rows of a table as lines of a name and a value each."""
    if made.title:
        yield str(made.title)
    heads = [str(column.header) for column in made.columns]
    for row in zip(*(column.cells for column in made.columns), strict=True):
        yield ""
        for head, cell in zip(heads, map(str, row), strict=True):
            if cell:
                yield f"{head.strip()}: {cell.strip()}" if head.strip() else cell.strip()
    yield ""


def _console(target: IO[str], width: int) -> Console:
    styled = takes_escapes(sys.stdout)
    return Console(
        file=target,
        width=width,
        height=100,  # without it rich asks the environment for the width as well
        color_system="standard" if styled else None,
        force_terminal=styled,
        no_color=not styled,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )


# What the terminal takes


def _is_terminal(stream: IO[str] | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False


def takes_escapes(stream: IO[str] | None) -> bool:
    """Whether bold letters may be sent: to terminals, and where ``FORCE_COLOR`` asks for it; not under ``NO_COLOR``."""
    asked = os.environ.get
    if asked("NO_COLOR"):
        return False
    if asked("FORCE_COLOR", "0").lower() not in ("", "0", "false") or asked("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return _is_terminal(stream) and asked("TERM", "").lower() not in DUMB and asked("CLICOLOR") != "0"


def progress_bar(unit: str = "") -> Progress:
    """A bar on standard error; nothing where that is not a terminal, or one without escape sequences.

    :param unit: what is counted; where it is not given each task says what it does.
    """
    console = Console(stderr=True, markup=False, emoji=False)
    live = _is_terminal(sys.stderr) and takes_escapes(sys.stderr)
    columns: Iterable[ProgressColumn] = (
        *(() if unit else (TextColumn("{task.description}", markup=False),)),
        BarColumn(),
        MofNCompleteColumn(),
        *((TextColumn(unit, markup=False),) if unit else ()),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, transient=True, disable=not live)
