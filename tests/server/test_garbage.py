"""When the server looks for garbage: among new objects by itself, among all by the clock."""

import asyncio
import gc
from collections.abc import Iterator

import pytest

from sniffai_server import garbage


@pytest.fixture
def own_thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


class Loop:
    """A list that holds itself: only a search for garbage finds it."""

    def __init__(self) -> None:
        self.itself = self


def test_new_garbage_is_found_at_once(own_thresholds: None) -> None:
    garbage.hold_back()
    collected = []
    watcher = lambda phase, info: collected.append(info["generation"]) if phase == "stop" else None  # noqa: E731
    gc.callbacks.append(watcher)
    try:
        for _ in range(20 * garbage.NEW):
            Loop()
    finally:
        gc.callbacks.remove(watcher)
    assert len(collected) > 10
    assert set(collected) == {0}


@pytest.mark.parametrize(("seconds", "pause"), [(0.001, garbage.EVERY), (1.0, 1.0 / garbage.SHARE)])
async def test_all_garbage_is_found_from_time_to_time(
    monkeypatch: pytest.MonkeyPatch, seconds: float, pause: float
) -> None:
    """However many objects there are, it takes a small share of the time."""
    now, pauses = 0.0, []

    def collect() -> None:
        nonlocal now
        now += seconds

    async def sleep(pause: float) -> None:
        pauses.append(pause)
        if len(pauses) == 3:
            raise asyncio.CancelledError

    monkeypatch.setattr(garbage.gc, "collect", collect)
    monkeypatch.setattr(garbage.time, "perf_counter", lambda: now)
    monkeypatch.setattr(garbage.asyncio, "sleep", sleep)
    with pytest.raises(asyncio.CancelledError):
        await garbage.collect()
    assert pauses == pytest.approx([garbage.EVERY, pause, pause])
