"""Exact belief: the uniform distribution over all deals that a view allows.

Every deal is equally likely before the round (rules 1), and draws and passes are not choices, so after them every deal
that does not contradict them is still equally likely. A deal is fixed by which tiles each seat got in its
deal and in each draw, and which are left in the talon: an *assignment* of tiles to batches.

Batches that may hold any hidden tile, and the talon, are the *free batches*. The others are *cells*. The ways to fill
the cells are counted tile by tile:

    ways[i][room] = ways[i + 1][room] (tile i is in a free batch) + sum over cells k: ways[i + 1][room - one of cell k]

with ``room`` the remaining sizes of all cells, as one mixed-radix number. Walking these counts forwards with a random
number below ``ways`` samples an assignment without rejection; forward and backward counts give the exact marginals.
"""

from itertools import combinations
from math import comb, factorial

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport INT32_MAX
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from sniffai_ext.checks cimport read_seed, read_whole
from sniffai_ext.rng cimport below, below64, next64, seed_rng
from sniffai_ext.signals cimport Watch, answer, called, watch_signals
from sniffai_ext.types cimport ALL_TILES, FITTING, lowest, uint16_t
from sniffai_ext.view cimport MAX_BATCHES

from sniffai_ext.errors import HistoryError, LimitsError, ViewError


