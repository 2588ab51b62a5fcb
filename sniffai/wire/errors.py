"""What is wrong with a message: violations, each with the path of its field in the request."""

from dataclasses import dataclass
from typing import Final

from sniffai.errors import PortableError, SniffError

MAX_VIOLATIONS: Final = 16
"""No more are told at once: larger error details do not reach a gRPC client."""
MAX_TEXT: Final = 200
"""The longest description, in characters. It may quote what a caller sent, so it needs a bound."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is wrong with a message."""

    field: str
    """Its path in the request, such as ``"view.record.events[3].play.at"``."""
    reason: str
    """The rule broken, in ``UPPER_SNAKE``, at most 63 characters."""
    description: str
    """One sentence for a person, printable ASCII, at most ``MAX_TEXT`` characters."""

    @classmethod
    def of(cls, error: SniffError, field: str) -> "Violation":
        """What a library error says, told of a field of the message."""
        return cls(field, error.reason, plain(error.message))


class WireError(PortableError, ValueError):
    """A message that cannot be understood; ``str()`` is its first violation.

    :ivar violations: what is wrong with it, at least one, at most :data:`MAX_VIOLATIONS`.
    :ivar count: how many were found in all.
    """

    def __init__(self, *violations: Violation) -> None:
        first = violations[0]
        super().__init__(f"{first.field}: {first.description}" if first.field else first.description)
        self.violations = violations[:MAX_VIOLATIONS]
        self.count = len(violations)


def plain(text: str) -> str:
    """The text in printable ASCII, cut to ``MAX_TEXT`` characters."""
    text = text.encode("ascii", "backslashreplace").decode()
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 3]}..."
