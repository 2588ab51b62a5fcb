"""Lines for whoever runs a command: to standard error, which may be full, closed or read by nobody."""

import contextlib
import select
import sys
from typing import Final

SAY_SECONDS: Final = 0.2
"""How long a line for standard error waits for somebody to read there."""


def say(text: str) -> bool:
    """Write a line to standard error; where that is full, or nobody reads it, the line is lost: then it is false.

    Nothing in it steers a terminal, wherever it comes from.
    """
    if not text.isprintable():
        from sniffai.checks import visible  # brings NumPy, which no command waits for at its start

        text = visible(" ".join(text.split()), "")
    with contextlib.suppress(OSError, ValueError):
        if _takes(sys.stderr):
            print(text, file=sys.stderr, flush=True)
            return True
    return False


def _takes(stream: object) -> bool:
    """Whether a stream takes a line without waiting; one that is no file does."""
    try:
        descriptor = stream.fileno()  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return True
    return bool(select.select([], [descriptor], [], SAY_SECONDS)[1])
