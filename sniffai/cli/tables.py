"""Tables and styled lines, laid out by rich.

They are printed by :mod:`sniffai.cli.terminal`. Tables lose no value, however narrow the terminal is. This module is
apart from that one since rich takes some time to import.
"""

import sys
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import IO, Any, Final

from rich import box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Column, Table
from rich.text import Text

from sniffai.checks import visible
from sniffai.cli import terminal
from sniffai.cli.terminal import ISOLATES

SPARE: Final = "crop"
"""The mark of a column that can be left out."""

WIDEST: Final = 100_000
"""Letters of a line that is not to be broken."""

ASCII_HEAD: Final = box.Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
"""Frames of a table: a line of hyphens under the head."""


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
    terminal.write(target.getvalue().rstrip() + "\n")


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
    width, columns = terminal.terminal_width(), list(made.columns)
    if width is not None and not fit(made, width):
        made.columns = columns  # there is room for those to spare as well
        terminal.tell("\n".join(_records(made)))
        return
    target = StringIO()
    _console(target, _width(made) if width is None else width).print(made)
    terminal.write("".join(f"{line.rstrip()}\n" for line in target.getvalue().splitlines()))


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
    styled = terminal.takes_escapes(sys.stdout)
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
