"""A flag that stops work in the core, from any thread."""


cdef class StopFlag:
    """Given to all that works on one question, which looks at it again and again without the interpreter's lock.

    Every method may be called from any thread and returns at once.
    """

    def stop(self):
        """Stop for good: what runs ends within a millisecond, what begins later at once."""
        self.raised |= STOPPED_FOR_GOOD

    def call_off(self):
        """Stop until :meth:`resume`: one part of the work has failed, and the others are to end too."""
        self.raised |= CALLED_OFF

    def resume(self):
        """Take :meth:`call_off` back."""
        self.raised &= ~CALLED_OFF

    @property
    def stopped(self):
        """Whether :meth:`stop` has been called."""
        return bool(self.raised & STOPPED_FOR_GOOD)
