"""Argument type checks: types, whole numbers and their ranges, and how messages show values.

A whole number is anything with ``__index__``, NumPy's integers included; a boolean is not. It is kept as a
plain ``int``. Single numbers are checked by the core (:mod:`sniffai_ext.checks`).
"""

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeGuard, TypeVar

from sniffai.errors import LimitsError, RecordError, SniffError, ViewError
from sniffai.rules import PLAYERS
from sniffai_ext.checks import as_real, as_whole, read_flag, read_real, read_whole
from sniffai_ext.shown import joins, shown, steers, visible

__all__ = [
    "BOUND",
    "as_plain",
    "as_real",
    "as_whole",
    "check_encodable",
    "check_members",
    "check_seat",
    "is_listed",
    "joins",
    "keep",
    "keep_plain",
    "none_if_negative",
    "read_callable",
    "read_flag",
    "read_integer",
    "read_integers",
    "read_kind",
    "read_only",
    "read_path",
    "read_players",
    "read_real",
    "read_whole",
    "shown",
    "steers",
    "visible",
]

if TYPE_CHECKING:  # NumPy takes a third of the time in which a short command starts
    import numpy.typing as npt

T = TypeVar("T")

BOUND: Final = 30_000
"""Integers passed to the core lie within -30,000..30,000."""


def read_kind(value: object, kind: type[T], field: str, reason: str, error: type[SniffError] = LimitsError) -> T:
    """The value itself.

    :param field: the caller's name for it.
    :param reason: such as ``"NOT_A_VIEW"``.
    :param error: what is raised.
    :raises SniffError: it is of another type.
    """
    if not isinstance(value, kind):
        raise error(f"{kind.__name__} is expected, not {shown(value)}", reason=reason, field=field)
    return value


def keep(frozen: object, field: str, value: object) -> None:
    """Replace a field of a frozen dataclass in its ``__post_init__`` with the checked value."""
    object.__setattr__(frozen, field, value)


def keep_plain(frozen: object, *fields: str) -> None:
    """Replace whole numbers of other types with ``int``, in tuples too; other values are left for their check."""
    for field in fields:
        value = getattr(frozen, field)
        if type(value) is int or value is None:  # nearly always: events are made by the thousand
            continue
        if not isinstance(value, tuple):
            keep(frozen, field, as_plain(value))
        elif any(type(member) is not int for member in value):
            keep(frozen, field, tuple(as_plain(member) for member in value))


def as_plain(value: T) -> T | int:
    """A whole number as an ``int``; the value itself where it is not one."""
    number = as_whole(value)
    return value if number is None else number


def read_only(array: "npt.NDArray[Any]") -> "npt.NDArray[Any]":
    """The same array, or a view of it, that cannot be written to."""
    if array.flags.writeable:
        array = array.view()
        array.setflags(write=False)
    return array


def is_listed(value: object) -> TypeGuard[Iterable[Any]]:
    """Whether a value is a list or another iterable, but not text or a mapping.

    A NumPy array without dimensions is not: it has ``__iter__``, but that fails.
    """
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        return False
    try:
        iter(value)
    except TypeError:
        return False
    return True


def read_callable(value: T, field: str) -> T:
    """The value itself.

    :raises LimitsError: it is neither ``None`` nor can it be called.
    """
    if value is not None and not callable(value):
        raise LimitsError(f"a function is expected, not {shown(value)}", reason="NOT_CALLABLE", field=field)
    return value


def read_path(path: object) -> Path:
    """The value as a path.

    :raises RecordError: it is not a path, is empty, or has a NUL or another character that no file name can have.
    """
    try:
        file = Path(path)  # type: ignore[arg-type]
        sound = path != "" and b"\0" not in os.fsencode(file)  # Path("") is the current folder
    except (TypeError, UnicodeEncodeError):
        sound = False
    if not sound:
        raise RecordError(f"the path of a file is expected, not {shown(path)}", reason="BAD_PATH", field="path")
    return file


def read_integer(value: object, field: str) -> int:
    """A whole number that is not a boolean and lies within -30000..30000, as an ``int``.

    :raises ViewError: it is not; ``field`` is what the caller calls it.
    """
    number = as_whole(value)
    if number is None:
        raise ViewError(f"a whole number is expected, not {shown(value)}", reason="NOT_A_NUMBER", field=field)
    if not -BOUND <= number <= BOUND:
        message = f"a whole number in -{BOUND}..{BOUND} is expected, not {shown(number)}"
        raise ViewError(message, reason="NUMBER_OUT_OF_RANGE", field=field)
    return number


def read_players(value: object, error: type[SniffError] = ViewError) -> int:
    """The number of seats, 2, 3 or 4, as an ``int``.

    :raises SniffError: it is not; ``error`` is what is raised, with the field ``"players"``.
    """
    number = as_whole(value)
    if number is None:
        raise error(f"a whole number is expected, not {shown(value)}", reason="NOT_A_NUMBER", field="players")
    if number not in PLAYERS:
        message = f"2, 3 or 4 seats are expected, not {shown(value)}"
        raise error(message, reason="PLAYERS_OUT_OF_RANGE", field="players")
    return number


def check_seat(seat: int, players: int, field: str) -> None:
    """Check that there is such a seat.

    :raises ViewError: it is not in 0..players - 1; ``field`` is what the caller calls it.
    """
    if not 0 <= seat < players:
        message = f"there is no seat {shown(seat)}: the seats are 0..{players - 1}"
        raise ViewError(message, reason="SEAT_OUT_OF_RANGE", field=field)


def check_encodable(text: str, field: str, error: type[SniffError] = LimitsError) -> None:
    """Check that a text can be written as UTF-8.

    :raises SniffError: it holds half of a surrogate pair; ``error`` is what is raised.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        message = "the text contains half of a character (a lone surrogate)"
        raise error(message, reason="BAD_TEXT", field=field) from None


def check_members(
    value: Mapping[Any, Any],
    names: Collection[str],
    optional: Collection[str] = (),
    error: type[SniffError] = RecordError,
) -> None:
    """Check that an object of JSON has exactly the members of these names.

    :param optional: further members that it may have.
    :raises SniffError: it has another one, or one is missing; ``error`` is what is raised, and ``field`` is its name.
    """
    for name in value:
        if name not in names and name not in optional:
            field = name if isinstance(name, str) and name.isidentifier() and len(name) <= 40 else shown(name)
            raise error("there is no such field", reason="UNKNOWN_FIELD", field=field)
    for name in names:
        if name not in value:
            raise error("the field is missing", reason="MISSING_FIELD", field=name)


def read_integers(values: Iterable[object], field: str) -> tuple[int, ...]:
    """The whole numbers of a list.

    :raises ViewError: it is not a list of them; ``field`` is the path of the offending value.
    """
    if not is_listed(values):
        raise ViewError(f"a list of numbers is expected, not {shown(values)}", reason="NOT_NUMBERS", field=field)
    return tuple(read_integer(value, f"{field}[{i}]") for i, value in enumerate(values))


def none_if_negative(number: int) -> int | None:
    """A seat or team from the core, where -1 stands for none."""
    return None if number < 0 else number
