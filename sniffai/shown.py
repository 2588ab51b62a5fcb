"""A caller's value in the words of a message: short, and never an error of its own."""

from reprlib import Repr
from typing import Final

_WIDTH: Final = 80


def shown(value: object) -> str:
    """``repr(value)`` in at most 80 characters, at once, however long or deep the value is.

    A value whose ``repr`` fails (a number of too many digits, a broken class) is shown by the name of its type.
    """
    try:
        text = _SHORT.repr(value)
        text.encode()
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."


class _Short(Repr):
    """Lists to three levels, a few members each; texts and numbers by their two ends."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxstring = self.maxlong = self.maxother = _WIDTH - 2

    def repr_bytes(self, x: bytes, level: int) -> str:
        """By its beginning: the whole may be a large file."""
        return self.repr_instance(x[:_WIDTH], level)


_SHORT: Final = _Short()
