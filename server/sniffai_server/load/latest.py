"""A place for one value between a quick writer and a slow reader: the latest wins."""

import asyncio
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Latest(Generic[T]):
    """Holds at most one value that nobody has read. Everything here runs on one event loop."""

    def __init__(self) -> None:
        self._waiting: list[T] = []
        self._closed = False
        self._changed = asyncio.Event()

    def put(self, value: T) -> None:
        """Leave a value, in the place of one that nobody has read."""
        self._waiting = [value]
        self._changed.set()

    def close(self) -> None:
        """End the reading; a value that nobody has read is dropped."""
        self._closed = True
        self._changed.set()

    async def __aiter__(self) -> AsyncIterator[T]:
        """The values as they come, until the end."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            if self._closed:
                return
            for value in self._waiting:
                self._waiting = []
                yield value
