"""HTTP/2 by hand, for callers that no proper client can play: bodies that never end, windows that never open."""

import contextlib
import socket
import struct
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, END_HEADERS, ACK = 0x1, 0x4, 0x1
INITIAL_WINDOW_SIZE: Final = 4
FRAME: Final = 16384
"""Bytes of a frame's payload at most."""
WINDOW: Final = 65535
SECONDS: Final = 20.0


@dataclass(slots=True)
class Stream:
    """One stream: what is still to be sent, and what came of it."""

    room: int
    """Bytes that the server takes now."""
    waiting: bytearray = field(default_factory=bytearray)
    """Bytes of the body that wait for room."""
    ends: bool = False
    """Whether the body ends with them."""
    data: bytearray = field(default_factory=bytearray)
    head: bytearray = field(default_factory=bytearray)
    """All blocks of headers, as they came."""
    headers: int = 0
    """Blocks of headers: the second, or the first with the end of the stream, is the status."""
    ended: bool = False
    """Whether the server has ended it, in good order or not."""


class RawConnection:
    """One connection over plaintext; frames are read by a thread of its own.

    :param window: bytes that the server may send on a stream before the reader asks for more.
    :param source: the address to call from, such as ``"127.0.0.2"``; any where not given.
    """

    def __init__(self, address: str, window: int = WINDOW, source: str = "") -> None:
        host, _, port = address.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), SECONDS, (source, 0) if source else None)
        self._socket.settimeout(None)
        self._authority = address
        self._next = 1
        self._lock = threading.RLock()
        self._room = WINDOW
        self._stream_room = WINDOW
        self.streams: dict[int, Stream] = {}
        self.closed = False
        self._changed = threading.Condition()
        self._send(PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW_SIZE, window)))
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open(self, method: str, metadata: Mapping[str, str] | None = None, end: bool = False) -> int:
        """Send the headers of a call and nothing else; returns the number of its stream."""
        number, self._next = self._next, self._next + 2
        self.streams[number] = Stream(self._stream_room)
        fields = {
            ":method": "POST",
            ":scheme": "http",
            ":path": f"/{method}",
            ":authority": self._authority,
            "te": "trailers",
            "content-type": "application/grpc",
            **(metadata or {}),
        }
        block = b"".join(map(_literal, fields.keys(), fields.values()))
        self._send(frame(HEADERS, END_HEADERS | (END_STREAM if end else 0), number, block))
        return number

    def data(self, stream: int, payload: bytes, end: bool = False) -> None:
        """Send bytes of a body, as the server takes them."""
        with self._lock:
            self.streams[stream].waiting += payload
            self.streams[stream].ends = end
            self._pump(stream)

    def call(self, method: str, message: bytes, metadata: Mapping[str, str] | None = None) -> int:
        """A whole call; returns the number of its stream."""
        stream = self.open(method, metadata)
        self.data(stream, prefixed(message), end=True)
        return stream

    def open_window(self, stream: int, size: int) -> None:
        """Let the server send more on a stream."""
        for number in (0, stream):
            self._send(frame(WINDOW_UPDATE, 0, number, struct.pack(">I", size)))

    def reset(self, stream: int) -> None:
        """Give a call up."""
        self._send(frame(RST_STREAM, 0, stream, struct.pack(">I", 8)))

    def wait(self, stream: int, seconds: float = SECONDS) -> bool:
        """Wait for the end of a stream; whether it came."""
        with self._changed:
            return self._changed.wait_for(lambda: self.streams[stream].ended or self.closed, seconds)

    @property
    def ended(self) -> int:
        """How many streams have ended."""
        return sum(stream.ended for stream in self.streams.values())

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(SECONDS)

    def _pump(self, number: int) -> None:
        """Send what the windows have room for."""
        stream = self.streams[number]
        while stream.waiting or stream.ends:
            size = min(FRAME, len(stream.waiting), stream.room, self._room)
            if size <= 0 and stream.waiting:
                return
            last = stream.ends and size == len(stream.waiting)
            self._send(frame(DATA, END_STREAM if last else 0, number, bytes(stream.waiting[:size])))
            del stream.waiting[:size]
            stream.room -= size
            self._room -= size
            if last:
                stream.ends = False

    def _make_room(self, number: int, size: int) -> None:
        """The server takes more."""
        with self._lock:
            if number:
                if number in self.streams:
                    self.streams[number].room += size
                    self._pump(number)
            else:
                self._room += size
                for each in tuple(self.streams):
                    self._pump(each)

    def _settle(self, payload: bytes) -> None:
        """Heed the server's settings."""
        with self._lock:
            for name, value in struct.iter_unpack(">HI", payload):
                if name == INITIAL_WINDOW_SIZE:
                    change, self._stream_room = value - self._stream_room, value
                    for number in tuple(self.streams):
                        self._make_room(number, change)

    def _send(self, data: bytes) -> None:
        with self._lock:
            try:
                self._socket.sendall(data)
            except OSError:
                self.closed = True

    def _read(self) -> None:
        try:
            with self._socket.makefile("rb") as source:
                while len(head := source.read(9)) == 9:
                    size, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
                    self._take(kind, flags, int.from_bytes(head[5:], "big") & (2**31 - 1), source.read(size))
        except (OSError, ValueError):
            pass
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def _take(self, kind: int, flags: int, number: int, payload: bytes) -> None:
        if kind == SETTINGS and not flags & ACK:
            self._settle(payload)
            self._send(frame(SETTINGS, ACK, 0, b""))
        elif kind == WINDOW_UPDATE:
            self._make_room(number, int.from_bytes(payload, "big"))
        elif kind == PING and not flags & ACK:
            self._send(frame(PING, ACK, 0, payload))
        stream = self.streams.get(number)
        if stream is None:
            return
        with self._changed:
            if kind == DATA:
                stream.data += payload
            elif kind == HEADERS:
                stream.head += payload
                stream.headers += 1
            stream.ended |= kind == RST_STREAM or (kind in (DATA, HEADERS) and bool(flags & END_STREAM))
            self._changed.notify_all()


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """One frame of HTTP/2."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def prefixed(message: bytes, said: int | None = None) -> bytes:
    """A message of gRPC with its prefix.

    :param said: the length that the prefix tells; the true one where not given.
    """
    return struct.pack(">BI", 0, len(message) if said is None else said) + message


def _literal(name: str, value: str) -> bytes:
    """A header, never indexed, never compressed."""
    return b"\x10" + _text(name) + _text(value)


def _text(text: str) -> bytes:
    data = text.encode()
    if len(data) < 127:
        return bytes([len(data)]) + data
    rest, size = len(data) - 127, bytearray([127])
    while rest >= 128:
        size.append(rest % 128 + 128)
        rest //= 128
    return bytes(size) + bytes([rest]) + data
