"""The value of a known world: what a small net expects of the rest of the round when all hands are seen."""

from sniffai_ext.net cimport WIDE, Net, add_rows, net_value, start_sum
from sniffai_ext.policy cimport NET_SCALE
from sniffai_ext.types cimport State, uint16_t
from sniffai_ext.features cimport MAX_ROWS
from sniffai_ext.world_features cimport world_rows

cdef inline float world_value(const Net *net, const State *state, int seat) noexcept nogil:
    """What the team of ``seat``, which has just placed a tile, gains from here to the end of the round, in points (the
    utility of :mod:`sniffai_ext.search`). The next turn's draws and passes have not happened yet."""
    cdef float[WIDE] acc
    cdef uint16_t[MAX_ROWS] rows
    cdef float skip
    cdef int n = world_rows(state, seat, rows)
    start_sum(net, acc, &skip)
    add_rows(net, rows, n, acc, &skip)
    return NET_SCALE * net_value(net, acc, skip)

cdef class WorldValue:
    cdef Net net
    cdef readonly int players
    cdef float[::1] weights
