"""Iterative proportional fitting (Deming and Stephan 1940): a table is scaled until its sums are as they should be."""

from libc.math cimport fabs

from sniffai_ext.checks cimport read_real, read_whole
from sniffai_ext.types cimport TILES

from sniffai_ext.errors import LimitsError

cdef enum:
    MOST_COLUMNS = 5      # four seats and the talon
    MOST_ROUNDS = 1_000_000


def fit_sums(table, rows, columns, close, rounds):
    """Scale the columns and the rows of a table in turn, in place, until all have their sums.

    A row or a column without anything is left as it is.

    :param table: float64 ``[28, n]``, rows in one piece (C's order), n in 1..5; no number below 0.
    :param rows: float64 ``[28]``: the sums of the rows.
    :param columns: float64 ``[n]``: the sums of the columns.
    :param close: how near the sums of the columns must come, 0..1.
    :param rounds: at most so many, 1..1,000,000.
    :raises LimitsError: a number is out of range, or an array has another shape, type or order.
    """
    cdef double[:, ::1] cells
    cdef const double[::1] row_sums, column_sums
    cdef double near = read_real(close, "close", 0, 1)
    cdef int most = read_whole(rounds, "rounds", 1, MOST_ROUNDS)
    try:
        cells, row_sums, column_sums = table, rows, columns
    except (BufferError, TypeError, ValueError):
        raise LimitsError("a table in C's order and its sums are expected", reason="NOT_NUMBERS",
                          field="table") from None
    if (cells.shape[0] != TILES or not 1 <= cells.shape[1] <= MOST_COLUMNS or row_sums.shape[0] != TILES
            or column_sums.shape[0] != cells.shape[1]):
        raise LimitsError("a table of 28 rows and its sums are expected", reason="WRONG_SHAPE", field="table")
    with nogil:
        scale(&cells[0, 0], &row_sums[0], &column_sums[0], <int> cells.shape[1], near, most)


cdef void scale(double *cell, const double *rows, const double *columns, int count, double close,
                int rounds) noexcept nogil:
    """:func:`fit_sums`. ``cell``: row by row. All sums are added up in the order of rows and columns."""
    cdef bint[TILES] no_row
    cdef double[MOST_COLUMNS] sums
    cdef double factor
    cdef bint near
    cdef int i, k, _round
    for i in range(TILES):
        no_row[i] = row_sum(cell + count * i, count) == 0
    sum_columns(cell, count, sums)
    for _round in range(rounds):
        for k in range(count):
            factor = columns[k] / (sums[k] + (columns[k] == 0))
            for i in range(TILES):
                cell[count * i + k] *= factor
        for i in range(TILES):
            factor = rows[i] / (row_sum(cell + count * i, count) + no_row[i])
            for k in range(count):
                cell[count * i + k] *= factor
        sum_columns(cell, count, sums)
        near = True
        for k in range(count):
            near = near and fabs(sums[k] - columns[k]) < close
        if near:
            return


cdef double row_sum(const double *cell, int count) noexcept nogil:
    cdef double total = 0
    cdef int k
    for k in range(count):
        total += cell[k]
    return total


cdef void sum_columns(const double *cell, int count, double *sums) noexcept nogil:
    cdef int i, k
    for k in range(count):
        sums[k] = 0
    for i in range(TILES):
        for k in range(count):
            sums[k] += cell[count * i + k]
