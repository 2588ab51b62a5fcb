"""A flag that stops work in the core, from any thread."""

cdef enum:
    STOPPED_FOR_GOOD = 1
    CALLED_OFF = 2

cdef class StopFlag:
    cdef volatile int raised  # 0: go on. Written with the interpreter's lock only