cdef class Belief:
    """The belief of one view.

    :param view: what the seat knows.
    :raises HistoryError: no deal explains the view.
    """

    def __cinit__(self, View view not None):
        if view.players == 0:
            raise ViewError("the view is empty: make it with View()", reason="NOT_A_VIEW", field="view")
        cdef bint possible = self.take_view(view)
        if possible:
            self.list_tiles()
        if possible and not self.fill():
            raise MemoryError
        if not possible or self.count() == 0:
            raise HistoryError("no deal explains these draws, passes and placements", reason="NO_DEAL_EXPLAINS")

    @staticmethod
    def of(View view not None):
        """The belief of a view as it is now. It is made once: the view keeps it until the next event.

        :raises HistoryError: no deal explains the view.
        """
        if view.belief is None:
            view.belief = Belief(view)
        return view.belief

    def __dealloc__(self):
        free(self.open_cells)
        free(self.ways)

    def __copy__(self):
        return self                          # it never changes

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        raise TypeError("the core keeps no view of a belief: pickle sniffai.Belief instead")

    # set-up

    cdef void add_cell(self, int seat, int batch, int size, uint32_t allowed) noexcept nogil:
        self.cell[self.cells] = Cell(<uint8_t> seat, <uint8_t> batch, <uint8_t> size, allowed & self.hidden, 0)
        self.cells += 1

    cdef void add_batch(self, int place_, int batch, int size, uint32_t allowed) noexcept nogil:
        """A batch without uncertain sheds: a cell, or a free batch when it may hold any hidden tile."""
        if size and self.hidden & ~allowed:
            self.add_cell(place_, batch, size, allowed)
        elif size:
            self.free_batch[self.free_batches] = FreeBatch(<uint8_t> place_, <uint8_t> batch, <uint8_t> size)
            self.free_batches += 1
            self.free_seats += place_ != TALON
            self.free_size += size

    cdef bint take_view(self, View view) noexcept:
        """All batches of all places; False when some seat placed more than it can have held.

        The other seats come in the order of play from the seat's own left, so that the same random numbers draw the
        same deals however the seats are numbered.
        """
        cdef int seat, turn, n, pending
        cdef uint32_t fitting = FITTING[view.table.arms.open]
        self.players = view.players
        self.seat = view.seat
        self.own = view.hand
        self.hidden = view.unseen()
        for turn in range(1, self.players):
            seat = (self.seat + turn) % self.players
            if not self.take_seat(view, seat):
                return False
            pending = view.pending if seat == view.to_move else 0
            n = view.batch_count[seat]
            if pending:                  # in mid-draw: the last tile fits, unless the talon is empty
                self.add_batch(seat, n, pending - 1, ALL_TILES & ~fitting)
                self.add_batch(seat, n + 1, 1, fitting if view.talon_size else ALL_TILES)
        self.add_batch(TALON, 0, view.talon_size, ALL_TILES)
        return True

    cdef bint take_seat(self, View view, int seat) noexcept nogil:
        """One seat's batches, less the sheds whose origin is certain; sheds of several origins are listed."""
        cdef int[MAX_BATCHES] room
        cdef uint16_t[TILES] origins
        cdef uint8_t[MAX_BATCHES] cell_of
        cdef uint16_t shared = 0
        cdef int b, i, n = view.batch_count[seat]
        for b in range(n):
            room[b] = view.batch[seat][b].size
        for i in range(view.shed_count[seat]):
            origins[i] = view.shed[seat][i].origins
        if not settle_sheds(view, seat, room, origins, self.certain[seat]):
            return False
        for i in range(view.shed_count[seat]):
            shared |= origins[i]
        for b in range(n):
            if shared >> b & 1:
                cell_of[b] = <uint8_t> self.cells
                self.add_cell(seat, b, room[b], view.batch[seat][b].allowed)
            else:
                self.add_batch(seat, b, room[b], view.batch[seat][b].allowed)
        for i in range(view.shed_count[seat]):
            if origins[i]:
                self.item[self.listed] = Listed(view.shed[seat][i].tile, True, 0, 0)
                for b in range(n):
                    if origins[i] >> b & 1:
                        self.item[self.listed].cells |= <uint32_t> 1 << cell_of[b]
                self.listed += 1
        return True

    cdef void list_tiles(self) noexcept nogil:
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
                self.item[self.listed] = Listed(<uint8_t> tile, False, cells, <uint32_t> 1 << tile)
                self.listed += 1
            else:
                self.unlisted |= <uint32_t> 1 << tile
                self.unlisted_tiles[self.unlisted_count] = <uint8_t> tile
                self.unlisted_count += 1

    cdef bint fill(self) noexcept nogil:
        """The counts of the module's docstring, from the last listed tile back to the first; False without memory."""
        cdef int k, states = 1
        self.cell[IN_FREE].seat = TALON
        for k in range(self.cells):
            self.cell[k].stride = states
            states *= self.cell[k].size + 1
        self.full = states - 1
        self.open_cells = <uint32_t *> malloc(states * sizeof(uint32_t))
        self.ways = <uint64_t *> malloc(<size_t> states * (self.listed + 1) * sizeof(uint64_t))
        if self.open_cells == NULL or self.ways == NULL:
            return False
        self.fill_ways(states)
        return True

    cdef void fill_ways(self, int states) noexcept nogil:
        cdef int i, k, room
        cdef uint32_t cells
        cdef uint64_t total
        cdef uint64_t *here
        cdef uint64_t *after
        for room in range(states):
            self.open_cells[room] = 0
            for k in range(self.cells):
                if room // self.cell[k].stride % (self.cell[k].size + 1):
                    self.open_cells[room] |= <uint32_t> 1 << k
        here = self.ways + <size_t> self.listed * states
        memset(here, 0, states * sizeof(uint64_t))
        here[0] = 1
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
        """Whether a draw or pass restricts where hidden tiles can be."""
        return self.cells > 0

    @property
    def assignments(self):
        """How many ways there are to fill each seat's deal, each draw and the rest of the talon (an exact int)."""
        ways = int(self.count()) * factorial(self.free_size)
        for i in range(self.free_batches):
            ways //= factorial(self.free_batch[i].size)
        return ways

    def table(self):
        """The exact marginals: float64 ``[28, players + 1]``: rows are tiles, columns are seats, then the talon.

        A hidden tile's row adds up to 1, a seat's column to its hand size. A tile in the seat's own hand counts 1
        there; a tile on the table is 0 everywhere.
        """
        import numpy as np

        cdef int tile
        marginals = np.zeros((TILES, self.players + 1))
        cdef double[:, ::1] rows = marginals
        for tile in range(TILES):
            if self.own >> tile & 1:
                rows[tile, self.seat] = 1.0
            elif self.unlisted >> tile & 1:
                self._spread(rows, tile, 1.0)
        self._cell_marginals(rows)
        return marginals

    cdef void _spread(self, double[:, ::1] rows, int tile, double share) noexcept:
        """A tile's share of the free batches goes to each by their sizes."""
        cdef int i, place_
        for i in range(self.free_batches):
            place_ = self.free_batch[i].place
            rows[tile, self.players if place_ == TALON else place_] += share * self.free_batch[i].size / self.free_size

    cdef int _cell_marginals(self, double[:, ::1] rows) except -1:
        """Forward counts times backward counts, over all listed tiles."""
        cdef int i, k, room, states = self.full + 1
        cdef double total = self.count()
        cdef double weight, kept
        cdef uint32_t cells
        cdef uint64_t *after
        cdef double *forward = <double *> calloc(2 * <size_t> states, sizeof(double))
        cdef double *now = forward
        cdef double *then = forward + states
        if forward == NULL:
            raise MemoryError
        now[self.full] = 1.0
        for i in range(self.listed):
            memset(then, 0, states * sizeof(double))
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
                self._spread(rows, self.item[i].tile, kept / total)
            now, then = then, now
        free(forward)
        return 0

    cdef void sample_hands(self, Rng *rng, uint32_t *hands, uint8_t *talon) noexcept nogil:
        """One deal: ORs into ``hands`` the hidden tiles of the other seats and writes the talon in drawing order."""
        cdef uint8_t[TILES] where
        cdef uint8_t[TILES] loose
        cdef uint32_t[MAX_CELLS] dealt           # by free batch
        cdef uint32_t[TALON + 1] held            # by place; what is in free batches counts for none
        cdef int i
        memcpy(loose, self.unlisted_tiles, TILES)
        if self.listed:
            walk(self, rng, where, loose)
            memset(held, 0, sizeof(held))
            for i in range(self.listed):
                held[self.cell[where[i]].seat] |= self.item[i].hidden
            for i in range(self.players):
                hands[i] |= held[i]
        deal_free(self, rng, loose, dealt, talon)
        for i in range(self.free_seats):
            hands[self.free_batch[i].place] |= dealt[i]

    cdef void sample_batches(self, Rng *rng, uint32_t[ALL_BATCHES] *batch_tiles, uint8_t *talon) noexcept nogil:
        """One deal, batch by batch: writes what each other seat got in its deal and in each draw, the tiles placed
        since included (not those drawn and placed at once), and the talon in drawing order."""
        cdef uint8_t[TILES] where
        cdef uint8_t[TILES] loose
        cdef uint32_t[MAX_CELLS] dealt
        cdef int i
        memcpy(loose, self.unlisted_tiles, TILES)
        memcpy(batch_tiles, self.certain, sizeof(self.certain))
        if self.listed:
            walk(self, rng, where, loose)
            for i in range(self.listed):
                if where[i] != IN_FREE:
                    batch_tiles[self.cell[where[i]].seat][self.cell[where[i]].batch] |= \
                        <uint32_t> 1 << self.item[i].tile
        deal_free(self, rng, loose, dealt, talon)
        for i in range(self.free_seats):
            batch_tiles[self.free_batch[i].place][self.free_batch[i].batch] |= dealt[i]

    def sample(self, count, seed):
        """``count`` deals drawn independently.

        :param seed: 0..2**64-1; the same seed gives the same deals.
        :return: ``(hands, talons)``: uint32 ``[count, players]`` tile masks (the seat's own hand is 0), and uint8
            ``[count, talon size]`` tile indices in drawing order.
        :param count: 0..2**31-1.
        :raises LimitsError: count or seed is out of range.
        """
        import numpy as np

        cdef Rng rng
        cdef Watch watch = watch_signals()
        cdef int i, most = read_whole(count, "count", 0, INT32_MAX, LimitsError, "COUNT_OUT_OF_RANGE")
        seed_rng(&rng, read_seed(seed))
        hands = np.zeros((most, self.players), np.uint32)
        cdef int talon_size = self._talon_size()
        talons = np.zeros((most, max(1, talon_size)), np.uint8)
        cdef uint32_t[:, ::1] hand_rows = hands
        cdef uint8_t[:, ::1] talon_rows = talons
        with nogil:
            for i in range(most):
                self.sample_hands(&rng, &hand_rows[i, 0], &talon_rows[i, 0])
                if i % 64 == 0 and called(&watch):
                    break
        answer(&watch)
        return hands, talons[:, :talon_size]

    def _talon_size(self):
        return sum(self.free_batch[i].size for i in range(self.free_batches) if self.free_batch[i].place == TALON)

    def _free_sizes(self):
        """Free tiles by seat."""
        sizes = [0] * self.players
        for i in range(self.free_batches):
            if self.free_batch[i].place != TALON:
                sizes[self.free_batch[i].place] += self.free_batch[i].size
        return sizes

    def worlds(self, limit):
        """All distinct worlds with their weights: ``{(hand masks by seat..., talon mask): assignments}``.

        :param limit: give up beyond so many.
        :return: the dict, or None when there are more than ``limit`` worlds.
        :raises LimitsError: the limit is not in 0..2**31-1.
        """
        limit = read_whole(limit, "limit", 0, INT32_MAX)
        if self._free_deals() > limit:           # one way to fill the cells alone makes too many worlds
            return None
        if self.assignments > limit * self._most_weight():       # known at once, where a list would take long
            return None
        filled = {(self.full, (0,) * self.players, self.unlisted): 1}
        for i in range(self.listed):
            filled = self._next_worlds(i, filled)
            if len(filled) > 64 * limit:
                return None
        worlds = {}
        batchings = self._free_batchings()
        for (_, hands, loose), weight in filled.items():
            PyErr_CheckSignals()
            for world in self._deal_free(hands, loose):
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
            PyErr_CheckSignals()
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
        for size in self._free_sizes():
            ways *= factorial(size)
        for i in range(self.free_batches):
            if self.free_batch[i].place != TALON:
                ways //= factorial(self.free_batch[i].size)
        return ways

    def _most_weight(self):
        """A bound on a world's weight: in how many ways as many tiles as each seat has fall into its batches."""
        cdef int i
        batches = [(self.cell[i].seat, self.cell[i].size) for i in range(self.cells)]
        batches += [(self.free_batch[i].place, self.free_batch[i].size) for i in range(self.free_seats)]
        ways, held = 1, [0] * self.players
        for seat, size in batches:
            held[seat] += size
            ways *= comb(held[seat], size)
        return ways

    def _free_deals(self):
        """In how many ways the tiles of the free batches can be dealt."""
        ways = factorial(self.free_size) // factorial(self._talon_size())
        for size in self._free_sizes():
            ways //= factorial(size)
        return ways

    def _deal_free(self, hands, loose):
        """Every way to deal the tiles of the free batches."""
        partial = [(tuple(hands), loose)]
        for seat, size in enumerate(self._free_sizes()):
            if size:
                partial = [
                    (dealt[:seat] + (dealt[seat] | mask,) + dealt[seat + 1:], rest & ~mask)
                    for dealt, rest in partial
                    for mask in subsets(rest, size)
                ]
        return [dealt + (rest,) for dealt, rest in partial]


