"""What a server and the keeper of its database tell each other, over a socket between the two.

Both are parts of one server, so pickles are safe here.
"""

import pickle
import struct
from typing import Any, Final, NamedTuple

_LENGTH: Final = struct.Struct("<I")


class Job(NamedTuple):
    """Something to do in the database."""

    number: int
    """Its answer has the same."""
    name: str
    """The method of :class:`~sniffai_server.matches.statements.Statements`."""
    arguments: tuple[Any, ...]
    writes: bool
    """Whether it changes anything."""
    order: str
    """Jobs of one commit are done in this order, so that two servers never wait for each other."""


class Done(NamedTuple):
    """What came of a job. Its commit is on disk."""

    number: int
    result: Any
    error: Exception | None
    """Why it was not done."""


class Said(NamedTuple):
    """A line of the keeper for the server's log."""

    name: str
    """Of the logger."""
    level: int
    text: str


def pack(message: object) -> bytes:
    """A message as a frame.

    :raises Exception: something in it cannot be pickled.
    """
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


class Frames:
    """Puts messages together from the pieces that a socket gives."""

    def __init__(self) -> None:
        self._data = bytearray()

    def add(self, data: bytes) -> list[Any]:
        """The messages that a further piece completes."""
        self._data += data
        messages, begin = [], 0
        while len(self._data) >= begin + _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._data, begin)
            end = begin + _LENGTH.size + length
            if len(self._data) < end:
                break
            messages.append(pickle.loads(self._data[begin + _LENGTH.size : end]))
            begin = end
        del self._data[:begin]
        return messages
