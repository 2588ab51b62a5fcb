"""A fast policy: the points of a move now, and what a small net expects of the round after it."""

from libc.math cimport expf

from sniffai_ext.features cimport MAX_ROWS, OWN, base_rows, move_rows, tile_rows
from sniffai_ext.layout cimport join
from sniffai_ext.net cimport WIDE, Net, add_rows, net_value, start_sum, take_row
from sniffai_ext.rng cimport Rng, uniform
from sniffai_ext.round cimport legal_moves
from sniffai_ext.trained_net cimport TrainedNet
from sniffai_ext.types cimport MAX_MOVES, Arms, State, move_tile, uint8_t, uint16_t, uint32_t

cdef enum:
    NET_SCALE = 20        # points that one unit of a net's output stands for

cdef inline void rate_moves(const Net *net, const State *state, const uint8_t *moves, int count,
                            float *values) noexcept nogil:
    """For each move, what it should bring the mover's team from now to the end of the round, in points (the utility of
    :mod:`sniffai_ext.search`). Looks at nothing that the seat to move may not know."""
    cdef float[WIDE] base
    cdef float[WIDE] acc
    cdef uint16_t[MAX_ROWS] rows
    cdef float base_skip, skip
    cdef Arms after
    cdef uint32_t own = state.hand[state.seat]
    cdef int i, n, tile, points
    start_sum(net, base, &base_skip)
    n = base_rows(state, state.seat, rows)
    n = tile_rows(own, OWN, rows, n)
    add_rows(net, rows, n, base, &base_skip)
    for i in range(count):
        tile = move_tile(moves[i])
        after = state.arms
        points = join(&after, moves[i])
        acc = base
        skip = base_skip
        take_row(net, OWN + tile, acc, &skip)
        n = move_rows(state, state.seat, &after, own & ~(<uint32_t> 1 << tile), rows)
        add_rows(net, rows, n, acc, &skip)
        values[i] = points + NET_SCALE * net_value(net, acc, skip)

cdef inline int first_best(const float *values, int count) noexcept nogil:
    """The index of the highest value; the first of equal ones."""
    cdef int i, best = 0
    for i in range(1, count):
        if values[i] > values[best]:
            best = i
    return best

cdef inline uint8_t best_move(const Net *net, const State *state) noexcept nogil:
    """The move with the highest rating; the first of equal ones."""
    cdef uint8_t[MAX_MOVES] moves
    cdef float[MAX_MOVES] values
    cdef int count = legal_moves(state, moves)
    if count == 1:
        return moves[0]
    rate_moves(net, state, moves, count, values)
    return moves[first_best(values, count)]

cdef inline int draw_by_softmax(const float *values, int count, float temperature, Rng *rng) noexcept nogil:
    """An index drawn from softmax(values / temperature)."""
    cdef float[MAX_MOVES] weights
    cdef float most = values[0], total = 0, ticket
    cdef int i
    for i in range(1, count):
        if values[i] > most:
            most = values[i]
    for i in range(count):
        weights[i] = expf((values[i] - most) / temperature)
        total += weights[i]
    ticket = <float> uniform(rng) * total
    for i in range(count - 1):
        ticket -= weights[i]
        if ticket < 0:
            return i
    return count - 1

cdef extern from * nogil:
    """
    #define SNIFF_FOLLOW 1.5f
    """
    const float FOLLOW_TEMPERATURE "SNIFF_FOLLOW"   # of the policy that the other seats of a search follow, in points

cdef inline uint8_t draw_reply(const Net *net, const State *state, Rng *rng) noexcept nogil:
    """A move of a seat that follows the policy, drawn by softmax(rating / FOLLOW_TEMPERATURE)."""
    cdef uint8_t[MAX_MOVES] moves
    cdef float[MAX_MOVES] values
    cdef int pick = 0, count = legal_moves(state, moves)
    if count > 1:
        rate_moves(net, state, moves, count, values)
        pick = draw_by_softmax(values, count, FOLLOW_TEMPERATURE, rng)
    return moves[pick]

cdef class Policy(TrainedNet):
    pass
