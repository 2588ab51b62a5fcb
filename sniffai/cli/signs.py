"""Text that any output can take.

What is wrong is told in one line. Where an encoding lacks a sign, the nearest ASCII takes its place, so that no number
changes.
"""

import codecs
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import Final

from sniffai.shown import visible

HANDLER: Final = "sniffai.plain"
"""The name of the error handler."""

PLAIN: Final = {
    "−": "-",
    "‐": "-",
    "–": "-",
    "—": "-",
    "─": "-",
    "│": "|",
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
        if isinstance(stream, TextIOWrapper) and stream.errors in ("strict", "surrogateescape", "backslashreplace"):
            stream.reconfigure(errors=HANDLER)


def complain(message: str, program: str = "sniffai") -> None:
    """Print what is wrong in one line on standard error."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(visible(f"{program}: {' '.join(message.split())}", ""), file=sys.stderr, flush=True)


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(PLAIN.get(sign, "?") for sign in signs), error.end
