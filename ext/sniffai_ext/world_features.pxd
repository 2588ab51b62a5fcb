"""The input of the world-value net: the table just after a placement, all hands known, from the side of the seat that
placed. Its form is that of features.pxd: rows 0..world_net_rows(players) - 1, each on or off.

The draws and passes of the next turn have not happened yet; the talon is known as a set, not in its order.
"""

from sniffai_ext.features cimport (
    BEFORE_SNIFF, Scoring, arm_rows, capped, find_scoring, most_fives, next_seat, tile_rows,
)
from sniffai_ext.types cimport ALL_TILES, FITTING, TILES, State, popcount, uint16_t, uint32_t

cdef enum:
    # arm_rows writes rows COUNT..BEFORE_SNIFF of features.pxd; these begin where tiles stood there
    W_TALON = 0                              # tile in the talon                                           28
    W_TALON_SIZE = TILES                     # tiles in the talon, 0..14                                   15
    W_SEATS = BEFORE_SNIFF + 1               # a block for each seat, the one that placed first
    SEAT_TILES = 0                           # tile in its hand                                            28
    SEAT_SIZE = TILES                        # its tiles                                                   12
    SEAT_FITS = SEAT_SIZE + 12               # how many of them fit                                         9
    SEAT_MOST = SEAT_FITS + 9                # most points, in fives, that one of them scores               8
    SEAT_BLOCK = SEAT_MOST + 8

cdef inline int world_net_rows(int players) noexcept nogil:
    """How many rows there are for a number of seats."""
    return W_SEATS + players * SEAT_BLOCK

cdef inline int world_rows(const State *state, int seat, uint16_t *rows) noexcept nogil:
    """The rows that are on just after ``seat`` placed a tile. Returns how many."""
    cdef uint32_t held = state.table
    cdef uint32_t fitting = FITTING[state.arms.open]
    cdef Scoring scoring
    cdef int k, first, n, other = seat
    n = arm_rows(&state.arms, rows, 0)
    find_scoring(&state.arms, &scoring)
    for k in range(state.players):
        first = W_SEATS + k * SEAT_BLOCK
        held |= state.hand[other]
        n = tile_rows(state.hand[other], first + SEAT_TILES, rows, n)
        rows[n] = <uint16_t> (first + SEAT_SIZE + capped(popcount(state.hand[other]), 11))
        rows[n + 1] = <uint16_t> (first + SEAT_FITS + capped(popcount(state.hand[other] & fitting), 8))
        rows[n + 2] = <uint16_t> (first + SEAT_MOST + capped(most_fives(&scoring, state.hand[other]), 7))
        n += 3
        other = next_seat(state, other)
    n = tile_rows(ALL_TILES & ~held, W_TALON, rows, n)
    rows[n] = <uint16_t> (W_TALON_SIZE + state.talon_end - state.talon_next)
    return n + 1
