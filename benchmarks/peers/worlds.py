"""What a peer is given: a view of the library as a plain round, its hidden tiles filled in at random.

The worlds come from the library's exact belief, uniform over all deals that explain the view. So a peer determinizes as
well and as fast as the engine does; writing the same in Python would only slow it down.
"""

from typing import Final

from benchmarks.peers.plain_round import DRAW_TEXTS, ENDS, PASS_TEXT, PlainRound, end_of
from sniffai import Belief, Move, View
from sniffai.events import Draw, Play
from sniffai.tiles import tile_mask

BATCH: Final = 128
"""Worlds sampled at once."""


class Worlds:
    """Determinized rounds of one view, each with its chance.

    :param view: of a seat that is to place a tile; a history, not a snapshot.
    :param seed: 0..2**64-1.
    """

    def __init__(self, view: View, seed: int) -> None:
        self._belief = Belief(view)
        self._seed = seed
        self._public = _public_round(view)
        self._hand = tile_mask(view.hand)
        self._own = view.seat
        self._ready: list[tuple[list[int], list[int]]] = []

    def sample(self) -> PlainRound:
        """The round in one world."""
        if not self._ready:
            hands, talons = self._belief.sample_many(BATCH, self._seed)
            self._seed = (self._seed + 1) % 2**64
            self._ready = list(zip(hands.tolist(), talons.tolist(), strict=True))
        held, talon = self._ready.pop()
        round_ = self._public.copy()
        held[self._own] = self._hand
        talon.reverse()
        round_.hands, round_.talon = held, tuple(talon)
        return round_


def action_of(move: Move) -> int:
    """The action that a named move is."""
    return move.tile.index * ENDS + end_of(move.at)


def move_of(view: View, action: int) -> Move:
    """The first legal move that is this action.

    :raises StopIteration: it is not legal.
    """
    return next(move for move in view.legal_moves() if action_of(move) == action)


def _public_round(view: View) -> PlainRound:
    """The table and the public record; nobody holds anything yet."""
    players = view.players
    round_ = PlainRound(players, [0] * players, (), view.leader or 0, view.scores)
    for event in view.events:
        if isinstance(event, Play):
            round_.place(action_of(event.move))
        else:
            round_.record += DRAW_TEXTS[event.count] if isinstance(event, Draw) else PASS_TEXT
    round_.gains = [now - before for now, before in zip(view.scores_now, view.scores, strict=True)]
    round_.seat = view.seat
    round_.forced = -1 if view.forced is None else view.forced.index
    return round_
