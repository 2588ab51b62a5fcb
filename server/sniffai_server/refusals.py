"""Why a call is refused although nothing is wrong with its request: too much asked, or by nobody known."""

from typing import Final

RETRY_LEAST: Final = 0.1
RETRY_MOST: Final = 10.0
"""Seconds: what a refused client is told to wait is never below the one nor above the other, but for quotas."""


class QueueFullError(Exception):
    """No room to wait for a search slot.

    :param retry_after: seconds after which it may be worth another try, cut to :data:`RETRY_LEAST`..:data:`RETRY_MOST`.
    :param displaced: whether the call waited already and had to make room for a more urgent one.
    """

    def __init__(self, retry_after: float, displaced: bool = False) -> None:
        super().__init__("a more urgent call took the place in the queue" if displaced else "the queue is full")
        self.retry_after = min(max(retry_after, RETRY_LEAST), RETRY_MOST)
        self.displaced = displaced


class ExpiredError(Exception):
    """The call's deadline came before its turn: nothing was searched."""

    def __init__(self) -> None:
        super().__init__("the deadline came before a search slot was free")


class UnfinishedError(Exception):
    """The call's deadline came while it was worked on: what was found until then has been told."""

    def __init__(self) -> None:
        super().__init__("the deadline came before the review was done")


class ClosingError(Exception):
    """The server goes down before the work of the call is done."""

    retry_after = RETRY_LEAST

    def __init__(self) -> None:
        super().__init__("the server is going down")


class QuotaError(Exception):
    """A client used up what it may ask for.

    :param client: whose quota.
    :param reason: which quota, ``UPPER_SNAKE``.
    :param limit: the quota in words, such as ``"4 calls at the same time"``.
    :param retry_after: seconds after which a call is within the quota again, above 0.
    """

    def __init__(self, client: str, reason: str, limit: str, retry_after: float) -> None:
        super().__init__(f"more than {limit}")
        self.client = client
        self.reason = reason
        self.limit = limit
        self.retry_after = retry_after


class KeyRefusedError(Exception):
    """A call without an API key that this server takes.

    :param reason: ``KEY_MISSING``, ``KEY_UNKNOWN`` or ``KEY_EXPIRED``.
    :param message: one sentence for the caller, free of what the key was.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class UnknownMethodError(Exception):
    """There is no method of that name here."""

    def __init__(self) -> None:
        super().__init__("there is no such method here")