cdef void walk(Belief belief, Rng *rng, uint8_t *where, uint8_t *loose) noexcept nogil:
    """Fill the cells by a walk through the counts.

    ``where``: by listed tile its cell, or IN_FREE. ``loose``: the tiles that no cell may hold; those that went to the
    free batches are added.
    """
    cdef int k, chosen, i = 0, n = belief.unlisted_count, states = belief.full + 1, room = belief.full
    cdef uint32_t cells
    cdef uint64_t ticket, upto
    cdef uint64_t *here = belief.ways
    cdef Rng own = rng[0]                        # in registers, see shuffle
    while room:
        ticket = below64(&own, here[room])
        here += states
        # Free batches, then each cell with room: the last whose share does not begin beyond the ticket. Where a tile
        # falls cannot be foretold, so nothing branches on it.
        chosen = IN_FREE
        upto = 0 if belief.item[i].shed else here[room]
        cells = belief.item[i].cells & belief.open_cells[room]
        while cells:
            k = lowest(cells)
            cells &= cells - 1
            chosen = k if ticket >= upto else chosen
            upto += here[room - belief.cell[k].stride]
        where[i] = <uint8_t> chosen
        room -= belief.cell[chosen].stride
        loose[n] = belief.item[i].tile
        n += chosen == IN_FREE
        i += 1
    for i in range(i, belief.listed):            # all cells are full
        next64(&own)
        where[i] = IN_FREE
        loose[n] = belief.item[i].tile
        n += 1
    rng[0] = own


