"""Argument checks of the clients, before anything is sent.

An unknown keyword raises :class:`UnknownArgumentError`, which is a ``TypeError``, as in Python itself. Other invalid
arguments raise :class:`sniffai.LimitsError` or :class:`sniffai.ViewError`. All are
:class:`sniffai.SniffError`.
"""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final, TypeVar

from sniffai.checks import as_real, check_encodable, is_listed, read_whole, shown
from sniffai.errors import LimitsError, SniffError, ViewError
from sniffai.search.params import Limits
from sniffai.seeds import MAX_MESSAGE_SEED

MAX_TAG: Final = 128
MAX_TEXT: Final = 35
"""Maximum length of a language code in characters: what RFC 5646 requires programs to accept."""
MAX_SECONDS: Final = 86_400.0
"""Maximum timeout and interval in seconds: a day."""

Value = TypeVar("Value")


class UnknownArgumentError(SniffError, TypeError):
    """An unknown keyword."""


def check_names(given: Iterable[str], known: Iterable[str]) -> None:
    """:raises UnknownArgumentError: a keyword is unknown; the message lists the known ones."""
    names = sorted(known)
    for name in given:
        if name not in names:
            near = get_close_matches(name, names, 1)
            guess = f"; did you mean {near[0]!r}?" if near else "."
            raise UnknownArgumentError(
                f"there is no such keyword{guess} There are: {', '.join(names)}",
                reason="UNKNOWN_KEYWORD",
                field=name if name.isascii() and name.isprintable() else shown(name),
            )


def check_limits(limits: Limits | None) -> Limits | None:
    """:raises LimitsError: it is neither Limits nor ``None``."""
    if limits is not None and not isinstance(limits, Limits):
        raise LimitsError(f"Limits are expected, not {shown(limits)}", reason="NOT_LIMITS", field="limits")
    return limits


def check_seed(seed: int | None) -> int | None:
    """:raises LimitsError: it is not a whole number in 0..2**63-1."""
    return None if seed is None else read_whole(seed, "seed", 0, MAX_MESSAGE_SEED)


def check_seconds(seconds: float, field: str) -> float:
    """:raises LimitsError: it is not a number of seconds above 0, at most a day."""
    number = as_real(seconds)
    if number is None:
        raise LimitsError(f"a number of seconds is expected, not {shown(seconds)}", reason="NOT_A_NUMBER", field=field)
    if not 0 < number <= MAX_SECONDS:
        raise LimitsError(
            f"a number of seconds above 0 and at most {MAX_SECONDS:,.0f} is expected, not {shown(seconds)}",
            reason="OUT_OF_RANGE",
            field=field,
        )
    return float(number)


def check_text(text: str | None, field: str, longest: int) -> str:
    """A text that can be sent; empty for ``None``.

    :raises LimitsError: it is not a text, too long, or contains half of a surrogate pair.
    """
    if text is None:
        return ""
    if not isinstance(text, str):
        raise LimitsError(f"text is expected, not {shown(text)}", reason="NOT_A_TEXT", field=field)
    if len(text) > longest:
        raise LimitsError(
            f"a text has at most {longest} characters, not {len(text)}", reason="TEXT_TOO_LONG", field=field
        )
    check_encodable(text, field)
    return text


def check_name(name: str | None, field: str, values: Mapping[str, Value]) -> Value | None:
    """The value of a name; ``None`` for ``None``.

    :raises LimitsError: the name is unknown.
    """
    if name is None:
        return None
    if not isinstance(name, str) or name not in values:
        raise LimitsError(
            f"{shown(name)} is not one of {', '.join(values)}", reason=f"UNKNOWN_{field.upper()}", field=field
        )
    return values[name]


def check_kind(value: object, kinds: tuple[type, ...], field: str) -> None:
    """:raises ViewError: the value is of another type."""
    if not isinstance(value, kinds):
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise ViewError(f"{expected} is expected, not {shown(value)}", reason="WRONG_TYPE", field=field)


def check_each(values: Iterable[Any] | None, field: str, read: Callable[[Any], Any]) -> list[Any]:
    """The members of a list, each converted by ``read``; empty for ``None``.

    :raises SniffError: it is not a list, or a member is invalid; ``field`` names the member.
    """
    if values is None:
        return []
    if not is_listed(values):
        raise LimitsError(f"a list is expected, not {shown(values)}", reason="NOT_A_LIST", field=field)
    members = []
    for i, value in enumerate(values):
        try:
            members.append(read(value))
        except SniffError as error:
            raise error.at(f"{field}[{i}]") from None
    return members
