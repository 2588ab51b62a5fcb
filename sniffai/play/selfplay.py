"""Self-play: rounds in which one player sits at every seat, decision by decision, for fitting and for reports."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sniffai.moves import Move
from sniffai.play.players import Player
from sniffai.round import Round
from sniffai.search.candidates import distinct_moves
from sniffai.seeds import derived_seed
from sniffai.tiles import tile_mask
from sniffai.view import View
from sniffai.watch import Watch


@dataclass(frozen=True, slots=True)
class Decision:
    """A placement with at least two distinct legal moves."""

    view: View
    """What the seat to move knew."""
    move: Move
    """What it chose, by the lowest of its equal attachment points."""
    hands: tuple[int, ...]
    """The tiles that every seat held, as masks by seat: what the view hides."""


def decisions(player: Player, players: int, numbers: Iterable[int], seed: int) -> Iterator[list[Decision]]:
    """Play rounds at a score of 0 and yield the decisions of one after the other.

    The first leader rotates from seat to seat.

    :param players: 2..4.
    :param numbers: which rounds, from 0: each is the same whichever others are played.
    :param seed: decides the deals and every lot.
    """
    for number in numbers:
        round_ = Round.deal(players, derived_seed(seed, number), leader=number % players)
        yield list(_played(player, round_, derived_seed(seed, number, 1)))


def _played(player: Player, round_: Round, seed: int) -> Iterator[Decision]:
    watch = Watch(round_)
    while not round_.over:
        view = watch.view(round_.seat)
        moves = distinct_moves(view)
        move = moves[0]
        if len(moves) > 1:
            move = player.choose(view, derived_seed(seed, len(round_.moves)))
            yield Decision(view, move, tuple(map(tile_mask, round_.hands)))
        round_.play(move)
