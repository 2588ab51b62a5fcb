"""Chances of whole hands by the exact belief, which do not follow from those of single tiles, and what a hand could
score at once."""

from sniffai_ext.belief cimport TALON, Belief
from sniffai_ext.checks cimport read_tiles, read_whole
from sniffai_ext.layout cimport Layout
from sniffai_ext.types cimport HIGH, LOW, TILES, lowest, popcount, uint32_t

from math import comb

from sniffai_ext.errors import ViewError

ROUNDING = (0.0, -1.0, -2.0, 2.0, 1.0)
"""By the remainder of a hand's pips by 5, what rounding to the nearest multiple of 5 adds."""


def chance_without(Belief belief not None, seats, tiles):
    """The chance that none of some seats holds any of some tiles now, exact up to rounding, 0..1.

    The cells are filled as the belief's counts do, forwards, with one number more to keep: how many of the tiles went
    to the pool. There the seats get none of them by a hypergeometric chance.

    :param seats: mask, bit ``s`` for seat ``s``; the own seat may be one of them.
    :param tiles: 28-bit mask.
    :raises SniffError: there is no such seat or tile.
    """
    import numpy as np

    cdef uint32_t holders = read_whole(seats, "seats", 0, (1 << belief.players) - 1, ViewError)
    cdef uint32_t asked = read_tiles(tiles, "tiles")
    cdef int i, loose, states = belief.full + 1
    cdef int most = popcount(belief.hidden & asked) + 1
    cdef double avoiding = 0
    if holders >> belief.seat & 1 and belief.own & asked:
        return 0.0
    if not belief.hidden & asked or holders & ~(1u << belief.seat) == 0:
        return 1.0
    ways = np.zeros((states, most))
    ways[belief.full, popcount(belief.pool & asked)] = 1.0
    for i in range(belief.listed):
        ways = _with_item(belief, i, holders, asked, ways)
    free = _free_at(belief, holders)
    deals = comb(belief.pool_size, free)
    for loose in range(most):
        avoiding += ways[0, loose] * (comb(max(0, belief.pool_size - loose), free) / deals)
    return min(1.0, avoiding / belief.count())


cdef int _free_at(Belief belief, uint32_t places):
    """Tiles of the pool that some places hold, the talon included."""
    cdef int i, size = 0
    for i in range(belief.free_batches):
        if places >> belief.free_batch[i].place & 1:
            size += belief.free_batch[i].size
    return size


cdef object _with_item(Belief belief, int i, uint32_t seats, uint32_t tiles, object before):
    """The ways once listed tile ``i`` has its place too, never at one of the seats if it is one of the tiles."""
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
                    if not (watched and seats >> belief.cell[k].seat & 1):
                        then[room - belief.cell[k].stride, loose] += now[room, loose]
    return after


def expected_cost(Belief belief not None, places):
    """What the tiles at some places together are expected to cost at the settlement now (rules 6), in points, exact.

    That is their pips rounded to a multiple of 5 as those of one hand. The cells are filled forwards, as in
    :func:`chance_without`, with two numbers more to keep: how many tiles of the pool the places took, and the
    remainder of their pips by 5. What rounding adds follows from the remainder.

    :param places: mask, bit ``s`` for seat ``s`` and bit 4 for the talon; the own seat may be one of them.
    :raises SniffError: there is no such place.
    """
    import numpy as np

    cdef int talon = 1 << TALON
    cdef uint32_t asked = read_whole(places, "places", 0, 2 * talon - 1, ViewError)
    cdef int i, tile
    if asked & ~talon >= 1u << belief.players:
        raise ViewError(f"places {places} name a seat that does not play", reason="OUT_OF_RANGE", field="places")
    own = _pips(belief.own) if asked >> belief.seat & 1 else 0
    room = _free_at(belief, asked)
    ways = np.zeros((belief.full + 1, room + 1, 5))
    start = ways[belief.full]
    start[0, own % 5] = 1.0
    _with_pool(belief.pool, start)
    for i in range(belief.listed):
        ways = _with_cost(belief, i, asked, ways)
    chances = ways[0, room] / (float(belief.count()) * comb(belief.pool_size, room))
    rows = belief.table()
    pips = own + sum(
        (LOW[tile] + HIGH[tile]) * rows[tile, min(place, belief.players)]
        for tile in range(TILES) if belief.hidden >> tile & 1
        for place in range(TALON + 1) if asked >> place & 1 and place != belief.seat
    )
    return float(pips + sum(chance * more for chance, more in zip(chances, ROUNDING)))


cdef int _with_pool(uint32_t pool, double[:, ::1] ways) except -1:
    """Each tile of the pool is taken or not."""
    cdef int tile, pips, taken, left
    while pool:
        tile = lowest(pool)
        pool &= pool - 1
        pips = LOW[tile] + HIGH[tile]
        for taken in range(ways.shape[0] - 1, 0, -1):
            for left in range(5):
                ways[taken, (left + pips) % 5] += ways[taken - 1, left]
    return 0


cdef object _with_cost(Belief belief, int i, uint32_t places, object before):
    """The ways once listed tile ``i`` has its place too."""
    import numpy as np

    cdef int k, at, taken, left, then_left
    cdef int states = before.shape[0], room = before.shape[1]
    cdef bint shed = belief.item[i].shed
    cdef int pips = LOW[belief.item[i].tile] + HIGH[belief.item[i].tile]
    cdef uint32_t cells
    cdef double ways
    cdef double[:, :, ::1] now = before
    after = np.zeros((states, room, 5))
    cdef double[:, :, ::1] then = after
    with nogil:
        for at in range(states):
            for taken in range(room):
                for left in range(5):
                    ways = now[at, taken, left]
                    if ways == 0:
                        continue
                    if not shed:
                        then[at, taken, left] += ways
                        if taken + 1 < room:
                            then[at, taken + 1, (left + pips) % 5] += ways
                    cells = belief.item[i].cells & belief.open_cells[at]
                    while cells:
                        k = lowest(cells)
                        cells &= cells - 1
                        then_left = left
                        if not shed and places >> belief.cell[k].seat & 1:
                            then_left = (left + pips) % 5
                        then[at - belief.cell[k].stride, taken, then_left] += ways
    return after


cdef int _pips(uint32_t tiles):
    cdef int tile, pips = 0
    while tiles:
        tile = lowest(tiles)
        tiles &= tiles - 1
        pips += LOW[tile] + HIGH[tile]
    return pips


def longest_run(Layout layout not None, tiles):
    """The most of some tiles that can be placed one after another, were nobody else to place any.

    Every order and place is tried, so it is meant for hands of up to about four tiles.

    :param tiles: 28-bit mask of tiles that are not on the table.
    :raises SniffError: there is no such tile, or it lies on the table.
    """
    return _run(layout, read_tiles(tiles, "tiles"))


cdef int _run(Layout layout, uint32_t tiles):
    cdef int tile, at, most = 0, size = popcount(tiles)
    cdef Layout after
    for tile, at in layout.moves(tiles):
        after = layout.clone()
        after.put(tile, at)
        most = max(most, 1 + _run(after, tiles & ~(1u << tile)))
        if most == size:
            break
    return most


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
