"""Lines on standard error, which may be full, closed or unread."""

import contextlib
import select
import sys
from typing import Final

SAY_SECONDS: Final = 0.2
"""How long a line waits until standard error can take it."""


def say(text: str) -> bool:
    """Write a line to standard error; returns whether it was written. If standard error is full, the line is lost.

    Characters that control a terminal are escaped.
    """
    if not text.isprintable():
        from sniffai.checks import visible  # imports NumPy, which would slow the start of every command

        text = visible(" ".join(text.split()), "")
    with contextlib.suppress(OSError, ValueError):
        if _takes(sys.stderr):
            print(text, file=sys.stderr, flush=True)
            return True
    return False


def _takes(stream: object) -> bool:
    """Whether a line can be written to a stream without waiting; always for one that is not a file."""
    try:
        descriptor = stream.fileno()  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return True
    return bool(select.select([], [descriptor], [], SAY_SECONDS)[1])
