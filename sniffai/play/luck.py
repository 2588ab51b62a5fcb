"""What was luck in a round that has been played: its draws, and the lots of players that tell how they choose.

The expectation of such luck is 0, whoever plays: less it, a margin has the same expectation and scatters less
(AIVAT: Burch, Schmid, Moravčík, Morrill and Bowling, 2018). A deal is luck too, but a pairing plays it in every
seating, which cancels what it is worth. See docs/strength.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sniffai.equity import load
from sniffai.play.players import Player, Teller
from sniffai.round import Round
from sniffai.rules import TEAMS
from sniffai.search.nets import load_policy, load_world_value
from sniffai.seeds import derived_seed
from sniffai.view import View
from sniffai.watch import Watch
from sniffai_ext.luck import draw_luck, prospects

LINES: Final = 8
"""Lines for each value. With 16 the scatter was hardly smaller, with 4 larger."""

DEPTH: Final = 6
"""Placements of a line. 4 were hardly worse, 1 clearly; to the end of the round no better, and dearer."""


@dataclass(frozen=True, slots=True)
class Luck:
    """How lucky each team was, by team; together 0."""

    margins: tuple[float, ...]
    """In points of its margin."""
    chances: tuple[float, ...]
    """In shares of the match."""

    def __add__(self, other: "Luck") -> "Luck":
        return Luck(_sums(self.margins, other.margins), _sums(self.chances, other.chances))

    def __sub__(self, other: "Luck") -> "Luck":
        return self + other.times(-1)

    def times(self, factor: float) -> "Luck":
        """So many times as lucky."""
        return Luck(
            tuple(factor * margin for margin in self.margins), tuple(factor * chance for chance in self.chances)
        )


def no_luck(players: int) -> Luck:
    """None at all.

    :param players: seats, 2..4.
    """
    return Luck((0.0,) * TEAMS[players], (0.0,) * TEAMS[players])


def round_luck(round_: Round, seats: Sequence[Player], seed: int) -> Luck:
    """The luck in a round, from the deal on.

    :param seats: who played it, by seat.
    :param seed: 0..2**64-1; decides how draws are valued. The deal and the players' choices must not depend on it.
    """
    value, equity = (load_policy(round_.players), load_world_value(round_.players)), load(round_.players).core
    luck = Luck(*draw_luck(round_.core(), *value, equity, seed, LINES, DEPTH))
    for before, view, teller, chosen in _lots(round_, seats):
        worth = {
            (tile, at): Luck(margins, chances)
            for tile, at, margins, chances in prospects(
                before.core(), *value, equity, derived_seed(seed, len(before.moves)), LINES, DEPTH
            )
        }
        luck += worth[chosen]
        for move, chance in teller.chances(view).items():
            luck -= worth[move.codes].times(chance)
    return luck


def _lots(round_: Round, seats: Sequence[Player]) -> Iterator[tuple[Round, View, Teller, tuple[int, int]]]:
    """Every placement that a player chose by lot and tells how.

    The round before it, what the player knew, the player, the placement.
    """
    tellers = {seat: player for seat, player in enumerate(seats) if isinstance(player, Teller)}
    if not tellers:
        return
    replayed = Round.from_deal(round_.start)
    watch = Watch(replayed)
    for move in round_.moves:
        if replayed.seat in tellers and len(replayed.legal_moves()) > 1:
            yield replayed, watch.view(replayed.seat), tellers[replayed.seat], move.codes
        replayed.play(move)


def _sums(first: tuple[float, ...], second: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(a + b for a, b in zip(first, second, strict=True))
