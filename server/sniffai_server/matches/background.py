"""Work that can wait a moment: for whoever watches a match, and for levels.

Many matches move at the same time. Whoever has made a move waits for its answer, so all else lets the calls go first.
"""

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

PATIENCE: Final = 0.02
"""Seconds that work may be kept waiting by calls that are not answered yet."""


class Background:
    """Lets one piece of work begin in each pass of the event loop, in the order of arrival.

    Between two pieces the loop handles all calls that are ready. While somebody waits for the answer to a move, no
    piece begins that has come within :data:`PATIENCE`: the loop is free once the move is stored.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[asyncio.Future[None], float]] = deque()
        """Each with the time until which it may be kept waiting."""
        self._next: asyncio.Handle | None = None
        self._moves = 0

    async def turn(self) -> None:
        """Wait for the next turn."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append((turn, loop.time() + PATIENCE))
        if self._next is None:
            self._next = loop.call_soon(self._pass)
        await turn

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """Somebody waits for the answer to a move."""
        self._moves += 1
        try:
            yield
        finally:
            self._moves -= 1
            if not self._moves and self._next is not None:
                self._next.cancel()
                self._next = asyncio.get_running_loop().call_soon(self._pass)

    def _pass(self) -> None:
        """Let the next piece begin, or wait for the end of a move."""
        loop = asyncio.get_running_loop()
        while self._waiting and self._waiting[0][0].done():
            self._waiting.popleft()
        self._next = None
        if not self._waiting:
            return
        turn, latest = self._waiting[0]
        if self._moves and loop.time() < latest:
            self._next = loop.call_at(latest, self._pass)
            return
        self._waiting.popleft()
        turn.set_result(None)
        if self._waiting:
            self._next = loop.call_soon(self._pass)
