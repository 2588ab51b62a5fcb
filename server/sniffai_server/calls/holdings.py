"""Resources that callers occupy, limited in total and for each caller."""

import asyncio
from collections import Counter
from typing import Final

from sniffai_server.calls.refusals import HeldError

SHARE: Final = 4
"""One caller may occupy the total divided by this number."""


def share_of(most: int, least: int = 1) -> int:
    """How much of what there is at most one caller may occupy: a quarter, but ``least`` in any case."""
    return max(most // SHARE, least)


class Holding:
    """A resource that calls occupy for some time, such as memory. Everything here runs on one event loop.

    :param reason: the reason of the error if there is not enough, ``UPPER_SNAKE``.
    :param unit: the unit in words, such as ``"open calls"``.
    :param most: how much all callers together may occupy, at least 1.
    :param least: how much each caller may occupy in any case.
    """

    def __init__(self, reason: str, unit: str, most: int, least: int = 1) -> None:
        self.reason = reason
        self.unit = unit
        self.most = max(most, least)
        self.share = share_of(self.most, least)
        self._held: Counter[str] = Counter()
        self._waiting: list[tuple[str, int, asyncio.Future[None]]] = []
        self.held = 0
        """How much is occupied now."""

    def take(self, caller: str, amount: int = 1) -> None:
        """Occupy an amount for a caller.

        :raises HeldError: too little is free, in total or for this caller.
        """
        if not self._fits(caller, amount):
            raise self.refusal(caller, amount)
        self.add(caller, amount)

    def refusal(self, caller: str, amount: int) -> HeldError:
        """The error for a caller that cannot get an amount."""
        own = self._held[caller] + amount > self.share
        return HeldError(self.reason, f"{self.share if own else self.most:,} {self.unit}", own=own)

    def add(self, caller: str, amount: int) -> None:
        """Occupy an amount out of a larger one that the caller occupies and is about to release."""
        self._held[caller] += amount
        self.held += amount

    def give(self, caller: str, amount: int = 1) -> None:
        """Release an amount of a caller."""
        self._held[caller] -= amount
        self.held -= amount
        if not self._held[caller]:
            del self._held[caller]
        self._grant()

    async def wait(self, caller: str, amount: int) -> None:
        """Wait until an amount is free for a caller, then occupy it. The caller that occupies the least goes first."""
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
                self._waiting = [waiter for waiter in self._waiting if waiter[2] is not turn]
            else:
                self.give(caller, amount)
            raise

    def _grant(self) -> None:
        for waiter in sorted(self._waiting, key=lambda waiter: self._held[waiter[0]]):
            caller, amount, turn = waiter
            if not turn.done() and self._fits(caller, amount):
                self._waiting.remove(waiter)
                self.take(caller, amount)
                turn.set_result(None)

    def _fits(self, caller: str, amount: int) -> bool:
        return self.held + amount <= self.most and self._held[caller] + amount <= self.share
