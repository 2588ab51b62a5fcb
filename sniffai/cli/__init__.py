"""The command line, ``sniffai``: one module per command, imported when the command is used."""

from __future__ import annotations

import gc
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # main handles signals before anything else is imported
    from collections.abc import Callable
    from types import FrameType
    from typing import NoReturn

INTERRUPTED = 130
"""The exit status after Ctrl-C."""


def main() -> None:
    """Run the command line and exit.

    Exit status 0: done; 1: a check failed, or an output could not be written; 2: the input is wrong, or a part of the
    package is not installed; 130: stopped by Ctrl-C; 141: the reader of the output closed it; 143: stopped by SIGTERM.
    """
    interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not where SIGINT is ignored
    if interruptible:
        signal.signal(signal.SIGINT, _end_while_loading)
    signal.signal(signal.SIGTERM, _end_while_loading)
    run = _load()
    if interruptible:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _terminate)
    try:
        status = run()
    except KeyboardInterrupt:  # once the command has told of one
        status = INTERRUPTED
    _leave(status)


def _leave(status: int) -> NoReturn:
    """Exit without the interpreter's own end, which takes some 50 ms: a sixth of a short command, half of a Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105 (as below)
            stream.flush()
        except (AttributeError, OSError, ValueError):  # closed, full, or nobody reads it
            pass
    os._exit(status)


def _end_while_loading(number: int, _frame: FrameType | None) -> NoReturn:
    """Nothing is open yet, and an exception in the middle of an import would print a traceback."""
    if number == signal.SIGINT:
        try:  # noqa: SIM105 (contextlib is not imported yet)
            os.write(2, b"sniffai: stopped\n")
        except OSError:  # standard error may be closed or full
            pass
    os._exit(128 + number)


def _terminate(number: int, _frame: FrameType | None) -> NoReturn:
    """End as Ctrl-C does: what is open is closed, such as a progress bar, and workers end too."""
    sys.exit(128 + number)


def _load() -> Callable[[], int]:
    """Import the group of commands, which takes some tenths of a second.

    The garbage collector would take a tenth of that time and find nothing; it is back once the command is imported.
    """
    gc.disable()
    from sniffai.cli.signs import complain, tolerate_narrow_output, write_in_large_pieces
    from sniffai.extras import what_to_install

    tolerate_narrow_output()
    write_in_large_pieces()
    # gRPC's C core writes lines of its own to standard error; here each failure is one line, told by us.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # Threads for large matrices, of which there are none, would take a tenth of the start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from sniffai.cli.group import run
    except ImportError as error:
        advice = what_to_install(error)
        if advice is None:
            raise
        complain(advice)
        sys.exit(2)
    return run
