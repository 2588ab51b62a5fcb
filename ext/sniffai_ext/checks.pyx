"""Checks of the arguments that Python passes in: whole and real numbers, flags, seeds, sets of tiles, weights of nets.

A whole number is anything with ``__index__``, NumPy's integers among them; a real number is that, or any other
``numbers.Real``. Booleans are neither.
"""

from libc.math cimport isnan
from libc.stdint cimport INT32_MAX, INT32_MIN

import sys
from numbers import Real
from operator import index

from sniffai_ext.errors import LimitsError, MoveError, TileError
from sniffai_ext.shown import shown

from sniffai_ext.types cimport ALL_TILES, TILES

cdef object MOST_SEED = (1 << 64) - 1


cdef bint is_boolean(value):
    """Whether a value is Python's or NumPy's. Where NumPy has not been imported, nothing is NumPy's."""
    if isinstance(value, bool):
        return True
    kind = getattr(sys.modules.get("numpy"), "bool_", None)
    return kind is not None and isinstance(value, kind)


cpdef object as_whole(value):
    """The value as an ``int``; None if it is not a whole number."""
    if type(value) is int:
        return value
    if is_boolean(value):
        return None
    try:
        return int(index(value))
    except Exception:                        # a foreign ``__index__`` may raise anything
        return None


cpdef object as_real(value):
    """The value as an ``int`` or ``float``, which may be NaN or infinite; None if it is not a real number."""
    if type(value) is float:
        return value
    whole = as_whole(value)
    if whole is not None:
        return whole
    if is_boolean(value) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except Exception:
        return None


cpdef object read_whole(value, str field, least, most, error=LimitsError, str reason="OUT_OF_RANGE"):
    """A whole number in least..most as an ``int``.

    :param reason: of the error when it is out of range.
    :raises SniffError: it is not; ``error`` is what is raised.
    """
    number = as_whole(value)
    if number is None:
        raise error(f"a whole number is expected, not {shown(value)}", reason="NOT_A_NUMBER", field=field)
    if not least <= number <= most:
        raise error(f"{least}..{most} is expected, not {shown(number)}", reason=reason, field=field)
    return number


cpdef double read_real(value, str field, double least, double most, bint open_below=False) except? -1:
    """A real number in least..most; NaN is in no range.

    :param open_below: whether ``least`` itself is out of range.
    :raises LimitsError: it is not.
    """
    cdef double number
    real = as_real(value)
    if real is None:
        raise LimitsError(f"a number is expected, not {shown(value)}", reason="NOT_A_NUMBER", field=field)
    try:
        number = real
    except OverflowError:
        number = float("inf") if real > 0 else -float("inf")
    if isnan(number) or not least <= number <= most or (open_below and number == least):
        span = f"above {least:g}, at most {most:g}" if open_below else f"{least:g}..{most:g}"
        raise LimitsError(f"{span} is expected, not {shown(value)}", reason="OUT_OF_RANGE", field=field)
    return number


cpdef bint read_flag(value, str field) except -1:
    """True or False.

    :raises LimitsError: it is neither.
    """
    if not is_boolean(value):
        raise LimitsError(f"True or False is expected, not {shown(value)}", reason="NOT_A_FLAG", field=field)
    return bool(value)


cdef int read_int(value, str field, error=LimitsError) except? -1:
    """A whole number that fits a C int, for callers that check its range themselves."""
    return read_whole(value, field, INT32_MIN, INT32_MAX, error)


cdef uint64_t read_seed(value) except? 0xffffffffffffffff:
    """A seed, 0..2**64-1."""
    return read_whole(value, "seed", 0, MOST_SEED)


cdef uint32_t read_tiles(value, str field) except? 0xffffffff:
    """A set of tiles, a 28-bit mask."""
    number = as_whole(value)
    if number is None or not 0 <= number <= ALL_TILES:
        raise TileError(f"a mask of 28 tiles is expected, not {shown(value)}", reason="NOT_TILES", field=field)
    return number


cdef tuple read_items(value, str field, error=LimitsError):
    """The members of a list or another iterable."""
    try:
        return tuple(value)
    except TypeError:
        raise error(f"a list is expected, not {shown(value)}", reason="NOT_A_LIST", field=field) from None


cdef int check_seat(int seat, int players, str field, error, int least=0) except -1:
    """Raise ``error`` unless the seat exists; ``least`` is -1 where that stands for a seat not yet known."""
    if not least <= seat < players:
        raise error(f"there is no seat {seat}: the seats are 0..{players - 1}", reason="SEAT_OUT_OF_RANGE", field=field)
    return 0


cdef int check_tile(int tile, str field, error) except -1:
    """Raise ``error`` unless the tile exists."""
    if not 0 <= tile < TILES:
        raise error(f"there is no tile with index {tile}: 0..{TILES - 1} is expected", reason="UNKNOWN_TILE",
                    field=field)
    return 0


cdef tuple read_placement(value, str field):
    """A tile and an attachment point, as they stand."""
    pair = read_items(value, field, MoveError)
    if len(pair) != 2:
        raise MoveError(f"a tile and an attachment point are expected, not {len(pair)} items", reason="NOT_A_MOVE",
                        field=field)
    return pair


def read_net(weights, size, players):
    """The weights of a net as a new float32 array.

    :raises LimitsError: they are not ``size`` finite numbers.
    """
    import numpy as np

    try:
        with np.errstate(over="ignore"):
            block = np.array(weights, np.float32)
    except Exception:                        # a foreign object may raise anything
        raise LimitsError(f"an array of numbers is expected, not {shown(weights)}", reason="NOT_NUMBERS",
                          field="weights") from None
    if block.shape != (size,):
        raise LimitsError(f"a net for {players} seats has {size} weights, not {block.shape}",
                          reason="WRONG_NUMBER_OF_WEIGHTS", field="weights")
    if not np.isfinite(block).all():
        raise LimitsError("a weight is not finite", reason="OUT_OF_RANGE", field="weights")
    return block
