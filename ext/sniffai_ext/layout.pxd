"""The layout (rules 3 and 4): the arms that matter for the future, and the named layout that a person sees."""

from sniffai_ext.types cimport (
    DOUBLE, FITTING, HALF, HIGH, LEAD, LINE, LOW, NO_SNIFF, POINTS, SINGLE, Arms, int8_t, is_double, lowest, move_half,
    move_kind, move_tile, uint8_t, uint32_t,
)

cdef enum:
    WEIGHTS = 0b001001    # two bits for each kind of arm, SINGLE the lowest: how often its pips count

cdef inline void clear_arms(Arms *arms) noexcept nogil:
    arms.singles = 0
    arms.kinds = 0
    arms.open = 0
    arms.sniff = NO_SNIFF
    arms.lines = 0
    arms.count = 0

cdef inline int singles_at(const Arms *arms, int pips) noexcept nogil:
    return arms.singles >> (4 * pips) & 15

cdef inline int next_arm(uint32_t *kinds, int *pips) noexcept nogil:
    """Take the lowest arm off a copy of ``Arms.kinds``, equal arms once: writes its pips, returns its kind."""
    cdef int place = lowest(kinds[0])
    kinds[0] &= kinds[0] - 1
    pips[0] = place >> 2
    return place & 3

cdef inline int arm_weight(int pips, int kind) noexcept nogil:
    """What the count loses when this arm is joined."""
    return pips * (WEIGHTS >> 2 * kind & 3)

cdef inline void lead(Arms *arms, int low, int high) noexcept nogil:
    """Place the first tile of a round; a double is the sniff."""
    arms.count = <int8_t> (low + high)
    arms.open = <uint8_t> (1 << low | 1 << high)
    if low == high:
        arms.sniff = <uint8_t> low
        arms.lines = 2
        arms.kinds = <uint32_t> 1 << (4 * low + LINE)
    else:
        arms.kinds = arms.singles = <uint32_t> 1 << 4 * low | <uint32_t> 1 << 4 * high

cdef inline int join(Arms *arms, uint8_t move) noexcept nogil:
    """Place a tile where the move says; the move must be legal. Returns the points (rules 4).

    Which kinds of arm and tile meet cannot be foretold, so there are branches only for what happens once a round.
    """
    cdef int kind = move_kind(move)
    cdef int pips = HALF[move_half(move)]             # of the arm that is joined
    cdef int shown = HALF[move_half(move) ^ 1]        # by the new arm
    cdef bint double = pips == shown
    cdef int new_kind = double & (shown != 0)         # DOUBLE or SINGLE
    cdef uint32_t singles = arms.singles, kinds = arms.kinds
    if kind == LEAD:
        lead(arms, pips, shown)
        return POINTS[arms.count]
    arms.count += <int8_t> ((shown << double) - arm_weight(pips, kind))
    singles -= <uint32_t> (kind == SINGLE) << 4 * pips
    kinds &= ~(<uint32_t> (kind == DOUBLE) << (4 * pips + DOUBLE))
    arms.lines -= kind == LINE
    if (kind == LINE) & (arms.lines == 0):            # both line ports are joined: the sides open, one half each
        singles += <uint32_t> 2 << 4 * pips
        kinds &= ~(<uint32_t> 1 << (4 * pips + LINE))
        kinds |= <uint32_t> 1 << 4 * pips
    if double & (arms.sniff == NO_SNIFF):
        arms.sniff = <uint8_t> pips
        arms.lines = 1
        new_kind = LINE
    singles += <uint32_t> (new_kind == SINGLE) << 4 * shown
    kinds |= <uint32_t> 1 << (4 * shown + new_kind)
    kinds &= ~(<uint32_t> ((singles >> 4 * pips & 15) == 0) << 4 * pips)
    arms.singles, arms.kinds = singles, kinds
    arms.open &= <uint8_t> ~(<int> ((kinds >> 4 * pips & 7) == 0) << pips)
    arms.open |= <uint8_t> (1 << shown)
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
