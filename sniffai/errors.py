"""The errors that the library raises: public address of :mod:`sniffai_ext.errors`, which draws their tree.

Every one is a :class:`SniffError` with ``message`` (one sentence), ``reason`` (``UPPER_SNAKE``) and ``field`` (the path
of the offending value as the caller wrote it, such as ``"hands[1][3]"`` or ``"events[7].at"``).
"""

from sniffai_ext.errors import (
    BusyError,
    HistoryError,
    LimitsError,
    MoveError,
    NotationError,
    PortableError,
    RecordError,
    SniffError,
    TileError,
    ViewError,
)

__all__ = [
    "BusyError",
    "HistoryError",
    "LimitsError",
    "MoveError",
    "NotationError",
    "PortableError",
    "RecordError",
    "SniffError",
    "TileError",
    "ViewError",
]
