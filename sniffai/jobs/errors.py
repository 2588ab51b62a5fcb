"""What goes wrong with a job although its spec is sound."""

from sniffai.errors import PortableError


class LostJobError(PortableError, RuntimeError):
    """A job was given out again and again, and never came back: its workers were killed, or ran out of memory.

    :ivar tries: how often it was given out.
    """

    def __init__(self, tries: int, what: str = "the worker process ended before its work was done") -> None:
        super().__init__(f"{what}, {tries} times for the same job: killed, or out of memory")
        self.tries = tries
