"""The input of the policy net: the table after a move that the mover considers, as the mover knows it.

The input is a list of *rows*: indices 0..net_rows(players) - 1, each on or off. The number at the right end of a line
below says how many rows a group has. A number that is too large for its group counts as the largest one there.

Everything comes from public facts and the mover's own hand: sizes, void suits, tiles on the table, open arms. Some rows
of a decision are the same for every move (:func:`base_rows`), the others depend on the move (:func:`move_rows`).
"""

from sniffai_ext.layout cimport arm_weight, has_double, has_line, singles_at
from sniffai_ext.types cimport (
    ALL_TILES, DOUBLE, FITTING, LINE, NO_SNIFF, PIPS, POINTS, SINGLE, TILES, Arms, State, lowest, popcount, uint8_t,
    uint16_t, uint32_t,
)

cdef enum:
    OWN = 0                                  # tile of the own hand, after the move                        28
    UNSEEN = OWN + TILES                     # tile that the mover has not seen                            28
    COUNT = UNSEEN + TILES                   # the count after the move                                    40
    COUNT_MOD = COUNT + 40                   # the same modulo 5                                            5
    SINGLES = COUNT_MOD + 5                  # by pips: at least 1, 2, 3 SINGLE arms                       21
    DOUBLES = SINGLES + 3 * PIPS             # by pips: a DOUBLE arm                                        7
    LINES = DOUBLES + PIPS                   # by pips of the sniff: 1 or 2 line ports open                14
    BEFORE_SNIFF = LINES + 2 * PIPS          # no double has been played                                    1
    OWN_FITS = BEFORE_SNIFF + 1              # how many own tiles fit after the move                        9
    OPEN_FITS = OWN_FITS + 9                 # how many unseen tiles fit                                   16
    NEXT_FITS = OPEN_FITS + 16               # how many of those the next seat may hold                    16
    REPLY_MOST = NEXT_FITS + 16              # most points, in fives, that one of those scores              8
    REPLY_TILES = REPLY_MOST + 8             # how many of those score                                      9
    OWN_MOST = REPLY_TILES + 9               # most points, in fives, that an own tile would score next     8
    OWN_SCORING = OWN_MOST + 8               # how many own tiles would score                               9
    TALON_SIZE = OWN_SCORING + 9             # tiles in the talon                                          15
    OWN_SIZE = TALON_SIZE + 15               # own tiles after the move                                    12
    OTHERS = OWN_SIZE + 12                   # from here on a block for each other seat, in turn order
    OTHER_VOID = 0                           # unseen tile that the seat is known not to hold              28
    OTHER_SIZE = TILES                       # its tiles                                                   12
    OTHER_BLOCK = TILES + 12
    MAX_ROWS = 160                           # rows on at the same time: far below

cdef inline int net_rows(int players) noexcept nogil:
    """How many rows there are for a number of seats."""
    return OTHERS + (players - 1) * OTHER_BLOCK

cdef inline int capped(int value, int most) noexcept nogil:
    return value if value < most else most

cdef inline int tile_index(int a, int b) noexcept nogil:
    return a * (13 - a) // 2 + b if a < b else b * (13 - b) // 2 + a

cdef inline uint32_t scoring_at(uint32_t among, int pips, int base, int *most) noexcept nogil:
    """The tiles of ``among`` that score when joined at an arm of ``pips``; ``base``: the count less its weight."""
    cdef uint32_t scoring = 0
    cdef int other = (5 - base % 5) % 5
    cdef int tile
    while other <= 6:
        tile = tile_index(pips, other)
        if other != pips and among >> tile & 1 and base + other > 0:
            scoring |= <uint32_t> 1 << tile
            if base + other > most[0]:
                most[0] = base + other
        other += 5
    tile = tile_index(pips, pips)
    if among >> tile & 1 and POINTS[base + 2 * pips]:
        scoring |= <uint32_t> 1 << tile
        if base + 2 * pips > most[0]:
            most[0] = base + 2 * pips
    return scoring

