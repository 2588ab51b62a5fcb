"""The command line, ``sniffai``: one module a command, loaded when it is called."""

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

from sniffai.cli.signs import complain, tolerate_narrow_output, write_in_large_pieces
from sniffai.extras import what_to_install


def main() -> None:
    """Run the command line and exit.

    Exit status 0: done; 1: a check failed, or an output could not be written; 2: the input is wrong, or a part of the
    package is not installed; 130: stopped by Ctrl-C; 141: whoever read the output went away; 143: stopped by SIGTERM.
    """
    signal.signal(signal.SIGTERM, _terminate)
    try:
        _run()
    except KeyboardInterrupt:  # while the commands are loaded, or once they have told of one
        sys.exit(130)


def _terminate(number: int, _frame: FrameType | None) -> NoReturn:
    """End as Ctrl-C does: what is open is closed, such as a progress bar, and workers end too."""
    sys.exit(128 + number)


def _run() -> NoReturn:
    tolerate_narrow_output()
    write_in_large_pieces()
    # gRPC's C core writes lines of its own to standard error; here each failure is one line, told by us.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        from sniffai.cli.group import run
    except ImportError as error:
        told = what_to_install(error)
        if told is None:
            raise
        complain(told)
        sys.exit(2)
    sys.exit(run())
