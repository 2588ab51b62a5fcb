"""Requests and answers as bytes: protobuf's binary form, or its JSON.

What the Connect library calls a message is, for requests, a :class:`Body` that is not decoded yet: the interceptors
decide first whether it may be, and count its bytes.
"""

import asyncio
import json
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf import json_format
from google.protobuf.message import Message

from sniffai import wire

SMALL: Final = 8192
"""Larger JSON is read in a thread, since it would keep the event loop from other calls."""


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a request."""

    content: bytes
    is_json: bool

    async def as_binary(self, kind: type[Message], turn: asyncio.Lock) -> bytes:
        """The body in protobuf's binary form.

        :param turn: held while a large body is read, so that such bodies never take more than one thread's time.
        :raises WireError: it is not JSON of such a message.
        """
        if not self.is_json:
            return self.content
        if len(self.content) <= SMALL:
            return _binary(self.content, kind)
        async with turn:
            return await asyncio.to_thread(_binary, self.content, kind)


def _binary(content: bytes, kind: type[Message]) -> bytes:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise wire.WireError(wire.Violation("", "NOT_JSON", "not JSON: not UTF-8")) from None
    return wire.from_json(text, kind).SerializeToString()


class ProtoCodec:
    """Protobuf's binary form."""

    def name(self) -> str:
        """The end of the content type."""
        return "proto"

    def decode(self, data: bytes | bytearray, message_class: Any) -> Body:
        """A request, as it is."""
        return Body(bytes(data), is_json=False)

    def encode(self, message: Message) -> bytes:
        """An answer."""
        return message.SerializeToString()


class JsonCodec:
    """Protobuf's JSON: names in camelCase; fields that are 0 or empty are included."""

    def name(self) -> str:
        """The end of the content type."""
        return "json"

    def decode(self, data: bytes | bytearray, message_class: Any) -> Body:
        """A request, as it is."""
        return Body(bytes(data), is_json=True)

    def encode(self, message: Message) -> bytes:
        """An answer."""
        value = json_format.MessageToDict(message, always_print_fields_with_no_presence=True)
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
