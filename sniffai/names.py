"""Names that people give themselves: what one may hold, wherever it is shown.

A name stands on the screens of others, in records and terminals. So it is normalised, and holds nothing that would
steer what is around it or cannot be seen. Emoji and several scripts need marks that join their neighbours; those may
stand between two signs that can be seen.
"""

from typing import Final
from unicodedata import category, normalize

from sniffai.checks import check_encodable, joins, shown, steers
from sniffai.errors import LimitsError

LONGEST: Final = 64
"""Maximum length of a name in characters."""
_LONGEST_RAW: Final = 16 * LONGEST
"""Longer texts are not normalised: no name comes of them, and it would take time."""
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that show nothing."""
_SELECTORS: Final = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
"""Variation selectors: they choose a form of the sign before them, such as the coloured one of an emoji."""


def read_name(value: object, field: str) -> str:
    """A name as it is kept: normalised (NFC), without spaces around it; empty for none.

    :param field: the caller's name for it.
    :raises LimitsError: it is no text, too long, holds a sign that steers, or nothing that can be seen.
    """
    if not isinstance(value, str):
        raise LimitsError(f"text is expected, not {shown(value)}", reason="NOT_A_TEXT", field=field)
    check_encodable(value, field)
    name = normalize("NFC", value).strip() if len(value) <= _LONGEST_RAW else value
    if len(name) > LONGEST:
        message = f"a name has at most {LONGEST} characters, not {len(name)}"
        raise LimitsError(message, reason="TEXT_TOO_LONG", field=field)
    for place in range(len(name)):
        if not _fits(name, place):
            message = f"a name has no control characters or the like: {shown(name[place])} is not allowed there"
            raise LimitsError(message, reason="CONTROL_CHARACTER", field=field)
    if name and not any(map(_seen, name)):
        raise LimitsError("there is nothing in the name that can be seen", reason="NOT_VISIBLE", field=field)
    return name


def _fits(name: str, place: int) -> bool:
    sign = name[place]
    if sign in _SELECTORS:
        return place > 0 and _seen(name[place - 1])
    return not steers(sign) or joins(name, place)


def _seen(sign: str) -> bool:
    """Whether a sign shows something of its own: not a space, nor a mark on the sign before it."""
    return category(sign)[0] not in "ZM" and not steers(sign) and sign not in _BLANK
