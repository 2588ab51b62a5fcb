"""Worlds with weights.

When a view allows few enough assignments the pool holds each of them once; else it is a sample of the exact belief. A
model of the other seats weighs each world by how likely it makes their past choices (:mod:`sniffai_ext.inference`).
As that takes long, a sample can be extended by worlds that are weighted by a fit to it (:mod:`sniffai_ext.surrogate`).
Draws walk round the cumulated weights in steps of the golden ratio: every world comes up as often as its weight
requires, with far less noise than independent draws.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, exp, log
from libc.stdint cimport INT32_MAX
from libc.stdlib cimport free, malloc

from sniffai_ext.belief cimport TALON
from sniffai_ext.clock cimport monotonic
from sniffai_ext.checks cimport read_items, read_real, read_seed, read_tiles, read_whole
from sniffai_ext.inference cimport log_likelihoods
from sniffai_ext.policy cimport Policy
from sniffai_ext.rng cimport GOLDEN, next64, seed_rng
from sniffai_ext.signals cimport answer, called, watch_signals
from sniffai_ext.surrogate cimport Surrogate, fit_surrogate, likely
from sniffai_ext.types cimport TILES, lowest, popcount, uint8_t

import numpy as np

from sniffai_ext.errors import LimitsError, ViewError
from sniffai_ext.tree_params import RANGES, USUAL_TEMPERATURES, TreeParams

MOST_WORLDS = 1_000_000

cdef object USUAL_FLOOR = TreeParams().floor

cdef enum:
    LEAST_WORLDS = 32     # worlds weighed however little time there is
    LOOK_EVERY = 8        # worlds that a fit weighs between two looks at the clock

cdef double LEAST_TEMPERATURE = 1e-6
cdef double MOST_TEMPERATURE = 1e6


cdef class Pool:
    """Worlds with weights, made by :func:`weighted_worlds` or by a search."""

    def __dealloc__(self):
        free(self.world)
        free(self.logs)
        free(self.by_seat)
        free(self.index)

    def __cinit__(self):
        self.span = INFINITY

    cdef bint fill(self, Belief belief, View view, const Model *model, int room, int extra, Rng *rng,
                   Watch *watch) except -1:
        """Make the pool: all assignments if there are at most ``room``, else so many samples. False if it was stopped
        or a signal came: then there is no pool.

        When ``span`` is over it takes fewer worlds, at least LEAST_WORLDS, and the pool is ``hurried``.

        :param model: NULL for equal weights.
        :param room: 1..MOST_WORLDS.
        :param extra: worlds to extend a sample by, 0..MOST_WORLDS.
        """
        cdef uint32_t[4][ALL_BATCHES] batch_tiles
        cdef bint few
        self.assignments = belief.assignments
        few = self.assignments <= room
        self.players, self.seat, self.own = view.players, view.seat, view.hand
        if model == NULL:
            extra = 0
        self.world = <World *> malloc((room + extra) * sizeof(World))
        self.logs = <double *> malloc((room + extra) * sizeof(double))
        self.by_seat = <double *> malloc(4 * room * sizeof(double))
        self.index = <int *> malloc((room + extra) * sizeof(int))
        if self.world == NULL or self.logs == NULL or self.by_seat == NULL or self.index == NULL:
            raise MemoryError
        self.room = self.assignments if few else room
        self.model = model
        self.watch = watch
        self.started = monotonic()
        self.place = next64(rng)
        with nogil:
            if few:
                batch_tiles = belief.certain
                self.list_cells(belief, view, 0, belief.full, batch_tiles, belief.pool)
                if self.unlisted:            # the first assignments listed are not a fair sample
                    few = False
                    self.size = 0
            if not few:
                self.sample(belief, view, rng)
            if not self.broken:
                self.weigh(self.logs)
                self.weighed = self.effective
            if extra and not few and not self.broken:
                self.extend(belief, view, extra, rng)
                self.weigh(self.logs)
            if not self.broken:
                self.list_shares()
        self.model = NULL
        self.watch = NULL
        self.complete = few
        return not self.broken

    cdef void sample(self, Belief belief, View view, Rng *rng) noexcept nogil:
        """Fill the room with samples."""
        cdef uint32_t[4][ALL_BATCHES] batch_tiles
        cdef uint8_t[TILES] talon
        cdef uint32_t rest
        cdef int k
        while self.size < self.room and not self.over(0.6):
            belief.sample_batches(rng, batch_tiles, talon)
            rest = 0
            for k in range(view.talon_size):
                rest |= <uint32_t> 1 << talon[k]
            self.add(view, batch_tiles, rest)

    cdef void add(self, View view, uint32_t[ALL_BATCHES] *batch_tiles, uint32_t talon) noexcept nogil:
        """One assignment as a world."""
        cdef World *world = &self.world[self.size]
        cdef double *by_seat = &self.by_seat[4 * self.size]
        cdef int seat, b
        for seat in range(4):
            world.hand[seat] = 0
            for b in range(ALL_BATCHES):
                world.hand[seat] |= batch_tiles[seat][b]
            world.hand[seat] &= ~view.on_table
        world.talon = talon
        by_seat[0] = by_seat[1] = by_seat[2] = by_seat[3] = 0
        if self.model != NULL:
            log_likelihoods(self.model, view, batch_tiles, by_seat)
        self.logs[self.size] = by_seat[0] + by_seat[1] + by_seat[2] + by_seat[3]
        self.size += 1

    cdef bint disturbed(self) noexcept nogil:
        """Whether filling was stopped, or a signal came."""
        if (self.stop is not None and self.stop.raised) or called(self.watch):
            self.broken = True
        return self.broken

    cdef bint over(self, double share) noexcept nogil:
        """Whether filling must end: it is disturbed, or this share of its time is over and it has LEAST_WORLDS."""
        if self.disturbed():
            return True
        if self.span == INFINITY or self.size < LEAST_WORLDS or monotonic() <= self.started + share * self.span:
            return False
        self.hurried = True
        return True

    cdef void extend(self, Belief belief, View view, int extra, Rng *rng) noexcept nogil:
        """Add fresh samples, with the likelihood that a fit to the weighed worlds gives them.

        The fit is of logarithms, and the mean of an exponential is more than the exponential of the mean. So the new
        weights are raised by one factor, which makes the fit exact for the total of the weighed worlds.
        """
        cdef Surrogate fit
        cdef World *world
        cdef uint8_t[TILES] talon
        cdef double most = self.logs[0], truth = 0, guess = 0
        cdef int i, seat, studied = self.size
        fit_surrogate(&fit, self.world, self.by_seat, studied)
        for i in range(studied):
            most = max(most, self.logs[i])
        for i in range(studied):
            truth += exp(self.logs[i] - most)
            guess += exp(likely(&fit, &self.world[i]) - most)
        fit.base += log(truth / guess)
        while self.size < studied + extra and (self.size % LOOK_EVERY or not self.over(1.0)):
            world = &self.world[self.size]
            for seat in range(4):
                world.hand[seat] = 0
            belief.sample_hands(rng, world.hand, talon)
            world.talon = 0
            for i in range(view.talon_size):
                world.talon |= <uint32_t> 1 << talon[i]
            self.logs[self.size] = likely(&fit, world)
            self.size += 1

    cdef void list_cells(self, Belief belief, View view, int i, int room, uint32_t[ALL_BATCHES] *batch_tiles,
                         uint32_t loose) noexcept nogil:
        """Every way to place the listed tiles from the i-th on."""
        cdef uint32_t cells, bit
        cdef uint64_t *after
        cdef int k
        cdef uint32_t *batch
        if self.unlisted:
            return
        if i == belief.listed:
            self.list_pool(belief, view, 0, belief.free_batch[0].size, loose, batch_tiles, loose)
            return
        after = belief.ways + <size_t> (i + 1) * (belief.full + 1)
        bit = <uint32_t> 1 << belief.item[i].tile
        if not belief.item[i].shed and after[room]:
            self.list_cells(belief, view, i + 1, room, batch_tiles, loose | bit)
        cells = belief.item[i].cells & belief.open_cells[room]
        while cells:
            k = lowest(cells)
            cells &= cells - 1
            if after[room - belief.cell[k].stride]:
                batch = &batch_tiles[belief.cell[k].seat][belief.cell[k].batch]
                batch[0] |= bit
                self.list_cells(belief, view, i + 1, room - belief.cell[k].stride, batch_tiles, loose)
                batch[0] &= ~bit

    cdef void list_pool(self, Belief belief, View view, int batch, int need, uint32_t choices,
                        uint32_t[ALL_BATCHES] *batch_tiles, uint32_t loose) noexcept nogil:
        """Every way to deal the pool's tiles to the free batches from ``batch`` on, which still needs ``need`` of
        ``choices``."""
        cdef uint32_t bit
        cdef int place_
        cdef uint32_t *held
        if self.unlisted:
            return
        place_ = TALON if batch == belief.free_batches else belief.free_batch[batch].place
        if place_ == TALON:                  # always the last
            self.add(view, batch_tiles, loose if batch < belief.free_batches else 0)
            self.unlisted = self.size < self.room and self.over(0.3)
            return
        if need == 0:
            self.list_pool(belief, view, batch + 1, belief.free_batch[batch + 1].size, loose, batch_tiles, loose)
            return
        if popcount(choices) < need:
            return
        bit = choices & (~choices + 1)
        held = &batch_tiles[place_][belief.free_batch[batch].batch]
        held[0] |= bit
        self.list_pool(belief, view, batch, need - 1, choices & ~bit, batch_tiles, loose & ~bit)
        held[0] &= ~bit
        self.list_pool(belief, view, batch, need, choices & ~bit, batch_tiles, loose)

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

    cdef void list_shares(self) noexcept nogil:
        """Fill ``index``: the first world that can hold a given share of the weights, where a search for it begins."""
        cdef double step = self.world[self.size - 1].upto / self.size * (1 - 1e-12)
        cdef int share, i = 0
        for share in range(self.size):
            while self.world[i].upto < step * share:
                i += 1
            self.index[share] = i

    cdef int drawn(self, uint64_t number) noexcept nogil:
        """Which world the ``number``-th draw is."""
        cdef double share = ((self.place + number * GOLDEN) >> 11) * (1.0 / 9007199254740992.0)
        cdef double ticket = share * self.world[self.size - 1].upto
        cdef int i = self.index[<int> (share * self.size)]
        while i < self.size - 1 and self.world[i].upto <= ticket:
            i += 1
        return i

    cdef void draw(self, uint32_t *hands, uint64_t number) noexcept nogil:
        """Put the hidden tiles of the ``number``-th draw into the hands."""
        cdef int seat, i = self.drawn(number)
        for seat in range(self.players):
            hands[seat] |= self.world[i].hand[seat]

    def __reduce__(self):
        raise TypeError("a pool of worlds cannot be copied or pickled: make it again")

    cdef int check_filled(self) except -1:
        """Raise unless the pool has worlds: one made by hand has none."""
        if self.size == 0:
            raise RuntimeError("the pool has no worlds: call weighted_worlds() to make one that has")
        return 0

    def draws(self, count):
        """How often each world comes up in the first ``count`` draws, in the order of :meth:`worlds`.

        :raises LimitsError: the count is not in 0..2**31-1.
        """
        cdef int number, most = read_whole(count, "count", 0, INT32_MAX)
        self.check_filled()
        times = [0] * self.size
        for number in range(most):
            if number % 1024 == 0:
                PyErr_CheckSignals()
            times[self.drawn(number)] += 1
        return times

    def worlds(self):
        """``[(hidden hands by seat..., talon, weight)]``, weights adding up to 1; always four seats; absent ones hold
        nothing.

        Worlds are assignments: the same hands dealt in other batches are listed again.
        """
        cdef int i, seat
        self.check_filled()
        cdef double total = self.world[self.size - 1].upto
        rows = []
        for i in range(self.size):
            if i % 1024 == 0:
                PyErr_CheckSignals()
            hands = [self.world[i].hand[seat] for seat in range(4)]
            rows.append((*hands, self.world[i].talon, self.world[i].weight / total))
        return rows

    def log_likelihoods(self):
        """By world, how likely its hidden seats would have made their past choices (as fitted, for the extra
        ones): float64 ``[size]``, in nats."""
        cdef int i
        self.check_filled()
        logs = np.empty(self.size)
        cdef double[::1] rows = logs
        for i in range(self.size):
            rows[i] = self.logs[i]
        return logs

    def table(self):
        """The weighted marginals, in the form of :meth:`sniffai_ext.belief.Belief.table`."""
        cdef int i, seat
        cdef double share
        self.check_filled()
        cdef double total = self.world[self.size - 1].upto
        marginals = np.zeros((TILES, self.players + 1))
        cdef double[:, ::1] rows = marginals
        for i in range(self.size):
            share = self.world[i].weight / total
            for seat in range(self.players):
                add_share(rows, self.world[i].hand[seat], seat, share)
            add_share(rows, self.world[i].talon, self.players, share)
        add_share(rows, self.own, self.seat, 1)
        return marginals


cdef void add_share(double[:, ::1] rows, uint32_t tiles, int column, double share) noexcept:
    while tiles:
        rows[lowest(tiles), column] += share
        tiles &= tiles - 1


def weighted_worlds(View view not None, room, seed, Policy policy=None, temperatures=USUAL_TEMPERATURES,
                    floor=USUAL_FLOOR, hands=None, extra=0):
    """A pool for a view.

    :param room: most worlds, 1..MOST_WORLDS: if there are more assignments, the pool is a sample of so many.
    :param seed: 0..2**64-1; the same seed gives the same pool.
    :param policy: model of the other seats; None: all worlds weigh the same.
    :param temperatures: of the model's choices by phase, in points, each 0.000001..1,000,000.
    :param floor: share of the choices that the model takes to be random, 0.000001..1.
    :param hands: tile masks by seat; only the assignments that deal these hands to the other seats are worlds then.
    :param extra: worlds to extend a sample by, 0..MOST_WORLDS, weighted by a fit.
    :raises LimitsError: a number out of range, or a net for another number of seats.
    :raises HistoryError: no deal explains the view, or none with these hands does.
    """
    cdef Pool pool = Pool()
    cdef Model model
    cdef Rng rng
    cdef Watch watch
    cdef int phase
    cdef int most = read_whole(room, "room", 1, MOST_WORLDS)
    cdef int further = read_whole(extra, "extra", 0, MOST_WORLDS)
    temperatures = check_temperatures(temperatures)
    cdef double random_share = read_real(floor, "floor", RANGES["floor"][0], RANGES["floor"][1])
    if policy is not None:
        if policy.players != view.players:
            raise LimitsError(f"the net is for {policy.players} seats, but the round has {view.players}",
                              reason="WRONG_NET", field="policy")
        model.net = &policy.net
        model.floor = <float> random_share
        for phase in range(3):
            model.temperature[phase] = <float> temperatures[phase]
    if hands is not None:
        view = with_hands(view, hands)
    seed_rng(&rng, read_seed(seed))
    watch = watch_signals()
    pool.fill(Belief.of(view), view, NULL if policy is None else &model, most, further, &rng, &watch)
    answer(&watch)
    return pool


def check_temperatures(temperatures):
    """How sharply a model's choices follow its ratings, as plain numbers.

    :param temperatures: three, by phase of the round, in points, 0.000001..1,000,000.
    :raises LimitsError: a number is out of range, or there are not three.
    """
    values = read_items(temperatures, "temperatures")
    if len(values) != 3:
        raise LimitsError(f"three temperatures are expected, not {len(values)}", reason="OUT_OF_RANGE",
                          field="temperatures")
    return tuple(read_real(value, f"temperatures[{phase}]", LEAST_TEMPERATURE, MOST_TEMPERATURE)
                 for phase, value in enumerate(values))


cdef View with_hands(View view, hands):
    """The view of a seat that also knows the other hands."""
    cdef View other = view.copy()
    cdef int seat, b
    cdef uint32_t held
    hands = read_items(hands, "hands", ViewError)
    if len(hands) != view.players:
        raise ViewError(f"{view.players} hands are expected, one for each seat, not {len(hands)}",
                        reason="WRONG_NUMBER_OF_HANDS", field="hands")
    for seat in range(view.players):
        held = read_tiles(hands[seat], f"hands[{seat}]")
        if seat != view.seat and popcount(held & view.unseen()) != view.size[seat]:
            raise ViewError(f"seat {seat} holds {view.size[seat]} hidden tiles, not {popcount(held & view.unseen())}",
                            reason="WRONG_HAND_SIZE", field=f"hands[{seat}]")
        for b in range(view.batch_count[seat]):
            other.batch[seat][b].allowed &= held
    return other
