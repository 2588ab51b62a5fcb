"""Waiting for an event, so that no test sleeps for a time that it hopes is enough."""

import time
from collections.abc import Callable
from typing import Any

TIMEOUT = 20.0
"""Seconds; nothing that a test waits for should take nearly so long, on a busy machine either."""


def wait_until(condition: Callable[[], Any], seconds: float = TIMEOUT) -> float:
    """The seconds until a condition holds, looked at every millisecond; fails after some time."""
    started = time.perf_counter()
    while not condition():
        assert time.perf_counter() - started < seconds
        time.sleep(0.001)
    return time.perf_counter() - started
