"""A small net over rows that are on or off: rows -> 64 ReLU -> 32 ReLU -> one or two numbers, with a linear skip from
the rows to each. This is the form in which it is trained and stored; fixed_net.pxd is the one in which it is asked.

All weights lie in one block of floats:

    embed [rows, 64] | skip [outputs, rows] | bias1 [64] | mix [64, 32] | bias2 [32] | out [outputs, 32] |
    bias3 [outputs]

The rows of ``mix`` belong to inputs, so that a silent unit costs nothing and the inner loops need no reordering of
sums: the same weights give the same bits with every compiler that follows IEEE 754. The two kernels below, where time
goes, are C: a layer stays in registers while rows are added to it, eight floats side by side, and processors with AVX2
get code of their own. Neither changes the order of any sum.
"""

from sniffai_ext.types cimport uint16_t

cdef extern from * nogil:
    """
    #include <stddef.h>
    #include <stdint.h>
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif

    /* bit i: input[i] > 0, for 32 or 64 inputs; about one unit in five is */
    static inline uint64_t sniff_active(const float *input, int n) {
        uint64_t active = 0;
    #if defined(__SSE2__)
        for (int i = n - 16; i >= 0; i -= 16) {
            const __m128 zero = _mm_setzero_ps();
            const __m128i low = _mm_packs_epi32(_mm_castps_si128(_mm_cmpgt_ps(_mm_loadu_ps(input + i), zero)),
                                                _mm_castps_si128(_mm_cmpgt_ps(_mm_loadu_ps(input + i + 4), zero)));
            const __m128i high = _mm_packs_epi32(_mm_castps_si128(_mm_cmpgt_ps(_mm_loadu_ps(input + i + 8), zero)),
                                                 _mm_castps_si128(_mm_cmpgt_ps(_mm_loadu_ps(input + i + 12), zero)));
            active = active << 16 | (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
        }
    #else
        for (int i = 0; i < n; i++)
            active |= (uint64_t)(input[i] > 0) << i;
    #endif
        return active;
    }

    static inline int sniff_lowest_unit(uint64_t active) {
    #if defined(__GNUC__)
        return __builtin_ctzll(active);
    #else
        int i = 0;
        while (!(active >> i & 1))
            i++;
        return i;
    #endif
    }

    /* total plus input[j] * out[j], for each of the 32 inputs above 0 */
    static inline float sniff_dot(const float *input, const float *out, float total) {
        for (uint64_t active = sniff_active(input, 32); active; active &= active - 1) {
            const int j = sniff_lowest_unit(active);
            total += input[j] * out[j];
        }
        return total;
    }

    #if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
    #define SNIFF_CHOOSES                /* gcc makes both, and the program takes what its processor can do */
    #endif

    #if defined(SNIFF_CHOOSES)
    #pragma GCC push_options
    #pragma GCC reset_options            /* a target named before would rule out a choice when the program starts */
    #define SNIFF_KERNEL static __attribute__((noinline, unused, target_clones("avx2", "default")))
    #else
    #define SNIFF_KERNEL static inline
    #endif

    #if defined(__GNUC__)
    typedef float sniff_eight __attribute__((vector_size(32), aligned(4), may_alias));
    #else
    typedef struct { float at[8]; } sniff_eight;
    #endif

    /* sums[0..63] += each row of 64 floats, and *total += the row's number in skip */
    SNIFF_KERNEL void sniff_add_rows(const float *embed, const float *skip, const uint16_t *rows, int n, float *sums,
                                     float *total) {
        float skipped = *total;
    #if defined(__GNUC__)
        sniff_eight *out = (sniff_eight *)sums;
        sniff_eight a = out[0], b = out[1], c = out[2], d = out[3], e = out[4], f = out[5], g = out[6], h = out[7];
        for (const uint16_t *end = rows + n; rows != end; rows++) {
            const sniff_eight *row = (const sniff_eight *)((const char *)embed + (size_t)*rows * 64 * sizeof(float));
            a += row[0]; b += row[1]; c += row[2]; d += row[3]; e += row[4]; f += row[5]; g += row[6]; h += row[7];
            skipped += skip[*rows];
        }
        out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g; out[7] = h;
    #else
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < 64; i++)
                sums[i] += embed[rows[k] * 64 + i];
            skipped += skip[rows[k]];
        }
    #endif
        *total = skipped;
    }

    /* sums[0..31] += input[i] * row i of mix, for each of the 64 inputs above 0 */
    SNIFF_KERNEL void sniff_mix(const float *mix, const float *input, float *sums) {
        uint64_t active = sniff_active(input, 64);
    #if defined(__GNUC__)
        sniff_eight *out = (sniff_eight *)sums;
        sniff_eight a = out[0], b = out[1], c = out[2], d = out[3];
        for (; active; active &= active - 1) {
            const size_t i = (size_t)sniff_lowest_unit(active);
            const sniff_eight *row = (const sniff_eight *)(mix + i * 32);
            const float x = input[i];
            a += x * row[0]; b += x * row[1]; c += x * row[2]; d += x * row[3];
        }
        out[0] = a; out[1] = b; out[2] = c; out[3] = d;
    #else
        for (; active; active &= active - 1) {
            const int i = sniff_lowest_unit(active);
            for (int j = 0; j < 32; j++)
                sums[j] += input[i] * mix[i * 32 + j];
        }
    #endif
    }

    #if defined(SNIFF_CHOOSES)
    #pragma GCC pop_options
    #endif
    """
    void sum_rows "sniff_add_rows"(const float *embed, const float *skip, const uint16_t *rows, int n, float *sums,
                                   float *total) noexcept
    float sum_active "sniff_dot"(const float *input, const float *out, float total) noexcept
    void sum_products "sniff_mix"(const float *mix, const float *input, float *sums) noexcept