cdef inline void deal_free(Belief belief, Rng *rng, uint8_t *loose, uint32_t *dealt, uint8_t *talon) noexcept nogil:
    """Deal the tiles of the free batches, ``loose``, to them; the talon's come in drawing order.

    It shuffles as :func:`sniffai_ext.rng.shuffle` does, and deals each tile as soon as its place is certain. So the
    order is settled from the last place down, and that of the first batch does not matter: only its numbers are drawn.

    :param dealt: by free batch of a seat, the mask of its tiles.
    """
    cdef int b, i, j, first, end = belief.free_size
    cdef uint32_t tiles
    cdef uint8_t item
    cdef Rng own = rng[0]
    if belief.free_seats < belief.free_batches:          # the last one is the talon
        first = end - belief.free_batch[belief.free_seats].size
        for i in range(end - 1, max(first, 1) - 1, -1):
            j = below(&own, i + 1)
            item = loose[j]
            loose[j] = loose[i]
            talon[i - first] = item
        if first == 0:                                   # nothing is left to draw for the last place
            talon[0] = loose[0]
        end = first
    for b in range(belief.free_seats - 1, 0, -1):
        first = end - belief.free_batch[b].size
        tiles = 0
        for i in range(end - 1, first - 1, -1):
            j = below(&own, i + 1)
            item = loose[j]
            loose[j] = loose[i]
            tiles |= <uint32_t> 1 << item
        dealt[b] = tiles
        end = first
    if belief.free_seats:
        tiles = <uint32_t> 1 << loose[0]
        for i in range(1, end):
            next64(&own)
            tiles |= <uint32_t> 1 << loose[i]
        dealt[0] = tiles
    rng[0] = own


cdef bint settle_sheds(View view, int seat, int *room, uint16_t *origins, uint32_t *certain) noexcept nogil:
    """Take every shed of one possible origin out of its batch's room, again and again as batches fill up.

    Its ``origins`` become 0. False when a shed has no possible origin left.
    """
    cdef int b, i
    cdef uint16_t full
    cdef bint settled = True
    while settled:
        settled = False
        full = 0
        for b in range(view.batch_count[seat]):
            if room[b] == 0:
                full |= <uint16_t> (1 << b)
        for i in range(view.shed_count[seat]):
            if origins[i] == 0:
                continue
            origins[i] &= ~full
            if origins[i] == 0:
                return False
            if origins[i] & (origins[i] - 1) == 0:
                b = lowest(origins[i])
                if room[b] == 0:
                    return False
                room[b] -= 1
                certain[b] |= <uint32_t> 1 << view.shed[seat][i].tile
                origins[i] = 0
                settled = True
    return True


def subsets(mask, size):
    """Every subset of ``size`` tiles of a mask."""
    tiles = [1 << tile for tile in range(TILES) if mask >> tile & 1]
    for chosen in combinations(tiles, size):
        PyErr_CheckSignals()
        yield sum(chosen)
