"""Errors of calls whose request is valid: the server is busy or shutting down, or the caller may not call."""

from typing import Final

from google.protobuf.message import Message

from sniffai.errors import PortableError

RETRY_LEAST: Final = 0.1
RETRY_MOST: Final = 10.0
"""Seconds. The wait that a refused client is told lies between these two, except for quotas."""


class QueueFullError(PortableError):
    """The queue for search slots is full.

    :param retry_after: seconds after which a retry may succeed, cut to :data:`RETRY_LEAST`..:data:`RETRY_MOST`.
    :param displaced: whether the call was already waiting and lost its place to a more urgent one.
    """

    def __init__(self, retry_after: float, displaced: bool = False) -> None:
        super().__init__("another call took the place in the queue" if displaced else "the queue is full")
        self.retry_after = min(max(retry_after, RETRY_LEAST), RETRY_MOST)
        self.displaced = displaced


class ExpiredError(PortableError):
    """The deadline of the call passed while it waited. Nothing was searched."""

    def __init__(self) -> None:
        super().__init__("the deadline passed before a search slot was free")


class UnfinishedError(PortableError):
    """The deadline of the call passed before its review was complete. The pieces sent until then are valid."""

    def __init__(self) -> None:
        super().__init__("the deadline passed before the review was complete")


class ClosingError(PortableError):
    """The server is shutting down before the call is complete."""

    retry_after = RETRY_LEAST

    def __init__(self) -> None:
        super().__init__("the server is shutting down")


class QuotaError(PortableError):
    """A client has used up its quota.

    :param client: the client's name.
    :param reason: which quota, ``UPPER_SNAKE``.
    :param limit: the quota in words, such as ``"4 calls at the same time"``.
    :param retry_after: seconds after which a call is within the quota again, above 0.
    """

    def __init__(self, client: str, reason: str, limit: str, retry_after: float) -> None:
        super().__init__(f"the quota is {limit}")
        self.client = client
        self.reason = reason
        self.limit = limit
        self.retry_after = retry_after


class KeyRefusedError(PortableError):
    """A call without a valid API key.

    :param reason: ``KEY_MISSING``, ``KEY_UNKNOWN`` or ``KEY_EXPIRED``.
    :param message: one sentence for the caller, which does not contain the key.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class UnknownMethodError(PortableError):
    """The method does not exist."""

    def __init__(self) -> None:
        super().__init__("this server has no such method")


class HeldError(PortableError):
    """Too much of something is in use, by one client or by all of them.

    :param reason: what is in use, ``UPPER_SNAKE``.
    :param limit: the limit in words, such as ``"250 open calls"``.
    :param own: whether the client itself has reached its limit; otherwise all clients together have.
    """

    retry_after = 1.0
    """Seconds. When something is released depends on other clients, so this is only a guess."""

    def __init__(self, reason: str, limit: str, *, own: bool) -> None:
        super().__init__(f"the limit of {'one client' if own else 'all clients together'} is {limit}")
        self.reason = reason
        self.limit = limit
        self.own = own


class SlowRequestError(PortableError):
    """A request did not arrive in time.

    :param seconds: the time limit.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the request did not arrive within {seconds:g} s")


class StalledReaderError(PortableError):
    """A client did not read its stream for too long.

    :param seconds: the time limit.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the client read nothing for {seconds:g} s")


class MessageCountError(PortableError):
    """A call that takes one message has none, or more than one.

    :param none: whether it has none.
    """

    def __init__(self, *, none: bool) -> None:
        super().__init__(f"one message is expected, not {'none' if none else 'several'}")


class TooLargeError(PortableError):
    """A request is larger than its method allows.

    :param most: the maximum size, in bytes.
    """

    def __init__(self, most: int) -> None:
        super().__init__(f"a request of this method may have at most {most:,} bytes")


class HttpRefusedError(PortableError):
    """An HTTP request that is not a call as Connect or gRPC-Web have it, or that a web page may not send.

    :param reason: what is wrong, ``UPPER_SNAKE``.
    :param message: one sentence for the caller.
    :param status: the status of HTTP.
    """

    def __init__(self, reason: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.reason = reason
        self.status = status


class UnknownEncodingError(PortableError):
    """A request by HTTP that is compressed: only plain ones are taken."""

    def __init__(self) -> None:
        super().__init__("requests are taken as they are: identity is the only encoding")


class UnknownMatchError(PortableError):
    """There is no such match, or the token is none of its seats: nobody is told which."""

    def __init__(self) -> None:
        super().__init__("there is no such match, or the token is not of one of its seats")


class InvitationError(PortableError):
    """An invitation is unknown or used up: nobody is told which."""

    def __init__(self) -> None:
        super().__init__("the invitation is not one of this match, or it is used up")


class MatchRefusedError(PortableError):
    """What is asked is not possible in a match now.

    :param reason: why not, ``UPPER_SNAKE``.
    :param message: one sentence for the caller.
    :param view: what the caller's seat may see now, as a message; ``None`` if that is of no use.
    """

    def __init__(self, reason: str, message: str, view: Message | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.view = view


class StoreUnavailableError(PortableError):
    """The database of matches failed. Whether a change was stored is not known."""

    retry_after = 1.0

    def __init__(self) -> None:
        super().__init__("the matches cannot be stored or read now")


class JobsRefusedError(PortableError):
    """The server runs no jobs, or none for this client.

    :param reason: which of them, ``UPPER_SNAKE``.
    :param message: one sentence for the caller.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class JobRejectedError(PortableError):
    """A job that cannot be done by this engine, because something in it is wrong.

    :param kind: the class of the library's error.
    :param message: its message, without the field.
    :param reason: the rule broken, ``UPPER_SNAKE``.
    :param field: the path of the offending value in the job.
    """

    def __init__(self, kind: str, message: str, reason: str, field: str) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.kind = kind
        self.message = message
        self.reason = reason
        self.field = field


class JobTooLargeError(PortableError):
    """A job that needs more time or memory than this server gives it.

    :param reason: of what, ``UPPER_SNAKE``.
    :param limit: the limit in words, such as ``"600 s"``.
    """

    def __init__(self, reason: str, limit: str) -> None:
        super().__init__(f"a job may take {limit} on this server")
        self.reason = reason


class JobDiedError(PortableError):
    """The process of a job ended before the job was done, by the system or by a fault of the engine."""

    retry_after = RETRY_LEAST

    def __init__(self) -> None:
        super().__init__("the process of the job ended before the job was done")
