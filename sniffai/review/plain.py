"""Values of a review as plain values for JSON, and back, exactly."""

import types
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

T = TypeVar("T")

_PLAIN: Final = frozenset((bool, int, float, str, type(None)))
"""Types of most values: those that are the same for JSON."""


def to_plain(value: Any, *left_out: str) -> Any:
    """A value as plain values: a dataclass becomes the list of its fields, an array nested lists.

    :param left_out: names of fields of the value itself that are not told.
    """
    if type(value) in _PLAIN:
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return [to_plain(getattr(value, name)) for name, _ in _fields(type(value), left_out)]
    if isinstance(value, tuple):
        return [to_plain(member) for member in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.value if isinstance(value, Enum) else value


def from_plain(kind: Callable[..., T], plain: Any, **known: Any) -> T:
    """Read :func:`to_plain` back.

    :param kind: a dataclass.
    :param known: the fields that were left out.
    """
    plain_fields = zip(_fields(kind, tuple(known)), plain, strict=True)
    return kind(**known, **{name: read(value) for (name, read), value in plain_fields})


@lru_cache(maxsize=64)
def _fields(kind: Any, left_out: tuple[str, ...]) -> list[tuple[str, Callable[[Any], Any]]]:
    """The fields of a dataclass, each with what reads it back."""
    hints = get_type_hints(kind, localns={"np": np, "npt": npt})
    return [(field.name, _reader(hints[field.name])) for field in fields(kind) if field.name not in left_out]


def _reader(hint: Any) -> Callable[[Any], Any]:
    """What reads a plain value back as one of an annotated type."""
    origin, members = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        (member,) = (member for member in members if member is not type(None))
        read = _reader(member)
        return lambda value: None if value is None else read(value)
    if origin is tuple:
        each = _reader(members[0])
        return lambda value: tuple(map(each, value))
    if origin in (np.ndarray, npt.NDArray):  # since NumPy 2.5, which needs Python 3.12, the alias is a type of its own
        return np.array
    if is_dataclass(hint) and isinstance(hint, type):
        dataclass: type[Any] = hint
        return lambda value: from_plain(dataclass, value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    if origin is Literal or hint in (int, float, str, bool):
        return _same
    raise TypeError(f"{hint} has no plain form")


def _same(value: Any) -> Any:
    return value
