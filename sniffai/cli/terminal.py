"""The one place of the command line that prints.

Whatever is printed passes :func:`sniffai.checks.visible`, so that no name, comment, file name or message of a server
can steer a terminal. Escape sequences are sent to terminals that take them, and nowhere where ``NO_COLOR`` is set.
"""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any, Final

from rich.cells import cell_len

from sniffai.checks import visible
from sniffai.cli.standard_input import read_line

ISOLATES: Final = str.maketrans("", "", "\u2068\u2069")
"""Characters that isolate the direction of a name on a page; a terminal does not need them."""

NO_FIRST: Final = "。、，：；！？）」』·%"
"""Letters that no line begins with."""
NO_LAST: Final = "（「『-"
"""Letters that no line ends with."""

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
    write(visible(text.translate(ISOLATES)) + "\n")


def tell_folded(text: str) -> None:
    """Print a text whose lines are broken between words, or between wide letters, where the terminal is too narrow."""
    safe, width = visible(text.translate(ISOLATES)), terminal_width()
    lines = safe.split("\n") if width is None else [part for line in safe.split("\n") for part in _folded(line, width)]
    write("".join(f"{line}\n" for line in lines))


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
    write(visible(prompt.translate(ISOLATES), ""))
    finish()
    line = read_line()
    if not line:
        write("\n")
        return None
    if not is_terminal(sys.stdin):
        write(visible(line.strip(), "") + "\n")
    return line


def tell_json(value: Any, indent: int | None = None) -> None:
    """Print a value as JSON."""
    tell_json_text(json.dumps(value, indent=indent))


def tell_json_text(text: str) -> None:
    """Print JSON that is ASCII."""
    write(text.replace("\x7f", "\\u007f") + "\n")


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


def write(text: str) -> None:
    """Print text that cannot steer a terminal.

    :raises ReaderGoneError: the reader closed the output.
    :raises OSError: the output cannot be written.
    """
    _printed.append(text)
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        raise ReaderGoneError from None


def terminal_width() -> int | None:
    """Letters in a line of the terminal; ``None`` into a pipe or file."""
    if not is_terminal(sys.stdout):
        return None
    return max(1, shutil.get_terminal_size().columns)


def terminal_rows() -> int | None:
    """Lines of the terminal; ``None`` into a pipe or file."""
    return max(1, shutil.get_terminal_size().lines) if is_terminal(sys.stdout) else None


# What the terminal takes


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether a stream is open, and a terminal."""
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
    return is_terminal(stream) and asked("TERM", "").lower() not in DUMB and asked("CLICOLOR") != "0"
