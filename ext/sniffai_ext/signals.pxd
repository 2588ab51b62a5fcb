"""Signals that arrive while the core works without the interpreter's lock.

Python runs signal handlers in the main thread, between two steps of the interpreter. A loop in the core has no such
steps, so one that may last longer than a few milliseconds checks now and then:

    cdef Watch watch = watch_signals()   # with the interpreter's lock
    with nogil:
        for ...:
            if called(&watch):           # a handler raised, such as KeyboardInterrupt
                break
    answer(&watch)                       # with the lock again: raises what the handler raised

In threads other than the main one, the check costs one comparison: Python runs no handlers there.
"""

from cpython.ref cimport PyObject

from sniffai_ext.clock cimport monotonic

cdef struct Watch:
    bint armed            # this is the main thread, and no handler has raised yet
    double due            # moment of the next look
    PyObject *error       # what a handler raised; NULL: nothing

cdef Watch watch_signals()
cdef bint look(Watch *watch) noexcept nogil
cdef int answer(Watch *watch) except -1

cdef inline bint called(Watch *watch) noexcept nogil:
    """Whether a handler has raised. Takes the interpreter's lock every 40 milliseconds, in the main thread."""
    if not watch.armed:
        return watch.error != NULL
    return monotonic() >= watch.due and look(watch)
