"""A net in whole numbers: the form in which the trained nets of net.pxd are asked.

Weights are rounded to 16 bits when a net is loaded (fixed_net.pyx), so a processor adds and multiplies many at a time.
Sums of whole numbers are exact: neither the order of the rows nor the compiler decides a bit. Their sizes are bounded
when the net is loaded, so no sum overflows, whichever rows are on.

    first layer    16 bits: the sums of the rows that are on, then what is above 0
    second layer   32 bits, from products of 16 bits; what is above 0, shifted right to 16 bits
    outputs        32 bits, from products of 16 bits

``mix`` holds pairs of inputs: for each pair its two weights, output by output. A pair of silent units is left out.

The kernel stands here twice: for processors with AVX2, and for all others.
"""

from sniffai_ext.net cimport MOST_OUTPUTS, NARROW, WIDE
from sniffai_ext.types cimport int16_t, int32_t, uint16_t

cdef extern from * nogil:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif

    typedef struct {
        int rows, outputs;
        int shift;                /* of the second layer */
        float unit;               /* what 1 of an output stands for, in units of the net of floats */
        const int16_t *embed;     /* [rows, 64] */
        const int16_t *bias1;     /* [64] */
        const int16_t *mix;       /* [32, 32, 2]: pairs of inputs, outputs, the two inputs */
        const int16_t *out;       /* [outputs, 32] */
        const int32_t *bias2;     /* [32], and half of what the shift cuts off */
        const int32_t *skip;      /* [outputs, rows] */
        const int32_t *bias3;     /* [outputs] */
    } sniff_fixed_net;

    #if defined(__GNUC__)
    typedef uint16_t sniff_shorts __attribute__((vector_size(16), aligned(2), may_alias));
    #endif

    /* narrow[0..31] += the products of a pair of inputs and its weights */
    static inline void sniff_add_pair(const int16_t *inputs, const int16_t *weights, int32_t *narrow) {
    #if defined(__SSE2__)
        int32_t both;
        memcpy(&both, inputs, sizeof both);
        const __m128i x = _mm_set1_epi32(both);
        for (int j = 0; j < 8; j++) {
            __m128i *sum = (__m128i *)narrow + j;
            const __m128i row = _mm_loadu_si128((const __m128i *)weights + j);
            _mm_storeu_si128(sum, _mm_add_epi32(_mm_loadu_si128(sum), _mm_madd_epi16(x, row)));
        }
    #else
        for (int j = 0; j < 32; j++)
            narrow[j] += inputs[0] * weights[2 * j] + inputs[1] * weights[2 * j + 1];
    #endif
    }

    /* sums[0..63] = base[0..63] and the rows; *total += what the rows skip to the first output */
    static void sniff_add_plain(const sniff_fixed_net *net, const uint16_t *rows, int n, const int16_t *base,
                                int16_t *sums, int32_t *total) {
        int32_t skipped = *total;
    #if defined(__GNUC__)
        const sniff_shorts *in = (const sniff_shorts *)base;
        sniff_shorts a = in[0], b = in[1], c = in[2], d = in[3], e = in[4], f = in[5], g = in[6], h = in[7];
        for (int k = 0; k < n; k++) {
            const sniff_shorts *row = (const sniff_shorts *)(net->embed + (size_t)rows[k] * 64);
            a += row[0]; b += row[1]; c += row[2]; d += row[3]; e += row[4]; f += row[5]; g += row[6]; h += row[7];
            skipped += net->skip[rows[k]];
        }
        sniff_shorts *out = (sniff_shorts *)sums;
        out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g; out[7] = h;
    #else
        for (int i = 0; i < 64; i++)
            sums[i] = base[i];
        for (int k = 0; k < n; k++) {
            const int16_t *row = net->embed + (size_t)rows[k] * 64;
            for (int i = 0; i < 64; i++)
                sums[i] = (int16_t)(sums[i] + row[i]);
            skipped += net->skip[rows[k]];
        }
    #endif
        *total = skipped;
    }

    /* totals[k] += all that output k gets when base[0..63] and the rows are summed up; but of what rows skip to it that
     * of the first output only */

    static void sniff_think_plain(const sniff_fixed_net *net, const uint16_t *rows, int n, const int16_t *base,
                                  int32_t *totals) {
        int16_t sums[64];
        int32_t narrow[32];
        sniff_add_plain(net, rows, n, base, sums, totals);
        for (int j = 0; j < 32; j++)
            narrow[j] = net->bias2[j];
        for (int i = 0; i < 64; i++)
            sums[i] = sums[i] > 0 ? sums[i] : 0;
        for (int i = 0; i < 64; i += 2)
            if (sums[i] | sums[i + 1])
                sniff_add_pair(sums + i, net->mix + i * 32, narrow);
        for (int j = 0; j < 32; j++)
            narrow[j] = narrow[j] > 0 ? narrow[j] >> net->shift : 0;
        for (int k = 0; k < net->outputs; k++)
            for (int j = 0; j < 32; j++)
                totals[k] += narrow[j] * net->out[k * 32 + j];
    }

    #if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)   /* so both are tested */
    #include <immintrin.h>
    #define SNIFF_AVX2 __attribute__((target("avx2")))

    static int sniff_has_avx2;

    __attribute__((constructor)) static void sniff_look_for_avx2(void) {
        __builtin_cpu_init();
        sniff_has_avx2 = __builtin_cpu_supports("avx2") != 0;
    }

    typedef struct { __m256i a, b, c, d; } sniff_four;

    static inline SNIFF_AVX2 sniff_four sniff_add_rows_avx2(const sniff_fixed_net *net, const uint16_t *rows, int n,
                                                            const int16_t *base, int32_t *total) {
        int32_t skipped = *total;
        const __m256i *row = (const __m256i *)base;
        __m256i a = _mm256_loadu_si256(row), b = _mm256_loadu_si256(row + 1);
        __m256i c = _mm256_loadu_si256(row + 2), d = _mm256_loadu_si256(row + 3);
        for (const uint16_t *end = rows + n; rows != end; rows++) {
            row = (const __m256i *)(net->embed + (size_t)*rows * 64);
            a = _mm256_add_epi16(a, _mm256_load_si256(row));
            b = _mm256_add_epi16(b, _mm256_load_si256(row + 1));
            c = _mm256_add_epi16(c, _mm256_load_si256(row + 2));
            d = _mm256_add_epi16(d, _mm256_load_si256(row + 3));
            skipped += net->skip[*rows];
        }
        *total = skipped;
        const sniff_four sums = {a, b, c, d};
        return sums;
    }

    static SNIFF_AVX2 void sniff_add_avx2(const sniff_fixed_net *net, const uint16_t *rows, int n, const int16_t *base,
                                          int16_t *sums, int32_t *total) {
        const sniff_four all = sniff_add_rows_avx2(net, rows, n, base, total);
        _mm256_storeu_si256((__m256i *)sums, all.a);
        _mm256_storeu_si256((__m256i *)sums + 1, all.b);
        _mm256_storeu_si256((__m256i *)sums + 2, all.c);
        _mm256_storeu_si256((__m256i *)sums + 3, all.d);
    }

    /* stores a quarter of the inputs above 0; bit i of the result: pair i is not silent */
    static inline SNIFF_AVX2 uint32_t sniff_pairs_avx2(__m256i sums, int32_t *pairs) {
        const __m256i zero = _mm256_setzero_si256(), units = _mm256_max_epi16(sums, zero);
        _mm256_storeu_si256((__m256i *)pairs, units);
        return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(units, zero)));
    }

    static inline SNIFF_AVX2 __m256i sniff_narrow_avx2(__m256i low, __m256i high, __m128i shift) {
        const __m256i both = _mm256_packs_epi32(_mm256_sra_epi32(low, shift), _mm256_sra_epi32(high, shift));
        return _mm256_max_epi16(_mm256_permute4x64_epi64(both, 0xd8), _mm256_setzero_si256());
    }

    static SNIFF_AVX2 void sniff_think_avx2(const sniff_fixed_net *net, const uint16_t *rows, int n,
                                            const int16_t *base, int32_t *totals) {
        const sniff_four sums = sniff_add_rows_avx2(net, rows, n, base, totals);
        const __m256i *bias = (const __m256i *)net->bias2;
        const __m128i shift = _mm_cvtsi32_si128(net->shift);
        int32_t pairs[32];
        uint32_t active = sniff_pairs_avx2(sums.a, pairs) | sniff_pairs_avx2(sums.b, pairs + 8) << 8
            | sniff_pairs_avx2(sums.c, pairs + 16) << 16 | sniff_pairs_avx2(sums.d, pairs + 24) << 24;
        __m256i a = _mm256_load_si256(bias), b = _mm256_load_si256(bias + 1);
        __m256i c = _mm256_load_si256(bias + 2), d = _mm256_load_si256(bias + 3);
        for (; active; active &= active - 1) {
            const int pair = __builtin_ctz(active);
            const __m256i x = _mm256_set1_epi32(pairs[pair]);
            const __m256i *row = (const __m256i *)(net->mix + pair * 64);
            a = _mm256_add_epi32(a, _mm256_madd_epi16(x, _mm256_load_si256(row)));
            b = _mm256_add_epi32(b, _mm256_madd_epi16(x, _mm256_load_si256(row + 1)));
            c = _mm256_add_epi32(c, _mm256_madd_epi16(x, _mm256_load_si256(row + 2)));
            d = _mm256_add_epi32(d, _mm256_madd_epi16(x, _mm256_load_si256(row + 3)));
        }
        a = sniff_narrow_avx2(a, b, shift);
        c = sniff_narrow_avx2(c, d, shift);
        for (int k = 0; k < net->outputs; k++) {
            const __m256i *out = (const __m256i *)(net->out + k * 32);
            const __m256i all = _mm256_add_epi32(_mm256_madd_epi16(a, _mm256_load_si256(out)),
                                                 _mm256_madd_epi16(c, _mm256_load_si256(out + 1)));
            __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
            sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
            sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
            totals[k] += _mm_cvtsi128_si32(sum);
        }
    }
    #endif

    static inline int32_t sniff_skips(const int32_t *skip, const uint16_t *rows, int n, int32_t total) {
        for (int i = 0; i < n; i++)
            total += skip[rows[i]];
        return total;
    }

    static inline void sniff_fixed_add(const sniff_fixed_net *net, const uint16_t *rows, int n, const int16_t *base,
                                       int16_t *sums, int32_t *total) {
    #if defined(SNIFF_AVX2)
        if (sniff_has_avx2) {
            sniff_add_avx2(net, rows, n, base, sums, total);
            return;
        }
    #endif
        sniff_add_plain(net, rows, n, base, sums, total);
    }

    static inline void sniff_fixed_think(const sniff_fixed_net *net, const uint16_t *rows, int n, const int16_t *base,
                                         int32_t *totals) {
    #if defined(SNIFF_AVX2)
        if (sniff_has_avx2) {
            sniff_think_avx2(net, rows, n, base, totals);
            return;
        }
    #endif
        sniff_think_plain(net, rows, n, base, totals);
    }
    """
    ctypedef struct FixedNet "sniff_fixed_net":
        int rows
        int outputs
        int shift
        float unit
        const int16_t *embed
        const int16_t *bias1
        const int16_t *mix
        const int16_t *out
        const int32_t *bias2
        const int32_t *skip
        const int32_t *bias3
    int32_t sum_skips "sniff_skips"(const int32_t *skip, const uint16_t *rows, int n, int32_t total) noexcept
    void add_fixed "sniff_fixed_add"(const FixedNet *net, const uint16_t *rows, int n, const int16_t *base,
                                     int16_t *sums, int32_t *total) noexcept
    void think "sniff_fixed_think"(const FixedNet *net, const uint16_t *rows, int n, const int16_t *base,
                                   int32_t *totals) noexcept

cdef inline void start_sums(const FixedNet *net, const uint16_t *rows, int n, int16_t *sums,
                            int32_t *skip) noexcept nogil:
    """The sums of the first layer over some rows, and what they skip to the first output."""
    skip[0] = net.bias3[0]
    add_fixed(net, rows, n, net.bias1, sums, skip)

cdef inline float fixed_value(const FixedNet *net, const uint16_t *rows, int n, const int16_t *base,
                              int32_t skip) noexcept nogil:
    """The only output for what :func:`start_sums` wrote and more rows."""
    think(net, rows, n, base, &skip)
    return skip * net.unit

cdef inline void fixed_values(const FixedNet *net, const uint16_t *rows, int n, float *values) noexcept nogil:
    """All outputs for the rows that are on."""
    cdef int32_t[MOST_OUTPUTS] totals
    cdef int k
    totals[0] = net.bias3[0]
    for k in range(1, net.outputs):
        totals[k] = sum_skips(net.skip + k * net.rows, rows, n, net.bias3[k])
    think(net, rows, n, net.bias1, totals)
    for k in range(net.outputs):
        values[k] = totals[k] * net.unit

cdef tuple fix_net(FixedNet *net, weights, int rows, int outputs, sums)
