"""Values that hold arrays. NumPy compares arrays member by member; these values compare as a whole."""

import base64
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt


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


def array_to_text(array: npt.NDArray[Any]) -> str:
    """The bytes of an array in base64, short and exact: :func:`array_from_text` reads it."""
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    return base64.b64encode(little.tobytes()).decode()


def array_from_text(text: str, kind: type[np.generic]) -> npt.NDArray[Any]:
    """Read :func:`array_to_text` back, as a list.

    :param kind: of its members.
    :raises ValueError: the text is not that of such an array.
    """
    flat = np.frombuffer(base64.b64decode(text, validate=True), np.dtype(kind).newbyteorder("<"))
    return flat.astype(kind)
