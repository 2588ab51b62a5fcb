"""A fast policy: the points of a move now, and what a small net expects of the round after it."""

from libc.math cimport expf

from sniffai_ext.features cimport MAX_ROWS, Facts, find_facts, replying, unseen_by
from sniffai_ext.joint_features cimport MOVE_ROWS, joint_base_rows, joint_move_rows
from sniffai_ext.layout cimport join
from sniffai_ext.fixed_net cimport FixedNet, fixed_value, start_sums
from sniffai_ext.net cimport WIDE
from sniffai_ext.rng cimport Rng, uniform
from sniffai_ext.round cimport legal_moves
from sniffai_ext.trained_net cimport TrainedNet
from sniffai_ext.types cimport MAX_MOVES, Arms, State, int16_t, int32_t, move_tile, uint8_t, uint16_t, uint32_t

cdef enum:
    NET_SCALE = 20        # points that one unit of a net's output stands for

cdef inline void rate_moves(const FixedNet *net, const State *state, const uint8_t *moves, int count,
                            float *values) noexcept nogil:
    """For each move, what it should bring the mover's team from now to the end of the round, in points (the utility of
    :mod:`sniffai_ext.search`). Looks at nothing that the seat to move may not know."""
    cdef int16_t[WIDE] base
    cdef uint16_t[MAX_ROWS] rows
    cdef int32_t base_skip
    cdef Arms after
    cdef Facts facts
    cdef uint32_t own = state.hand[state.seat], unseen = unseen_by(state, state.seat)
    cdef uint32_t reply = replying(state, state.seat, unseen)
    cdef int i, n, points
    n = joint_base_rows(state, state.seat, rows)
    start_sums(net, rows, n, base, &base_skip)
    for i in range(count):
        after = state.arms
        points = join(&after, moves[i])
        find_facts(&after, own & ~(<uint32_t> 1 << move_tile(moves[i])), unseen, reply, &facts)
        joint_move_rows(&state.arms, &after, moves[i], &facts, rows)
        values[i] = points + NET_SCALE * fixed_value(net, rows, MOVE_ROWS, base, base_skip)

cdef inline int first_best(const float *values, int count) noexcept nogil:
    """The index of the highest value; the first of equal ones."""
    cdef int i, best = 0
    for i in range(1, count):
        if values[i] > values[best]:
            best = i
    return best

cdef inline uint8_t best_move(const FixedNet *net, const State *state) noexcept nogil:
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

cdef inline uint8_t draw_reply(const FixedNet *net, const State *state, Rng *rng) noexcept nogil:
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
