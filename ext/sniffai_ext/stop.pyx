"""A flag that stops work in the core, from any thread."""


cdef class StopFlag:
    """Shared by all work on one question, which checks it often, without the interpreter's lock.

    Every method may be called from any thread and returns at once.
    """

    def stop(self):
        """Stop for good: running work ends within a millisecond, later work at once."""
        self.raised |= STOPPED_FOR_GOOD

    def call_off(self):
        """Stop until :meth:`resume`, because one part of the work has failed and the others must end too."""
        self.raised |= CALLED_OFF

    def resume(self):
        """Undo :meth:`call_off`."""
        self.raised &= ~CALLED_OFF

    @property
    def stopped(self):
        """Whether :meth:`stop` has been called."""
        return bool(self.raised & STOPPED_FOR_GOOD)
