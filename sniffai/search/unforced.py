"""A search that a single move does not shorten."""

from typing import Unpack

from sniffai.errors import ViewError
from sniffai.search.searcher import Searcher, SearchSettings
from sniffai.view import View


class UnforcedSearch(Searcher):
    """Searches even if there is only one move, for hosts whose answers must not tell by their speed what a seat holds.

    :param view: the seat is to place a tile.
    :raises ViewError: it has to draw or to pass, or it is not its turn.
    :raises SniffError: as for :class:`Searcher`.
    """

    def __init__(self, view: View, **settings: Unpack[SearchSettings]) -> None:
        super().__init__(view, **settings)
        if view.must != "play":
            raise ViewError(f"seat {view.seat} has no tile to place", reason="NO_MOVE", field="seat")

    @property
    def forced(self) -> bool:
        """Never."""
        return False
