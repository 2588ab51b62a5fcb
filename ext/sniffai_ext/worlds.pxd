"""A pool of worlds with weights, from which a search draws its determinizations."""

from sniffai_ext.belief cimport ALL_BATCHES, Belief
from sniffai_ext.inference cimport Model, Term
from sniffai_ext.rng cimport Rng
from sniffai_ext.signals cimport Watch
from sniffai_ext.stop cimport StopFlag
from sniffai_ext.surrogate cimport Surrogate, World
from sniffai_ext.types cimport TILES, uint32_t, uint64_t
from sniffai_ext.view cimport View

# The marginals that weighted worlds give.
cdef struct Spread:
    double[4][TILES] mean     # by seat and tile: how likely the seat holds the tile
    double variance           # of these, by chance; summed
    double effective          # effective sample size

# Weights summed up by place, by group of seven tiles, and by which of the seven lie there.
cdef struct Sums:
    double[5][4][128] of

cdef class Pool:
    cdef readonly int players
    cdef readonly int seat            # whose view it is
    cdef uint32_t own                 # tiles in that seat's own hand
    cdef readonly object assignments  # of the belief, an exact int
    cdef World *world
    cdef int *index                   # by share of the weights, 0..size-1: where to begin to look for the world
    cdef readonly int size
    cdef readonly int studied         # how many of them the model weighed: the first ones
    cdef int room
    cdef readonly bint complete       # every assignment is in it
    cdef readonly double effective    # effective sample size: (sum of weights)^2 / sum of squared weights
    cdef readonly double independent  # how many independent worlds would give marginals as exact
    cdef uint64_t place               # of draw number 0, in 1/2**64: draws go round the weights by the golden ratio
    cdef double span                  # seconds that filling may take; infinity: as long as it takes
    cdef double started               # when filling began, by the monotonic clock
    cdef int check_filled(self) except -1
    cdef int reserve(self, int worlds) except -1
    cdef StopFlag stop                # ends the filling; None: nothing does
    cdef Watch *watch                 # for signals, while the pool is filled
    cdef bint broken                  # stopped, or a signal came: what there is is no pool
    cdef bint out_of_memory
    cdef bint unlisted                # the listing of all assignments is given up
    cdef readonly bint hurried        # the clock cut it short
    cdef bint disturbed(self) noexcept nogil
    cdef bint over(self, double share) noexcept nogil
    cdef bint fill(self, Belief belief, View view, const Model *model, int room, int extra, Rng *rng,
                   Watch *watch) except -1
    cdef void sample(self, Belief belief, View view, Rng *rng, int count, double share) noexcept nogil
    cdef void add(self, View view, uint32_t[ALL_BATCHES] *batch_tiles, uint32_t talon) noexcept nogil
    cdef void propose(self, Belief belief, View view, int extra, Rng *rng) noexcept nogil
    cdef void tell(self) noexcept
    cdef void pick(self, Belief belief, View view, const Surrogate *fit, World *sample, const Rng *made,
                   int samples, double start) noexcept nogil
    cdef void blend(self, int samples) noexcept nogil
    cdef void list_cells(self, Belief belief, View view, int i, int room, uint32_t[ALL_BATCHES] *batch_tiles,
                         uint32_t loose) noexcept nogil
    cdef void list_free(self, Belief belief, View view, int batch, int need, uint32_t choices,
                        uint32_t[ALL_BATCHES] *batch_tiles, uint32_t loose) noexcept nogil
    cdef void weigh(self) noexcept nogil
    cdef void add_up(self) noexcept nogil
    cdef void list_shares(self) noexcept nogil
    cdef tuple all_marginals(self, double counted, bint as_weighted)
    cdef double temper(self, double *weight, double share, bint as_weighted) noexcept nogil
    cdef double temper_part(self, double *weight, int first, int end, double share, bint as_weighted,
                            double part) noexcept nogil
    cdef void sum_up(self, const double *weight, Sums *sums) noexcept nogil
    cdef int drawn(self, uint64_t number) noexcept nogil
    cdef void draw(self, uint32_t *hands, uint64_t number) noexcept nogil
    cdef const Model *model           # while the pool is filled
    cdef double *logs                 # by world: log-likelihood of the others' choices
    cdef Term *terms                  # what is known of these already, while the pool is filled
    cdef double *by_seat              # the same by world and seat, for the worlds that the model weighed
    cdef double *told_logs            # the same two with the numbers of what is told
    cdef double *told_by_seat
    cdef bint untold                  # told_logs lacks the worlds that the model did not weigh, see tell