cdef enum:
    WIDE = 64
    NARROW = 32
    MOST_OUTPUTS = 2

cdef struct Net:
    int rows
    int outputs
    float *embed
    float *skip
    float *bias1
    float *mix
    float *bias2
    float *out
    float *bias3

cdef inline int net_size(int rows, int outputs) noexcept nogil:
    """Floats that a net takes."""
    return rows * WIDE + WIDE + WIDE * NARROW + NARROW + outputs * (rows + NARROW + 1)

cdef inline void lay_out(Net *net, float *block, int rows, int outputs) noexcept nogil:
    """Point a net into its block of weights."""
    net.rows = rows
    net.outputs = outputs
    net.embed = block
    net.skip = net.embed + rows * WIDE
    net.bias1 = net.skip + outputs * rows
    net.mix = net.bias1 + WIDE
    net.bias2 = net.mix + WIDE * NARROW
    net.out = net.bias2 + NARROW
    net.bias3 = net.out + outputs * NARROW

cdef inline void start_sum(const Net *net, float *acc, float *skip) noexcept nogil:
    cdef int i
    for i in range(WIDE):
        acc[i] = net.bias1[i]
    skip[0] = net.bias3[0]

cdef inline void take_row(const Net *net, int row, float *acc, float *skip) noexcept nogil:
    cdef int i
    cdef const float *weights = net.embed + row * WIDE
    for i in range(WIDE):
        acc[i] -= weights[i]
    skip[0] -= net.skip[row]

cdef inline void add_rows(const Net *net, const uint16_t *rows, int n, float *acc, float *skip) noexcept nogil:
    sum_rows(net.embed, net.skip, rows, n, acc, skip)

cdef inline void narrow_sums(const Net *net, const float *acc, float *narrow) noexcept nogil:
    """The sums of the second layer, before its ReLU."""
    cdef int j
    for j in range(NARROW):
        narrow[j] = net.bias2[j]
    sum_products(net.mix, acc, narrow)

cdef inline float net_value(const Net *net, const float *acc, float skip) noexcept nogil:
    """The first output for the sums of the first layer."""
    cdef float[NARROW] narrow
    narrow_sums(net, acc, narrow)
    return sum_active(narrow, net.out, skip)

cdef inline void net_values(const Net *net, const uint16_t *rows, int n, float *acc, float *narrow,
                            float *values) noexcept nogil:
    """All outputs for the rows that are on, and on the way the sums of the first layer and the units of the second."""
    cdef int i, j, k
    start_sum(net, acc, values)
    add_rows(net, rows, n, acc, values)
    narrow_sums(net, acc, narrow)
    values[0] = sum_active(narrow, net.out, values[0])
    for k in range(1, net.outputs):
        values[k] = net.bias3[k]
        for i in range(n):
            values[k] += net.skip[k * net.rows + rows[i]]
        values[k] = sum_active(narrow, net.out + k * NARROW, values[k])
    for j in range(NARROW):
        narrow[j] = narrow[j] if narrow[j] > 0 else 0
