"""The errors of the rules and of the search, raised by the core and by the library alike.

```
SniffError(ValueError)
├── TileError       a tile that does not exist, that occurs twice, or a wrong number of tiles
├── MoveError       a move that the rules do not allow now
├── ViewError       a view that contradicts itself, the rules or the seat's own hand
├── HistoryError    a history that no deal explains
├── NotationError   a text form that cannot be read
├── RecordError     a match record whose contents are wrong
├── LimitsError     a limit or a parameter out of range
└── BusyError       a call of an object that is busy with another one
```

They stand beside the compiled core because the core raises them and imports nothing above itself. Import them from
:mod:`sniffai.errors`.
"""

from typing import Any


class PortableError(Exception):
    """An exception that survives a copy and a pickle with all its fields, whatever its constructor takes.

    Python's default calls the constructor with ``args``, which holds only the text. That fails in the process that
    unpickles, and a pool of processes then waits for ever.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, dict(self.__dict__))


class SniffError(PortableError, ValueError):
    """An argument breaks a rule.

    :ivar message: one sentence for a person, without the field.
    :ivar reason: the rule broken, in ``UPPER_SNAKE`` (at most 63 characters), for a program.
    :ivar field: path of the offending value, such as ``"events[3].tiles[1]"``; ``""`` for the whole.
    """

    def __init__(self, message: str, *, reason: str, field: str = "") -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.message = message
        self.reason = reason
        self.field = field

    def at(self, prefix: str) -> "SniffError":
        """The same error, its field seen from one level above (``prefix`` is put in front)."""
        joint = "." if prefix and self.field and not self.field.startswith("[") else ""
        return type(self)(self.message, reason=self.reason, field=f"{prefix}{joint}{self.field}")


class TileError(SniffError):
    """A tile that does not exist, a tile that occurs twice, or a wrong number of tiles."""


class MoveError(SniffError):
    """A move that the rules do not allow now."""


class ViewError(SniffError):
    """A view that contradicts itself, the rules or the seat's own hand."""


class HistoryError(SniffError):
    """A history of draws, passes and placements that no deal explains."""


class NotationError(SniffError):
    """A text form that cannot be read."""


class RecordError(SniffError):
    """A match record whose contents are wrong."""


class LimitsError(SniffError):
    """A limit or a parameter out of range."""


class BusyError(SniffError):
    """A call of an object that is busy with another call and cannot make this one wait."""


def _rebuild(kind: type[PortableError], args: tuple[Any, ...], fields: dict[str, Any]) -> PortableError:
    """:raises TypeError: this is no error of ours."""
    if not issubclass(kind, PortableError):
        raise TypeError(f"{kind} is no error of ours")
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(fields)
    return error
