"""The layout (rules 3 and 4): the arms that matter for the future, and the named layout that a person sees."""

from sniffai_ext.types cimport (
    DOUBLE, FITTING, HIGH, LEAD, LINE, LOW, NO_SNIFF, POINTS, SINGLE, Arms, is_double, move_kind, move_tile,
    uint8_t, uint32_t,
)

cdef inline void clear_arms(Arms *arms) noexcept nogil:
    arms.singles = 0
    arms.doubles = 0
    arms.open = 0
    arms.sniff = NO_SNIFF
    arms.lines = 0
    arms.count = 0

cdef inline int singles_at(const Arms *arms, int pips) noexcept nogil:
    return arms.singles >> (4 * pips) & 15

cdef inline bint has_double(const Arms *arms, int pips) noexcept nogil:
    return arms.doubles >> pips & 1

cdef inline bint has_line(const Arms *arms, int pips) noexcept nogil:
    return arms.sniff == pips and arms.lines > 0

cdef inline void add_single(Arms *arms, int pips) noexcept nogil:
    arms.singles += <uint32_t> 1 << (4 * pips)
    arms.open |= <uint8_t> (1 << pips)

cdef inline void close_if_bare(Arms *arms, int pips) noexcept nogil:
    if singles_at(arms, pips) == 0 and not has_double(arms, pips) and not has_line(arms, pips):
        arms.open &= <uint8_t> ~(1 << pips)

cdef inline void add_double(Arms *arms, int pips, int lines) noexcept nogil:
    """Put down a double with ``lines`` free line ports; the first one of the round becomes the sniff."""
    arms.count += 2 * pips
    if arms.sniff == NO_SNIFF:
        arms.sniff = <uint8_t> pips
        arms.lines = <uint8_t> lines
        arms.open |= <uint8_t> (1 << pips)
    elif pips == 0:
        add_single(arms, 0)
    else:
        arms.doubles |= <uint8_t> (1 << pips)
        arms.open |= <uint8_t> (1 << pips)

cdef inline int arm_weight(int pips, int kind) noexcept nogil:
    """What the count loses when this arm is joined."""
    return pips if kind == SINGLE else (2 * pips if kind == DOUBLE else 0)

cdef inline void remove_arm(Arms *arms, int pips, int kind) noexcept nogil:
    arms.count -= arm_weight(pips, kind)
    if kind == SINGLE:
        arms.singles -= <uint32_t> 1 << (4 * pips)
    elif kind == DOUBLE:
        arms.doubles &= <uint8_t> ~(1 << pips)
    else:
        arms.lines -= 1
        if arms.lines == 0:         # both line ports are joined: the sides open, one half each
            arms.singles += <uint32_t> 2 << (4 * pips)
    close_if_bare(arms, pips)

cdef inline int join(Arms *arms, uint8_t move) noexcept nogil:
    """Place a tile where the move says; the move must be legal. Returns the points (rules 4)."""
    cdef int tile = move_tile(move)
    cdef int low = LOW[tile]
    cdef int high = HIGH[tile]
    cdef int kind = move_kind(move)
    if kind == LEAD:
        if low == high:
            add_double(arms, low, 2)
        else:
            add_single(arms, low)
            add_single(arms, high)
            arms.count = low + high
    else:
        if low == high:
            remove_arm(arms, low, kind)
            add_double(arms, low, 1)
        elif move & 4:
            remove_arm(arms, high, kind)
            add_single(arms, low)
            arms.count += low
        else:
            remove_arm(arms, low, kind)
            add_single(arms, high)
            arms.count += high
    return POINTS[arms.count]

cdef str tile_text(int tile)

cdef class Layout:
    cdef Arms arms
    cdef readonly int points          # points of the last placement
    cdef readonly int sniff           # the sniff's tile index, -1 before the first double
    cdef readonly int placed          # how many tiles lie on the table
    cdef readonly uint32_t tiles      # mask of the tiles on the table
    cdef uint8_t[28] joined           # by tile: bit p set when port p is joined
    cdef int[28] order                # tiles in play order
    cdef int[28] joined_at            # by place in the order: attachment point code, -1 for the lead
    cdef bint port_open(self, int tile, int port) noexcept
    cdef int port_pips(self, int tile, int port) noexcept
    cdef int port_kind(self, int tile, int port) noexcept
    cdef int compact(self, int tile, int at) except -1
    cdef int put(self, int tile, int at) except -1
    cdef Layout clone(self)
    cdef uint32_t fitting(self, uint32_t mask) noexcept
    cdef list placements_of(self, uint32_t hand)
