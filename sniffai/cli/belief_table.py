"""Where the hidden tiles may be, as a table: the exact belief, and beside it the inferred one."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from sniffai.cli.tables import show, text_table
from sniffai.cli.terminal import tell
from sniffai.explain.languages import Words
from sniffai.explain.numbers import fixed
from sniffai.v1 import analysis_pb2 as pb
from sniffai.view import View

Place: TypeAlias = Callable[[pb.TileBelief], float]
"""How likely a tile is in a place."""


def print_beliefs(view: View, analysis: pb.Analysis, say: Words) -> None:
    """One row for each hidden tile, in per cent; then what the numbers rest on."""
    places = dict(_places(view, say))
    hidden = [tile for tile in analysis.belief.tiles if any(place(tile) > 0 for place in places.values())]
    if not hidden:
        tell(say.say("No tile is hidden."))
        return
    inferred = {tile.tile: tile for tile in analysis.inferred_belief.tiles}
    told = say.say("inferred")
    heads = [[f"{name} %>", f"{told}>"] if inferred else [f"{name} %>"] for name in places]
    made = text_table(say.say("tile"), *(head for pair in heads for head in pair))
    for tile in hidden:
        rows = [tile, inferred[tile.tile]] if inferred else [tile]
        made.add_row(tile.tile, *(fixed(100 * place(row), 0) for place in places.values() for row in rows))
    show(made)
    tell(say.say("%: how likely the tile is there, by all draws and passes: exact"))
    if inferred:
        size = fixed(analysis.inferred_belief.effective_sample_size, 0)
        tell(
            say.say(
                "inferred: by the others' choices as well. A model of how they play is in it, so it is not exact; "
                "it is worth {size} worlds",
                size=size,
            )
        )
    else:
        tell(say.say("The others' choices say nothing more here."))


def _places(view: View, say: Words) -> Iterator[tuple[str, Place]]:
    """The places where a hidden tile may be, by name."""
    for seat in range(view.players):
        if seat != view.seat:
            yield say.say("seat {seat}", seat=seat), _held_by(seat)
    if view.talon_size:
        yield say.say("talon"), lambda tile: tile.talon


def _held_by(seat: int) -> Place:
    return lambda tile: tile.hands[seat]
