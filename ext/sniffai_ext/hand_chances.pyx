"""Chances of whole hands by the exact belief, which do not follow from those of single tiles, and what a hand could
score at once."""

from libc.stdlib cimport calloc, free
from libc.string cimport memset

from sniffai_ext.belief cimport TALON, Belief
from sniffai_ext.checks cimport read_items, read_real, read_tiles, read_whole
from sniffai_ext.layout cimport Layout, join, next_arm, tile_text
from sniffai_ext.types cimport (
    HIGH, LEAD, LOW, PIPS, SUIT, TILES, Arms, is_double, lowest, make_move, popcount, uint8_t, uint32_t,
)

from math import comb

from sniffai_ext.errors import TileError, ViewError

cdef enum:
    MOST_MOVES = 8        # of one tile: two numbers, and at most four kinds of arm that show one

ROUNDING = (0.0, -1.0, -2.0, 2.0, 1.0)
"""By the remainder of a hand's pips by 5, what rounding to the nearest multiple of 5 adds."""

cdef double[TILES + 1][TILES + 1] CHOOSE     # binomial coefficients: all are far below 2**53, so exact


cdef void fill_choose() noexcept:
    cdef int n, k
    memset(CHOOSE, 0, sizeof(CHOOSE))
    for n in range(TILES + 1):
        CHOOSE[n][0] = 1
        for k in range(1, n + 1):
            CHOOSE[n][k] = CHOOSE[n - 1][k - 1] + CHOOSE[n - 1][k]


fill_choose()


def chance_without(Belief belief not None, seats, tiles):
    """The chance that none of some seats holds any of some tiles now, exact up to rounding, 0..1.

    The cells are filled as the belief's counts do, forwards, with one number more to keep: how many of the tiles went
    to the free batches. There the seats get none of them by a hypergeometric chance.

    :param seats: mask, bit ``s`` for seat ``s``; the own seat may be one of them.
    :param tiles: 28-bit mask.
    :raises SniffError: there is no such seat or tile.
    """
    cdef uint32_t holders = read_whole(seats, "seats", 0, (1 << belief.players) - 1, ViewError)
    return chance_to_lack(belief, holders, read_tiles(tiles, "tiles"))


cdef double chance_to_lack(Belief belief, uint32_t holders, uint32_t asked) except -1:
    """:func:`chance_without` of masks that are in range."""
    cdef int i, loose, free_tiles, states = belief.full + 1
    cdef int most = popcount(belief.hidden & asked) + 1
    cdef double avoiding = 0
    cdef double *ways
    cdef double *now
    cdef double *then
    if holders >> belief.seat & 1 and belief.own & asked:
        return 0.0
    if not belief.hidden & asked or holders & ~(1u << belief.seat) == 0:
        return 1.0
    ways = <double *> calloc(<size_t> 2 * states * most, sizeof(double))
    if ways == NULL:
        raise MemoryError
    with nogil:
        now, then = ways, ways + <size_t> states * most
        now[<size_t> belief.full * most + popcount(belief.unlisted & asked)] = 1
        for i in range(belief.listed):
            place_item(belief, i, holders, asked, most, now, then)
            now, then = then, now
        free_tiles = _free_at(belief, holders)
        for loose in range(most):
            if belief.free_size - loose >= free_tiles:
                avoiding += now[loose] * (CHOOSE[belief.free_size - loose][free_tiles]
                                          / CHOOSE[belief.free_size][free_tiles])
        free(ways)
    return min(1.0, avoiding / belief.count())


cdef void place_item(Belief belief, int i, uint32_t seats, uint32_t tiles, int most, const double *now,
                     double *then) noexcept nogil:
    """The ways once listed tile ``i`` has its place too, never at one of the seats if it is one of the tiles.

    :param now: by the room of the cells, and by how many of the tiles went to the free batches, ``most`` numbers each.
    """
    cdef int k, room, loose, states = belief.full + 1
    cdef bint shed = belief.item[i].shed
    cdef bint watched = not shed and tiles >> belief.item[i].tile & 1
    cdef uint32_t cells
    cdef const double *here
    cdef double *there
    memset(then, 0, <size_t> states * most * sizeof(double))
    for room in range(states):
        here = now + <size_t> room * most
        if not shed:
            there = then + <size_t> room * most
            for loose in range(most - watched):
                there[loose + watched] += here[loose]
        cells = belief.item[i].cells & belief.open_cells[room]
        while cells:
            k = lowest(cells)
            cells &= cells - 1
            if not (watched and seats >> belief.cell[k].seat & 1):
                there = then + <size_t> (room - belief.cell[k].stride) * most
                for loose in range(most):
                    there[loose] += here[loose]


cdef int _free_at(Belief belief, uint32_t places) noexcept nogil:
    """Tiles of the free batches that some places hold, the talon included."""
    cdef int i, size = 0
    for i in range(belief.free_batches):
        if places >> belief.free_batch[i].place & 1:
            size += belief.free_batch[i].size
    return size


