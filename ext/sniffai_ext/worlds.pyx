"""Worlds with weights.

When a view allows few enough assignments the pool holds each of them once; else it is a sample of the exact belief. A
model of the other seats weighs each world by how likely it makes their past choices (:mod:`sniffai_ext.inference`).
As that takes long, a fit to the first worlds proposes which further ones to weigh, and its own worlds are added with
as large a share of the weights as they deserve (:mod:`sniffai_ext.surrogate`). Draws walk round the cumulated weights
in steps of the golden ratio: every world comes up as often as its weight requires, with far less noise than independent
draws.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, exp, log
from libc.stdint cimport INT32_MAX
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from sniffai_ext.belief cimport TALON
from sniffai_ext.clock cimport monotonic
from sniffai_ext.checks cimport read_items, read_real, read_seed, read_tiles, read_whole
from sniffai_ext.inference cimport TERMS, Term, log_likelihoods, take_told
from sniffai_ext.policy cimport Policy
from sniffai_ext.rng cimport GOLDEN, next64, seed_rng, uniform
from sniffai_ext.signals cimport answer, called, watch_signals
from sniffai_ext.surrogate cimport Surrogate, fit_surrogate, likely, place_at, rate_worlds, ridge_of
from sniffai_ext.types cimport TILES, lowest, popcount, prefetch, uint8_t

from sniffai_ext.errors import LimitsError, ViewError
from sniffai_ext.tree_params import RANGES, USUAL_TEMPERATURES, TreeParams

MOST_WORLDS = 1_000_000

cdef object USUAL_FLOOR = TreeParams().floor

cdef enum:
    LEAST_WORLDS = 32     # worlds weighed however little time there is
    FIRST_PART = 3        # of the worlds to weigh, one in so many comes straight from the belief, for the first fit
    DOUBT = 3             # how many times the error of a fit is what shows in the worlds that it was made with
    LOOK_EVERY = 8        # worlds that a fit weighs between two looks at the clock
    TALON_PLACE = 4       # of the sums of weights, after the seats

cdef double OPTIMISM = 1.5  # how many times more the marginals of a blend err, squared, than expected; measured there
cdef double MOST_SHARE = 4
cdef double LEAST_TEMPERATURE = 1e-6
cdef double MOST_TEMPERATURE = 1e6


cdef inline double share_of(uint64_t place, uint64_t number) noexcept nogil:
    """Where on the cumulated weights the ``number``-th draw falls, 0..1."""
    return ((place + number * GOLDEN) >> 11) * (1.0 / 9007199254740992.0)


cdef class Pool:
    """Worlds with weights, made by :func:`weighted_worlds` or by a search."""

    def __dealloc__(self):
        free(self.world)
        free(self.logs)
        free(self.by_seat)
        free(self.told_logs)
        free(self.told_by_seat)
        free(self.index)
        free(self.terms)

    def __cinit__(self):
        self.span = INFINITY

    cdef bint fill(self, Belief belief, View view, const Model *model, int room, int extra, Rng *rng,
                   Watch *watch) except -1:
        """Make the pool: all assignments if there are at most ``room``, else so many samples. False if it was stopped
        or a signal came: then there is no pool.

        When ``span`` is over it takes fewer worlds, at least LEAST_WORLDS, and the pool is ``hurried``.

        :param model: NULL for equal weights.
        :param room: 1..MOST_WORLDS.
        :param extra: samples for a fit to pick from and to extend the pool by, 0..MOST_WORLDS.
        """
        cdef uint32_t[4][ALL_BATCHES] batch_tiles
        cdef bint few
        self.assignments = belief.assignments
        few = self.assignments <= room
        self.players, self.seat, self.own = view.players, view.seat, view.hand
        if model == NULL:
            extra = 0
        self.reserve(room + extra)
        self.by_seat = <double *> malloc(4 * room * sizeof(double))
        self.terms = <Term *> calloc(TERMS, sizeof(Term))
        self.told_by_seat = <double *> malloc(4 * room * sizeof(double))
        if self.by_seat == NULL or self.told_by_seat == NULL or self.terms == NULL:
            raise MemoryError
        self.room = self.assignments if few else room
        self.model = model
        self.watch = watch
        self.started = monotonic()
        self.place = next64(rng)
        with nogil:
            if few:
                batch_tiles = belief.certain
                self.list_cells(belief, view, 0, belief.full, batch_tiles, belief.unlisted)
                if self.unlisted:            # the first assignments listed are not a fair sample
                    few = False
                    self.size = 0
            if not few and extra and self.room > LEAST_WORLDS:
                self.sample(belief, view, rng, max(<int> LEAST_WORLDS, self.room // FIRST_PART), 0.3)
                if not self.broken:
                    self.propose(belief, view, extra, rng)
            else:
                if not few:
                    self.sample(belief, view, rng, self.room, 0.9)
                if not self.broken:
                    self.weigh()
            if not self.broken:
                self.list_shares()
        self.model = NULL
        self.watch = NULL
        free(self.terms)
        self.terms = NULL
        self.complete = few
        if self.out_of_memory:
            raise MemoryError
        return not self.broken

    cdef int reserve(self, int worlds) except -1:
        """Make room for so many."""
        self.world = <World *> malloc(worlds * sizeof(World))
        self.logs = <double *> malloc(worlds * sizeof(double))
        self.told_logs = <double *> malloc(worlds * sizeof(double))
        self.index = <int *> malloc(worlds * sizeof(int))
        if self.world == NULL or self.logs == NULL or self.told_logs == NULL or self.index == NULL:
            raise MemoryError
        return 0

    cdef void sample(self, Belief belief, View view, Rng *rng, int count, double share) noexcept nogil:
        """Add samples of the belief up to ``count`` worlds, as long as this share of the time lasts."""
        cdef uint32_t[4][ALL_BATCHES] batch_tiles
        cdef uint8_t[TILES] talon
        while self.size < count and not self.over(share):
            belief.sample_batches(rng, batch_tiles, talon)
            self.add(view, batch_tiles, mask_of(talon, view.talon_size))

    cdef void add(self, View view, uint32_t[ALL_BATCHES] *batch_tiles, uint32_t talon) noexcept nogil:
        """One assignment as a world."""
        cdef World *world = &self.world[self.size]
        cdef double *by_seat = &self.by_seat[4 * self.size]
        cdef double *told = &self.told_by_seat[4 * self.size]
        cdef int seat, turn, b
        for seat in range(4):
            world.hand[seat] = 0
            for b in range(ALL_BATCHES):
                world.hand[seat] |= batch_tiles[seat][b]
            world.hand[seat] &= ~view.on_table
        world.talon = talon
        by_seat[0] = by_seat[1] = by_seat[2] = by_seat[3] = 0
        told[0] = told[1] = told[2] = told[3] = 0
        if self.model != NULL:
            log_likelihoods(self.model, view, batch_tiles, by_seat, told, self.terms)
        self.logs[self.size] = self.told_logs[self.size] = 0
        for turn in range(4):
            self.logs[self.size] += by_seat[place_at(self.seat, turn)]
            self.told_logs[self.size] += told[place_at(self.seat, turn)]
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

    cdef void propose(self, Belief belief, View view, int extra, Rng *rng) noexcept nogil:
        """Fill the room with worlds that a fit to the first ones thinks likely, weighed by the model; then add those
        that only the fit weighs.

        Of ``extra`` fresh samples of the belief, the fit picks the further worlds in proportion to what it thinks of
        them. A picked world's weight is its likelihood over its chance to be among the worlds, drawn from the belief or
        picked (multiple importance sampling, the balance heuristic of Veach and Guibas 1995). So the fit decides where
        to look, and biases nothing.
        """
        cdef Surrogate fit
        cdef World *sample = self.world + self.room
        cdef Rng *made = <Rng *> malloc(extra * sizeof(Rng))
        cdef uint8_t[TILES] talon
        cdef int i, seat, first = self.size, samples = 0
        if made == NULL:
            self.broken = self.out_of_memory = True
            return
        fit_surrogate(&fit, self.world, self.by_seat, first, self.seat, ridge_of(self.players))
        while samples < extra and (samples % LOOK_EVERY or not self.over(0.5)):
            made[samples] = rng[0]
            for seat in range(4):
                sample[samples].hand[seat] = 0
            belief.sample_hands(rng, sample[samples].hand, talon)
            sample[samples].talon = belief.hidden
            for seat in range(4):
                sample[samples].talon &= ~sample[samples].hand[seat]
            samples += 1
        rate_worlds(&fit, sample, samples, self.logs + self.room)
        for i in range(samples):
            sample[i].weight = self.logs[self.room + i]
        if samples and not self.broken:
            self.pick(belief, view, &fit, sample, made, samples, uniform(rng))
        free(made)
        if self.broken:
            return
        if samples == 0:
            self.weigh()
            return
        fit_surrogate(&fit, self.world, self.by_seat, self.size, self.seat, ridge_of(self.players))
        for i in range(samples):
            self.world[self.size + i] = sample[i]    # they move up where the room was not filled
        rate_worlds(&fit, self.world + self.size, samples, self.logs + self.size)
        for i in range(samples):
            self.world[self.size + i].weight = self.logs[self.size + i]
        exponentiate(self.world + self.size, samples)
        self.untold = True
        self.blend(samples)

    cdef void tell(self) noexcept:
        """Fit what is told to the weighed worlds, and give the others their numbers: only where somebody asks."""
        cdef Surrogate fit
        if self.untold:
            fit_surrogate(&fit, self.world, self.told_by_seat, self.studied, self.seat, ridge_of(self.players))
            rate_worlds(&fit, self.world + self.studied, self.size - self.studied, self.told_logs + self.studied)
            self.untold = False

    cdef void pick(self, Belief belief, View view, const Surrogate *fit, World *sample, const Rng *made,
                   int samples, double start) noexcept nogil:
        """Weigh samples picked in proportion to the fit, until the room is filled; then give all worlds their weights.

        :param sample: with the fit's log-likelihood as its weight; its exponential is written there.
        :param made: the generator before each sample, which makes its batches again.
        :param start: 0..1: decides with equal steps which are picked, so that none is picked more often than it must.
        """
        cdef uint32_t[4][ALL_BATCHES] batch_tiles
        cdef uint8_t[TILES] talon
        cdef Rng again
        cdef double most = exponentiate(sample, samples), mean = 0, upto = 0, belief_share, picked_share
        cdef int i, first = self.size, picks = self.room - first, picked = 0, here
        for i in range(samples):
            mean += sample[i].weight / samples
        for i in range(first):
            self.world[i].weight = 1
        for i in range(samples):
            upto += sample[i].weight / mean / samples * picks
            here = 0
            while picked + here < picks and picked + here + start < upto:
                here += 1
            if here:
                if self.over(0.9):
                    break
                picked += here
                again = made[i]
                belief.sample_batches(&again, batch_tiles, talon)
                self.add(view, batch_tiles, sample[i].talon)
                self.world[self.size - 1].weight = here
        belief_share = <double> first / (first + picked)
        picked_share = <double> picked / (first + picked)
        for i in range(self.size):
            self.world[i].weight = log(self.world[i].weight) + self.logs[i] - log(
                belief_share + picked_share * exp(likely(fit, &self.world[i]) - most) / mean)
        exponentiate(self.world, self.size)

    cdef void blend(self, int samples) noexcept nogil:
        """Append the samples, with the share of the weights that makes the marginals most exact.

        The weighed worlds are right on average, but few; the samples are many, but as wrong as the fit. How wrong they
        are is estimated by how much more the two differ than chance explains (Vw and Vs: the variances of the
        marginals, summed; B: the squared bias of the samples). The two differ less than they should, as the fit was
        made with those same worlds; so what is wrong counts DOUBT times, which measures well (benchmarks/marginals.md).
        The error (1 - share)^2 Vw + share^2 DOUBT (B + Vs) is least at

            share = Vw / (Vw + DOUBT (B + Vs))

        ``independent`` is then how many independent worlds would be as exact.
        """
        cdef Spread own, fitted
        cdef double bias = 0, wrong, share, off
        cdef int i, turn, seat, tile, studied = self.size
        self.studied = studied
        measure(self.world, studied, self.seat, &own)
        measure(self.world + studied, samples, self.seat, &fitted)
        for turn in range(4):
            seat = place_at(self.seat, turn)
            for tile in range(TILES):
                off = own.mean[seat][tile] - fitted.mean[seat][tile]
                bias += off * off
        wrong = DOUBT * (max(0.0, bias - own.variance - fitted.variance) + fitted.variance)
        share = own.variance / (own.variance + wrong) if own.variance > 0 else 0
        for i in range(studied):
            self.world[i].weight *= 1 - share
        for i in range(studied, studied + samples):
            self.world[i].weight *= share
        self.size = studied + samples
        self.add_up()
        self.independent = max(own.effective, own.effective / (1 - share) / OPTIMISM) if share < 1 else self.effective

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
            self.list_free(belief, view, 0, belief.free_batch[0].size, loose, batch_tiles, loose)
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

    cdef void list_free(self, Belief belief, View view, int batch, int need, uint32_t choices,
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
            self.list_free(belief, view, batch + 1, belief.free_batch[batch + 1].size, loose, batch_tiles, loose)
            return
        if popcount(choices) < need:
            return
        bit = choices & (~choices + 1)
        held = &batch_tiles[place_][belief.free_batch[batch].batch]
        held[0] |= bit
        self.list_free(belief, view, batch, need - 1, choices & ~bit, batch_tiles, loose & ~bit)
        held[0] &= ~bit
        self.list_free(belief, view, batch, need, choices & ~bit, batch_tiles, loose)

    cdef void weigh(self) noexcept nogil:
        """Weights from the log-likelihoods."""
        cdef int i
        for i in range(self.size):
            self.world[i].weight = self.logs[i]
        exponentiate(self.world, self.size)
        self.add_up()
        self.studied, self.independent = self.size, self.effective

    cdef void add_up(self) noexcept nogil:
        """Cumulate the weights, and find their effective sample size."""
        cdef double total = 0, squares = 0
        cdef int i
        for i in range(self.size):
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
        cdef double share = share_of(self.place, number)
        cdef double ticket = share * self.world[self.size - 1].upto
        cdef int i = self.index[<int> (share * self.size)]
        while i < self.size - 1 and self.world[i].upto <= ticket:
            i += 1
        return i

    cdef void draw(self, uint32_t *hands, uint64_t number) noexcept nogil:
        """Put the hidden tiles of the ``number``-th draw into the hands.

        Worlds come up all over the pool, which does not fit the caches; so the next draw's is fetched ahead.
        """
        cdef int seat, i = self.drawn(number)
        prefetch(&self.world[self.index[<int> (share_of(self.place, number + 1) * self.size)]])
        for seat in range(self.players):
            hands[seat] |= self.world[i].hand[seat]

    def __reduce__(self):
        raise TypeError("a pool of worlds cannot be copied or pickled: make it again")

    cdef int check_filled(self) except -1:
        """Raise unless the pool has worlds: one made by hand has none."""
        if self.size == 0:
            raise RuntimeError("the pool has no worlds: call weighted_worlds() to make one that has")
        return 0

    @property
    def informed(self):
        """Whether the past choices say anything: in some world they are not certain."""
        cdef int i
        for i in range(self.size):
            if self.logs[i] != 0:
                return True
        return False

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
        import numpy as np

        cdef int i
        self.check_filled()
        logs = np.empty(self.size)
        cdef double[::1] rows = logs
        for i in range(self.size):
            rows[i] = self.logs[i]
        return logs

    def told_log_likelihoods(self):
        """As :meth:`log_likelihoods`, with the numbers of what is told."""
        import numpy as np

        cdef int i
        self.check_filled()
        self.tell()
        logs = np.empty(self.size)
        cdef double[::1] rows = logs
        for i in range(self.size):
            rows[i] = self.told_logs[i]
        return logs

    def table(self):
        """The weighted marginals, in the form of :meth:`sniffai_ext.belief.Belief.table`."""
        return self.all_marginals(0, True)[0]

    def marginals(self, share=1.0):
        """The marginals as they are told, and how sure they are.

        :param share: what counts of each log-likelihood that is told, 0..4; 0: all that is known from the rules alone.
        :return: ``(table, independent)``: the table in the form of :meth:`sniffai_ext.belief.Belief.table`, and how
            many independent worlds would give marginals as exact.
        :raises LimitsError: the share is out of range.
        """
        return self.all_marginals(read_real(share, "share", 0, MOST_SHARE), False)

    cdef tuple all_marginals(self, double counted, bint as_weighted):
        """:meth:`marginals`, or those of the worlds as they are weighted, whatever is told."""
        import numpy as np

        cdef double independent
        cdef int tile, column
        self.check_filled()
        if not as_weighted:
            self.tell()
        cdef double *weight = <double *> malloc(self.size * sizeof(double))
        cdef Sums *sums = <Sums *> calloc(1, sizeof(Sums))
        if weight == NULL or sums == NULL:
            free(weight)
            free(sums)
            raise MemoryError
        with nogil:
            independent = self.temper(weight, counted, as_weighted)
            self.sum_up(weight, sums)
        free(weight)
        marginals = np.zeros((TILES, self.players + 1))
        cdef double[:, ::1] rows = marginals
        for column in range(self.players + 1):
            if column == self.seat:
                for tile in range(TILES):
                    rows[tile, column] = self.own >> tile & 1
                continue
            for tile in range(TILES):
                rows[tile, column] = min(1.0, sum_of(sums, TALON_PLACE if column == self.players else column, tile))
        free(sums)
        return marginals, independent

    cdef double temper(self, double *weight, double share, bint as_weighted) noexcept nogil:
        """Write the weights, adding up to 1, if a share of the log-likelihoods that are told counts, or as they are.

        The worlds that the model weighed and those of the fit keep their parts of all weight, since those follow from
        how exact either is.

        :return: how many independent worlds would give marginals as exact.
        """
        cdef double all_weights = self.world[self.size - 1].upto
        cdef double part = self.world[self.studied - 1].upto / all_weights
        cdef double effective = self.temper_part(weight, 0, self.studied, share, as_weighted, part)
        if self.studied == self.size:
            return effective
        if part <= 0:
            return self.temper_part(weight, self.studied, self.size, share, as_weighted, 1)
        self.temper_part(weight, self.studied, self.size, share, as_weighted, 1 - part)
        return max(effective, effective / part / OPTIMISM)

    cdef double temper_part(self, double *weight, int first, int end, double share, bint as_weighted,
                            double part) noexcept nogil:
        """Write the weights of some worlds, adding up to ``part``; returns their effective sample size."""
        cdef double most = -INFINITY, total = 0, squares = 0
        cdef int i
        for i in range(first, end):
            weight[i] = self.world[i].weight
            if not as_weighted:
                weight[i] = log(weight[i]) + share * self.told_logs[i] - self.logs[i]
                most = max(most, weight[i])
        for i in range(first, end):
            if not as_weighted:
                weight[i] = exp(weight[i] - most)
            total += weight[i]
            squares += weight[i] * weight[i]
        if total <= 0:
            return 0
        for i in range(first, end):
            weight[i] *= part / total
        return total * total / squares

    cdef void sum_up(self, const double *weight, Sums *sums) noexcept nogil:
        """Sum up the weights by place and by seven tiles at a time, which takes a quarter of the additions."""
        cdef int i, turn, seat
        for i in range(self.size):
            for turn in range(1, 4):
                seat = place_at(self.seat, turn)
                if seat < self.players:
                    add_sevens(sums, seat, self.world[i].hand[seat], weight[i])
            add_sevens(sums, TALON_PLACE, self.world[i].talon, weight[i])


cdef inline void add_sevens(Sums *sums, int place, uint32_t tiles, double weight) noexcept nogil:
    sums.of[place][0][tiles & 127] += weight
    sums.of[place][1][tiles >> 7 & 127] += weight
    sums.of[place][2][tiles >> 14 & 127] += weight
    sums.of[place][3][tiles >> 21 & 127] += weight


cdef double sum_of(const Sums *sums, int place, int tile) noexcept nogil:
    """The weight of the worlds in which a tile is in a place."""
    cdef double total = 0
    cdef int seven, bit = tile % 7
    for seven in range(128):
        if seven >> bit & 1:
            total += sums.of[place][tile // 7][seven]
    return total


cdef void measure(World *world, int count, int own, Spread *spread) noexcept nogil:
    """Make weights add up to 1, and find the marginals that they give, with their variance.

    :param own: the seat whose hand is no secret.
    """
    cdef double[4][TILES] squares
    cdef double total = 0, square, all_squares = 0, mean
    cdef uint32_t rest
    cdef int i, turn, seat, tile
    memset(spread, 0, sizeof(Spread))
    memset(squares, 0, sizeof(squares))
    for i in range(count):
        total += world[i].weight
    for i in range(count):
        world[i].weight /= total
        square = world[i].weight * world[i].weight
        all_squares += square
        for seat in range(4):
            rest = world[i].hand[seat]
            while rest:
                tile = lowest(rest)
                rest &= rest - 1
                spread.mean[seat][tile] += world[i].weight
                squares[seat][tile] += square
    for turn in range(4):
        seat = place_at(own, turn)
        for tile in range(TILES):
            mean = spread.mean[seat][tile]
            spread.variance += squares[seat][tile] * (1 - 2 * mean) + all_squares * mean * mean
    spread.effective = 1 / all_squares


cdef double exponentiate(World *world, int count) noexcept nogil:
    """Turn the logarithms of weights into weights, the largest of them 1; returns the largest logarithm."""
    cdef double most = world[0].weight
    cdef int i
    for i in range(count):
        most = max(most, world[i].weight)
    for i in range(count):
        world[i].weight = exp(world[i].weight - most)
    return most


cdef inline uint32_t mask_of(const uint8_t *tiles, int count) noexcept nogil:
    cdef uint32_t mask = 0
    cdef int i
    for i in range(count):
        mask |= <uint32_t> 1 << tiles[i]
    return mask


def weighted_worlds(View view not None, room, seed, Policy policy=None, temperatures=USUAL_TEMPERATURES,
                    floor=USUAL_FLOOR, hands=None, extra=0, told=None):
    """A pool for a view.

    :param room: most worlds, 1..MOST_WORLDS: if there are more assignments, the pool is a sample of so many.
    :param seed: 0..2**64-1; the same seed gives the same pool.
    :param policy: model of the other seats; None: all worlds weigh the same.
    :param temperatures: of the model's choices by phase, in points, each 0.000001..1,000,000.
    :param floor: share of the choices that the model takes to be random, 0.000001..1.
    :param hands: tile masks by seat; only the assignments that deal these hands to the other seats are worlds then.
    :param extra: samples that a fit picks worlds from, and that extend the pool with the fit's weights,
        0..MOST_WORLDS; 0: all worlds come straight from the belief.
    :param told: how the others choose in what is told, ``(start, growth, floor)``: with k tiles on the table the
        temperature is ``start * growth**k``, in points; None: as the worlds are weighted.
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
        model.seat = [NULL, NULL, NULL, NULL]
        model.floor = <float> random_share
        for phase in range(3):
            model.temperature[phase] = <float> temperatures[phase]
        take_told(&model, told)
    if hands is not None:
        view = with_hands(view, hands)
    seed_rng(&rng, read_seed(seed))
    watch = watch_signals()
    pool.fill(Belief.of(view), view, NULL if policy is None else &model, most, further, &rng, &watch)
    answer(&watch)
    return pool


