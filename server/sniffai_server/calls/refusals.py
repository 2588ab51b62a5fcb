"""Why a call is refused although nothing is wrong with its request: too much asked, or by nobody known."""

from typing import Final

from sniffai.errors import PortableError

RETRY_LEAST: Final = 0.1
RETRY_MOST: Final = 10.0
"""Seconds: what a refused client is told to wait is never below the one nor above the other, but for quotas."""


class QueueFullError(PortableError):
    """No room to wait for a search slot.

    :param retry_after: seconds after which it may be worth another try, cut to :data:`RETRY_LEAST`..:data:`RETRY_MOST`.
    :param displaced: whether the call waited already and had to make room for a more urgent one.
    """

    def __init__(self, retry_after: float, displaced: bool = False) -> None:
        super().__init__("a more urgent call took the place in the queue" if displaced else "the queue is full")
        self.retry_after = min(max(retry_after, RETRY_LEAST), RETRY_MOST)
        self.displaced = displaced


class ExpiredError(PortableError):
    """The call's deadline came before its turn: nothing was searched."""

    def __init__(self) -> None:
        super().__init__("the deadline came before a search slot was free")


class UnfinishedError(PortableError):
    """The call's deadline came while it was worked on: what was found until then has been told."""

    def __init__(self) -> None:
        super().__init__("the deadline came before the review was done")


class ClosingError(PortableError):
    """The server goes down before the work of the call is done."""

    retry_after = RETRY_LEAST

    def __init__(self) -> None:
        super().__init__("the server is shutting down")


class QuotaError(PortableError):
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


class KeyRefusedError(PortableError):
    """A call without an API key that this server takes.

    :param reason: ``KEY_MISSING``, ``KEY_UNKNOWN`` or ``KEY_EXPIRED``.
    :param message: one sentence for the caller, free of what the key was.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class UnknownMethodError(PortableError):
    """There is no method of that name here."""

    def __init__(self) -> None:
        super().__init__("there is no such method here")


class HeldError(PortableError):
    """Callers hold as much of something as they may.

    :param reason: of what, ``UPPER_SNAKE``.
    :param limit: how much that is, in words, such as ``"250 open calls"``.
    :param own: whether the caller itself holds as much as one may; else all of them do together.
    """

    retry_after = 1.0
    """Seconds: only those who hold it know when they give it back."""

    def __init__(self, reason: str, limit: str, *, own: bool) -> None:
        super().__init__(f"more than {limit} of {'one client' if own else 'all clients together'}")
        self.reason = reason
        self.limit = limit
        self.own = own


class SlowRequestError(PortableError):
    """A request did not arrive in time.

    :param seconds: the time that it had.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the request did not arrive within {seconds:g} s")


class StalledReaderError(PortableError):
    """The reader of an answer took nothing for too long.

    :param seconds: how long that is.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the reader took nothing for {seconds:g} s")


class MessageCountError(PortableError):
    """A call that needs one message came with none, or with more.

    :param none: whether there was none.
    """

    def __init__(self, *, none: bool) -> None:
        super().__init__(f"one message is expected, not {'none' if none else 'more'}")


class TooLargeError(PortableError):
    """A request is larger than its method takes.

    :param most: the largest, in bytes.
    """

    def __init__(self, most: int) -> None:
        super().__init__(f"a request of this method has at most {most:,} bytes")
