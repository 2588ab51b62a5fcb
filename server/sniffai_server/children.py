"""Processes that a server starts for work of its own: how they begin, and that they end with it."""

import ctypes
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Final

PR_SET_PDEATHSIG: Final = 1


def start_child(
    module: str, descriptors: Sequence[int], *arguments: str, environment: Mapping[str, str] | None = None
) -> "subprocess.Popen[bytes]":
    """Run a module in a process of its own, with nothing open but some descriptors and standard error.

    Its arguments are the descriptors' numbers, then those given.

    :param environment: its variables; ``None`` for those of this process.
    :raises OSError: the system cannot start it.
    """
    # A group of its own: Ctrl-C at the server's terminal is for the server alone.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, *map(str, descriptors), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=descriptors,
        process_group=0,
        env=environment,
    )


def end_with_server() -> None:
    """Let Linux kill this process when the thread that started it has ended, even if it is stopped at that moment."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
