"""The answer to one HTTP request on its way to the client, within limits."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from sniffai_server.web.connection import Connection
from sniffai_server.web.statuses import readable, readable_end

JSON: Final = b"application/json"
CONNECT_STREAM: Final = b"application/connect+"
MARGIN_SECONDS: Final = 1.0
"""How much longer than ``write_seconds`` a write may take. The call itself, if it is a stream, ends by then."""


class Reply:
    """Passes on what a request sends and receives.

    :param write_seconds: how long the client may read nothing.
    """

    def __init__(
        self,
        scope: dict[str, Any],
        receive: Callable[[], Awaitable[Any]],
        send: Callable[[Any], Awaitable[None]],
        connection: Connection,
        write_seconds: float,
    ) -> None:
        self._receive = receive
        self._send = send
        self._write_seconds = write_seconds
        self._headers: dict[bytes, bytes] = {}
        self._start: Any = None
        self.connection = connection
        names = {name for name, _ in scope["headers"]}
        self.whole = b"content-length" not in names and b"transfer-encoding" not in names
        """Whether everything of the request was read."""
        self.status: int | None = None
        """The status of HTTP to send instead of that of the Connect protocol."""
        self.allow: tuple[str, ...] = ()
        """The methods of HTTP to name in an answer that refuses another one."""

    async def receive(self) -> Any:
        """Receive a part of the request's body."""
        message = await self._receive()
        self.whole = self.whole or not message.get("more_body", False)
        return message

    async def send(self, message: Any) -> None:
        """Send a part of the answer. If the client reads nothing for too long, its connection is closed."""
        if message["type"] == "http.response.start":
            self._start = self._head(message)
            return
        if self._start is not None:
            message = {**message, "body": self._body(message.get("body", b""))}
            start, self._start = self._start, None
            if b"content-length" not in self._headers and not message.get("more_body", False):
                start["headers"].append((b"content-length", str(len(message["body"])).encode()))
            await self._pass(start)
        elif self._headers.get(b"content-type", b"").startswith(CONNECT_STREAM):
            message = {**message, "body": readable_end(message["body"])}
        await self._pass(message)

    def _head(self, message: Any) -> Any:
        self._headers = dict(message["headers"])
        added = [(b"x-content-type-options", b"nosniff")]
        if self.allow:
            added.append((b"allow", ", ".join(self.allow).encode()))
        if self.connection.is_old:
            added.append((b"connection", b"close"))
        return {**message, "status": self.status or message["status"], "headers": [*message["headers"], *added]}

    def _body(self, body: bytes) -> bytes:
        """The first part of the body."""
        if self._headers.get(b"content-type", b"").startswith(CONNECT_STREAM):
            return readable_end(body)
        if self._start["status"] != 200 and self._headers.get(b"content-type") == JSON:
            return readable(body)
        return body

    async def _pass(self, message: Any) -> None:
        timer = asyncio.get_running_loop().call_later(self._write_seconds + MARGIN_SECONDS, self.connection.abort)
        try:
            await self._send(message)
        finally:
            timer.cancel()
