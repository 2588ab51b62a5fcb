"""A caller's value as error messages show it: short, safe to print, and without raising errors itself."""

from reprlib import Repr
from typing import Final
from unicodedata import category

_WIDTH: Final = 80

_STEERING: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of signs that are not read but steer a screen or the order of its letters: controls and escapes,
marks of direction and of no width, half a pair, separators of lines and paragraphs."""

_JOINERS: Final = frozenset("\u200c\u200d")
"""They join two signs into one, or keep them apart: families of emoji, Persian, Hindi."""


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


def visible(text: str, keep: str = "\n\t") -> str:
    """A text that may come from anywhere, safe to print: every sign that would steer a terminal is shown as an escape.

    :param keep: signs to leave as they are.
    """
    if text.isprintable():
        return text
    return "".join(
        sign if sign in keep or not steers(sign) or joins(text, place) else _escape(sign)
        for place, sign in enumerate(text)
    )


def steers(sign: str) -> bool:
    """Whether a sign is not read but steers: an escape, a mark of direction, half a pair, a separator of lines."""
    return category(sign) in _STEERING


def joins(text: str, place: int) -> bool:
    """Whether a sign only joins its neighbours, or keeps them apart, as emoji and several scripts need it.

    :param place: of the sign in the text; both its neighbours must be read.
    """
    return text[place] in _JOINERS and 0 < place < len(text) - 1 and _read(text[place - 1]) and _read(text[place + 1])


def _read(sign: str) -> bool:
    return category(sign)[0] != "Z" and not steers(sign)


def _escape(sign: str) -> str:
    """The sign as Python writes it in a text, such as U+202E as a backslash, ``u`` and its four digits."""
    return sign.encode("unicode_escape").decode()


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
