"""What is luck in a round whose tiles are all known: the draws, and what was to be expected of each placement.

The luck of one tile drawn is the value of the round with that tile less the mean of its values with each tile of the
talon, of which every one is equally likely. So its expectation is 0 whatever the players do, and however wrong the
values are: a control variate, as in AIVAT (Burch, Schmid, Moravčík, Morrill and Bowling, 2018).

A value is a mean over *lines*: the policy places so many tiles for all seats, the talon in a random order, then the
world-value net says what it expects of the rest. Every tile that could be drawn gets the same random numbers.
"""

from sniffai_ext.checks cimport read_seed, read_whole
from sniffai_ext.equity cimport Equity
from sniffai_ext.layout cimport Layout
from sniffai_ext.fixed_net cimport FixedNet
from sniffai_ext.policy cimport Policy, best_move
from sniffai_ext.rng cimport Rng, seed_rng, shuffle
from sniffai_ext.round cimport Round, draw_until_fit, give_pass, legal_moves, place, settle_turn
from sniffai_ext.types cimport (
    FITTING, MAX_MOVES, RUNNING, TILES, State, lowest, team_count, uint8_t, uint32_t, uint64_t,
)
from sniffai_ext.valuation cimport FIRST_CHANCE, VALUES, Result, Valuation, value_end, value_leaf
from sniffai_ext.world_value cimport WorldValue

from sniffai_ext.errors import LimitsError


# How the positions of a round are valued.
cdef struct Lines:
    Valuation valuation
    const FixedNet *policy
    int count             # lines for each value
    int depth             # placements of a line before the net values it
    uint64_t seed


cdef int open_lines(Lines *lines, Round round_, Policy policy, WorldValue value, Equity equity, seed, count,
                    depth) except -1:
    """Check the arguments of the doors below.

    :raises LimitsError: a number out of range, or a net or table for another number of seats.
    """
    cdef int team
    for table in (policy, value, equity):
        if table is not None and table.players != round_.state.players:
            raise LimitsError(f"the nets and the table are for {table.players} seats, but the round has "
                              f"{round_.state.players}", reason="WRONG_NET", field="players")
    lines.seed = read_seed(seed)
    lines.count = read_whole(count, "count", 1, 10_000)
    lines.depth = read_whole(depth, "depth", 1, TILES)
    lines.policy = &policy.net
    lines.valuation.leaf = &value.net
    lines.valuation.table = NULL if equity is None else &equity.table
    lines.valuation.team = 0
    lines.valuation.match = False
    for team in range(3):
        lines.valuation.score[team] = round_.start.score[team]
        lines.valuation.chance_weight[team] = lines.valuation.margin_weight[team] = 0
    return 0


cdef void follow_line(const Lines *lines, State *state, Result *result) noexcept nogil:
    """Let the policy place tiles; the result after so many, or at the end of the round."""
    cdef int placed, seat
    settle_turn(state)
    for placed in range(lines.depth):
        if state.end != RUNNING:
            break
        if placed:
            settle_turn(state)
            if state.end != RUNNING:
                break
        seat = state.seat
        place(state, best_move(lines.policy, state))
    if state.end == RUNNING:
        value_leaf(&lines.valuation, state, seat, result)
    else:
        value_end(&lines.valuation, state, result)


cdef void sort_talon(State *state) noexcept nogil:
    cdef int i
    cdef uint32_t tiles = 0
    for i in range(state.talon_next, state.talon_end):
        tiles |= <uint32_t> 1 << state.talon[i]
    for i in range(state.talon_next, state.talon_end):
        state.talon[i] = <uint8_t> lowest(tiles)
        tiles &= tiles - 1


cdef void expect(const Lines *lines, const State *start, Result *mean) noexcept nogil:
    """The value of a round before the draws and passes that are due; it does not depend on the order of the talon."""
    cdef State sorted_ = start[0]
    cdef State state
    cdef Result result
    cdef Rng rng
    cdef int i, k
    sort_talon(&sorted_)
    for k in range(VALUES):
        mean.value[k] = 0
    for i in range(lines.count):
        state = sorted_
        seed_rng(&rng, lines.seed + <uint64_t> (i * (TILES + 1) + start.talon_next))
        shuffle(&rng, state.talon + state.talon_next, state.talon_end - state.talon_next)
        follow_line(lines, &state, &result)
        for k in range(VALUES):
            mean.value[k] += result.value[k] / lines.count


