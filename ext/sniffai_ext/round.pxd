"""The packed state of a round, all hands known (rules 5 to 7): legal moves, apply, draws, passes, settlement."""

from sniffai_ext.layout cimport Layout, join, next_arm, singles_at
from sniffai_ext.types cimport (
    BLOCKED, DOUBLE, FITTING, HIGH, LEAD, LINE, LOW, NO_TILE, RUNNING, SINGLE, SUIT, TARGET, WENT_OUT, State,
    lowest, make_move, move_tile, popcount, target_of, team_count, team_of, uint8_t, uint32_t,
)
from sniffai_ext.utility cimport settlement

cdef inline uint32_t placeable(const State *state) noexcept nogil:
    """The tiles that the seat may choose from: its hand, or the drawn tile that is forced."""
    if state.forced != NO_TILE:
        return <uint32_t> 1 << state.forced
    return state.hand[state.seat]

cdef inline int add_moves(uint32_t tiles, int pips, int kind, uint8_t *moves, int n) noexcept nogil:
    cdef int tile
    while tiles:
        tile = lowest(tiles)
        tiles &= tiles - 1
        moves[n] = make_move(tile, LOW[tile] != pips, kind)
        n += 1
    return n

cdef inline int legal_moves(const State *state, uint8_t *moves) noexcept nogil:
    """Write every distinct legal move (at most MAX_MOVES); returns how many.

    At least one while the round runs, after :func:`settle_turn`: draws and passes are not moves.
    """
    cdef uint32_t tiles = placeable(state)
    cdef uint32_t kinds = state.arms.kinds
    cdef int pips, kind, n = 0
    if kinds == 0:
        while tiles:
            moves[n] = make_move(lowest(tiles), 0, LEAD)
            tiles &= tiles - 1
            n += 1
        return n
    while kinds:
        kind = next_arm(&kinds, &pips)
        n = add_moves(tiles & SUIT[pips], pips, kind, moves, n)
    return n

cdef inline int count_moves(const State *state) noexcept nogil:
    """How many moves :func:`legal_moves` writes."""
    cdef uint32_t tiles = placeable(state)
    cdef uint32_t kinds = state.arms.kinds
    cdef int pips, n = 0
    if kinds == 0:
        return popcount(tiles)
    while kinds:
        next_arm(&kinds, &pips)
        n += popcount(tiles & SUIT[pips])
    return n

cdef inline void pass_turn(State *state) noexcept nogil:
    state.seat += 1
    if state.seat == state.players:
        state.seat = 0

cdef inline void give_pass(State *state) noexcept nogil:
    """The seat passes; when all have passed since the last placement the round is blocked."""
    state.passes += 1
    if state.passes == state.players:
        state.end = BLOCKED
    else:
        pass_turn(state)

cdef inline int place(State *state, uint8_t move) noexcept nogil:
    """Put down a legal move and end the round or the match if it does (rules 6, 7); returns the points.

    The turn goes to the next seat, which may have to draw or pass first: call :func:`settle_turn`.
    """
    cdef int seat = state.seat
    cdef int points = join(&state.arms, move)
    cdef int team = team_of(state.players, seat)
    state.hand[seat] &= ~(<uint32_t> 1 << move_tile(move))
    state.table |= <uint32_t> 1 << move_tile(move)
    state.forced = NO_TILE
    state.passes = 0
    state.score[team] += points
    if state.score[team] >= target_of(state.players):
        state.end = TARGET
        return points
    if state.hand[seat] == 0:
        state.end = WENT_OUT
        return points
    pass_turn(state)
    return points

cdef inline bint draw_until_fit(State *state) noexcept nogil:
    """Let the seat draw as it must (rules 5); whether it can place a tile now."""
    cdef uint32_t fitting = FITTING[state.arms.open]
    cdef uint32_t drawn
    if state.hand[state.seat] & fitting:
        return True
    state.void_pips[state.seat] = state.arms.open
    while state.talon_next < state.talon_end:
        drawn = <uint32_t> 1 << state.talon[state.talon_next]
        state.hand[state.seat] |= drawn
        state.talon_next += 1
        if drawn & fitting:
            state.forced = state.talon[state.talon_next - 1]
            return True
    return False

cdef inline void settle_turn(State *state) noexcept nogil:
    """Forced draws and passes until a seat can place a tile, or the round is blocked."""
    while state.end == RUNNING and not draw_until_fit(state):
        give_pass(state)

cdef inline int play(State *state, uint8_t move) noexcept nogil:
    """:func:`place`, then :func:`settle_turn`; returns the points."""
    cdef int points = place(state, move)
    if state.end == RUNNING:
        settle_turn(state)
    return points

cdef inline void settle(State *state) noexcept nogil:
    """Take every hand's deduction from its team's score, each hand by itself (rules 6); nothing after the target."""
    cdef int[3] gains
    cdef int team
    settlement(state, gains)
    for team in range(team_count(state.players)):
        state.score[team] += <short> gains[team]

cdef class Round:
    cdef State start      # as it was dealt; no players: nobody has dealt yet
    cdef State state
    cdef Layout table
    cdef list log
    cdef int put(self, int tile, int at) except -1
    cdef bint same(self, Round other)