def given_worlds(View view not None, hands, weights, seed):
    """A pool of worlds that a caller knows, with weights of its own.

    :param hands: tile masks of the hidden hands, uint32 ``[worlds, players]``, 1..MOST_WORLDS of them; the view's own
        seat has 0.
    :param weights: float64 ``[worlds]``, each finite and above 0.
    :param seed: 0..2**64-1: where the draws begin to go round the weights.
    :raises LimitsError: a number out of range, or no two arrays of such shapes.
    :raises ViewError: a hand does not have its size, or holds tiles that the seat sees or that another hand holds.
    :raises HistoryError: no deal explains the view.
    """
    import numpy as np

    cdef uint32_t[:, ::1] masks
    cdef double[::1] shares
    cdef Pool pool = Pool()
    cdef Rng rng
    cdef uint32_t held
    cdef int i, seat, count
    try:
        masks = np.ascontiguousarray(hands, np.uint32)
        shares = np.ascontiguousarray(weights, np.float64)
    except Exception:                        # a foreign object may raise anything
        raise LimitsError("arrays of hands and of weights are expected", reason="NOT_NUMBERS", field="hands") from None
    count = masks.shape[0]
    if not 1 <= count <= MOST_WORLDS or masks.shape[1] != view.players or shares.shape[0] != count:
        raise LimitsError(f"1..{MOST_WORLDS} worlds of {view.players} hands are expected, each with a weight",
                          reason="OUT_OF_RANGE", field="hands")
    pool.assignments = Belief.of(view).assignments
    pool.players, pool.seat, pool.own = view.players, view.seat, view.hand
    pool.reserve(count)
    for i in range(count):
        pool.world[i].talon = view.unseen()
        for seat in range(4):
            pool.world[i].hand[seat] = masks[i, seat] if seat < view.players else 0
            held = pool.world[i].hand[seat]
            if held & ~pool.world[i].talon or popcount(held) != (0 if seat == view.seat else view.size[seat]):
                raise ViewError("hands of hidden tiles are expected, each of its size, no tile twice",
                                reason="WRONG_WORLD", field=f"hands[{i}]")
            pool.world[i].talon &= ~held
        if not 0 < shares[i] < INFINITY:
            raise LimitsError("a weight is above 0", reason="OUT_OF_RANGE", field=f"weights[{i}]")
        pool.world[i].weight = shares[i]
        pool.logs[i] = pool.told_logs[i] = log(shares[i])
    pool.size = pool.room = count
    pool.add_up()
    pool.studied, pool.independent = count, pool.effective
    pool.list_shares()
    seed_rng(&rng, read_seed(seed))
    pool.place = next64(&rng)
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
