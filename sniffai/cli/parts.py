"""What several commands share: reading a file or standard input, deals by option, the language."""

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from sniffai.checks import read_path
from sniffai.cli.standard_input import read_all
from sniffai.errors import LimitsError, NotationError, RecordError
from sniffai.explain.languages import LANGUAGES, read_language
from sniffai.records.matchfile import decode

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option("as_json", "--json", is_flag=True, help="Print JSON.")


class BadInput(click.ClickException):
    """Input that cannot be used: exit status 2."""

    exit_code = 2


def read_text(source: str) -> str:
    """The text of a file, or of standard input for ``-``.

    :raises BadInput: there is no such file, or it is not UTF-8 text.
    """
    if source == "-" and sys.stdin is None:
        raise BadInput("standard input is closed")
    name = "standard input" if source == "-" else source
    try:
        return decode(read_all() if source == "-" else read_path(source).read_bytes())
    except OSError as error:
        raise BadInput(f"{name}: {error.strerror or error}") from None
    except NotationError as error:
        raise BadInput(f"{name}: {error}") from None
    except RecordError as error:  # no name of a file at all
        raise BadInput(error.message) from None


def read_lang(_context: click.Context, _option: click.Parameter, code: str | None) -> str | None:
    """The language that a code asks for, where one is given.

    :raises BadInput: there is no such language.
    """
    try:
        return None if code is None else read_language(code)
    except LimitsError as error:
        raise BadInput(f"--lang: {error.message}") from None


lang_option = click.option(
    "language_code",
    "--lang",
    metavar="CODE",
    callback=read_lang,
    help=f"Language of the output: {', '.join(LANGUAGES)}.",
)


def deal_options(function: F) -> F:
    """The options ``--players`` and ``--seed`` of a random deal."""
    function = click.option(
        "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the random numbers."
    )(function)
    return click.option(
        "--players", type=click.IntRange(2, 4), default=2, show_default=True, help="Seats at the table."
    )(function)
