"""``sniffai-server`` with a leak on purpose, the control of soak.py: ``python -m benchmarks.server.leaky KIND ...``."""

import itertools
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, Final

from sniffai_server import cli
from sniffai_server.services.analysis import AnalysisService

BYTES: Final = 1 << 18
CALLS: Final = 20
"""Searches to one thread or descriptor that leaks."""

_kept: list[Any] = []


def leak_memory(number: int) -> None:
    """Keep some memory of each search."""
    _kept.append(number.to_bytes(8, "big") * (BYTES // 8))


def leak_thread(number: int) -> None:
    """Keep a thread now and then."""
    if number % CALLS == 0:
        threading.Thread(target=threading.Event().wait, daemon=True).start()


def leak_descriptor(number: int) -> None:
    """Keep a file open now and then."""
    if number % CALLS == 0:
        _kept.append(os.open(os.devnull, os.O_RDONLY))


LEAKS: Final[dict[str, Callable[[int], None]]] = {
    "memory": leak_memory,
    "threads": leak_thread,
    "descriptors": leak_descriptor,
}


def plant(kind: str) -> None:
    """Make every search leak."""
    good, leak, numbers = AnalysisService._job, LEAKS[kind], itertools.count()

    def bad(self: AnalysisService, request: Any, context: Any) -> Any:
        leak(next(numbers))
        return good(self, request, context)

    AnalysisService._job = bad  # type: ignore[method-assign]


if __name__ == "__main__":
    plant(sys.argv[1])
    sys.exit(cli.main(sys.argv[2:]))
