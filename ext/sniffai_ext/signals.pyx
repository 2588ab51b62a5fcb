"""Signals that arrive while the core works without the interpreter's lock (see signals.pxd)."""

import threading

from cpython.exc cimport PyErr_CheckSignals
from cpython.ref cimport Py_DECREF, Py_INCREF

cdef double EVERY = 0.04  # seconds between two checks: each may have to wait for the interpreter's lock


cdef Watch watch_signals():
    """A watch for the next loop of the calling thread."""
    cdef Watch watch
    watch.armed = threading.get_ident() == threading.main_thread().ident
    watch.due = monotonic() + EVERY
    watch.error = NULL
    return watch


cdef bint look(Watch *watch) noexcept nogil:
    """Run the handlers of pending signals; returns whether one of them raised."""
    with gil:
        try:
            PyErr_CheckSignals()
        except BaseException as error:
            Py_INCREF(error)
            watch.error = <PyObject *> error
            watch.armed = False
    watch.due = monotonic() + EVERY
    return watch.error != NULL


cdef int answer(Watch *watch) except -1:
    """Raise the error of a handler, if one raised."""
    if watch.error == NULL:
        return 0
    error = <object> watch.error
    watch.error = NULL
    Py_DECREF(error)
    raise error
