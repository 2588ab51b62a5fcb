"""When the server looks for garbage: among new objects by itself, among all by the clock."""

import asyncio
import gc
import random
import weakref
from collections.abc import Callable, Iterator
from itertools import pairwise
from types import SimpleNamespace

import pytest

from sniffai.v1.analysis_service_pb2 import RecommendMoveRequest
from sniffai_server import garbage
from tests.server.matches.support import matches, sit_down
from tests.server.support import choice, running_server, stubs_of, view_message


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
    """However many objects there are, it takes a small share of the time; rarely, all objects are looked at."""
    now, pauses, looks, thawed = 0.0, [], [], []

    def collect() -> None:
        nonlocal now
        looks.append(now)
        now += seconds

    async def sleep(pause: float) -> None:
        nonlocal now
        pauses.append(pause)
        now += pause
        if len(thawed) == 3:
            raise asyncio.CancelledError

    collector = SimpleNamespace(collect=collect, freeze=lambda: None, unfreeze=lambda: thawed.append(now))
    monkeypatch.setattr(garbage, "gc", collector)
    monkeypatch.setattr(garbage, "time", SimpleNamespace(perf_counter=lambda: now))
    monkeypatch.setattr(garbage, "asyncio", SimpleNamespace(sleep=sleep))
    with pytest.raises(asyncio.CancelledError):
        await garbage.collect()
    assert pauses == pytest.approx([garbage.EVERY, *[pause] * (len(pauses) - 1)])
    assert len(looks) == len(pauses) - 1
    assert set(thawed) <= set(looks)
    assert all(after - before >= garbage.ALL for before, after in pairwise([0.0, *thawed]))


async def test_garbage_that_outlived_a_look_is_found_later(
    monkeypatch: pytest.MonkeyPatch, own_thresholds: None
) -> None:
    """Objects that a look has left are looked at again once all are."""
    held = [Loop()]
    lost = weakref.ref(held[0])
    alive = []

    async def sleep(pause: float) -> None:
        alive.append(lost() is not None)
        if len(alive) == 2:
            held.clear()  # it has outlived a look, and is garbage from here on
        if len(alive) == 3:
            raise asyncio.CancelledError

    garbage.hold_back()
    monkeypatch.setattr(garbage, "ALL", 0.0)
    monkeypatch.setattr(garbage, "asyncio", SimpleNamespace(sleep=sleep))
    with pytest.raises(asyncio.CancelledError):
        await garbage.collect()
    assert alive == [True, True, False]


def garbage_of(calls: Callable[[], object]) -> set[str]:
    """The types of what only a search for garbage finds after some calls."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        calls()
        gc.collect()
        return {f"{type(found).__module__}.{type(found).__qualname__}" for found in gc.garbage}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def test_calls_leave_nothing_of_ours_to_be_looked_for() -> None:
    """GRPC leaves some objects with every call; what we make is freed with the call. While Python looks, all wait."""
    request = RecommendMoveRequest(view=view_message(choice()), seed=1)
    request.limits.simulations = 50
    with running_server() as server, stubs_of(server.address) as stubs:
        kinds = garbage_of(lambda: stubs.call("RecommendMove", request))
    with matches() as stub:
        (player,) = sit_down(stub, "human", "club")
        kinds |= garbage_of(lambda: player.go_on(random.Random(1), 3))
    assert "grpc._cython.cygrpc._HandlerCallDetails" in kinds  # gRPC's own, so it has been looked
    assert not {kind for kind in kinds if kind.startswith("sniffai") or "RPCState" in kind or "Context" in kind}
