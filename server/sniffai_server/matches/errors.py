"""Errors of the store of matches."""

from sniffai.errors import PortableError


class DatabaseError(PortableError):
    """The database of matches cannot be used; ``str()`` says why, without the URL's password."""


class ConflictError(PortableError):
    """The match has other steps than the change knows of, or the player another match with the same request id."""

    def __init__(self) -> None:
        super().__init__("the match has changed meanwhile")


class TooManyError(PortableError):
    """Too many matches are in play.

    :param limit: how many there may be now.
    :param own: whether that is for the caller itself; otherwise for all callers together.
    """

    def __init__(self, limit: int, *, own: bool) -> None:
        super().__init__("too many matches are in play")
        self.limit = limit
        self.own = own
