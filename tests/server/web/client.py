"""A small HTTP client."""

import http.client
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.waiting import TIMEOUT


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def call(
    port: int,
    path: str,
    body: Any = None,
    *,
    method: str = "POST",
    kind: str = "application/json",
    headers: dict[str, str] | None = None,
) -> Answer:
    """Send one request; a body that is not bytes is sent as JSON."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    try:
        connection.request(method, f"/{path}", content, {"content-type": kind, **(headers or {})})
        answer = connection.getresponse()
        return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    finally:
        connection.close()


def enveloped(message: bytes, flags: int = 0) -> bytes:
    """A message as it lies in a stream."""
    return struct.pack(">BI", flags, len(message)) + message


def messages(body: bytes) -> Iterator[tuple[int, bytes]]:
    """The messages in the body of a stream, each with its flags."""
    while body:
        flags, size = struct.unpack(">BI", body[:5])
        yield flags, body[5 : 5 + size]
        body = body[5 + size :]
