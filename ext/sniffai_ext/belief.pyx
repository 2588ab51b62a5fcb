"""Exact belief: the uniform distribution over all deals that a view allows.

Every deal is equally likely before the round (rules 1), and what a seat must do is no choice, so after draws and passes
every deal that does not contradict them is still equally likely. A deal is fixed by which tiles each seat got in its
deal and in each draw, and which are left in the talon: an *assignment* of tiles to batches.

Batches that may hold any hidden tile, and the talon, form the *pool*. The others are *cells*. A table counts, tile by
tile, the ways to fill the cells:

    ways[i][room] = ways[i + 1][room] (tile i goes to the pool) + sum over cells k: ways[i + 1][room - one of cell k]

with ``room`` the remaining sizes of all cells, as one mixed-radix number. Walking the table forwards with a random number
below ``ways`` samples an assignment without rejection; forward and backward counts give the exact marginals.
"""

from itertools import combinations
from math import factorial

from libc.stdlib cimport calloc, free

from sniffai_ext.rng cimport below, below64, seed_rng
from sniffai_ext.types cimport ALL_TILES, FITTING, lowest
from sniffai_ext.view cimport MAX_BATCHES

import numpy as np

from sniffai_ext.errors import HistoryError, LimitsError



cdef class Belief:
    """The belief of one view.

    :param view: what the seat knows.
    :raises HistoryError: no deal explains the view.
    """

    def __init__(self, View view):
        self.players = view.players
        self.seat = view.seat
        self.hidden = view.unseen()
        self.own = view.hand
        self.free_batches = []
        self._take_batches(view)
        self._list_tiles()
        self._fill()
        if self.count() == 0:
            raise HistoryError("no deal explains these draws, passes and placements", reason="NO_DEAL_EXPLAINS")

    def __dealloc__(self):
        free(self.open_cells)
        free(self.ways)

    # set-up

    cdef int _add_cell(self, int seat, int size, uint32_t allowed) except -1:
        """A new cell; returns its index."""
        self.cell[self.cells] = Cell(seat, size, allowed & self.hidden, 0)
        self.cells += 1
        return self.cells - 1

    def _add_batch(self, int place_, int size, uint32_t allowed):
        """A batch without uncertain sheds: a cell, or part of the pool when it may hold any hidden tile."""
        if size and self.hidden & ~allowed:
            self._add_cell(place_, size, allowed)
        elif size:
            self.free_size[place_] += size
            self.free_batches.append((place_, size))

    def _take_batches(self, View view):
        cdef int seat, pending
        cdef uint32_t fitting = FITTING[view.table.arms.open]
        for seat in range(self.players):
            if seat == self.seat:
                continue
            self._take_seat(view, seat)
            pending = view.pending if seat == view.to_move else 0
            if pending:                  # in mid-draw: the last tile fits, unless the talon is empty
                self._add_batch(seat, pending - 1, ALL_TILES & ~fitting)
                self._add_batch(seat, 1, fitting if view.talon_size else ALL_TILES)
        self._add_batch(TALON, view.talon_size, ALL_TILES)

    def _take_seat(self, View view, int seat):
        """One seat's batches, less the sheds whose origin is certain; sheds of several origins are listed."""
        cdef int b, n = view.batch_count[seat]
        cdef int[MAX_BATCHES] room
        for b in range(n):
            room[b] = view.batch[seat][b].size
        uncertain = self._settle_sheds(view, seat, room)
        shared = 0
        for _, origins in uncertain:
            shared |= origins
        cell_of = {}
        for b in range(n):
            if shared >> b & 1:
                cell_of[b] = self._add_cell(seat, room[b], view.batch[seat][b].allowed)
            else:
                self._add_batch(seat, room[b], view.batch[seat][b].allowed)
        for tile, origins in uncertain:
            cells = sum(1 << cell for b, cell in cell_of.items() if origins >> b & 1)
            self.item[self.listed] = Listed(tile, True, cells)
            self.listed += 1

    cdef list _settle_sheds(self, View view, int seat, int *room):
        """Take every shed of one possible origin out of its batch's room; returns the others."""
        cdef int b, i
        sheds = [(view.shed[seat][i].tile, view.shed[seat][i].origins) for i in range(view.shed_count[seat])]
        settled = True
        while settled:
            settled = False
            uncertain = []
            for tile, origins in sheds:
                for b in range(view.batch_count[seat]):
                    if room[b] == 0:
                        origins &= ~(1 << b)
                if origins & (origins - 1):
                    uncertain.append((tile, origins))
                    continue
                if origins == 0:
                    raise HistoryError(f"seat {seat} placed more tiles than it can have held",
                                       reason="NO_DEAL_EXPLAINS")
                room[lowest(origins)] -= 1
                settled = True
            sheds = uncertain
        return sheds

    def _list_tiles(self):
        """Every hidden tile that some cell may hold."""
        cdef int k, tile
        cdef uint32_t cells
        for tile in range(TILES):
            if not self.hidden >> tile & 1:
                continue
            cells = 0
            for k in range(self.cells):
                if self.cell[k].allowed >> tile & 1:
                    cells |= <uint32_t> 1 << k
            if cells:
                self.item[self.listed] = Listed(tile, False, cells)
                self.listed += 1
            else:
                self.pool |= <uint32_t> 1 << tile

    def _fill(self):
        """The table of the module's docstring, from the last listed tile back to the first."""
        cdef int k, states = 1
        for k in range(self.cells):
            self.cell[k].stride = states
            states *= self.cell[k].size + 1
        self.full = states - 1
        self.open_cells = <uint32_t *> calloc(states, sizeof(uint32_t))
        self.ways = <uint64_t *> calloc(<size_t> states * (self.listed + 1), sizeof(uint64_t))
        if self.open_cells == NULL or self.ways == NULL:
            raise MemoryError
        self._fill_table(states)

    cdef void _fill_table(self, int states) noexcept nogil:
        cdef int i, k, room
        cdef uint32_t cells
        cdef uint64_t total
        cdef uint64_t *here
        cdef uint64_t *after
        for room in range(states):
            for k in range(self.cells):
                if room // self.cell[k].stride % (self.cell[k].size + 1):
                    self.open_cells[room] |= <uint32_t> 1 << k
        self.ways[<size_t> self.listed * states] = 1
        for i in range(self.listed - 1, -1, -1):
            here = self.ways + <size_t> i * states
            after = here + states
            for room in range(states):
                total = 0 if self.item[i].shed else after[room]
                cells = self.item[i].cells & self.open_cells[room]
                while cells:
                    total += after[room - self.cell[lowest(cells)].stride]
                    cells &= cells - 1
                here[room] = total

    cdef uint64_t count(self) noexcept nogil:
        """Ways to fill the cells."""
        return self.ways[self.full]

    # what it answers

    @property
    def constrained(self):
        """Whether some draw or pass says where hidden tiles cannot be."""
        return self.cells > 0

    @property
    def assignments(self):
        """How many ways there are to fill each seat's deal, each draw and the rest of the talon (an exact int)."""
        ways = int(self.count()) * factorial(self._pool_size())
        for _, size in self.free_batches:
            ways //= factorial(size)
        return ways

    def _pool_size(self):
        return sum(size for _, size in self.free_batches)

    def table(self):
        """The exact marginals: float64 ``[28, players + 1]``, rows tiles, columns seats and at last the talon.

        A hidden tile's row adds up to 1, a seat's column to its hand size. A tile in the seat's own hand counts 1 there;
        a tile on the table is 0 everywhere.
        """
        cdef int tile
        marginals = np.zeros((TILES, self.players + 1))
        cdef double[:, ::1] rows = marginals
        cdef double pool_size = self._pool_size()
        for tile in range(TILES):
            if self.own >> tile & 1:
                rows[tile, self.seat] = 1.0
            elif self.pool >> tile & 1:
                self._spread(rows, tile, 1.0, pool_size)
        self._cell_marginals(rows, pool_size)
        return marginals

    cdef void _spread(self, double[:, ::1] rows, int tile, double share, double pool_size) noexcept:
        """A tile's share of the pool goes to the free places by their sizes."""
        cdef int seat
        if pool_size == 0:
            return
        for seat in range(self.players):
            rows[tile, seat] += share * self.free_size[seat] / pool_size
        rows[tile, self.players] += share * self.free_size[TALON] / pool_size

    def _cell_marginals(self, double[:, ::1] rows, double pool_size):
        """Forward counts times backward counts, over all listed tiles."""
        cdef int i, k, room, states = self.full + 1
        cdef double total = self.count()
        cdef double weight, kept
        cdef uint32_t cells
        cdef uint64_t *after
        forward_now = np.zeros(states)
        cdef double[::1] now = forward_now
        cdef double[::1] then
        now[self.full] = 1.0
        for i in range(self.listed):
            then = np.zeros(states)
            after = self.ways + <size_t> (i + 1) * states
            kept = 0
            for room in range(states):
                weight = now[room]
                if weight == 0:
                    continue
                if not self.item[i].shed:
                    then[room] += weight
                    kept += weight * after[room]
                cells = self.item[i].cells & self.open_cells[room]
                while cells:
                    k = lowest(cells)
                    cells &= cells - 1
                    then[room - self.cell[k].stride] += weight
                    if not self.item[i].shed:
                        rows[self.item[i].tile, self.cell[k].seat] += \
                            weight * after[room - self.cell[k].stride] / total
            if not self.item[i].shed:
                self._spread(rows, self.item[i].tile, kept / total, pool_size)
            now = then

    cdef void sample_hands(self, Rng *rng, uint32_t *hands, uint8_t *talon) noexcept nogil:
        """One deal: ORs into ``hands`` the hidden tiles of the other seats and writes the talon in drawing order."""
        cdef uint8_t[TILES] loose
        cdef int n = self._walk_cells(rng, hands, loose)
        cdef int i, j, seat, left
        cdef uint8_t tile
        for i in range(n - 1, 0, -1):
            j = below(rng, i + 1)
            tile = loose[i]
            loose[i] = loose[j]
            loose[j] = tile
        i = 0
        for seat in range(self.players):
            for left in range(self.free_size[seat]):
                hands[seat] |= <uint32_t> 1 << loose[i]
                i += 1
        for left in range(self.free_size[TALON]):
            talon[left] = loose[i]
            i += 1

    cdef int _walk_cells(self, Rng *rng, uint32_t *hands, uint8_t *loose) noexcept nogil:
        """Fill the cells by a walk through the table; the tiles of the pool go to ``loose``. Returns their number."""
        cdef int i, k, n = 0, states = self.full + 1, room = self.full
        cdef uint32_t cells = self.pool
        cdef uint64_t ticket
        cdef uint64_t *here = self.ways
        while cells:
            loose[n] = <uint8_t> lowest(cells)
            cells &= cells - 1
            n += 1
        for i in range(self.listed):
            ticket = below64(rng, here[room])
            here += states
            if not self.item[i].shed:
                if ticket < here[room]:
                    loose[n] = self.item[i].tile
                    n += 1
                    continue
                ticket -= here[room]
            cells = self.item[i].cells & self.open_cells[room]
            k = lowest(cells)
            while ticket >= here[room - self.cell[k].stride]:
                ticket -= here[room - self.cell[k].stride]
                cells &= cells - 1
                k = lowest(cells)
            room -= self.cell[k].stride
            if not self.item[i].shed:
                hands[self.cell[k].seat] |= <uint32_t> 1 << self.item[i].tile
        return n

    def sample(self, int count, seed):
        """``count`` deals drawn independently.

        :param seed: 0..2**64-1; the same seed gives the same deals.
        :return: ``(hands, talons)``: uint32 ``[count, players]`` tile masks (the seat's own hand is 0), and uint8
            ``[count, talon size]`` tile indices in drawing order.
        :raises LimitsError: count is negative.
        """
        cdef Rng rng
        cdef int i
        if count < 0:
            raise LimitsError(f"a number of samples is not negative: {count}", reason="COUNT_OUT_OF_RANGE",
                              field="count")
        hands = np.zeros((count, self.players), np.uint32)
        talons = np.zeros((count, max(1, self.free_size[TALON])), np.uint8)
        cdef uint32_t[:, ::1] hand_rows = hands
        cdef uint8_t[:, ::1] talon_rows = talons
        seed_rng(&rng, <uint64_t> (seed & 0xffffffffffffffff))
        with nogil:
            for i in range(count):
                self.sample_hands(&rng, &hand_rows[i, 0], &talon_rows[i, 0])
        return hands, talons[:, :self.free_size[TALON]]

    def worlds(self, int limit):
        """All distinct worlds with their weights: ``{(hand masks by seat..., talon mask): assignments}``.

        :param limit: give up beyond so many.
        :return: the dict, or None when there are more than ``limit`` worlds.
        """
        filled = {(self.full, (0,) * self.players, self.pool): 1}
        for i in range(self.listed):
            filled = self._next_worlds(i, filled)
            if len(filled) > 64 * limit:
                return None
        worlds = {}
        batchings = self._free_batchings()
        for (_, hands, loose), weight in filled.items():
            for world in self._deal_pool(hands, loose):
                worlds[world] = worlds.get(world, 0) + weight * batchings
                if len(worlds) > limit:
                    return None
        return worlds

    def _next_worlds(self, int i, dict filled):
        """Every way to put listed tile ``i`` somewhere, for every partial world."""
        cdef int k, room, states = self.full + 1
        cdef uint32_t cells
        cdef uint64_t *after = self.ways + <size_t> (i + 1) * states
        cdef Listed item = self.item[i]
        bit = 0 if item.shed else 1 << item.tile
        grown = {}
        for (at, hands, loose), weight in filled.items():
            room = at
            if not item.shed and after[room]:
                key = (room, hands, loose | bit)
                grown[key] = grown.get(key, 0) + weight
            cells = item.cells & self.open_cells[room]
            while cells:
                k = lowest(cells)
                cells &= cells - 1
                if after[room - self.cell[k].stride]:
                    seat = self.cell[k].seat
                    dealt = hands[:seat] + (hands[seat] | bit,) + hands[seat + 1:]
                    key = (room - self.cell[k].stride, dealt, loose)
                    grown[key] = grown.get(key, 0) + weight
        return grown

    def _free_batchings(self):
        """In how many ways the free tiles of every seat fall into its free batches."""
        ways = 1
        for place_ in range(5):
            ways *= factorial(self.free_size[place_])
        for _, size in self.free_batches:
            ways //= factorial(size)
        return ways

    def _deal_pool(self, hands, loose):
        """Every way to deal the pool to the free places."""
        partial = [(tuple(hands), loose)]
        for seat in range(self.players):
            size = self.free_size[seat]
            if size:
                partial = [
                    (dealt[:seat] + (dealt[seat] | mask,) + dealt[seat + 1:], rest & ~mask)
                    for dealt, rest in partial
                    for mask in subsets(rest, size)
                ]
        return [dealt + (rest,) for dealt, rest in partial]


def subsets(mask, size):
    """Every subset of ``size`` tiles of a mask."""
    tiles = [1 << tile for tile in range(TILES) if mask >> tile & 1]
    for chosen in combinations(tiles, size):
        yield sum(chosen)