cdef inline uint32_t scoring_tiles(const Arms *arms, uint32_t among, int *most) noexcept nogil:
    """The tiles of ``among`` that can score now, and the most points that one scores (0 without any)."""
    cdef uint32_t open = arms.open, scoring = 0
    cdef int pips
    most[0] = 0
    while open:
        pips = lowest(open)
        open &= open - 1
        if singles_at(arms, pips):
            scoring |= scoring_at(among, pips, arms.count - pips, most)
        if has_double(arms, pips):
            scoring |= scoring_at(among, pips, arms.count - 2 * pips, most)
        if has_line(arms, pips):
            scoring |= scoring_at(among, pips, arms.count, most)
    return scoring

cdef inline int tile_rows(uint32_t tiles, int first, uint16_t *rows, int n) noexcept nogil:
    while tiles:
        rows[n] = <uint16_t> (first + lowest(tiles))
        tiles &= tiles - 1
        n += 1
    return n

cdef inline uint32_t unseen_by(const State *state, int seat) noexcept nogil:
    return ALL_TILES & ~(state.hand[seat] | state.table)

cdef inline int next_seat(const State *state, int seat) noexcept nogil:
    return seat + 1 if seat + 1 < state.players else 0

cdef inline int base_rows(const State *state, int seat, uint16_t *rows) noexcept nogil:
    """The rows that hold for every candidate of ``seat``; its own hand is not among them. Returns how many."""
    cdef uint32_t unseen = unseen_by(state, seat)
    cdef int k, first, other = seat
    cdef int n = tile_rows(unseen, UNSEEN, rows, 0)
    rows[n] = <uint16_t> (TALON_SIZE + state.talon_end - state.talon_next)
    rows[n + 1] = <uint16_t> (OWN_SIZE + capped(popcount(state.hand[seat]) - 1, 11))
    n += 2
    for k in range(state.players - 1):
        other = next_seat(state, other)
        first = OTHERS + k * OTHER_BLOCK
        n = tile_rows(unseen & FITTING[state.void_pips[other]], first + OTHER_VOID, rows, n)
        rows[n] = <uint16_t> (first + OTHER_SIZE + capped(popcount(state.hand[other]), 11))
        n += 1
    return n

cdef inline int arm_rows(const Arms *arms, uint16_t *rows, int n) noexcept nogil:
    cdef uint32_t open = arms.open
    cdef int pips, count
    while open:
        pips = lowest(open)
        open &= open - 1
        for count in range(capped(singles_at(arms, pips), 3)):
            rows[n] = <uint16_t> (SINGLES + 3 * pips + count)
            n += 1
        if has_double(arms, pips):
            rows[n] = <uint16_t> (DOUBLES + pips)
            n += 1
    if arms.sniff == NO_SNIFF:
        rows[n] = BEFORE_SNIFF
        n += 1
    elif arms.lines:
        rows[n] = <uint16_t> (LINES + 2 * arms.sniff + arms.lines - 1)
        n += 1
    rows[n] = <uint16_t> (COUNT + capped(arms.count, 39))
    rows[n + 1] = <uint16_t> (COUNT_MOD + arms.count % 5)
    return n + 2

cdef inline int move_rows(const State *state, int seat, const Arms *after, uint32_t own, uint16_t *rows) noexcept nogil:
    """The rows that a candidate decides: ``after`` are the arms and ``own`` the hand when it is done. Returns how
    many."""
    cdef uint32_t unseen = unseen_by(state, seat)
    cdef uint32_t fitting = FITTING[after.open]
    cdef uint32_t reply = unseen & ~FITTING[state.void_pips[next_seat(state, seat)]]
    cdef uint32_t scoring
    cdef int most, n = arm_rows(after, rows, 0)
    rows[n] = <uint16_t> (OWN_FITS + capped(popcount(own & fitting), 8))
    rows[n + 1] = <uint16_t> (OPEN_FITS + capped(popcount(unseen & fitting), 15))
    rows[n + 2] = <uint16_t> (NEXT_FITS + capped(popcount(reply & fitting), 15))
    scoring = scoring_tiles(after, reply, &most)
    rows[n + 3] = <uint16_t> (REPLY_MOST + capped(most // 5, 7))
    rows[n + 4] = <uint16_t> (REPLY_TILES + capped(popcount(scoring), 8))
    scoring = scoring_tiles(after, own, &most)
    rows[n + 5] = <uint16_t> (OWN_MOST + capped(most // 5, 7))
    rows[n + 6] = <uint16_t> (OWN_SCORING + capped(popcount(scoring), 8))
    return n + 7
