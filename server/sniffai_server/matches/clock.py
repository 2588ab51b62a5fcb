"""The clock of matches: whole microseconds since 1970."""

import time
from typing import Final

MICROSECONDS: Final = 1_000_000
"""Of a second."""
DAY: Final = 86_400 * MICROSECONDS


def now() -> int:
    """The time now."""
    return time.time_ns() // 1000
