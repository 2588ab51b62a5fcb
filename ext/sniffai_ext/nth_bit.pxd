"""The n-th bit of a small set: to draw a tile of a suit.

BMI2 has an instruction for it, which takes long on AMD's processors before Zen 3; all others count.
"""

from sniffai_ext.types cimport uint32_t

cdef extern from * nogil:
    """
    #include <stdint.h>

    /* The steps are always the same, as a loop of n steps would end where no processor expects it. */
    static inline uint32_t sniff_count_bits(uint32_t mask, int n) {
        for (int step = 0; step < 6; step++)
            mask &= mask - (step < n);
        return mask & -mask;
    }

    #if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)   /* so both are tested */
    static int sniff_has_pdep;

    __attribute__((constructor)) static void sniff_look_for_pdep(void) {
        __builtin_cpu_init();
        sniff_has_pdep = __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
    }

    static inline uint32_t sniff_nth_bit(uint32_t mask, int n) {
        uint32_t bit;
        if (!sniff_has_pdep)
            return sniff_count_bits(mask, n);
        __asm__("pdep %2, %1, %0" : "=r"(bit) : "r"((uint32_t)1 << n), "r"(mask));
        return bit;
    }
    #else
    static inline uint32_t sniff_nth_bit(uint32_t mask, int n) { return sniff_count_bits(mask, n); }
    #endif
    """
    uint32_t nth_bit "sniff_nth_bit"(uint32_t mask, int n) noexcept   # n from 0; of at most seven bits, and more than n