cdef void draw(State *state, int place_) noexcept nogil:
    """Let the seat draw the tile at a place of the talon."""
    cdef uint8_t tile = state.talon[place_]
    state.talon[place_] = state.talon[state.talon_next]
    state.talon[state.talon_next] = tile
    state.talon_next += 1
    state.hand[state.seat] |= <uint32_t> 1 << tile
    state.void_pips[state.seat] = state.arms.open     # it held nothing that fits
    if FITTING[state.arms.open] >> tile & 1:
        state.forced = tile


cdef void add_draw(const Lines *lines, State *state, double *luck) noexcept nogil:
    """Let the seat draw the next tile, and add the luck of it."""
    cdef State after
    cdef Result result
    cdef int i, k, left = state.talon_end - state.talon_next
    for i in range(state.talon_next, state.talon_end):
        if left == 1:
            break                                # nothing else could be drawn
        after = state[0]
        draw(&after, i)
        expect(lines, &after, &result)
        for k in range(VALUES):
            luck[k] -= result.value[k] / left
            if i == state.talon_next:
                luck[k] += result.value[k]
    draw(state, state.talon_next)


cdef void add_turn(const Lines *lines, State *state, double *luck) noexcept nogil:
    """Draws and passes until a seat can place a tile, or the round is blocked; add the luck of the draws."""
    cdef State before
    cdef bint fits = False
    while state.end == RUNNING and not fits:
        before = state[0]
        fits = draw_until_fit(state)
        while before.talon_next < state.talon_next:
            add_draw(lines, &before, luck)
        if not fits:
            give_pass(state)


cdef tuple by_team(const double *values, int teams):
    """Margins and chances as tuples."""
    return (tuple(values[team] for team in range(teams)),
            tuple(values[FIRST_CHANCE + team] for team in range(teams)))


def draw_luck(Round round_ not None, Policy policy not None, WorldValue value not None, Equity equity=None, seed=0,
              count=8, depth=6):
    """How lucky the teams were in what was drawn since the deal.

    :param equity: chances to win the match; None: they stay 0.
    :param seed: 0..2**64-1; decides the lines.
    :param count: lines for each value, 1..10,000.
    :param depth: placements of a line, 1..28.
    :return: ``(margins, chances)`` by team, in points and as shares of the match; each together 0.
    :raises LimitsError: a number out of range, or a net or table for another number of seats.
    """
    cdef Lines lines
    cdef State state = round_.start
    cdef Layout table = Layout()
    cdef double[VALUES] luck
    cdef int k
    cdef uint8_t move
    open_lines(&lines, round_, policy, value, equity, seed, count, depth)
    for k in range(VALUES):
        luck[k] = 0
    for tile, at in round_.table.placements():
        move = table.compact(tile, at)
        table.put(tile, at)
        with nogil:
            place(&state, move)
            add_turn(&lines, &state, luck)
    return by_team(luck, team_count(state.players))


def prospects(Round round_ not None, Policy policy not None, WorldValue value not None, Equity equity=None, seed=0,
              count=8, depth=6):
    """What the round should bring from its start on with each distinct legal move.

    The other arguments and the errors are those of :func:`draw_luck`.

    :return: ``[(tile, at, margins, chances)]``, ``at`` the lowest of the equal attachment points; [] after the end.
    """
    cdef Lines lines
    cdef uint8_t[MAX_MOVES] moves
    cdef State after
    cdef Result result
    cdef int i
    open_lines(&lines, round_, policy, value, equity, seed, count, depth)
    by_move = {}
    for i in range(legal_moves(&round_.state, moves) if round_.state.end == RUNNING else 0):
        after = round_.state
        place(&after, moves[i])
        if after.end == RUNNING:
            expect(&lines, &after, &result)
        else:
            value_end(&lines.valuation, &after, &result)
        by_move[moves[i]] = by_team(result.value, team_count(after.players))
    rows = []
    for tile, at in round_.legal_moves():
        worth = by_move.pop(round_.table.compact(tile, at), None)
        if worth is not None:
            rows.append((tile, at, *worth))
    return rows
