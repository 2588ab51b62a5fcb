"""Play from a state to the end of the round by a simple policy (a *rollout*)."""

from sniffai_ext.layout cimport arm_weight, next_arm
from sniffai_ext.nth_bit cimport nth_bit
from sniffai_ext.rng cimport Rng, below, next64
from sniffai_ext.round cimport placeable, play
from sniffai_ext.types cimport (
    LEAD, LOW, MAX_ARMS, MAX_MOVES, NO_ARMS, POINTS, RUNNING, SUIT, State, int16_t, is_double, lowest, make_move,
    popcount, tile_pips, uint8_t, uint32_t, uint64_t,
)

# One kind of arm that some tile fits.
cdef struct Fit:
    uint32_t tiles
    uint8_t pips
    uint8_t kind

cdef inline int find_fits(const State *state, uint32_t tiles, Fit *fits) noexcept nogil:
    """The arms that a tile of ``tiles`` can join, equal arms once; not for the lead. Returns how many."""
    cdef uint32_t kinds = state.arms.kinds
    cdef int pips, kind, n = 0
    while kinds:
        kind = next_arm(&kinds, &pips)
        fits[n] = Fit(tiles & SUIT[pips], <uint8_t> pips, <uint8_t> kind)
        n += fits[n].tiles != 0
    return n

cdef inline uint8_t random_move(const State *state, Rng *rng) noexcept nogil:
    """Any distinct legal move, each with the same chance.

    All arms are looked at, the missing ones too, and a random number is drawn in any case, but taken from the generator
    only where there is a choice: none of this can be foretold, so there is no branch.
    """
    cdef uint32_t[MAX_ARMS] fits
    cdef int[MAX_ARMS] arm, before
    cdef uint32_t tiles = placeable(state)
    cdef uint32_t kinds = state.arms.kinds | NO_ARMS
    cdef int i, pick, at, tile, total = 0
    cdef Rng after = rng[0]
    if state.arms.open == 0:
        return make_move(lowest(nth_bit(tiles, below(rng, popcount(tiles)))), 0, LEAD)
    for i in range(MAX_ARMS):
        arm[i] = lowest(kinds)
        kinds &= kinds - 1
        fits[i] = tiles & SUIT[arm[i] >> 2]
        before[i] = total
        total += popcount(fits[i])
    pick = below(&after, total)
    rng.a = after.a if total > 1 else rng.a
    rng.b = after.b if total > 1 else rng.b
    at = (pick >= before[1]) + (pick >= before[2]) + (pick >= before[3])
    tile = lowest(nth_bit(fits[at], pick - before[at]))
    return make_move(tile, LOW[tile] != arm[at] >> 2, arm[at] & 3)

cdef inline uint8_t greedy_lead(uint32_t tiles, Rng *rng) noexcept nogil:
    cdef uint8_t[MAX_MOVES] best
    cdef int tile, points, most = -1, n = 0
    while tiles:
        tile = lowest(tiles)
        tiles &= tiles - 1
        points = POINTS[tile_pips(tile)]
        if points > most:
            most = points
            n = 0
        if points == most:
            best[n] = make_move(tile, 0, LEAD)
            n += 1
    return best[below(rng, n)]

cdef inline uint8_t greedy_move(const State *state, Rng *rng) noexcept nogil:
    """A move with the most points now; a random one of equal moves."""
    cdef Fit[MAX_ARMS] fits
    cdef uint8_t[MAX_MOVES] best
    cdef uint32_t tiles = placeable(state)
    cdef int i, n, tile, pips, base, points, most = -1, ties = 0
    if state.arms.open == 0:
        return greedy_lead(tiles, rng)
    n = find_fits(state, tiles, fits)
    for i in range(n):
        pips = fits[i].pips
        base = state.arms.count - arm_weight(pips, fits[i].kind)
        tiles = fits[i].tiles
        while tiles:
            tile = lowest(tiles)
            tiles &= tiles - 1
            points = POINTS[base + (tile_pips(tile) - pips << is_double(tile))]
            ties = 0 if points > most else ties
            most = max(most, points)
            best[ties] = make_move(tile, LOW[tile] != pips, fits[i].kind)
            ties += points == most
    return best[below(rng, ties)] if ties > 1 else best[0]

cdef inline void roll_out(State *state, uint32_t epsilon, Rng *rng) noexcept nogil:
    """Play to the end of the round, before the settlement: greedy moves, but random ones with a chance of
    epsilon / 65536."""
    while state.end == RUNNING:
        if epsilon and (next64(rng) & 0xffff) < epsilon:
            play(state, random_move(state, rng))
        else:
            play(state, greedy_move(state, rng))

cdef inline void roll_out_random(State *state, Rng *rng) noexcept nogil:
    """Play to the end of the round, before the settlement, by random moves."""
    while state.end == RUNNING:
        play(state, random_move(state, rng))

cdef enum:
    MOST_POSITIONS = 100000   # to measure on
    MOST_TIMES = 10000        # that all of them are gone through

cdef void deal(State *state, int players, int leader, const int16_t *scores, Rng *rng) noexcept nogil
cdef int some_positions(State *states, int count, int players, Rng *rng) noexcept nogil
