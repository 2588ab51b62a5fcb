"""The searches of one class: a line of waiting ones for each caller, and the order in which the callers get slots."""

from collections import deque
from collections.abc import Collection, Iterator
from heapq import heapify, heappop, heappush
from typing import Final

from sniffai_server.load.accounts import Account
from sniffai_server.load.turns import Turn

QUANTUM: Final = 0.2
"""Seconds that a search may keep its slot while another caller of its class, with less than its share, waits."""


class ClassLine:
    """The accounts of a class, and its waiting turns: fresh ones, and paused ones that wait to continue."""

    def __init__(self) -> None:
        self._lines: dict[str, deque[Turn]] = {}
        self._accounts: dict[str, Account] = {}
        self.fresh = 0
        """How many fresh turns wait."""
        self.begun = 0
        """How many paused turns wait."""

    def __bool__(self) -> bool:
        return bool(self._lines)

    @property
    def accounts(self) -> Collection[Account]:
        """The accounts of all callers with a turn in this class."""
        return self._accounts.values()

    def account(self, caller: str) -> Account | None:
        """The account of a caller, if it has a turn."""
        return self._accounts.get(caller)

    def open(self, caller: str, weight: int, now: float) -> Account:
        """The account of a caller, for one more turn."""
        account = self._accounts.get(caller)
        if account is None:
            account = Account(caller, weight, self._least(now) if self._accounts else 0.0)
            self._accounts[caller] = account
        account.weight = weight
        account.turns += 1
        return account

    def close(self, account: Account) -> None:
        """End a turn of an account."""
        account.turns -= 1
        if not account.turns:
            del self._accounts[account.caller]

    def add(self, turn: Turn, now: float) -> None:
        """Put a turn in its caller's line, in order of arrival, even if it was paused."""
        line = self._lines.get(turn.caller)
        if line is None:
            line = self._lines[turn.caller] = deque()
            account = turn.account
            account.used += max(0.0, self._least(now, account) - account.used_at(now))
        place = len(line)
        while place and line[place - 1].number > turn.number:
            place -= 1
        line.insert(place, turn)
        self._count(turn, 1)

    def remove(self, turn: Turn) -> None:
        """Remove a turn."""
        line = self._lines[turn.caller]
        line.remove(turn)
        self._count(turn, -1)
        if not line:
            del self._lines[turn.caller]

    def heads(self, now: float) -> list[Turn]:
        """The first turn of each caller, in the order in which they get slots.

        The caller that has used least goes first, where each slot that it holds counts as used for :data:`QUANTUM`
        seconds more. Of equals it is the one whose latest slot is oldest.
        """
        return sorted((line[0] for line in self._lines.values()), key=lambda turn: _rank(turn.account, turn, 0, now))

    def order(self, now: float) -> Iterator[Turn]:
        """All turns in the order in which they would get slots, as in :meth:`heads`, if each kept its slot."""
        heap = [(_rank(line[0].account, line[0], 0, now), 0) for line in self._lines.values()]
        lines = {line[0].number: line for line in self._lines.values()}
        heapify(heap)
        while heap:
            (_, _, first), place = heappop(heap)
            line = lines[first]
            yield line[place]
            if place + 1 < len(line):
                heappush(heap, (_rank(line[0].account, line[0], place + 1, now), place + 1))

    def last(self, caller: str) -> Turn:
        """The last fresh turn of a caller that has one."""
        return next(turn for turn in reversed(self._lines[caller]) if turn.fresh)

    def _least(self, now: float, but: Account | None = None) -> float:
        """The least that any other account has used."""
        used = (account.used_at(now) for account in self._accounts.values() if account is not but)
        return min(used, default=0.0)

    def _count(self, turn: Turn, change: int) -> None:
        if turn.fresh:
            self.fresh += change
            turn.account.fresh += change
        else:
            self.begun += change


def _rank(account: Account, turn: Turn, place: int, now: float) -> tuple[float, int, int]:
    held = (account.slots + place) * QUANTUM / account.weight
    return account.used_at(now) + held, account.served, turn.number
