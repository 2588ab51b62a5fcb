"""HTTP on bare sockets, for clients that behave badly."""

import contextlib
import socket
from collections.abc import Iterator

from tests.waiting import TIMEOUT


def head(path: str, kind: str = "application/json", *lines: str) -> bytes:
    """The head of a POST."""
    return "\r\n".join((f"POST /{path} HTTP/1.1", "host: localhost", f"content-type: {kind}", *lines, "", "")).encode()


def request(path: str, body: bytes, kind: str = "application/json", *lines: str) -> bytes:
    """A whole POST."""
    return head(path, kind, f"content-length: {len(body)}", *lines) + body


@contextlib.contextmanager
def connected(port: int, sent: bytes = b"", window: int | None = None) -> Iterator[socket.socket]:
    """A connection on which something was sent.

    :param window: bytes that the client's system takes without being read.
    """
    with socket.socket() as client:
        if window is not None:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        client.settimeout(TIMEOUT)
        client.connect(("127.0.0.1", port))
        client.sendall(sent)
        yield client


def rest(client: socket.socket) -> bytes:
    """Everything until the server closes the connection."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := client.recv(65536):
            parts.append(part)
    return b"".join(parts)


def until(client: socket.socket, sought: bytes) -> bytes:
    """What has arrived when something sought is among it, or when the server has closed the connection."""
    read = b""
    while sought not in read and (part := client.recv(65536)):
        read += part
    return read
