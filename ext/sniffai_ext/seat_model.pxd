"""How one seat chooses its placements, where that can be told in closed form: chances of moves, and draws by them."""

from sniffai_ext.equity cimport Equity, EquityTable
from sniffai_ext.fixed_net cimport FixedNet
from sniffai_ext.policy cimport Policy
from sniffai_ext.rng cimport Rng
from sniffai_ext.types cimport State, uint8_t
from sniffai_ext.view cimport View

cdef enum:
    MOST_PARTS = 32       # of one model

cdef enum PartKind:
    CARELESS = 0          # the most points it sees; overlooks those of each move with a chance
    POLICY = 1            # the move that the policy rates highest
    HASTY = 2             # the same after normal errors, but never misses a placement that wins the match
    OWN = 3               # as the search's own model of other seats says

# One way to choose.
cdef struct Part:
    PartKind kind
    double number         # CARELESS: the chance to overlook points; HASTY: standard deviation of the errors, in points
    double share          # the chance that a choice is made this way

# A seat that makes each choice in one of several ways, at random.
cdef struct Choosing:
    int parts
    Part[MOST_PARTS] part
    bint own              # one of them is OWN
    const FixedNet *net        # of the policy; NULL if no part needs it
    const EquityTable *equity   # chances to win the match, for HASTY

ctypedef const Choosing *ChoosingOrNone   # NULL: no model

cdef class SeatModel:
    cdef Choosing choosing
    cdef readonly tuple parts
    cdef readonly Policy policy
    cdef readonly Equity equity
    cdef int check_players(self, int players, str field) except -1
    cdef int fill_seen(self, View view, State *state) except -1

cdef const Part *drawn_part(const Choosing *choosing, Rng *rng) noexcept nogil
cdef uint8_t modelled_move(const Choosing *choosing, const Part *part, const State *state, Rng *rng) noexcept nogil
cdef double modelled_chance(const Choosing *choosing, const State *state, const uint8_t *moves, int count, int pick,
                            double own) noexcept nogil
