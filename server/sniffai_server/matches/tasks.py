"""Work of a host that belongs to no call."""

import asyncio
import contextvars
import logging
import types
from collections.abc import Coroutine, Generator
from typing import Any, TypeVar

from sniffai_server.calls.current import CALL, Call
from sniffai_server.calls.refusals import StoreUnavailableError

T = TypeVar("T")

log = logging.getLogger(__name__)


class Tasks:
    """Runs work beside all calls. Everything here runs on one event loop."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """Run something beside all calls: what it does counts for none of them."""
        context = contextvars.Context()
        context.run(CALL.set, Call(method="matches"))
        task = asyncio.get_running_loop().create_task(work, context=context)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def cancel(self) -> None:
        """Cancel all that runs."""
        for task in self._running:
            task.cancel()

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._running.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, StoreUnavailableError):  # its cause is in the log
            log.error("hosting a match failed", exc_info=error)


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Do something to its end, even if the caller goes away meanwhile.

    It begins at once, and the caller goes on in the turn of the event loop after its end. With :func:`asyncio.shield`
    that would take two turns more.
    """
    try:
        waits = work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    outcome: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    rest = asyncio.ensure_future(_finish(work, waits, outcome))
    try:
        return await outcome
    finally:
        del rest, outcome  # an error has this frame in its traceback


async def _finish(work: Coroutine[Any, Any, T], waits: Any, outcome: "asyncio.Future[T]") -> None:
    """Do the rest of some work, and tell what came of it, unless nobody waits any more."""
    try:
        result = await _rest(work, waits)
        if not outcome.done():
            outcome.set_result(result)
    except asyncio.CancelledError:
        outcome.cancel()
        raise
    except Exception as error:
        if not outcome.done():
            outcome.set_exception(error)
    finally:
        del outcome


@types.coroutine
def _rest(work: Coroutine[Any, Any, T], waits: Any) -> Generator[Any, None, T]:
    """Go on with work that waits for something."""
    try:
        while True:
            try:
                yield waits
            except BaseException as error:
                waits = work.throw(error)
            else:
                waits = work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
