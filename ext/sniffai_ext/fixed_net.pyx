"""How a trained net is rounded to whole numbers, see fixed_net.pxd: once, when it is loaded.

Each layer gets the largest whole factor with which no sum can overflow, whichever rows are on: the bounds add up all
weights of one sign.
"""

from sniffai_ext.errors import LimitsError

cdef enum:
    SHORT = 32767             # the largest 16-bit number
    LONG = 2147483647         # the largest 32-bit number
    LEAST_FACTOR = 16         # of a layer: with less, little would be left of its weights
    MOST_FACTOR = 1 << 14     # more would be lost in float16, in which weights are stored
    LINE = 64                 # bytes of a line of memory


cdef object factor_for(str layer, limits):
    """The largest factor for a layer.

    :param layer: its name in the error.
    :param limits: ``(most, bound, allowance)``: the bound, times the factor, and what rounding may add, make ``most``
        together at most.
    :raises LimitsError: it is too small.
    """
    factor = float(MOST_FACTOR)
    for most, bound, allowance in limits:
        if bound > 0:
            factor = min(factor, (most - allowance) / bound)
    if factor < LEAST_FACTOR:
        raise LimitsError(f"the weights of the {layer} are too large to be rounded to 16 bits", reason="OUT_OF_RANGE",
                          field="weights")
    return int(factor)


cdef tuple parts(weights, int rows, int outputs):
    """The arrays of a net, in the order of net.pxd, in float64."""
    import numpy as np

    sizes = [rows * WIDE, outputs * rows, WIDE, WIDE * NARROW, NARROW, outputs * NARROW, outputs]
    embed, skip, bias1, mix, bias2, out, bias3 = np.split(np.asarray(weights, np.float64), np.cumsum(sizes)[:-1])
    return (embed.reshape(rows, WIDE), skip.reshape(outputs, rows), bias1, mix.reshape(WIDE, NARROW), bias2,
            out.reshape(outputs, NARROW), bias3)


cdef object whole(array, factor):
    import numpy as np

    return np.rint(array * float(factor)).astype(np.int64)


cdef object most_of(array, bias):
    """The most that a sum over all of an array's weights or some of them can be, for each unit."""
    import numpy as np

    return np.maximum(array, 0).sum(axis=0) + np.maximum(bias, 0)


cdef tuple rounded(weights, int rows, int outputs):
    """The arrays of a net in whole numbers.

    :param weights: of a net of net.pxd, finite.
    :return: ``(embed, skip, bias1, mix, bias2, out, bias3, shift, unit)``: arrays of whole numbers, the bits that the
        second layer is shifted by, and what 1 of an output stands for.
    :raises LimitsError: weights are too large.
    """
    import numpy as np

    embed, skip, bias1, mix, bias2, out, bias3 = parts(weights, rows, outputs)
    reach = max(most_of(embed, bias1).max(), most_of(-embed, -bias1).max())
    first = factor_for("first layer", [(SHORT, reach, rows / 2.0 + 1)])
    embed, bias1 = whole(embed, first), whole(bias1, first)
    units = most_of(embed, bias1)[:, None]                           # the most that each unit of the first layer can be
    reach = max(most_of(units * mix, first * bias2).max(), most_of(units * -mix, first * -bias2).max())
    second = factor_for("second layer", [(SHORT, np.abs(mix).max(), 1), (LONG, reach, units.sum() + SHORT)])
    mix, bias2 = whole(mix, second), whole(bias2, first * second)
    units = most_of(units * mix, bias2)                              # the same of the second layer
    shift = max(0, int(units.max()).bit_length() - 15)
    bias2 += (1 << shift) >> 1
    units = (units >> shift) + 1
    scale = first * second / (1 << shift)
    reach = (np.abs(out) @ units).max() + scale * (np.abs(skip).sum(axis=1) + np.abs(bias3)).max()
    third = factor_for("outputs", [(SHORT, np.abs(out).max(), 1), (LONG, reach, units.sum() + rows)])
    scale *= third
    return embed, whole(skip, scale), bias1, mix, bias2, whole(out, third), whole(bias3, scale), shift, 1 / scale


cdef object one_block(kind, arrays):
    """Arrays one behind the other in a new one that begins where a line of memory does."""
    import numpy as np

    numbers = np.concatenate([array.reshape(-1) for array in arrays])
    room = np.empty(len(numbers) + LINE, kind)
    start = -room.ctypes.data % LINE // room.itemsize
    block = room[start:start + len(numbers)]
    block[:] = numbers
    return block


cdef tuple fix_net(FixedNet *net, weights, int rows, int outputs, sums):
    """Round a net; returns the arrays that hold its numbers, which must live as long.

    :param weights: of a net of net.pxd, finite.
    :param sums: float64 ``[rows that are asked for, rows]``: how often each row counts in each of those; None: they are
        the net's own.
    :raises LimitsError: weights are too large.
    """
    import numpy as np

    cdef int16_t[::1] short_block
    cdef int32_t[::1] long_block
    embed, skip, bias1, mix, bias2, out, bias3, net.shift, net.unit = rounded(weights, rows, outputs)
    if sums is not None:
        embed, skip = sums @ embed, skip @ sums.T                 # in float64, which is exact here
    pairs = mix.reshape(WIDE // 2, 2, NARROW).transpose(0, 2, 1)
    shorts = one_block(np.int16, (embed, bias1, pairs, out))
    longs = one_block(np.int32, (bias2, skip, bias3))
    short_block, long_block = shorts, longs
    net.rows, net.outputs = len(embed), outputs
    net.embed = &short_block[0]
    net.bias1 = net.embed + net.rows * WIDE
    net.mix = net.bias1 + WIDE
    net.out = net.mix + WIDE * NARROW
    net.bias2 = &long_block[0]
    net.skip = net.bias2 + NARROW
    net.bias3 = net.skip + outputs * net.rows
    return shorts, longs
