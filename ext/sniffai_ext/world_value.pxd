"""The value of a known world: what a small net expects of the rest of the round when all hands are known."""

from sniffai_ext.fixed_net cimport FixedNet, fixed_values
from sniffai_ext.net cimport MOST_OUTPUTS
from sniffai_ext.policy cimport NET_SCALE
from sniffai_ext.trained_net cimport TrainedNet
from sniffai_ext.types cimport State, uint16_t
from sniffai_ext.features cimport MAX_ROWS
from sniffai_ext.world_features cimport world_rows

cdef inline int world_outputs(int players) noexcept nogil:
    """Number of outputs: the value for the seat that placed; with 3 seats also that of the next seat, as the first
    one does not say which of the other seats loses it."""
    return 2 if players == 3 else 1

cdef inline void world_values(const FixedNet *net, const State *state, int seat, double *values) noexcept nogil:
    """By team, what it gains from here to the end of the round, in points (the utility of :mod:`sniffai_ext.search`).

    ``seat`` has just placed a tile; the next turn's draws and passes have not happened yet.
    """
    cdef uint16_t[MAX_ROWS] rows
    cdef float[MOST_OUTPUTS] output
    cdef int n = world_rows(state, seat, rows)
    fixed_values(net, rows, n, output)
    values[seat if net.outputs == 2 else seat & 1] = NET_SCALE * output[0]
    if net.outputs == 2:
        values[(seat + 1) % 3] = NET_SCALE * output[1]
        values[(seat + 2) % 3] = -NET_SCALE * (output[0] + output[1])
    else:
        values[1 - (seat & 1)] = -NET_SCALE * output[0]

cdef class WorldValue(TrainedNet):
    pass
