"""What callers make the server hold: so much in all, and of that no caller more than a share."""

import asyncio
from collections import Counter
from typing import Final

from sniffai_server.calls.refusals import HeldError

SHARE: Final = 4
"""One caller may have a part of the whole: one over this."""


class Holding:
    """Something that calls hold for a time. Everything here runs on one event loop.

    :param reason: what a caller is told who wants too much of it, ``UPPER_SNAKE``.
    :param unit: what is counted, in words, such as ``"open calls"``.
    :param most: how much of it all callers together may hold, at least 1.
    :param least: what one caller may hold in any case.
    """

    def __init__(self, reason: str, unit: str, most: int, least: int = 1) -> None:
        self.reason = reason
        self.unit = unit
        self.most = max(most, least)
        self.share = max(self.most // SHARE, least)
        self._held: Counter[str] = Counter()
        self._waiting: list[tuple[str, int, asyncio.Future[None]]] = []
        self.held = 0
        """How much is held now."""

    def take(self, caller: str, amount: int = 1) -> None:
        """Hold some for a caller.

        :raises HeldError: there is not so much left, or not for this caller.
        """
        if not self._fits(caller, amount):
            raise self.refusal(caller, amount)
        self.add(caller, amount)

    def refusal(self, caller: str, amount: int) -> HeldError:
        """What to tell a caller for whom there is not so much."""
        own = self._held[caller] + amount > self.share
        return HeldError(self.reason, f"{self.share if own else self.most:,} {self.unit}", own=own)

    def add(self, caller: str, amount: int) -> None:
        """Hold some for a caller for whom more than that has been held, and is given back now."""
        self._held[caller] += amount
        self.held += amount

    def give(self, caller: str, amount: int = 1) -> None:
        """Give back some that was held for a caller."""
        self._held[caller] -= amount
        self.held -= amount
        if not self._held[caller]:
            del self._held[caller]
        self._grant()

    async def wait(self, caller: str, amount: int) -> None:
        """Wait until there is as much for a caller, then hold it. Whoever holds the least goes first."""
        if not self._waiting and self._fits(caller, amount):
            self.take(caller, amount)
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((caller, amount, turn))
        self._grant()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled() or not turn.done():
                self._waiting = [one for one in self._waiting if one[2] is not turn]
            else:
                self.give(caller, amount)
            raise

    def _grant(self) -> None:
        for one in sorted(self._waiting, key=lambda one: self._held[one[0]]):
            caller, amount, turn = one
            if not turn.done() and self._fits(caller, amount):
                self._waiting.remove(one)
                self.take(caller, amount)
                turn.set_result(None)

    def _fits(self, caller: str, amount: int) -> bool:
        return self.held + amount <= self.most and self._held[caller] + amount <= self.share
