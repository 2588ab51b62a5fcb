"""The TCP port of HTTP: uvicorn speaks the protocol, the connections are accepted and limited here.

uvicorn's own server would count connections only after their handshake, and give a client all the time it wants for
its first request. So only its implementation of the protocol is used.
"""

import asyncio
import contextlib
import errno
import logging
import socket
import time
from email.utils import formatdate
from typing import Any, Final

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from sniffai_server.access.tls import Certificates
from sniffai_server.listening import Place, find_place, opened
from sniffai_server.settings import Settings
from sniffai_server.web.connection import Connection

BACKLOG: Final = 1024
"""Connections that the system holds until they are accepted."""
HEAD_BYTES: Final = 16_384
"""The largest head of a request, URL included."""
UNSENT_BYTES: Final = 16_384
"""Bytes of answers that the system holds for a client beyond those on their way."""
NO_DESCRIPTORS: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
RETRY_SECONDS: Final = 0.5
"""Time until the next try to accept a connection, if the process has no descriptor for it."""

log = logging.getLogger(__name__)


class _Protocol(H11Protocol):
    """uvicorn's protocol, which tells its connection what happens."""

    connection: Connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The connection is ready."""
        self.connection.made(transport)
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        super().connection_lost(exc)
        self.connection.lost()


class WebPort:
    """Serves HTTP on every address of ``web_host``. Created inside a running event loop.

    :param port: 0 for any free port.
    :raises ListenError: an address is taken, or this machine does not have it.
    """

    def __init__(self, settings: Settings, port: int, certificates: Certificates | None) -> None:
        self._settings = settings
        self._certificates = certificates
        self._config: Config | None = None
        self._state = ServerState()
        self._dated = 0.0
        self._connections: dict[Connection, None] = {}
        """In the order of their arrival."""
        self._accepting: list[asyncio.Task[None]] = []
        self.place: Final = find_place(settings.web_host_name, port, "serve HTTP")
        self._listeners = _listeners(self.place)

    @property
    def port(self) -> int:
        """The TCP port."""
        return self.place.port

    def count_connections(self) -> int:
        """How many connections are open, those in the handshake of TLS included."""
        return len(self._connections)

    def start(self, app: Any) -> None:
        """Start accepting connections, and serve an ASGI application on them."""
        settings = self._settings
        logging.getLogger("uvicorn").setLevel(logging.ERROR)  # clients could fill the log with what they send
        self._config = Config(
            app,
            http=_Protocol,
            interface="asgi3",
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=int(settings.max_idle_seconds) + 1,
            h11_max_incomplete_event_size=HEAD_BYTES,
        )
        self._config.load()
        self._accepting = [asyncio.ensure_future(self._accept(listener)) for listener in self._listeners]

    async def stop(self, seconds: float) -> None:
        """Accept no more connections, and give open calls some time."""
        self._close()
        for protocol in tuple(self._state.connections):
            protocol.shutdown()
        if self._state.tasks:
            await asyncio.wait(self._state.tasks, timeout=seconds)
        self.cut()

    def cut(self) -> None:
        """Close the port and all connections at once."""
        self._close()
        for connection in tuple(self._connections):
            connection.abort()
        for task in tuple(self._state.tasks):
            task.cancel()

    def _close(self) -> None:
        for task in self._accepting:
            task.cancel()
        for listener in self._listeners:
            listener.close()

    async def _accept(self, listener: socket.socket) -> None:
        """Accept connections as long as the task lives."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                accepted, _ = await loop.sock_accept(listener)
            except OSError as error:
                if error.errno in NO_DESCRIPTORS:
                    log.error("cannot accept HTTP connections: %s", error.strerror)
                    await asyncio.sleep(RETRY_SECONDS)
                continue
            if len(self._connections) >= self._settings.max_connections and not await self._make_room():
                accepted.close()
                continue
            connection = Connection(self._settings, accepted, self._forget)
            self._connections[connection] = None
            connection.opening = asyncio.ensure_future(self._open(connection))

    async def _make_room(self) -> bool:
        """Close the oldest connection that has sent no request yet; whether there is one.

        So whoever opens connections and says nothing keeps nobody out.
        """
        oldest = next((connection for connection in self._connections if connection.fresh), None)
        if oldest is None:
            return False
        self._forget(oldest)
        oldest.abort()
        await asyncio.sleep(0)  # which closes its socket
        return True

    def _forget(self, connection: Connection) -> None:
        self._connections.pop(connection, None)

    async def _open(self, connection: Connection) -> None:
        """Make a connection ready, with the handshake of TLS if there is one."""
        accepted = connection.take_socket()
        secured = self._certificates.context if self._certificates is not None else None
        _tune(accepted, self._settings)
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: self._protocol(connection),
                accepted,
                ssl=secured,
                ssl_handshake_timeout=self._settings.request_seconds if secured else None,
            )
        except (OSError, asyncio.CancelledError) as error:  # clients that disconnect or do not trust the certificate
            connection.lost()
            _let_go(error)

    def _protocol(self, connection: Connection) -> _Protocol:
        self._date()
        assert self._config is not None
        protocol = _Protocol(self._config, self._state, {"connection": connection})
        protocol.connection = connection
        return protocol

    def _date(self) -> None:
        """Set the header with the date, at most once a second."""
        now = time.time()
        if now - self._dated >= 1:
            self._dated = now
            self._state.default_headers = [(b"date", formatdate(now, usegmt=True).encode())]


def _let_go(error: BaseException) -> None:
    """Free what the frames of a failed handshake hold: a quarter of a megabyte each, until all garbage is looked for.

    The frame that raised the error keeps the error, and the error keeps the frame.
    """
    seen: BaseException | None = error
    while seen is not None:
        seen.__traceback__ = None
        seen = seen.__context__


def _listeners(place: Place) -> list[socket.socket]:
    with contextlib.ExitStack() as undo:
        listeners = []
        for ip in place.ips:
            listener = undo.enter_context(opened(ip, place.port))
            listener.listen(BACKLOG)
            listener.setblocking(False)
            listeners.append(listener)
        undo.pop_all()
        return listeners


def _tune(accepted: socket.socket, settings: Settings) -> None:
    """Send at once, let the system hold little for a client that does not read, and notice machines that are gone."""
    accepted.setblocking(False)
    for level, option, value in (
        (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
        (socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_BYTES),
        (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
        (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, max(1, int(settings.keepalive_seconds))),
        (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, max(1, int(settings.keepalive_timeout))),
        (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 1),
    ):
        with contextlib.suppress(OSError):
            accepted.setsockopt(level, option, value)
