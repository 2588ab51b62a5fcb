"""Whose turn it is to use an object that does one thing at a time."""

cdef class Turn:
    cdef readonly str what    # names the object
    cdef object lock
    cdef unsigned long owner  # the thread whose turn it is; 0: nobody's
