"""A linear fit of log-likelihoods to the tiles in the hidden hands."""

from sniffai_ext.types cimport TILES, uint32_t

cdef struct World:
    uint32_t[4] hand      # hidden tiles by seat
    uint32_t talon
    double weight
    double upto           # sum of the weights up to and with this one

cdef struct Surrogate:
    double base           # log-likelihood where no hand holds anything
    double[4][TILES] gain  # by seat and tile: what holding the tile adds

cdef void fit_surrogate(Surrogate *fit, const World *world, const double *by_seat, int size) noexcept nogil
cdef double likely(const Surrogate *fit, const World *world) noexcept nogil
