"""Waiting for an event, so that no test sleeps for a time that it hopes is enough."""

import time
from collections.abc import Callable
from typing import Any

TIMEOUT = 20.0
"""Seconds; nothing that a test waits for should take nearly so long, on a busy machine either."""


def wait_until(condition: Callable[[], Any], seconds: float = TIMEOUT) -> float:
    """The seconds until a condition holds; fails after some time.

    It is looked at every millisecond at first, and less often the longer it takes: at most by a twentieth too late.
    Looking takes processor time, which whoever is waited for needs.
    """
    started = time.perf_counter()
    while not condition():
        passed = time.perf_counter() - started
        assert passed < seconds
        time.sleep(max(0.001, passed / 20))
    return time.perf_counter() - started
