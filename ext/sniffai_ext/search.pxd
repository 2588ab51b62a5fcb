"""Information-set Monte Carlo tree search for one view."""

from sniffai_ext.belief cimport Belief
from sniffai_ext.late_ends cimport EndSolver
from sniffai_ext.rng cimport Rng
from sniffai_ext.root_statistics cimport Root
from sniffai_ext.search_options cimport SearchOptions
from sniffai_ext.seat_model cimport Part
from sniffai_ext.select cimport Growth
from sniffai_ext.signals cimport Watch
from sniffai_ext.stop cimport StopFlag
from sniffai_ext.tree cimport Tree
from sniffai_ext.types cimport TILES, State, uint8_t, uint32_t, uint64_t
from sniffai_ext.valuation cimport Result, Valuation
from sniffai_ext.view cimport View
from sniffai_ext.worlds cimport Pool

cdef enum:
    MAX_PATH = 64         # at most 28 placements and as many outcomes on one way down

cdef struct Path:
    int length
    uint32_t[MAX_PATH] node
    int[MAX_PATH] team    # whose move led to the node; 0 for an outcome

# A way down where nothing is hidden.
cdef struct Descent:
    int length
    State[TILES] before   # by step: the state in which the move was chosen
    uint32_t[TILES] node  # the move's node
    int[TILES] choices    # how many moves there were

cdef class Search:
    cdef readonly View view
    cdef readonly Belief belief
    cdef readonly SearchOptions options
    cdef readonly Pool pool           # None: every determinization is a fresh sample of the belief, or no run yet
    cdef bint pool_pending            # the first run is yet to fill the pool
    cdef bint known                   # nothing is hidden: start holds all hands and the talon
    cdef bint proofs                  # and ends of the round prove values
    cdef State start                  # everything known; the hidden hands and the talon are sampled into a copy
    cdef Tree tree
    cdef EndSolver ends               # where nothing is hidden
    cdef Rng rng
    cdef bint common_worlds           # the n-th simulation of each root move has the same world
    cdef uint64_t world_seed          # of the worlds' own random numbers
    cdef Growth growth
    cdef uint32_t epsilon             # chance of a random move in a rollout, in 1/65536
    cdef const Part *way              # in which a modelled seat makes its next choice; NULL: by the policy
    cdef bint modelled                # some other seat has a model of its own, which it follows
    cdef object reply_table           # what the next seat to choose places, where that is known:
    cdef const uint8_t *reply         # by root move (compact) and world of the pool, or NO_MOVE; NULL: nothing is known
    cdef uint32_t follow              # share of their choices in which the others follow the policy, in 1/65536
    cdef Valuation valuation
    cdef uint64_t done                # simulations finished
    cdef StopFlag flag
    cdef bint busy                    # a run is under way. Read and written with the interpreter's lock only
    cdef Root root
    cdef uint64_t[4] considered       # bits of the compact moves that the root may choose
    cdef int root_count               # how many these are
    cdef uint64_t least               # simulations before which neither goal nor precision ends a search
    cdef void simulate(self) noexcept nogil
    cdef void simulate_open(self) noexcept nogil
    cdef void back_up(self, const Path *path, const Result *result) noexcept nogil
    cdef void back_up_open(self, const Descent *way, Result *result) noexcept nogil
    cdef void note_root(self, uint32_t node, const Result *result) noexcept nogil
    cdef void result_of_proof(self, const State *state, uint32_t node, Result *result) noexcept nogil
    cdef bint determinize(self, uint64_t number, State *state) noexcept nogil
    cdef bint follows(self, uint32_t node, const State *state) noexcept nogil
    cdef uint8_t model_move(self, const State *state) noexcept nogil
    cdef bint follow_move(self, uint32_t parent, uint8_t move, uint32_t *child) noexcept nogil
    cdef void play_out(self, State *state) noexcept nogil
    cdef int reply_to(self, uint8_t move, uint64_t number) noexcept nogil
    cdef int check_idle(self) except -1
    cdef bint fill_pool(self, double seconds, Watch *watch) except -1
    cdef int run_until(self, uint64_t simulations, double deadline, Watch *watch) noexcept nogil
