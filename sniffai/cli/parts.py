"""What several commands share: reading a file or standard input, deals by option, tables."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich import box
from rich.console import Console
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


def read_address(_context: click.Context, _option: click.Parameter, address: str | None) -> str | None:
    """The address of a server, where one is given.

    :raises BadInput: it is empty.
    """
    if address is not None and not address.strip():
        raise BadInput("--server: an address is expected, such as 127.0.0.1:50051")
    return address


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
    """An empty table; a column whose name ends in ``>`` is aligned to the right."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        made.add_column(name.removesuffix(">"), justify="right" if name.endswith(">") else "left", no_wrap=True)
    return made


def show(what: Table | str) -> None:
    """Print for people; into a pipe or file as wide as it needs, so that no line is broken."""
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, width=200)
    console.print(what)
