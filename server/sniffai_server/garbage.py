"""When a server looks for garbage: often among new objects, seldom among older ones, rarely among all.

Left to itself, Python looks through thousands of objects of the matches in memory whenever enough new ones have
survived. That stops all calls for 10 to 40 ms, several times a second with 200 matches.
"""

import asyncio
import gc
import time
from typing import Final

NEW: Final = 300
"""New objects after which Python looks for garbage among them. Few at a time: a look must take a fraction of a
millisecond, also on a slow machine and where it frees what is left of calls."""
NEVER: Final = 1_000_000
EVERY: Final = 20.0
"""Seconds until all objects that came since the last look are looked at, at least."""
ALL: Final = 120.0
"""Seconds until all objects are looked at, at least. With 200 matches that stops all calls for some 70 ms."""
SHARE: Final = 0.005
"""Of the time, the most that this may take."""


def hold_back() -> None:
    """Let Python look at new objects only. Call it once all is loaded."""
    gc.collect()
    gc.freeze()  # what is loaded by now stays
    gc.set_threshold(NEW, NEVER, NEVER)


async def collect() -> None:
    """Look at older objects from time to time, until cancelled. What a look has left is rarely looked at again."""
    pause, all_due = EVERY, time.perf_counter() + ALL
    while True:
        await asyncio.sleep(pause)
        began = time.perf_counter()
        if began >= all_due:
            gc.unfreeze()
            all_due = began + ALL
        gc.collect()
        gc.freeze()
        pause = max(EVERY, (time.perf_counter() - began) / SHARE)
