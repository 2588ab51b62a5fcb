"""A slot for one value between a fast writer and a slow reader: a new value replaces an unread one."""

import asyncio
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Latest(Generic[T]):
    """Holds at most one unread value. Everything here runs on one event loop."""

    def __init__(self) -> None:
        self._waiting: list[T] = []
        self._closed = False
        self._changed = asyncio.Event()

    def put(self, value: T) -> None:
        """Store a value; it replaces an unread one."""
        self._waiting = [value]
        self._changed.set()

    def close(self) -> None:
        """End the iteration; an unread value is dropped."""
        self._closed = True
        self._changed.set()

    async def __aiter__(self) -> AsyncIterator[T]:
        """The values as they arrive, until :meth:`close`."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            if self._closed:
                return
            for value in self._waiting:
                self._waiting = []
                yield value
