"""Whole numbers at the library's door: whatever a caller hands over, the core gets integers it can hold."""

from collections.abc import Iterable
from typing import Final

from sniffai.doors import as_whole, is_listed
from sniffai.errors import ViewError
from sniffai.shown import shown

BOUND: Final = 30_000
"""The door is this wide both ways."""


def read_integer(value: object, field: str) -> int:
    """A whole number that is no boolean and lies within -30000..30000, as an ``int``.

    :raises ViewError: it is not; ``field`` is what the caller calls it.
    """
    number = as_whole(value)
    if number is None:
        raise ViewError(f"a whole number is expected here, not {shown(value)}", reason="NOT_A_NUMBER", field=field)
    if not -BOUND <= number <= BOUND:
        raise ViewError(f"the number is outside -{BOUND}..{BOUND}", reason="NUMBER_OUT_OF_RANGE", field=field)
    return number


def read_integers(values: Iterable[object], field: str) -> tuple[int, ...]:
    """The whole numbers of a list.

    :raises ViewError: it is no list of them; ``field`` is the path of the offending value.
    """
    if not is_listed(values):
        raise ViewError(f"a list of numbers is expected here, not {shown(values)}", reason="NOT_NUMBERS", field=field)
    return tuple(read_integer(value, f"{field}[{i}]") for i, value in enumerate(values))


def none_if_negative(number: int) -> int | None:
    """A seat or team from the core, where -1 stands for none."""
    return None if number < 0 else number
