"""Bit layouts, tables and structs that every room of the core shares.

A *tile* is an index 0..27 in the order 0|0, 0|1, .. 0|6, 1|1, .. 6|6; a set of tiles is a 28-bit mask (bit i: tile i).
A set of pips (suits, open ends) is a 7-bit mask. A *port* is 0 LOW, 1 HIGH on a plain tile and 0 LINE_A, 1 LINE_B,
2 SIDE_A, 3 SIDE_B on a double; ``tile * 4 + port`` names an attachment point (rules 3), -1 stands for the lead.

A compact *move* is one byte. It names an arm by what counts for the rest of the round (its pips and its weight), so
two attachment points that lead to equal futures are one move here; the library names them all.

      7     3   2    1 0
    +--------+------+------+
    |  tile  | half | kind |     half: 0 the low half joins, 1 the high half. kind: enum ArmKind
    +--------+------+------+

The tables are C constants in the header below: nothing to initialise, and the compiler sees through them.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from * nogil:
    """
    #include <stdint.h>

    /* A population count is one instruction on every x86-64 processor since 2008; the compiler's baseline is older. */
    #if defined(__x86_64__) && defined(__clang__)
    #pragma clang attribute push(__attribute__((target("popcnt"))), apply_to = function)
    #elif defined(__x86_64__) && defined(__GNUC__)
    #pragma GCC target("popcnt")
    #endif

    #if defined(_MSC_VER)
    #include <intrin.h>
    static inline int sniff_popcount(uint32_t x) { return (int)__popcnt(x); }
    static inline int sniff_lowest(uint32_t x) { unsigned long i; _BitScanForward(&i, x); return (int)i; }
    static inline int sniff_highest(uint32_t x) { unsigned long i; _BitScanReverse(&i, x); return (int)i; }
    static inline void sniff_prefetch(const void *address) { (void)address; }
    #else
    static inline int sniff_popcount(uint32_t x) { return __builtin_popcount(x); }
    static inline int sniff_lowest(uint32_t x) { return __builtin_ctz(x); }
    static inline int sniff_highest(uint32_t x) { return 31 - __builtin_clz(x); }
    static inline void sniff_prefetch(const void *address) { __builtin_prefetch(address); }
    #endif

    static const uint8_t SNIFF_LOW[28] = {
        0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6,
    };
    static const uint8_t SNIFF_HIGH[28] = {
        0, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 2, 3, 4, 5, 6, 3, 4, 5, 6, 4, 5, 6, 5, 6, 6,
    };
    /* the pips of every half: low and high of tile 0, then of tile 1, ... */
    static const uint8_t SNIFF_HALF[56] = {
        0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 2, 2,
        2, 3, 2, 4, 2, 5, 2, 6, 3, 3, 3, 4, 3, 5, 3, 6, 4, 4, 4, 5, 4, 6, 5, 5, 5, 6, 6, 6,
    };
    /* the tiles that show a number; none shows a 7 */
    static const uint32_t SNIFF_SUIT[8] = {
        0x000007f, 0x0001f82, 0x003e104, 0x03c4208, 0x1c88410, 0x6910820, 0xd221040, 0,
    };
    /* the tiles that fit any of a set of open pips */
    static const uint32_t SNIFF_FITTING[128] = {
        0x0000000, 0x000007f, 0x0001f82, 0x0001fff, 0x003e104, 0x003e17f, 0x003ff86, 0x003ffff,
        0x03c4208, 0x03c427f, 0x03c5f8a, 0x03c5fff, 0x03fe30c, 0x03fe37f, 0x03fff8e, 0x03fffff,
        0x1c88410, 0x1c8847f, 0x1c89f92, 0x1c89fff, 0x1cbe514, 0x1cbe57f, 0x1cbff96, 0x1cbffff,
        0x1fcc618, 0x1fcc67f, 0x1fcdf9a, 0x1fcdfff, 0x1ffe71c, 0x1ffe77f, 0x1ffff9e, 0x1ffffff,
        0x6910820, 0x691087f, 0x6911fa2, 0x6911fff, 0x693e924, 0x693e97f, 0x693ffa6, 0x693ffff,
        0x6bd4a28, 0x6bd4a7f, 0x6bd5faa, 0x6bd5fff, 0x6bfeb2c, 0x6bfeb7f, 0x6bfffae, 0x6bfffff,
        0x7d98c30, 0x7d98c7f, 0x7d99fb2, 0x7d99fff, 0x7dbed34, 0x7dbed7f, 0x7dbffb6, 0x7dbffff,
        0x7fdce38, 0x7fdce7f, 0x7fddfba, 0x7fddfff, 0x7ffef3c, 0x7ffef7f, 0x7ffffbe, 0x7ffffff,
        0xd221040, 0xd22107f, 0xd221fc2, 0xd221fff, 0xd23f144, 0xd23f17f, 0xd23ffc6, 0xd23ffff,
        0xd3e5248, 0xd3e527f, 0xd3e5fca, 0xd3e5fff, 0xd3ff34c, 0xd3ff37f, 0xd3fffce, 0xd3fffff,
        0xdea9450, 0xdea947f, 0xdea9fd2, 0xdea9fff, 0xdebf554, 0xdebf57f, 0xdebffd6, 0xdebffff,
        0xdfed658, 0xdfed67f, 0xdfedfda, 0xdfedfff, 0xdfff75c, 0xdfff77f, 0xdffffde, 0xdffffff,
        0xfb31860, 0xfb3187f, 0xfb31fe2, 0xfb31fff, 0xfb3f964, 0xfb3f97f, 0xfb3ffe6, 0xfb3ffff,
        0xfbf5a68, 0xfbf5a7f, 0xfbf5fea, 0xfbf5fff, 0xfbffb6c, 0xfbffb7f, 0xfbfffee, 0xfbfffff,
        0xffb9c70, 0xffb9c7f, 0xffb9ff2, 0xffb9fff, 0xffbfd74, 0xffbfd7f, 0xffbfff6, 0xffbffff,
        0xfffde78, 0xfffde7f, 0xfffdffa, 0xfffdfff, 0xfffff7c, 0xfffff7f, 0xffffffe, 0xfffffff,
    };
    /* points for a count (rules 4); four arms count at most 12 + 10 + 8 + 6 */
    static const uint8_t SNIFF_POINTS[64] = {
        0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 15,
        0, 0, 0, 0, 20, 0, 0, 0, 0, 25, 0, 0, 0, 0, 30, 0,
        0, 0, 0, 35, 0, 0, 0, 0, 40, 0, 0, 0, 0, 45, 0, 0,
        0, 0, 50, 0, 0, 0, 0, 55, 0, 0, 0, 0, 60, 0, 0, 0,
    };
    """
    int popcount "sniff_popcount"(uint32_t mask) noexcept
    int lowest "sniff_lowest"(uint32_t mask) noexcept          # index of the lowest set bit; mask must not be 0
    int highest "sniff_highest"(uint32_t mask) noexcept        # index of the highest set bit; mask must not be 0
    void prefetch "sniff_prefetch"(const void *address) noexcept   # begin to fetch memory that is needed soon
    const uint8_t[28] LOW "SNIFF_LOW"                          # pips of the low half of a tile
    const uint8_t[28] HIGH "SNIFF_HIGH"                        # pips of the high half of a tile
    const uint8_t[56] HALF "SNIFF_HALF"                        # pips of a half, by 2 * tile + 1 for the high one
    const uint32_t[8] SUIT "SNIFF_SUIT"
    const uint32_t[128] FITTING "SNIFF_FITTING"
    const uint8_t[64] POINTS "SNIFF_POINTS"

cdef enum:
    TILES = 28
    PIPS = 7
    ALL_TILES = 0x0fffffff
    ALL_DOUBLES = 0xa442081
    MAX_ARMS = 4          # two ends, and two more once the sniff's sides are open
    MAX_MOVES = 28        # at most MAX_ARMS arms with at most 7 tiles of a suit each; a lead has at most 7
    NO_TILE = 255
    NO_SNIFF = 7          # "pips of the sniff" before the first double

# The tiles whose pips, written in binary, have the digit of that value.
cdef enum:
    PIPS_1 = 0x4a9552a
    PIPS_2 = 0x70d99cc
    PIPS_4 = 0x80dfe70
    PIPS_8 = 0xff20000

cdef enum ArmKind:
    SINGLE = 0            # counts its pips once: the half of a plain tile, or an open side of the sniff
    DOUBLE = 1            # counts twice its pips: a later double at an end
    LINE = 2              # a line port of the sniff: joining it leaves the sniff's own count as it was
    LEAD = 3              # no arm: the first placement of a round

cdef enum:
    LINE_ARMS = 0x4444444  # every LINE arm in Arms.kinds
    NO_ARMS = 0xf0000000   # arms that show a 7, which no tile fits: as many as there can be

cdef enum RoundEnd:
    RUNNING = 0
    WENT_OUT = 1
    BLOCKED = 2
    TARGET = 3            # the target was reached: the match is over, and there is no settlement (rules 7)

cdef struct Arms:
    uint32_t singles      # 4 bits a pip value: how many SINGLE arms show it
    uint32_t kinds        # 4 bits a pip value: bit k: some arm of kind k shows it (a 0|0 counts 0, as a plain end does)
    uint8_t open          # bit p: some arm shows p
    uint8_t sniff         # pips of the sniff, NO_SNIFF before it is played
    uint8_t lines         # LINE arms: the sniff's line ports not joined yet, 0..2
    int8_t count          # the count of rules 4

# 64 bytes, so a copy is one cache line.
cdef struct State:
    uint32_t[4] hand      # tile masks by seat
    uint32_t table        # mask of the tiles placed
    Arms arms
    int16_t[3] score      # by team
    uint8_t[4] void_pips  # by seat: the open pips when it last had to draw or pass; no tile it holds now shows any
    uint8_t[14] talon     # tile indices in the order of drawing
    uint8_t talon_next    # index of the next tile to draw
    uint8_t talon_end     # one past the last tile
    uint8_t players
    uint8_t seat          # whose turn it is; after the end, the seat that placed last (or would be next when blocked)
    uint8_t forced        # the drawn tile that must be played now, else NO_TILE
    uint8_t passes        # passes since the last placement
    uint8_t end           # enum RoundEnd

cdef inline int team_of(int players, int seat) noexcept nogil:
    """The team of a seat: with 4 seats, 0 for seats 0 and 2, and 1 for seats 1 and 3; else the seat (rules 1)."""
    return seat & (3 >> (players == 4))

cdef inline int team_count(int players) noexcept nogil:
    """The number of teams, 2 or 3 (rules 1)."""
    return 3 if players == 3 else 2

cdef inline int hand_size(int players) noexcept nogil:
    """Tiles dealt to each seat (rules 1)."""
    return 7 if players == 2 else (6 if players == 3 else 5)

cdef inline int target_of(int players) noexcept nogil:
    """The score that wins the match (rules 1)."""
    return 250 if players == 2 else 200

cdef inline int tile_pips(int tile) noexcept nogil:
    """The pips of both halves together, 0..12."""
    return LOW[tile] + HIGH[tile]

cdef inline bint is_double(int tile) noexcept nogil:
    return LOW[tile] == HIGH[tile]

cdef inline uint8_t make_move(int tile, int half, int kind) noexcept nogil:
    return <uint8_t> (tile << 3 | half << 2 | kind)

cdef inline int move_tile(uint8_t move) noexcept nogil:
    return move >> 3

cdef inline int move_half(uint8_t move) noexcept nogil:
    """The half that joins, as an index of HALF."""
    return move >> 2

cdef inline int move_kind(uint8_t move) noexcept nogil:
    return move & 3

cdef inline int deduction(uint32_t hand) noexcept nogil:
    """What a hand costs at the end of a round: its pips rounded to the nearest multiple of 5 (rules 6)."""
    cdef int pips = (popcount(hand & PIPS_1) + 2 * popcount(hand & PIPS_2) + 4 * popcount(hand & PIPS_4)
                     + 8 * popcount(hand & PIPS_8))
    return (pips + 2) // 5 * 5
