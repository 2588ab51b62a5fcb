"""A linear fit of log-likelihoods to the tiles in the hidden hands."""

from sniffai_ext.types cimport TILES, uint32_t

cdef struct World:
    uint32_t[4] hand      # hidden tiles by seat
    uint32_t talon
    double weight
    double upto           # sum of the weights up to and with this one

cdef struct Surrogate:
    int own               # the seat whose hand is no secret
    double base           # log-likelihood where no hand holds anything
    double[4][TILES] gain  # by seat and tile: what holding the tile adds
    bint[4] chose         # by seat: whether any gain is not 0

cdef void fit_surrogate(Surrogate *fit, const World *world, const double *by_seat, int size, int own,
                        double ridge) noexcept nogil

cdef inline int place_at(int own, int turn) noexcept nogil:
    """The ``turn``-th of the four places at the table in the order of play after the seat ``own``, empty ones included.
    Sums in this order do not depend on how the seats are numbered."""
    return (own + turn) & 3

cdef inline double ridge_of(int players) noexcept nogil:
    """What pulls every gain towards 0, like so many more worlds without an effect of the tile. With 2 seats a fit
    follows its few worlds too closely without more of it (benchmarks/marginals.md)."""
    return 20 if players == 2 else 2

cdef double likely(const Surrogate *fit, const World *world) noexcept nogil

cdef void rate_worlds(const Surrogate *fit, const World *world, int count, double *logs) noexcept nogil
