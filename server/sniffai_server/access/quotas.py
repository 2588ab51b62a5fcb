"""Quotas: how many calls one client may have open, and how many it may start in a minute."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from sniffai_server.calls.callers import Caller
from sniffai_server.calls.refusals import QuotaError

MINUTE: Final = 60.0
BUSY_RETRY: Final = 1.0
"""Seconds that a client with too many open calls is told to wait. It knows best when one of them will end."""
SWEEP_AT: Final = 1024
"""At this number of clients, idle ones are removed; then again at twice the number that remain."""


@dataclass(slots=True)
class _Account:
    """What one client has used."""

    open: int
    tokens: float
    """Calls that it may start now. Refilled at the rate, up to the rate."""
    filled: float
    """When the tokens were last updated."""


class Quotas:
    """The accounts of all clients, by name.

    The calls per minute are a token bucket that holds one minute's calls. A client may start all of them at once, and
    then one for each token that is refilled.

    :param clock: a monotonic clock, in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._accounts: dict[str, _Account] = {}
        self._sweep_at = SWEEP_AT

    @contextmanager
    def call(self, caller: Caller) -> Iterator[None]:
        """Count one call from start to end.

        :raises QuotaError: the client has used up its quota.
        """
        if not caller.calls and not caller.rate:
            yield
            return
        account = self._account(caller)
        self._check(caller, account)
        account.open += 1
        account.tokens -= bool(caller.rate)
        try:
            yield
        finally:
            account.open -= 1

    def __len__(self) -> int:
        return len(self._accounts)

    def _check(self, caller: Caller, account: _Account) -> None:
        if caller.calls and account.open >= caller.calls:
            raise QuotaError(caller.name, "TOO_MANY_CALLS", f"{caller.calls} calls at the same time", BUSY_RETRY)
        if caller.rate and account.tokens < 1:
            wait = (1 - account.tokens) * MINUTE / caller.rate
            raise QuotaError(caller.name, "TOO_MANY_CALLS_A_MINUTE", f"{caller.rate} calls a minute", wait)

    def _account(self, caller: Caller) -> _Account:
        """The client's account, with its tokens updated."""
        now = self._clock()
        account = self._accounts.get(caller.name)
        if account is None:
            self._sweep(now)
            account = self._accounts[caller.name] = _Account(0, caller.rate, now)
        grown = account.tokens + (now - account.filled) * caller.rate / MINUTE
        account.tokens, account.filled = min(float(caller.rate), grown), now
        return account

    def _sweep(self, now: float) -> None:
        """Remove the accounts that equal new ones, so that memory does not grow with every address that ever called."""
        if len(self._accounts) < self._sweep_at:
            return
        self._accounts = {
            name: account for name, account in self._accounts.items() if account.open or now - account.filled < MINUTE
        }
        self._sweep_at = max(SWEEP_AT, 2 * len(self._accounts))
