"""Processor time that something takes at most."""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """What is done here takes at most so many seconds of processor time.

    No garbage is collected meanwhile: a test process holds far more objects than a server, and looking at all of them
    takes longer than what is measured.
    """
    gc.disable()
    try:
        began = time.process_time()
        yield
        assert time.process_time() - began < seconds
    finally:
        gc.enable()
