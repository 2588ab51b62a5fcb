"""Faults on purpose, built with the sanitizers only: `make sanitize` must see each, or its silence means nothing."""

from libc.stdlib cimport free, malloc


cpdef int read_past_the_end(int size):
    """Read the byte after a block of memory."""
    cdef unsigned char *block = <unsigned char *>malloc(size)
    block[0] = 1
    cdef int value = block[size]
    free(block)
    return value


cpdef int read_what_is_freed(int size):
    """Read a block of memory that was given back."""
    cdef unsigned char *block = <unsigned char *>malloc(size)
    block[0] = 1
    free(block)
    return block[0]


cpdef int shift_too_far(int places):
    """Shift by as many places as there are bits, or more."""
    return 1 << places


cpdef int add_too_much(int number):
    """Add one to the largest integer."""
    return number + 1
