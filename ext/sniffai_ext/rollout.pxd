"""Play from a state to the end of the round by a simple policy (a *rollout*)."""

from sniffai_ext.layout cimport arm_weight, next_arm
from sniffai_ext.rng cimport Rng, below, next64
from sniffai_ext.round cimport choice, play
from sniffai_ext.types cimport (
    LEAD, LOW, MAX_ARMS, MAX_MOVES, POINTS, RUNNING, SUIT, State, int16_t, is_double, lowest, make_move, popcount,
    tile_pips, uint8_t, uint32_t, uint64_t,
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

cdef inline int nth_tile(uint32_t tiles, int n) noexcept nogil:
    """The n-th tile of a mask, counted from 0, of at most seven: a suit, or a hand before the lead.

    The steps are always the same, as a loop of n steps would end where no processor expects it.
    """
    cdef int step
    for step in range(6):
        tiles = tiles & (tiles - 1) if step < n else tiles
    return lowest(tiles)

cdef inline uint8_t random_move(const State *state, Rng *rng) noexcept nogil:
    """Any distinct legal move, each with the same chance."""
    cdef Fit[MAX_ARMS] fits
    cdef uint32_t tiles = choice(state)
    cdef int i, n, pick, tile, at = 0, upto = 0, before = 0, total = 0
    if state.arms.open == 0:
        return make_move(nth_tile(tiles, below(rng, popcount(tiles))), 0, LEAD)
    n = find_fits(state, tiles, fits)
    for i in range(n):
        total += popcount(fits[i].tiles)
    pick = below(rng, total) if total > 1 else 0
    for i in range(n - 1):
        upto += popcount(fits[i].tiles)
        at += pick >= upto
        before = upto if pick >= upto else before
    tile = nth_tile(fits[at].tiles, pick - before)
    return make_move(tile, LOW[tile] != fits[at].pips, fits[at].kind)

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
    cdef uint32_t tiles = choice(state)
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