def expected_cost(Belief belief not None, places):
    """What the tiles at some places together are expected to cost at the settlement now (rules 6), in points, exact.

    That is their pips rounded to a multiple of 5 as those of one hand. The cells are filled forwards, as in
    :func:`chance_without`, with two numbers more to keep: how many tiles of the free batches the places took, and the
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
    _with_unlisted(belief.unlisted, start)
    for i in range(belief.listed):
        ways = _with_cost(belief, i, asked, ways)
    chances = ways[0, room] / (float(belief.count()) * comb(belief.free_size, room))
    rows = belief.table()
    pips = own + sum(
        (LOW[tile] + HIGH[tile]) * rows[tile, min(place, belief.players)]
        for tile in range(TILES) if belief.hidden >> tile & 1
        for place in range(TALON + 1) if asked >> place & 1 and place != belief.seat
    )
    return float(pips + sum(chance * more for chance, more in zip(chances, ROUNDING)))


cdef int _with_unlisted(uint32_t unlisted, double[:, ::1] ways) except -1:
    """Each tile of the free batches is taken or not."""
    cdef int tile, pips, taken, left
    while unlisted:
        tile = lowest(unlisted)
        unlisted &= unlisted - 1
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
    return longest(&layout.arms, off_table(layout, tiles))


def scores_at_once(Layout layout not None, tiles):
    """What each tile could score at once, at its best place: ``{points: mask}``, without tiles that score nothing.

    :param tiles: 28-bit mask of tiles that are not on the table.
    :raises SniffError: there is no such tile, or it lies on the table.
    """
    cdef uint32_t asked = off_table(layout, tiles)
    cdef int tile, points
    cdef dict masks = {}
    while asked:
        tile = lowest(asked)
        asked &= asked - 1
        points = best_score(&layout.arms, tile)
        if points:
            masks[points] = masks.get(points, 0) | 1 << tile
    return masks


def best_later(Layout layout not None, tiles, chances):
    """Which of some tiles promises most where it scores on this table: its points times the chance of its place.

    :param tiles: 28-bit mask of tiles that are not on the table.
    :param chances: seven, by the pips of a place: how likely it stays free, each 0..1.
    :return: ``(points, tile, chance)``; None if no tile scores. Of equal ones the last by tile, then by place.
    :raises SniffError: there is no such tile, it lies on the table, or there are not seven chances in 0..1.
    """
    cdef uint32_t asked = off_table(layout, tiles)
    cdef tuple given = read_items(chances, "chances", ViewError)
    cdef double[PIPS] free_by
    cdef double most = 0
    cdef int tile, on_table, port, pips, points, i, best = -1, best_points = 0, best_pips = 0
    cdef Arms after
    if len(given) != PIPS:
        raise ViewError(f"{PIPS} chances are expected, not {len(given)}", reason="OUT_OF_RANGE", field="chances")
    for i in range(PIPS):
        free_by[i] = read_real(given[i], f"chances[{i}]", 0, 1)
    while asked:
        tile = lowest(asked)
        asked &= asked - 1
        for on_table in range(TILES):
            if not layout.tiles >> on_table & 1:
                continue
            for port in range(4 if is_double(on_table) else 2):
                pips = layout.port_pips(on_table, port)
                if (LOW[tile] != pips and HIGH[tile] != pips) or not layout.port_open(on_table, port):
                    continue
                after = layout.arms
                points = join(&after, make_move(tile, LOW[tile] != pips, layout.port_kind(on_table, port)))
                if points and points * free_by[pips] >= most:
                    most, best, best_points, best_pips = points * free_by[pips], tile, points, pips
    return None if best < 0 else (best_points, best, given[best_pips])


cdef uint32_t off_table(Layout layout, tiles) except? 0:
    """A mask of tiles that are not on the table."""
    cdef uint32_t mask = read_tiles(tiles, "tiles")
    if mask & layout.tiles:
        raise TileError(f"{tile_text(lowest(mask & layout.tiles))} is already on the table", reason="TILE_TWICE",
                        field="hand")
    return mask


cdef int moves_of(const Arms *arms, int tile, uint8_t *moves) noexcept nogil:
    """Write the distinct moves of a tile, at most four; returns how many."""
    cdef uint32_t kinds = arms.kinds
    cdef int pips, kind, n = 0
    if kinds == 0:
        moves[0] = make_move(tile, 0, LEAD)
        return 1
    while kinds:
        kind = next_arm(&kinds, &pips)
        if SUIT[pips] >> tile & 1:
            moves[n] = make_move(tile, LOW[tile] != pips, kind)
            n += 1
    return n


cdef int best_score(const Arms *arms, int tile) noexcept nogil:
    """The most points that a tile could score at once."""
    cdef uint8_t[MOST_MOVES] moves
    cdef int i, count = moves_of(arms, tile, moves), best = 0
    cdef Arms after
    for i in range(count):
        after = arms[0]
        best = max(best, join(&after, moves[i]))
    return best


cdef int longest(const Arms *arms, uint32_t tiles) noexcept nogil:
    """:func:`longest_run` from some arms on."""
    cdef uint8_t[MOST_MOVES] moves
    cdef uint32_t rest = tiles
    cdef int i, tile, count, most = 0, size = popcount(tiles)
    cdef Arms after
    while rest and most < size:
        tile = lowest(rest)
        rest &= rest - 1
        count = moves_of(arms, tile, moves)
        for i in range(count):
            after = arms[0]
            join(&after, moves[i])
            most = max(most, 1 + longest(&after, tiles & ~(1u << tile)))
            if most == size:
                break
    return most
