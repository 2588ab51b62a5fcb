"""One connection of an HTTP client: who it is, and how long it may do nothing."""

import asyncio
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from sniffai_server.settings import Settings

LINGER_SECONDS: Final = 2.0
"""Time for a client to read the answer to a request of which it has not sent everything. Closing the connection at
once would destroy the answer on its way."""
BUFFER: Final = 16_384
"""Bytes of answers that wait in the process for a client that does not read."""


class Connection:
    """A connection, from its acceptance to its end.

    :param accepted: its socket.
    :param ended: called at its end.
    """

    def __init__(self, settings: Settings, accepted: socket.socket, ended: Callable[["Connection"], None]) -> None:
        self._settings = settings
        self._accepted: socket.socket | None = accepted
        self._ended = ended
        self._transport: asyncio.Transport | None = None
        self._born = time.monotonic()
        self.client: tuple[str, int] = ("", 0)
        """Address and port of the client."""
        self.certificate: Mapping[str, Any] = {}
        """The client's certificate as ``ssl`` gives it; empty without one."""
        self.opening: asyncio.Task[None] | None = None
        """What takes the socket and makes the connection ready, with the handshake of TLS if there is one."""
        self.fresh = True
        """Whether no request has begun yet."""
        self._gone = False
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(settings.request_seconds, self.abort)

    def take_socket(self) -> socket.socket:
        """The socket, which the caller is to close from now on."""
        taken, self._accepted = self._accepted, None
        assert taken is not None
        return taken

    def made(self, transport: asyncio.Transport) -> None:
        """The connection is ready, after the handshake of TLS if it has one."""
        self._transport = transport
        transport.set_write_buffer_limits(high=BUFFER)
        self.client = transport.get_extra_info("peername", ("", 0))[:2]
        secured: ssl.SSLObject | None = transport.get_extra_info("ssl_object")
        self.certificate = (secured and secured.getpeercert()) or {}

    def lost(self) -> None:
        """The connection is gone."""
        self._gone = True
        self._timer.cancel()
        self._ended(self)

    def call_begins(self) -> None:
        """The head of a request has arrived."""
        self.fresh = False
        self._timer.cancel()

    def call_ends(self, *, whole: bool) -> None:
        """The request is answered.

        :param whole: whether everything of the request was read.
        """
        if self._gone:
            return
        seconds = self._settings.max_idle_seconds if whole else LINGER_SECONDS
        self._timer = self._loop.call_later(seconds, self.abort)

    @property
    def is_old(self) -> bool:
        """Whether it is to be closed after the answer to its current request."""
        return time.monotonic() - self._born > self._settings.max_connection_seconds

    def abort(self) -> None:
        """Close the connection at once. What the client has not read is lost."""
        if self._transport is not None:
            self._transport.abort()
        elif self.opening is not None:
            self.opening.cancel()  # which closes the socket, if the task has taken it
            if self._accepted is not None:
                self.take_socket().close()
                self.lost()
