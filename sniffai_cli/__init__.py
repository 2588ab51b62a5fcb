"""The command ``sniffai`` from its first moment: the package ``sniffai`` takes its time to import."""

import contextlib
import os
import signal
from types import FrameType
from typing import NoReturn


def main() -> None:
    """Run the command line and exit: see :func:`sniffai.cli.main`. While it is loaded, Ctrl-C ends it at once."""
    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not where it is to be ignored
    if heeded:
        signal.signal(signal.SIGINT, _stopped)
    signal.signal(signal.SIGTERM, _stopped)
    from sniffai.cli import main as run

    if heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def _stopped(number: int, _frame: FrameType | None) -> NoReturn:
    """Nothing is open yet: an error would only be told in the middle of an import."""
    if number == signal.SIGINT:
        with contextlib.suppress(OSError):  # standard error may be closed or full
            os.write(2, b"sniffai: stopped\n")
    os._exit(128 + number)
