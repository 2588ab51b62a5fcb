"""Worlds with weights.

When a view allows few enough assignments the pool holds each of them once; else it is a sample of the exact belief. A model
of the other seats weighs each world by how likely it makes their past choices (:mod:`sniffai_ext.inference`). Draws walk
round the cumulated weights in steps of the golden ratio, so that every world comes up as often as its weight says with
far less noise than independent draws have.
"""

from libc.math cimport exp
from libc.stdlib cimport free, malloc

from sniffai_ext.belief cimport TALON
from sniffai_ext.inference cimport log_likelihood
from sniffai_ext.rng cimport below, uniform
from sniffai_ext.types cimport TILES, lowest, popcount, uint64_t



cdef class Pool:
    def __dealloc__(self):
        free(self.world)
        free(self.logs)

    cdef bint fill(self, Belief belief, View view, const Model *model, int room, Rng *rng) except -1:
        """Make the pool: all assignments if there are at most ``room``, else so many samples.

        :param model: NULL for equal weights.
        """
        cdef uint32_t[4][ALL_BATCHES] got
        cdef uint8_t[TILES] talon
        cdef uint32_t rest
        cdef int i, k
        cdef bint few = belief.assignments <= room
        self.world = <World *> malloc(room * sizeof(World))
        self.logs = <double *> malloc(room * sizeof(double))
        if self.world == NULL or self.logs == NULL:
            raise MemoryError
        self.room = room
        self.model = model
        self.place = uniform(rng)
        with nogil:
            if few:
                got = belief.certain
                self.list_cells(belief, view, 0, belief.full, got, belief.pool)
            else:
                for i in range(room):
                    belief.sample_batches(rng, got, talon)
                    rest = 0
                    for k in range(view.talon_size):
                        rest |= <uint32_t> 1 << talon[k]
                    self.add(view, got, rest)
            self.weigh(self.logs)
        self.complete = few
        return True

    cdef void add(self, View view, uint32_t[ALL_BATCHES] *got, uint32_t talon) noexcept nogil:
        """One assignment as a world."""
        cdef World *world = &self.world[self.size]
        cdef int seat, b
        for seat in range(4):
            world.hand[seat] = 0
            for b in range(ALL_BATCHES):
                world.hand[seat] |= got[seat][b]
            world.hand[seat] &= ~view.on_table
        world.talon = talon
        self.logs[self.size] = 0 if self.model == NULL else log_likelihood(self.model, view, got)
        self.size += 1

    cdef void list_cells(self, Belief belief, View view, int i, int room, uint32_t[ALL_BATCHES] *got,
                         uint32_t loose) noexcept nogil:
        """Every way to place the listed tiles from the i-th on."""
        cdef uint32_t cells, bit
        cdef uint64_t *after
        cdef int k
        cdef uint32_t *batch
        if i == belief.listed:
            self.list_pool(belief, view, 0, belief.free_batch[0].size, loose, got, loose)
            return
        after = belief.ways + <size_t> (i + 1) * (belief.full + 1)
        bit = <uint32_t> 1 << belief.item[i].tile
        if not belief.item[i].shed and after[room]:
            self.list_cells(belief, view, i + 1, room, got, loose | bit)
        cells = belief.item[i].cells & belief.open_cells[room]
        while cells:
            k = lowest(cells)
            cells &= cells - 1
            if after[room - belief.cell[k].stride]:
                batch = &got[belief.cell[k].seat][belief.cell[k].batch]
                batch[0] |= bit
                self.list_cells(belief, view, i + 1, room - belief.cell[k].stride, got, loose)
                batch[0] &= ~bit

    cdef void list_pool(self, Belief belief, View view, int batch, int need, uint32_t choices,
                        uint32_t[ALL_BATCHES] *got, uint32_t loose) noexcept nogil:
        """Every way to deal the pool's tiles to the free batches from ``batch`` on, which still needs ``need`` of
        ``choices``."""
        cdef uint32_t bit
        cdef int place_
        cdef uint32_t *held
        if batch == belief.free_batches:
            self.add(view, got, 0)
            return
        place_ = belief.free_batch[batch].place
        if place_ == TALON:                  # always the last
            self.add(view, got, loose)
            return
        if need == 0:
            self.list_pool(belief, view, batch + 1, belief.free_batch[batch + 1].size, loose, got, loose)
            return
        if popcount(choices) < need:
            return
        bit = choices & (~choices + 1)
        held = &got[place_][belief.free_batch[batch].batch]
        held[0] |= bit
        self.list_pool(belief, view, batch, need - 1, choices & ~bit, got, loose & ~bit)
        held[0] &= ~bit
        self.list_pool(belief, view, batch, need, choices & ~bit, got, loose)

    cdef void weigh(self, const double *logs) noexcept nogil:
        """Weights from log-likelihoods, and their effective sample size."""
        cdef double most = logs[0], total = 0, squares = 0
        cdef int i
        for i in range(self.size):
            if logs[i] > most:
                most = logs[i]
        for i in range(self.size):
            self.world[i].weight = exp(logs[i] - most)
            total += self.world[i].weight
            squares += self.world[i].weight * self.world[i].weight
            self.world[i].upto = total
        self.effective = total * total / squares

    cdef void draw(self, State *state, Rng *rng) noexcept nogil:
        """Put the hidden hands and a shuffled talon of one world into a state."""
        cdef double ticket
        cdef int low = 0, high = self.size - 1, middle, i, j, n = 0, seat
        cdef uint32_t talon
        cdef uint8_t tile
        self.place += 0.6180339887498949     # the golden ratio less 1
        if self.place >= 1:
            self.place -= 1
        ticket = self.place * self.world[high].upto
        while low < high:
            middle = (low + high) // 2
            if self.world[middle].upto > ticket:
                high = middle
            else:
                low = middle + 1
        for seat in range(state.players):
            state.hand[seat] |= self.world[low].hand[seat]
        talon = self.world[low].talon
        while talon:
            tile = <uint8_t> lowest(talon)
            talon &= talon - 1
            j = below(rng, n + 1)            # the inside-out shuffle
            state.talon[n] = state.talon[j]
            state.talon[j] = tile
            n += 1

    def worlds(self):
        """``[(hidden hands by seat..., talon, weight)]``, weights adding up to 1."""
        cdef int i
        cdef double total = self.world[self.size - 1].upto
        return [
            (*[self.world[i].hand[seat] for seat in range(4)], self.world[i].talon, self.world[i].weight / total)
            for i in range(self.size)
        ]
