"""The input of the policy net in fewer rows: each is the sum of rows of features.pxd that are on together.

A net in whole numbers gives the same sums, however its rows are put together. So a decision needs some 25 rows instead
of 40, and each of its moves twelve, whatever they are: nothing is looped over that no processor can foretell. What a
move changes is taken away from the decision's sums and added anew: the arms that show one of its tile's numbers.

The number at the right end of a line says how many rows a group has.
"""

from sniffai_ext.features cimport Facts, OTHER_BLOCK, capped, other_rows, unseen_by
from sniffai_ext.types cimport (
    HALF, TILES, Arms, State, move_half, move_tile, popcount, uint8_t, uint16_t, uint32_t,
)

cdef enum:
    FOURS = TILES // 4                       # sets of four tiles
    J_UNSEEN = 0                             # by four tiles: which of them the mover has not seen        112
    J_OWN = J_UNSEEN + 16 * FOURS            # by four tiles: which of them it holds before the move      112
    J_ARMS = J_OWN + 16 * FOURS              # by pips: SINGLE arms (3 bits) and a DOUBLE one (the lowest) 112
    J_NO_ARMS = J_ARMS + 16 * 7              # the same, taken away                                       112
    J_PLACED = J_NO_ARMS + 16 * 7            # tile that is placed, taken away from the hand               28
    J_SNIFF = J_PLACED + TILES               # pips of the sniff and open line ports after the move        32
    J_COUNT = J_SNIFF + 32                   # the count after the move, also modulo 5                     64
    J_REPLY = J_COUNT + 64                   # most fives of a reply, and how many replies score          128
    J_NEXT = J_REPLY + 128                   # the same of the own hand                                   128
    J_OWN_FITS = J_NEXT + 128                # how many own tiles fit after the move                       32
    J_OPEN_FITS = J_OWN_FITS + 32            # how many unseen tiles fit                                   32
    J_NEXT_FITS = J_OPEN_FITS + 32           # how many of those the next seat may hold                    32
    J_TALON_SIZE = J_NEXT_FITS + 32          # tiles in the talon                                          15
    J_OWN_SIZE = J_TALON_SIZE + 15           # own tiles after the move                                    12
    J_OTHERS = J_OWN_SIZE + 12               # a block for each other seat, as in features.pxd
    MOVE_ROWS = 12                           # that a move decides

cdef inline int joint_rows(int players) noexcept nogil:
    """How many rows there are for a number of seats."""
    return J_OTHERS + (players - 1) * OTHER_BLOCK

cdef inline uint32_t shown_arms(const Arms *arms) noexcept nogil:
    """By pips, 4 bits each: which row of its group says what arms show them, but for line ports."""
    return (arms.singles & 0x7777777) << 1 | (arms.kinds >> 1 & 0x1111111)

cdef inline uint16_t arms_at(uint32_t arms, int pips, int first) noexcept nogil:
    """The row of a group for what :func:`shown_arms` has at some pips."""
    return <uint16_t> (first + 16 * pips + (arms >> 4 * pips & 15))

cdef inline int joint_base_rows(const State *state, int seat, uint16_t *rows) noexcept nogil:
    """The rows that hold before any candidate of ``seat``. Returns how many."""
    cdef uint32_t own = state.hand[seat], unseen = unseen_by(state, seat)
    cdef uint32_t arms = shown_arms(&state.arms)
    cdef int k, n = 3 * FOURS
    for k in range(FOURS):
        rows[k] = <uint16_t> (J_UNSEEN + 16 * k + (unseen >> 4 * k & 15))
        rows[FOURS + k] = <uint16_t> (J_OWN + 16 * k + (own >> 4 * k & 15))
        rows[2 * FOURS + k] = arms_at(arms, k, J_ARMS)
    rows[n] = <uint16_t> (J_TALON_SIZE + state.talon_end - state.talon_next)
    rows[n + 1] = <uint16_t> (J_OWN_SIZE + capped(popcount(own) - 1, 11))
    return other_rows(state, seat, unseen, J_OTHERS, rows, n + 2)

cdef inline void joint_move_rows(const Arms *before, const Arms *after, uint8_t move, const Facts *facts,
                                 uint16_t *rows) noexcept nogil:
    """The MOVE_ROWS rows that a candidate changes: ``before`` and ``after`` are the arms."""
    cdef int tile = move_tile(move)
    cdef int one = HALF[move_half(move)]
    cdef int two = HALF[move_half(move) ^ 1]
    cdef int none = J_ARMS + 16 * one            # no arms: a row that changes nothing
    cdef uint32_t gone = shown_arms(before), come = shown_arms(after)
    rows[0] = <uint16_t> (J_PLACED + tile)
    rows[1] = arms_at(gone, one, J_NO_ARMS)
    rows[2] = arms_at(come, one, J_ARMS)
    rows[3] = arms_at(gone, two, J_NO_ARMS) if one != two else <uint16_t> none
    rows[4] = arms_at(come, two, J_ARMS) if one != two else <uint16_t> none
    rows[5] = <uint16_t> (J_SNIFF + 4 * after.sniff + after.lines)
    rows[6] = <uint16_t> (J_COUNT + after.count)
    rows[7] = <uint16_t> (J_REPLY + 16 * capped(facts.reply_most, 7) + facts.reply_tiles)
    rows[8] = <uint16_t> (J_NEXT + 16 * capped(facts.own_most, 7) + facts.own_scoring)
    rows[9] = <uint16_t> (J_OWN_FITS + facts.own_fits)
    rows[10] = <uint16_t> (J_OPEN_FITS + facts.open_fits)
    rows[11] = <uint16_t> (J_NEXT_FITS + facts.next_fits)

cdef object joint_sums(int players)
