"""Information-set Monte Carlo tree search for one view."""

from sniffai_ext.belief cimport Belief
from sniffai_ext.equity cimport Equity, EquityTable
from sniffai_ext.inference cimport Model
from sniffai_ext.net cimport Net
from sniffai_ext.policy cimport Policy
from sniffai_ext.worlds cimport Pool
from sniffai_ext.rng cimport Rng
from sniffai_ext.signals cimport Watch
from sniffai_ext.solver cimport Prover
from sniffai_ext.stop cimport StopFlag
from sniffai_ext.tree cimport ROOT_ROOM, Tree
from sniffai_ext.types cimport TILES, State, uint8_t, uint32_t, uint64_t
from sniffai_ext.view cimport View
from sniffai_ext.world_value cimport WorldValue

cdef enum:
    UTILITY = 6           # the place of the searching team's utility among the values of a simulation
    VALUES = 7            # before it: margin and chance of up to three teams
    MAX_PATH = 64         # at most 28 placements and as many outcomes on one way down

cdef struct Path:
    int length
    uint32_t[MAX_PATH] node
    int[MAX_PATH] team    # whose move led to the node; 0 for an outcome

# How the tree chooses among moves that all have a node.
cdef struct Growth:
    float exploration     # least weight of UCB1's exploration term, in points
    float root_exploration
    float by_spread       # the weight in standard deviations of the node's values; the larger of both holds
    float root_share      # of the simulations: so many are spread evenly over the root's moves
    float revisit         # square of how many times the root of its availability each move is tried at least

# A way down where nothing is hidden.
cdef struct Descent:
    int length
    State[TILES] before   # by step: the state in which the move was chosen
    uint32_t[TILES] node  # the move's node
    int[TILES] choices    # how many moves there were

# What a simulation found.
cdef struct Result:
    double[VALUES] value  # by team: points that the round brings from the root on; chance to win the match; the utility

# The rest of a round with best play.
cdef struct Ending:
    Result result
    int length
    uint8_t[TILES] move   # the last one first

# Values of the simulations that began with one root move.
cdef struct RootStats:
    double[VALUES] sum
    double[VALUES] squares
    double[VALUES] last_sum  # the sums at the last power of two of visits
    double[VALUES] half_sum  # and at the one before: from a half to three quarters of all visits came since
    uint32_t last_visits
    uint32_t half_visits
    bint proven              # every line of play was seen to its end
    double[VALUES] truth     # then the values

cdef class Search:
    cdef readonly View view
    cdef readonly Belief belief
    cdef readonly Pool pool           # None: every determinization is a fresh sample of the belief, or no run yet
    cdef int room                     # worlds to weigh in the first run; 0: there is no pool to fill
    cdef int extra                    # worlds to extend a sample by
    cdef Policy policy
    cdef WorldValue value
    cdef Model model
    cdef const Net *leaf              # NULL: leaves are rolled out
    cdef bint known                   # nothing is hidden: start holds all hands and the talon
    cdef bint proofs                  # and ends of the round prove values
    cdef State start                  # everything known; the hidden hands and the talon are sampled into a copy
    cdef Tree tree
    cdef bint solver                  # ends are solved by it:
    cdef Prover prover                # for two teams where nothing is hidden
    cdef Rng rng
    cdef bint common_worlds           # the n-th simulation of each root move has the same world
    cdef uint64_t world_seed          # of the worlds' own random numbers
    cdef Growth growth
    cdef uint32_t epsilon             # chance of a random move in a rollout, in 1/65536
    cdef Equity equity                # None: chances to win the match are not told
    cdef const EquityTable *table
    cdef bint match                   # the chance to win the match is what counts, else the margin
    cdef int team                     # the searching seat's
    cdef double[3] chance_weight      # by team: of its chance in its utility, in points
    cdef double[3] margin_weight      # of its margin
    cdef uint32_t follow              # share of their choices in which the others follow the policy, in 1/65536
    cdef uint64_t done                # simulations finished
    cdef StopFlag flag
    cdef bint busy                    # a run is under way. Read and written with the interpreter's lock only
    cdef RootStats[ROOT_ROOM] root    # by root move
    cdef uint64_t[4] considered       # bits of the compact moves that the root may choose
    cdef int root_count               # how many these are
    cdef double goal                  # probability of being best that decides a search; 0: never
    cdef double precision             # standard error in points that ends a search; 0: never
    cdef int trees                    # that grow side by side and are put together
    cdef uint64_t least               # simulations before which neither of these ends a search
    cdef void simulate(self) noexcept nogil
    cdef void simulate_open(self) noexcept nogil
    cdef void look_to_the_end(self, uint32_t node, const State *state) noexcept nogil
    cdef bint solve(self, const State *state, Ending *ending) noexcept nogil
    cdef bint best_play(self, const State *state, int *budget, Ending *ending) noexcept nogil
    cdef bint prefers(self, const Ending *one, const Ending *other, int team) noexcept nogil
    cdef void add_line(self, uint32_t node, const Ending *ending) noexcept nogil
    cdef void play_out_proof(self, uint32_t node, State *state) noexcept nogil
    cdef void back_up_open(self, const Descent *way, Result *result) noexcept nogil
    cdef void note_root(self, uint32_t node, const Result *result) noexcept nogil
    cdef bint all_proven(self, uint32_t parent, int choices) noexcept nogil
    cdef uint32_t best_proven(self, uint32_t parent) noexcept nogil
    cdef void result_of_proof(self, const State *state, uint32_t node, Result *result) noexcept nogil
    cdef bint determinize(self, uint64_t number, State *state) noexcept nogil
    cdef bint follows(self, uint32_t node, const State *state) noexcept nogil
    cdef bint follow_policy(self, uint32_t parent, const State *state, uint32_t *child, uint8_t *move) noexcept nogil
    cdef void judge(self, const State *state, Result *result) noexcept nogil
    cdef void estimate(self, const State *state, int seat, Result *result) noexcept nogil
    cdef void back_up(self, const Path *path, const Result *result) noexcept nogil
    cdef double _swing(self, int own) except -1
    cdef double utility(self, const Result *result, int team) noexcept nogil
    cdef int measure(self) noexcept nogil
    cdef bint told_apart(self, int one, int other) noexcept nogil
    cdef double bound(self, int root_move, int value) noexcept nogil
    cdef bint better(self, int one, int other, int value, double slack) noexcept nogil
    cdef double standard_error(self, int root_move, int value, uint32_t visits) noexcept nogil
    cdef bint decided(self) noexcept nogil
    cdef int favourite(self) noexcept nogil
    cdef bint precise(self) noexcept nogil
    cdef int check_idle(self) except -1
    cdef bint fill_pool(self, double seconds, Watch *watch) except -1
    cdef int run_until(self, uint64_t simulations, double deadline, Watch *watch) noexcept nogil
