"""Chances of whole hands by the exact belief, which do not follow from those of single tiles, and what a hand could
score at once."""

from sniffai_ext.belief cimport Belief
from sniffai_ext.checks cimport read_tiles, read_whole
from sniffai_ext.layout cimport Layout
from sniffai_ext.types cimport TILES, lowest, popcount, uint32_t

from math import comb

from sniffai_ext.errors import ViewError


def chance_without(Belief belief not None, seat, tiles):
    """The chance that a seat holds none of some tiles now, exact up to rounding, 0..1.

    The cells are filled as the belief's counts do, forwards, with one number more to keep: how many of the tiles went
    to the pool. There a seat gets none of them by a hypergeometric chance.

    :param seat: 0..players-1.
    :param tiles: 28-bit mask.
    :raises SniffError: there is no such seat or tile.
    """
    import numpy as np

    cdef int holder = read_whole(seat, "seat", 0, belief.players - 1, ViewError)
    cdef uint32_t asked = read_tiles(tiles, "tiles")
    cdef int i, loose, states = belief.full + 1
    cdef int most = popcount(belief.hidden & asked) + 1
    cdef double avoiding = 0
    if holder == belief.seat:
        return float(belief.own & asked == 0)
    if not belief.hidden & asked:
        return 1.0
    ways = np.zeros((states, most))
    ways[belief.full, popcount(belief.pool & asked)] = 1.0
    for i in range(belief.listed):
        ways = _with_item(belief, i, holder, asked, ways)
    free = sum(belief.free_batch[i].size for i in range(belief.free_batches) if belief.free_batch[i].place == holder)
    deals = comb(belief.pool_size, free)
    for loose in range(most):
        avoiding += ways[0, loose] * (comb(max(0, belief.pool_size - loose), free) / deals)
    return min(1.0, avoiding / belief.count())


cdef object _with_item(Belief belief, int i, int seat, uint32_t tiles, object before):
    """The ways once listed tile ``i`` has its place too, never at the seat if it is one of the tiles."""
    import numpy as np

    cdef int k, room, loose
    cdef int states = before.shape[0], most = before.shape[1]
    cdef bint shed = belief.item[i].shed
    cdef bint watched = not shed and tiles >> belief.item[i].tile & 1
    cdef uint32_t cells
    cdef double[:, ::1] now = before
    after = np.zeros((states, most))
    cdef double[:, ::1] then = after
    with nogil:
        for room in range(states):
            for loose in range(most):
                if now[room, loose] == 0:
                    continue
                if not shed and loose + watched < most:
                    then[room, loose + watched] += now[room, loose]
                cells = belief.item[i].cells & belief.open_cells[room]
                while cells:
                    k = lowest(cells)
                    cells &= cells - 1
                    if not (watched and belief.cell[k].seat == seat):
                        then[room - belief.cell[k].stride, loose] += now[room, loose]
    return after


def scores_at_once(Layout layout not None, tiles):
    """What each tile could score at once, at its best place: ``{points: mask}``, without tiles that score nothing.

    :param tiles: 28-bit mask of tiles that are not on the table.
    :raises SniffError: there is no such tile, or it lies on the table.
    """
    read_tiles(tiles, "tiles")
    cdef int tile, at, points
    best = [0] * TILES
    for tile, at in layout.moves(tiles):
        points = layout.clone().put(tile, at)
        best[tile] = max(best[tile], points)
    masks = {}
    for tile in range(TILES):
        if best[tile]:
            masks[best[tile]] = masks.get(best[tile], 0) | 1 << tile
    return masks
