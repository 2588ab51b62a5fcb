"""Text that any output can take.

An error is printed in one line. If an encoding lacks a character, the nearest ASCII takes its place, so that no
number changes.
"""

import codecs
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import Final

from sniffai_ext.shown import visible

PIECE: Final = 1 << 16
"""Bytes that standard output is written in at most, where it is not a terminal: what a pipe takes at once."""

HANDLER: Final = "sniffai.plain"
"""The name of the error handler."""

PLAIN: Final = {
    "−": "-",
    "‐": "-",
    "–": "-",
    "—": "-",
    "─": "-",
    "│": "|",
    "═": "=",
    "╌": "-",
    "┆": ":",
    **dict.fromkeys("┌┐└┘├┤┬┴┼", "+"),
    **dict.fromkeys("║╔╗╚╝", "#"),
    "±": "+/-",
    "×": "x",
    "·": "/",
    "…": "...",
    "◆": "*",
    "§": "section ",
    "’": "'",
    "“": '"',
    "”": '"',
    "λ": "lambda",
    "²": "^2",
    "\N{NO-BREAK SPACE}": " ",
    "\N{NARROW NO-BREAK SPACE}": " ",
}
"""What stands for a sign; a question mark stands for every other one."""


def tolerate_narrow_output() -> None:
    """Write what standard output and standard error can take, whatever their encoding, and never fail for a sign."""
    codecs.register_error(HANDLER, _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=HANDLER)


def write_in_large_pieces() -> None:
    """Write standard output whole, unless it is a terminal.

    Python without buffers (``PYTHONUNBUFFERED``) says nothing of what a device that is nearly full did not take. And in
    small pieces it would be chance whether a command is done before its reader (``| head -1``) goes away.
    """
    stream = sys.stdout
    if isinstance(stream, TextIOWrapper) and not stream.isatty():
        sys.stdout = open(stream.fileno(), "w", PIECE, stream.encoding, stream.errors, closefd=False)  # noqa: SIM115


def complain(message: str, program: str = "sniffai") -> None:
    """Print an error in one line on standard error."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(visible(f"{program}: {' '.join(message.split())}", ""), file=sys.stderr, flush=True)


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(PLAIN.get(sign, "?") for sign in signs), error.end
