"""A small net over rows that are on or off: rows -> 64 ReLU -> 32 ReLU -> one number, with a linear skip from the rows.

All weights lie in one block of floats:

    embed [rows, 64] | skip [rows] | bias1 [64] | mix [64, 32] | bias2 [32] | out [32] | bias3 [1]

The rows of ``mix`` belong to inputs, so that a silent unit costs nothing and the inner loops need no reordering of sums:
the same weights give the same bits with every compiler that follows IEEE 754.
"""

from sniffai_ext.types cimport uint16_t

cdef enum:
    WIDE = 64
    NARROW = 32

cdef struct Net:
    int rows
    float *embed
    float *skip
    float *bias1
    float *mix
    float *bias2
    float *out
    float *bias3

cdef inline int net_size(int rows) noexcept nogil:
    """Floats that a net takes."""
    return rows * WIDE + rows + WIDE + WIDE * NARROW + NARROW + NARROW + 1

cdef inline void lay_out(Net *net, float *block, int rows) noexcept nogil:
    """Point a net into its block of weights."""
    net.rows = rows
    net.embed = block
    net.skip = net.embed + rows * WIDE
    net.bias1 = net.skip + rows
    net.mix = net.bias1 + WIDE
    net.bias2 = net.mix + WIDE * NARROW
    net.out = net.bias2 + NARROW
    net.bias3 = net.out + NARROW

cdef inline void start_sum(const Net *net, float *acc, float *skip) noexcept nogil:
    cdef int i
    for i in range(WIDE):
        acc[i] = net.bias1[i]
    skip[0] = net.bias3[0]

cdef inline void add_row(const Net *net, int row, float *acc, float *skip) noexcept nogil:
    cdef int i
    cdef const float *weights = net.embed + row * WIDE
    for i in range(WIDE):
        acc[i] += weights[i]
    skip[0] += net.skip[row]

cdef inline void take_row(const Net *net, int row, float *acc, float *skip) noexcept nogil:
    cdef int i
    cdef const float *weights = net.embed + row * WIDE
    for i in range(WIDE):
        acc[i] -= weights[i]
    skip[0] -= net.skip[row]

cdef inline void add_rows(const Net *net, const uint16_t *rows, int n, float *acc, float *skip) noexcept nogil:
    cdef int i
    for i in range(n):
        add_row(net, rows[i], acc, skip)

cdef inline void narrow_sums(const Net *net, const float *acc, float *narrow) noexcept nogil:
    """The sums of the second layer, before its ReLU."""
    cdef int i, j
    cdef const float *weights
    for j in range(NARROW):
        narrow[j] = net.bias2[j]
    for i in range(WIDE):
        if acc[i] > 0:
            weights = net.mix + i * NARROW
            for j in range(NARROW):
                narrow[j] += acc[i] * weights[j]

cdef inline float net_value(const Net *net, const float *acc, float skip) noexcept nogil:
    """The output for the sums of the first layer."""
    cdef float[NARROW] narrow
    cdef float total = skip
    cdef int j
    narrow_sums(net, acc, narrow)
    for j in range(NARROW):
        if narrow[j] > 0:
            total += narrow[j] * net.out[j]
    return total
