"""Where the hidden tiles may be, as a table: the exact belief, and beside it the inferred one."""

from collections.abc import Iterable, Sequence

from sniffai.cli.tables import show, text_table
from sniffai.cli.terminal import tell
from sniffai.explain.languages import Words
from sniffai.explain.whereabouts import exact_note, whereabouts
from sniffai.v1 import analysis_pb2 as pb
from sniffai.view import View


def print_beliefs(view: View, analysis: pb.Analysis, say: Words) -> None:
    """One row for each hidden tile, in per cent; then what the numbers rest on."""
    inferred = _chances(analysis.inferred_belief.tiles) if analysis.inferred_belief.tiles else None
    size = analysis.inferred_belief.effective_sample_size
    where = whereabouts(
        view, _chances(analysis.belief.tiles), inferred, size, lambda seat: say.say("seat {seat}", seat=seat), say
    )
    if not where.rows:
        tell(say.say("No tile is hidden."))
        return
    made = text_table(*where.columns)
    for row in where.rows:
        made.add_row(*row)
    show(made)
    tell(exact_note(say))
    tell(where.note)


def _chances(tiles: Iterable[pb.TileBelief]) -> dict[str, Sequence[float]]:
    return {tile.tile: (*tile.hands, tile.talon) for tile in tiles}
