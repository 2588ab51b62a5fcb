"""Values that hold arrays. NumPy compares arrays member by member; these values compare as a whole."""

from dataclasses import fields
from typing import Any

import numpy as np


class ArrayHolder:
    """Base of a frozen dataclass (with ``eq=False``) some of whose fields are arrays, or tuples of arrays."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _parts(self) == _parts(other)

    def __hash__(self) -> int:
        return hash(_parts(self))


def _parts(holder: Any) -> tuple[Any, ...]:
    return tuple(_comparable(getattr(holder, field.name)) for field in fields(holder))


def _comparable(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return tuple(map(_comparable, value)) if isinstance(value, tuple) else value
