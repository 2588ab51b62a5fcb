"""A lock for objects that do one thing at a time. It refuses its own owner."""

import threading

from cpython.pythread cimport PyThread_get_thread_ident

from sniffai_ext.errors import BusyError


cdef class Turn:
    """A context manager: other threads wait for their turn; the thread that has it already is refused.

    The same thread can ask again from a callback or from a signal handler. In Python, a signal could come between
    taking the lock and recording its owner; here nothing can.

    :param what: names the object, such as ``"the searcher"``.
    """

    def __cinit__(self, str what not None):
        self.what = what
        self.lock = threading.Lock()

    def __enter__(self):
        """:raises BusyError: it is this thread's turn already."""
        cdef unsigned long me = <unsigned long> PyThread_get_thread_ident()
        if self.owner == me:
            raise BusyError(f"{self.what} is busy: this thread is already waiting for its answer", reason="BUSY")
        self.lock.acquire()
        self.owner = me

    def __exit__(self, *error):
        self.owner = 0
        self.lock.release()
