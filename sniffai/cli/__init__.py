"""The command line, ``sniffai``: one module a command, loaded when it is called."""

import sys


def main() -> None:
    """Run the command line and exit: 0 done, 1 a check failed, 2 the input is wrong."""
    try:
        from sniffai.cli.group import run
    except ModuleNotFoundError as error:
        sys.exit(f"sniffai: {error.name} is missing; the command line comes with: pip install 'sniffai[cli]'")
    sys.exit(run())
