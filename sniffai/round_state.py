"""The state of a round in the words that :class:`Round` and :class:`View` share."""

from sniffai.checks import none_if_negative
from sniffai.layout import Layout
from sniffai.moves import Move
from sniffai.tiles import TILES, Tile, tile_or_none
from sniffai_ext.round import Round as CoreRound
from sniffai_ext.view import View as CoreView


class RoundState:
    """Base of what holds the state of a round: with all hands known, or as one seat sees it."""

    __slots__ = ()

    _core: CoreRound | CoreView

    @property
    def over(self) -> bool:
        """Whether the round has ended: a seat went out, it is blocked, or the match was won."""
        return self._core.over

    @property
    def went_out(self) -> int | None:
        """The seat that placed its last tile, if that ended the round."""
        return none_if_negative(self._core.went_out)

    @property
    def blocked(self) -> bool:
        """Whether the talon is empty and no seat can play."""
        return self._core.blocked

    @property
    def match_winner(self) -> int | None:
        """The team whose score reached the target in this round (§7)."""
        return none_if_negative(self._core.match_winner)

    @property
    def forced(self) -> Tile | None:
        """The tile just drawn, where it must be placed now: the seat chooses only the place (§5)."""
        return tile_or_none(self._core.forced)

    @property
    def layout(self) -> Layout:
        """The table now."""
        return Layout.from_core(self._core.layout)

    @property
    def count(self) -> int:
        """The count now (§4)."""
        return self._core.layout.count

    def contributions(self) -> list[tuple[Tile, int]]:
        """The counted ends now, ascending (§4)."""
        return [(TILES[tile], value) for tile, value in self._core.layout.contributions()]

    def legal_moves(self) -> list[Move]:
        """Every placement that the seat may make now, ascending by tile, then by attachment point.

        Empty where the seat has no tile to place. Draws and passes are not moves.
        """
        return [Move.from_codes(tile, at) for tile, at in self._core.legal_moves()]
