"""Warnings: what a request said that had no effect, or not quite the effect asked for."""

from collections.abc import Iterator
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from sniffai.v1 import notice_pb2

MAX_WARNINGS: Final = 16
"""No more are told in one answer."""

MAX_UNKNOWN: Final = 4096
"""Bytes of unknown fields that are told one by one."""


def warning(field: str, reason: str, description: str) -> notice_pb2.Warning:
    """One warning."""
    return notice_pb2.Warning(field=field, reason=reason, description=description)


def unknown_fields(request: Message) -> list[notice_pb2.Warning]:
    """A warning for each field that this version does not know, at most :data:`MAX_WARNINGS`.

    Where they are more than :data:`MAX_UNKNOWN` bytes it is one warning of all: a client sends whatever it likes, and
    to list a hundred thousand fields would take a tenth of a second.
    """
    size = _unknown_size(request)
    if size == 0:
        return []
    if size > MAX_UNKNOWN:
        text = f"this version knows none of the fields in {size // 1024} KiB of the request; they were ignored"
        return [warning("", "UNKNOWN_FIELD", text)]
    found = []
    for path, number in _unknown(request, ""):
        found.append(warning(path, "UNKNOWN_FIELD", f"this version knows no field {number} here; it was ignored"))
        if len(found) == MAX_WARNINGS:
            break
    return found


def _unknown_size(message: Message) -> int:
    """How many bytes of a message, and of those in it, are unknown fields."""
    known = type(message)()
    known.CopyFrom(message)
    known.DiscardUnknownFields()
    return message.ByteSize() - known.ByteSize()


def _unknown(message: Message, path: str) -> Iterator[tuple[str, int]]:
    unknown = UnknownFieldSet(message)
    for i in range(len(unknown)):
        yield path, unknown[i].field_number
    for descriptor, value in message.ListFields():
        if descriptor.message_type is not None:
            for inner, inner_path in _messages(descriptor, value, path):
                yield from _unknown(inner, inner_path)


def _messages(descriptor: FieldDescriptor, value: Any, path: str) -> Iterator[tuple[Message, str]]:
    """The messages that a field holds, each with its path."""
    name = f"{path}.{descriptor.name}" if path else descriptor.name
    if isinstance(value, Message):
        yield value, name
    else:
        yield from ((item, f"{name}[{i}]") for i, item in enumerate(value))
