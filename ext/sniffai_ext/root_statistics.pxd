"""The values of the root moves over their simulations, and whether they are known well enough to end a search."""

from sniffai_ext.tree cimport ROOT_ROOM, Tree
from sniffai_ext.types cimport uint32_t
from sniffai_ext.valuation cimport VALUES, Result, Valuation

# The values of the simulations that began with one root move.
cdef struct RootStatistics:
    double[VALUES] sum
    double[VALUES] squares
    double[VALUES] last_sum  # the sums at the last power of two of visits
    double[VALUES] half_sum  # and at the one before: from a half to three quarters of all visits came since
    uint32_t last_visits
    uint32_t half_visits
    bint proven              # every line of play was seen to its end
    double[VALUES] truth     # then the values

# All root moves, and what ends the search.
cdef struct Root:
    const Valuation *valuation
    RootStatistics[ROOT_ROOM] move
    double sampled_worlds    # how many independent worlds a pool that lacks some is worth; 0: no world is lacking
    int trees                # that grow side by side and are put together
    double goal              # probability of being best that decides a search; 0: never
    double precision         # standard error in points that ends a search; 0: never

cdef inline void note_result(RootStatistics *statistics, uint32_t visits, const Result *result) noexcept nogil:
    """One more simulation of a root move, the ``visits``-th."""
    cdef int i
    for i in range(VALUES):
        statistics.sum[i] += result.value[i]
        statistics.squares[i] += result.value[i] * result.value[i]
    if visits & (visits - 1) == 0:
        statistics.half_sum = statistics.last_sum
        statistics.last_sum = statistics.sum
        statistics.half_visits = statistics.last_visits
        statistics.last_visits = visits

cdef inline void note_proof(RootStatistics *statistics, const Result *result) noexcept nogil:
    """Note the values of a root move that is proven now."""
    cdef int i
    statistics.proven = True
    for i in range(VALUES):
        statistics.truth[i] = result.value[i]

cdef inline double mean(const RootStatistics *statistics, int value, uint32_t visits) noexcept nogil:
    """A root move's value: the proven one, else the mean over its simulations; 0 without any."""
    if statistics.proven:
        return statistics.truth[value]
    return statistics.sum[value] / visits if visits else 0.0

cdef inline double variance(const RootStatistics *statistics, int value, uint32_t visits) noexcept nogil:
    """Variance of one of the values over the simulations that began with a root move."""
    cdef double middle
    if visits < 2:
        return 0
    middle = statistics.sum[value] / visits
    return max(0.0, (statistics.squares[value] - visits * middle * middle) / (visits - 1))

cdef inline double drift(const RootStatistics *statistics, int value, uint32_t visits) noexcept nogil:
    """How far a value has moved recently: its mean since half_visits less its mean over all ``visits``."""
    if statistics.half_visits == 0 or statistics.proven:
        return 0
    return ((statistics.sum[value] - statistics.half_sum[value]) / (visits - statistics.half_visits)
            - statistics.sum[value] / visits)

cdef double standard_error(const Root *root, int move, int value, uint32_t visits) noexcept nogil
cdef bint is_decided(const Root *root, const Tree *tree) noexcept nogil
cdef bint is_precise(const Root *root, const Tree *tree) noexcept nogil
cdef object named_move(const Root *root, int place, uint32_t visits, int tile, int at, simulations, int teams,
                       bint with_chances)
cdef object untried_move(int tile, int at, simulations, int teams, bint with_chances)
