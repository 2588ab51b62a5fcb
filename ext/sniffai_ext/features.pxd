"""The input of the policy net: the table after a move that the mover considers, as the mover knows it.

The input is a list of *rows*: indices 0..net_rows(players) - 1, each on or off. The number at the right end of a line
below says how many rows a group has. A number that is too large for its group counts as the largest one there.

Everything comes from public facts and the mover's own hand: sizes, void suits, tiles on the table, open arms. Some rows
of a decision are the same for every move (:func:`base_rows`), the others depend on the move (:func:`move_rows`).
"""

from sniffai_ext.layout cimport arm_weight, next_arm, singles_at
from sniffai_ext.types cimport (
    ALL_TILES, DOUBLE, FITTING, LINE_ARMS, MAX_ARMS, NO_SNIFF, PIPS, TILES, Arms, State, highest, lowest, popcount,
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

cdef extern from * nogil:
    """
    /* The tiles that score when joined at an arm: up to two plain ones, then the double of its pips; a tile that is
     * none holds no bit. Bit n: it scores n fives more than the count less the arm's weight, rounded up. The first
     * index is 0 where that count is 0, else 1 to 5: its remainder by 5, with 5 for 0; the second one the pips.
     */
    typedef struct { uint32_t tile[4], fives[4]; } sniff_scoring;

    static const sniff_scoring SNIFF_SCORING[6][7] = {
        {{{0, 0x20, 0, 0}, {0, 2, 0, 0}},
         {{0, 0x800, 0, 0}, {0, 2, 0, 0}},
         {{0, 0x10000, 0, 0}, {0, 2, 0, 0}},
         {{0, 0x100000, 0, 0}, {0, 2, 0, 0}},
         {{0, 0x800000, 0, 0}, {0, 2, 0, 0}},
         {{0, 0, 0x2000000, 0}, {0, 0, 4, 0}},
         {{0, 0x4000000, 0, 0}, {0, 2, 0, 0}}},
        {{{0x10, 0, 0, 0}, {1, 0, 0, 0}},
         {{0x400, 0, 0, 0}, {1, 0, 0, 0}},
         {{0x8000, 0, 0x2000, 0}, {1, 0, 1, 0}},
         {{0x80000, 0, 0, 0}, {1, 0, 0, 0}},
         {{0, 0, 0, 0}, {0, 0, 0, 0}},
         {{0x800000, 0, 0, 0}, {1, 0, 0, 0}},
         {{0x1000000, 0, 0, 0}, {1, 0, 0, 0}}},
        {{{0x8, 0, 0, 0}, {1, 0, 0, 0}},
         {{0x200, 0, 0, 0}, {1, 0, 0, 0}},
         {{0x4000, 0, 0, 0}, {1, 0, 0, 0}},
         {{0, 0, 0, 0}, {0, 0, 0, 0}},
         {{0x80000, 0, 0x400000, 0}, {1, 0, 2, 0}},
         {{0x100000, 0, 0, 0}, {1, 0, 0, 0}},
         {{0x200000, 0, 0, 0}, {1, 0, 0, 0}}},
        {{{0x4, 0, 0, 0}, {1, 0, 0, 0}},
         {{0x100, 0, 0x80, 0}, {1, 0, 1, 0}},
         {{0, 0, 0, 0}, {0, 0, 0, 0}},
         {{0x4000, 0, 0, 0}, {1, 0, 0, 0}},
         {{0x8000, 0, 0, 0}, {1, 0, 0, 0}},
         {{0x10000, 0, 0, 0}, {1, 0, 0, 0}},
         {{0x20000, 0, 0x8000000, 0}, {1, 0, 4, 0}}},
        {{{0x2, 0x40, 0, 0}, {1, 2, 0, 0}},
         {{0, 0x1000, 0, 0}, {0, 2, 0, 0}},
         {{0x100, 0x20000, 0, 0}, {1, 2, 0, 0}},
         {{0x200, 0x200000, 0x40000, 0}, {1, 2, 2, 0}},
         {{0x400, 0x1000000, 0, 0}, {1, 2, 0, 0}},
         {{0x800, 0x4000000, 0, 0}, {1, 2, 0, 0}},
         {{0x1000, 0, 0, 0}, {1, 0, 0, 0}}},
        {{{0, 0x20, 0x1, 0}, {0, 2, 1, 0}},
         {{0x2, 0x800, 0, 0}, {1, 2, 0, 0}},
         {{0x4, 0x10000, 0, 0}, {1, 2, 0, 0}},
         {{0x8, 0x100000, 0, 0}, {1, 2, 0, 0}},
         {{0x10, 0x800000, 0, 0}, {1, 2, 0, 0}},
         {{0x20, 0, 0x2000000, 0}, {1, 0, 4, 0}},
         {{0x40, 0x4000000, 0, 0}, {1, 2, 0, 0}}}
    };
    """
    ctypedef struct ScoringTiles "sniff_scoring":
        uint32_t[4] tile
        uint32_t[4] fives
    const ScoringTiles[6][7] SCORING "SNIFF_SCORING"

# What can score now: for each kind of arm four places for tiles alone in a mask; for n fives bit n is set. A tile may
# score at several arms.
cdef struct Scoring:
    int count
    uint32_t[4 * MAX_ARMS] tile
    uint32_t[4 * MAX_ARMS] fives
    uint32_t tiles                           # all of them

cdef inline void find_scoring(const Arms *arms, Scoring *scoring) noexcept nogil:
    """List what can score now."""
    cdef uint32_t kinds = arms.kinds
    cdef const ScoringTiles *at
    cdef int j, n = 0, pips, kind, base, fives
    scoring.tiles = 0
    while kinds:
        kind = next_arm(&kinds, &pips)
        base = arms.count - arm_weight(pips, kind)
        fives = (base + 4) // 5
        at = &SCORING[base - 5 * fives + 5 if base else 0][pips]
        for j in range(4):
            scoring.tile[n + j] = at.tile[j]
            scoring.fives[n + j] = at.fives[j] << fives
        scoring.tiles |= at.tile[0] | at.tile[1] | at.tile[2]
        n += 4
    scoring.count = n

cdef inline int most_fives(const Scoring *scoring, uint32_t among) noexcept nogil:
    """The most points, in fives, that a tile of ``among`` scores now, 0 without any."""
    cdef uint32_t[4] scored = [1, 0, 0, 0]
    cdef int i, j
    for i in range(0, scoring.count, 4):
        for j in range(4):
            scored[j] |= scoring.fives[i + j] if scoring.tile[i + j] & among else 0
    return highest(scored[0] | scored[1] | scored[2] | scored[3])

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

cdef inline int other_rows(const State *state, int seat, uint32_t unseen, int first, uint16_t *rows,
                           int n) noexcept nogil:
    """The blocks of the other seats; the first begins at row ``first``. Returns how many rows there are now."""
    cdef int _k, other = seat
    for _k in range(state.players - 1):
        other = next_seat(state, other)
        n = tile_rows(unseen & FITTING[state.void_pips[other]], first + OTHER_VOID, rows, n)
        rows[n] = <uint16_t> (first + OTHER_SIZE + capped(popcount(state.hand[other]), 11))
        n += 1
        first += OTHER_BLOCK
    return n

cdef inline int base_rows(const State *state, int seat, uint16_t *rows) noexcept nogil:
    """The rows that hold for every candidate of ``seat``; its own hand is not among them. Returns how many."""
    cdef uint32_t unseen = unseen_by(state, seat)
    cdef int n = tile_rows(unseen, UNSEEN, rows, 0)
    rows[n] = <uint16_t> (TALON_SIZE + state.talon_end - state.talon_next)
    rows[n + 1] = <uint16_t> (OWN_SIZE + capped(popcount(state.hand[seat]) - 1, 11))
    return other_rows(state, seat, unseen, OTHERS, rows, n + 2)

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

# What counts about the table after a candidate, besides its arms.
cdef struct Facts:
    int own_fits
    int open_fits
    int next_fits
    int reply_most
    int reply_tiles
    int own_most
    int own_scoring

cdef inline uint32_t replying(const State *state, int seat, uint32_t unseen) noexcept nogil:
    """The tiles that the seat after ``seat`` may hold, of those that are unseen."""
    return unseen & ~FITTING[state.void_pips[next_seat(state, seat)]]

cdef inline void find_facts(const Arms *after, uint32_t own, uint32_t unseen, uint32_t reply,
                            Facts *facts) noexcept nogil:
    """Of a candidate: ``after`` are the arms and ``own`` the hand when it is done; ``reply``: see :func:`replying`."""
    cdef uint32_t fitting = FITTING[after.open]
    cdef Scoring scoring
    find_scoring(after, &scoring)
    facts.own_fits = popcount(own & fitting)
    facts.open_fits = popcount(unseen & fitting)
    facts.next_fits = popcount(reply & fitting)
    facts.reply_most = most_fives(&scoring, reply)
    facts.reply_tiles = popcount(reply & scoring.tiles)
    facts.own_most = most_fives(&scoring, own)
    facts.own_scoring = popcount(own & scoring.tiles)

cdef inline int move_rows(const State *state, int seat, const Arms *after, uint32_t own, uint16_t *rows) noexcept nogil:
    """The rows that a candidate decides: ``after`` are the arms and ``own`` the hand when it is done. Returns how
    many."""
    cdef uint32_t unseen = unseen_by(state, seat)
    cdef Facts facts
    cdef int n = arm_rows(after, rows, 0)
    find_facts(after, own, unseen, replying(state, seat, unseen), &facts)
    rows[n] = <uint16_t> (OWN_FITS + capped(facts.own_fits, 8))
    rows[n + 1] = <uint16_t> (OPEN_FITS + capped(facts.open_fits, 15))
    rows[n + 2] = <uint16_t> (NEXT_FITS + capped(facts.next_fits, 15))
    rows[n + 3] = <uint16_t> (REPLY_MOST + capped(facts.reply_most, 7))
    rows[n + 4] = <uint16_t> (REPLY_TILES + capped(facts.reply_tiles, 8))
    rows[n + 5] = <uint16_t> (OWN_MOST + capped(facts.own_most, 7))
    rows[n + 6] = <uint16_t> (OWN_SCORING + capped(facts.own_scoring, 8))
    return n + 7
