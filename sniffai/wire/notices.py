"""Warnings about parts of a request that had no effect, or another one than requested."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from sniffai.v1 import notice_pb2

MAX_WARNINGS: Final = 16
"""Maximum number of warnings in one answer."""

MAX_UNKNOWN: Final = 4096
"""Maximum size of unknown fields, in bytes, that get one warning each."""


UNKNOWN: Final = "UNKNOWN_FIELD"
"""The reason of a warning about a field that this version does not know."""


def warning(field: str, reason: str, description: str) -> notice_pb2.Warning:
    """One warning."""
    return notice_pb2.Warning(field=field, reason=reason, description=description)


def most_useful(warnings: Iterable[notice_pb2.Warning]) -> list[notice_pb2.Warning]:
    """The warnings of an answer, at most :data:`MAX_WARNINGS`.

    First those about what was done otherwise than requested, then those about unknown fields, which may be any number.
    """
    return sorted(warnings, key=lambda notice: notice.reason == UNKNOWN)[:MAX_WARNINGS]


def unknown_fields(request: Message) -> list[notice_pb2.Warning]:
    """A warning for each field that this version does not know, at most :data:`MAX_WARNINGS`.

    If they have more than :data:`MAX_UNKNOWN` bytes, there is one warning for all: clients can send anything, and to
    list a hundred thousand fields would take a tenth of a second.
    """
    size = _unknown_size(request)
    if size == 0:
        return []
    if size > MAX_UNKNOWN:
        text = f"this version knows none of the fields in {size // 1024} KiB of the request; they were ignored"
        return [warning("", UNKNOWN, text)]
    warnings = []
    for path, number in _unknown(request, ""):
        warnings.append(warning(path, UNKNOWN, f"this version knows no field {number} here; it was ignored"))
        if len(warnings) == MAX_WARNINGS:
            break
    return warnings


def _unknown_size(message: Message) -> int:
    """The size in bytes of all unknown fields in a message."""
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
    """The messages in a field, each with its path."""
    name = f"{path}.{descriptor.name}" if path else descriptor.name
    if isinstance(value, Message):
        yield value, name
    else:
        yield from ((item, f"{name}[{i}]") for i, item in enumerate(value))
