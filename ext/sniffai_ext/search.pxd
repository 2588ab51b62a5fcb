"""Information-set Monte Carlo tree search for one view."""

from sniffai_ext.belief cimport Belief
from sniffai_ext.rng cimport Rng
from sniffai_ext.tree cimport ROOT_ROOM, Tree
from sniffai_ext.types cimport State, uint32_t, uint64_t
from sniffai_ext.view cimport View

cdef enum:
    MAX_PATH = 64         # at most 28 placements and as many outcomes on one way down

cdef struct Path:
    int length
    uint32_t[MAX_PATH] node
    int[MAX_PATH] team    # whose move led to the node; -1 for an outcome

cdef class Search:
    cdef readonly View view
    cdef readonly Belief belief
    cdef State start                  # everything known; the hidden hands and the talon are sampled into a copy
    cdef Tree tree
    cdef Rng rng
    cdef float exploration            # points: the scale of the exploration term
    cdef uint32_t epsilon             # chance of a random move in a rollout, in 1/65536
    cdef uint64_t done                # simulations finished
    cdef bint no_memory
    cdef volatile int stop_flag
    cdef double[ROOT_ROOM][3] sums    # by root move and team: utilities
    cdef double[ROOT_ROOM][3] squares
    cdef void simulate(self) noexcept nogil
    cdef void determinize(self, State *state) noexcept nogil
    cdef void back_up(self, const Path *path, State *state) noexcept nogil
    cdef int run_until(self, uint64_t simulations, double deadline) noexcept nogil
