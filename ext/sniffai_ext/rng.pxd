"""A seedable generator, small enough to be inlined: xoroshiro128++ (Blackman and Vigna, 2021), seeded by splitmix64."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef struct Rng:
    uint64_t a
    uint64_t b

cdef extern from * nogil:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define sniff_mulhi(x, y) __umulh((x), (y))
    #else
    #define sniff_mulhi(x, y) ((uint64_t)(((unsigned __int128)(x) * (y)) >> 64))
    #endif
    #define SNIFF_GOLDEN 0x9e3779b97f4a7c15ULL
    """
    const uint64_t GOLDEN "SNIFF_GOLDEN"    # 2**64 divided by the golden ratio: its multiples spread evenly
    uint64_t mulhi "sniff_mulhi"(uint64_t x, uint64_t y) noexcept    # the high 64 bits of a 128-bit product

cdef inline uint64_t splitmix(uint64_t *state) noexcept nogil:
    state[0] += GOLDEN
    cdef uint64_t z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t> 0xbf58476d1ce4e5b9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94d049bb133111eb
    return z ^ (z >> 31)

cdef inline void seed_rng(Rng *rng, uint64_t seed) noexcept nogil:
    rng.a = splitmix(&seed)
    rng.b = splitmix(&seed)

cdef inline uint64_t rotate(uint64_t x, int bits) noexcept nogil:
    return x << bits | x >> (64 - bits)

cdef inline uint64_t next64(Rng *rng) noexcept nogil:
    cdef uint64_t a = rng.a
    cdef uint64_t b = rng.b
    cdef uint64_t result = rotate(a + b, 17) + a
    b ^= a
    rng.a = rotate(a, 49) ^ b ^ (b << 21)
    rng.b = rotate(b, 28)
    return result

cdef inline uint32_t below(Rng *rng, uint32_t bound) noexcept nogil:
    """A number in 0..bound-1. The bias is below bound / 2**32: far under what any sample here could show."""
    return <uint32_t> ((next64(rng) >> 32) * bound >> 32)

cdef inline uint64_t below64(Rng *rng, uint64_t bound) noexcept nogil:
    """A number in 0..bound-1 for any 64-bit bound; the chance of any interval is off by less than 2**-63."""
    return mulhi(next64(rng), bound)

cdef inline void shuffle(Rng *rng, uint8_t *items, int count) noexcept nogil:
    """Put the items into random order (Fisher and Yates)."""
    cdef Rng own = rng[0]                    # in registers: stores of bytes might change what a pointer points at
    cdef int i, j
    cdef uint8_t item
    for i in range(count - 1, 0, -1):
        j = below(&own, i + 1)
        item = items[i]
        items[i] = items[j]
        items[j] = item
    rng[0] = own

cdef inline double uniform(Rng *rng) noexcept nogil:
    """A number in [0, 1) with 53 random bits."""
    return (next64(rng) >> 11) * (1.0 / 9007199254740992.0)
