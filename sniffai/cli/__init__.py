"""The command line, ``sniffai``: one module a command, loaded when it is called."""

import os
import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command line and exit: 0 done, 1 a check failed, 2 the input is wrong."""
    _tolerate_narrow_output()
    # gRPC's C core writes lines of its own to standard error; here each failure is one line, told by us.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        from sniffai.cli.group import run
    except ModuleNotFoundError as error:
        sys.exit(f"sniffai: {error.name} is missing; the command line comes with: pip install 'sniffai[cli]'")
    sys.exit(run())


def _tolerate_narrow_output() -> None:
    """A sign that the output's encoding lacks becomes a question mark instead of an error."""
    # Standard error is such from the start: Python writes what it lacks as an escape.
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
        sys.stdout.reconfigure(errors="replace")
