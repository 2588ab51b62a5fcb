"""Whole numbers at the library's door: whatever a caller hands over, the core gets integers it can hold."""

from collections.abc import Iterable, Mapping

from sniffai.errors import ViewError

_BOUND = 30_000


def read_integer(value: object, field: str) -> int:
    """A whole number that is no boolean and lies within -30000..30000.

    :raises ViewError: it is not; ``field`` is what the caller calls it.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise ViewError(f"a whole number is expected here, not {value!r}", reason="NOT_A_NUMBER", field=field)
    if not -_BOUND <= value <= _BOUND:
        raise ViewError(f"the number is outside -{_BOUND}..{_BOUND}", reason="NUMBER_OUT_OF_RANGE", field=field)
    return value


def read_integers(values: Iterable[object], field: str) -> tuple[int, ...]:
    """The whole numbers of a list.

    :raises ViewError: it is no list of them; ``field`` is the path of the offending value.
    """
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise ViewError(f"a list of numbers is expected here, not {values!r}", reason="NOT_NUMBERS", field=field)
    return tuple(read_integer(value, f"{field}[{i}]") for i, value in enumerate(values))


def none_if_negative(number: int) -> int | None:
    """A seat or team from the core, where -1 stands for none."""
    return None if number < 0 else number
