"""Play from a state to the end of the round by a simple policy (a *rollout*)."""

from sniffai_ext.layout cimport arm_weight, has_double, has_line, singles_at
from sniffai_ext.rng cimport Rng, below, next64
from sniffai_ext.round cimport choice, play
from sniffai_ext.types cimport (
    DOUBLE, HIGH, LEAD, LINE, LOW, MAX_ARMS, MAX_MOVES, POINTS, RUNNING, SINGLE, SUIT, State, int16_t, lowest,
    make_move, popcount, tile_pips, uint8_t, uint32_t, uint64_t,
)

# One kind of arm that some tile fits.
cdef struct Fit:
    uint32_t tiles
    uint8_t pips
    uint8_t kind

cdef inline int find_fits(const State *state, uint32_t tiles, Fit *fits) noexcept nogil:
    """The arms that a tile of ``tiles`` can join, equal arms once; not for the lead. Returns how many."""
    cdef uint32_t open = state.arms.open
    cdef uint32_t fitting
    cdef int pips, n = 0
    while open:
        pips = lowest(open)
        open &= open - 1
        fitting = tiles & SUIT[pips]
        if fitting == 0:
            continue
        if singles_at(&state.arms, pips):
            fits[n] = Fit(fitting, <uint8_t> pips, SINGLE)
            n += 1
        if has_double(&state.arms, pips):
            fits[n] = Fit(fitting, <uint8_t> pips, DOUBLE)
            n += 1
        if has_line(&state.arms, pips):
            fits[n] = Fit(fitting, <uint8_t> pips, LINE)
            n += 1
    return n

cdef inline int nth_tile(uint32_t tiles, int n) noexcept nogil:
    """The n-th tile of a mask, counted from 0."""
    while n:
        tiles &= tiles - 1
        n -= 1
    return lowest(tiles)

cdef inline uint8_t random_move(const State *state, Rng *rng) noexcept nogil:
    """Any distinct legal move, each with the same chance."""
    cdef Fit[MAX_ARMS] fits
    cdef uint32_t tiles = choice(state)
    cdef int i, n, total = 0
    cdef int pick, tile
    if state.arms.open == 0:
        return make_move(nth_tile(tiles, below(rng, popcount(tiles))), 0, LEAD)
    n = find_fits(state, tiles, fits)
    if n == 1:
        pick = popcount(fits[0].tiles)
        pick = below(rng, pick) if pick > 1 else 0
        i = 0
    else:
        for i in range(n):
            total += popcount(fits[i].tiles)
        pick = below(rng, total)
        i = 0
        while pick >= popcount(fits[i].tiles):
            pick -= popcount(fits[i].tiles)
            i += 1
    tile = nth_tile(fits[i].tiles, pick)
    return make_move(tile, LOW[tile] != fits[i].pips, fits[i].kind)

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
    cdef int i, n, tile, pips, base, count, points, most = -1, ties = 0
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
            count = base + (2 * pips if LOW[tile] == HIGH[tile] else LOW[tile] + HIGH[tile] - pips)
            points = POINTS[count]
            if points > most:
                most = points
                ties = 0
            if points == most:
                best[ties] = make_move(tile, LOW[tile] != pips, fits[i].kind)
                ties += 1
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

cdef void deal(State *state, int players, int leader, const int16_t *scores, Rng *rng) noexcept nogil
