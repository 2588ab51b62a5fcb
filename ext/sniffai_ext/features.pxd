"""The input of the policy net: the table after a move that the mover considers, as the mover knows it.

The input is a list of *rows*: indices 0..net_rows(players) - 1, each on or off. The number at the right end of a line
below says how many rows a group has. A number that is too large for its group counts as the largest one there.

Everything comes from public facts and the mover's own hand: sizes, void suits, tiles on the table, open arms. Some rows
of a decision are the same for every move (:func:`base_rows`), the others depend on the move (:func:`move_rows`).
"""

from sniffai_ext.layout cimport arm_weight, next_arm, singles_at
from sniffai_ext.types cimport (
    ALL_DOUBLES, ALL_TILES, DOUBLE, FITTING, LINE_ARMS, MAX_ARMS, NO_SNIFF, PIPS, POINTS, SUIT, TILES, Arms, State,
    lowest, popcount, uint16_t, uint32_t,
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

# What can score now: each tile that does, alone in a mask, and its points. A tile may score at several arms.
cdef struct Scoring:
    int count
    uint32_t[3 * MAX_ARMS] tile
    int[3 * MAX_ARMS] points
    uint32_t tiles                           # all of them

cdef inline void add_scoring(Scoring *scoring, int pips, int base) noexcept nogil:
    """Add what scores when joined at an arm of ``pips``; ``base``: the count less its weight.

    What does not score is written, too, and then overwritten: a branch could not be foretold.
    """
    cdef int n = scoring.count
    cdef int other = 4 - (base + 4) % 5      # these pips, and 5 more, make a multiple of 5
    scoring.tile[n] = SUIT[pips] & SUIT[other]
    scoring.points[n] = base + other
    n += (other != pips) & (base + other > 0)
    if other < 2:
        scoring.tile[n] = SUIT[pips] & SUIT[other + 5]
        scoring.points[n] = base + other + 5
        n += other + 5 != pips
    scoring.tile[n] = SUIT[pips] & ALL_DOUBLES
    scoring.points[n] = base + 2 * pips
    n += POINTS[base + 2 * pips] > 0
    scoring.count = n

cdef inline void find_scoring(const Arms *arms, Scoring *scoring) noexcept nogil:
    """List what can score now."""
    cdef uint32_t kinds = arms.kinds
    cdef int i, pips, kind
    scoring.count = 0
    scoring.tiles = 0
    while kinds:
        kind = next_arm(&kinds, &pips)
        add_scoring(scoring, pips, arms.count - arm_weight(pips, kind))
    for i in range(scoring.count):
        scoring.tiles |= scoring.tile[i]

cdef inline int most_points(const Scoring *scoring, uint32_t among) noexcept nogil:
    """The most points that a tile of ``among`` scores now, 0 without any."""
    cdef int i, points, most = 0
    for i in range(scoring.count):
        points = scoring.points[i] if among & scoring.tile[i] else 0
        most = points if points > most else most
    return most

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
    cdef uint32_t kinds = arms.kinds & ~<uint32_t> LINE_ARMS
    cdef int pips, count
    while kinds:
        if next_arm(&kinds, &pips) == DOUBLE:
            rows[n] = <uint16_t> (DOUBLES + pips)
            n += 1
            continue
        for count in range(capped(singles_at(arms, pips), 3)):
            rows[n] = <uint16_t> (SINGLES + 3 * pips + count)
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
    cdef Scoring scoring
    cdef int n = arm_rows(after, rows, 0)
    rows[n] = <uint16_t> (OWN_FITS + capped(popcount(own & fitting), 8))
    rows[n + 1] = <uint16_t> (OPEN_FITS + capped(popcount(unseen & fitting), 15))
    rows[n + 2] = <uint16_t> (NEXT_FITS + capped(popcount(reply & fitting), 15))
    find_scoring(after, &scoring)
    rows[n + 3] = <uint16_t> (REPLY_MOST + capped(most_points(&scoring, reply) // 5, 7))
    rows[n + 4] = <uint16_t> (REPLY_TILES + capped(popcount(reply & scoring.tiles), 8))
    rows[n + 5] = <uint16_t> (OWN_MOST + capped(most_points(&scoring, own) // 5, 7))
    rows[n + 6] = <uint16_t> (OWN_SCORING + capped(popcount(own & scoring.tiles), 8))
    return n + 7
