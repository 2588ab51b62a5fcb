"""Errors of messages: violations, each with the path of its field in the request."""

from dataclasses import dataclass
from typing import Final

from sniffai.errors import PortableError, SniffError

MAX_VIOLATIONS: Final = 16
"""Maximum number of violations in one error: larger error details do not reach gRPC clients."""
MAX_TEXT: Final = 200
"""Maximum length of a description in characters. It may quote the request, so it must be limited."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One error in a message."""

    field: str
    """Its path in the request, such as ``"view.record.events[3].play.at"``."""
    reason: str
    """The rule that is broken, in ``UPPER_SNAKE``, at most 63 characters."""
    description: str
    """One sentence for a person, printable ASCII, at most ``MAX_TEXT`` characters."""

    @classmethod
    def of(cls, error: SniffError, field: str) -> "Violation":
        """A library error as a violation of a field of the message."""
        return cls(field, error.reason, plain(error.message))


class WireError(PortableError, ValueError):
    """An invalid message; ``str()`` is its first violation.

    :ivar violations: the first violations, 1 to :data:`MAX_VIOLATIONS`.
    :ivar count: the number of all violations.
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
