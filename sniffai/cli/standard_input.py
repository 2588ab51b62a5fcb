"""Standard input, read so that a signal ends the wait for it."""

import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, TextIOWrapper
from typing import cast


def read_line() -> str:
    """The next line with its end, or ``""`` where the input has ended or is closed. What is not UTF-8 is replaced.

    :raises OSError: the input cannot be read.
    """
    if sys.stdin is None:
        return ""
    if isinstance(sys.stdin, TextIOWrapper) and sys.stdin.errors != "replace":  # before the first read
        sys.stdin.reconfigure(errors="replace")
    _wait()
    return sys.stdin.readline()


def read_all() -> bytes:
    """Everything up to the end of the input, which is not closed.

    :raises OSError: the input cannot be read.
    """
    buffer, parts = cast(BufferedReader, sys.stdin.buffer), []
    while True:
        _wait()
        parts.append(buffer.read1())
        if not parts[-1]:
            return b"".join(parts)


def _wait() -> None:
    """Wait until a terminal can be read, or a signal comes.

    A signal that arrives after Python last looked for one, and before the system begins to read, would be noticed only
    once something was typed: Ctrl-C would do nothing. So the wait is for the signal as well. A terminal gives one line
    at a time, so none lies read in a buffer meanwhile.
    """
    if sys.platform == "win32" or not sys.stdin.isatty():
        return
    with _signals() as arrived:
        select.select([sys.stdin, arrived], [], [])


@contextmanager
def _signals() -> Iterator[int]:
    """A pipe that can be read once a signal has arrived."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    before = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    try:
        yield read_end
    finally:
        signal.set_wakeup_fd(before)
        os.close(write_end)
        os.close(read_end)
