"""Calls that outlive their server: repeated until it answers, however long it is away."""

import time
from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from sniffai.client.blocking import Client
from sniffai.client.errors import ServiceError

T = TypeVar("T")

PASSING: Final = ("UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED")
"""Statuses of failures that pass: a server that is away, hung, full or shutting down, a connection that broke."""

FIRST_PAUSE: Final = 0.25
"""Seconds before the first repetition; each pause is twice the one before, up to :data:`LONGEST_PAUSE`."""
LONGEST_PAUSE: Final = 4.0


class Listener(Protocol):
    """Is told what happens to a connection."""

    def lost(self, error: ServiceError) -> None:
        """A call failed, and is going to be repeated. Said once, however often it fails."""
        ...

    def back(self) -> None:
        """The server answers again."""
        ...


class PatientClient:
    """A client whose calls are repeated while the server cannot answer. Calls must be safe to repeat.

    :param connect: makes a client; a new one is made after a failure, because gRPC waits longer and longer before it
        connects again.
    """

    def __init__(self, connect: Callable[[], Client], listener: Listener) -> None:
        self._connect, self._listener = connect, listener
        self._client = connect()

    def ask(self, call: Callable[[Client], T]) -> T:
        """What the server answers, as soon as it does.

        :raises ServiceError: it refuses the call.
        """
        pause = 0.0
        while True:
            try:
                answer = call(self._client)
            except ServiceError as error:
                if error.code not in PASSING:
                    raise
                if not pause:
                    self._listener.lost(error)
                pause = min(LONGEST_PAUSE, 2 * pause or FIRST_PAUSE)
                time.sleep(max(pause, min(LONGEST_PAUSE, error.retry_after or 0)))
                self.close()
                self._client = self._connect()
            else:
                if pause:
                    self._listener.back()
                return answer

    def close(self) -> None:
        """Close the connection."""
        self._client.close()
