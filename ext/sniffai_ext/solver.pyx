"""Alpha-beta over the packed round: the exact value of a position with everything known.

The *value* of a position is team 0's margin from there to the end of the round when both teams choose best: the points
of placements and the settlement. Reaching the target ends it at once (rules 7). Inside, values are those of the team to
move, and only of what is to come, so that positions reached with different scores share what is known about them.

With an equity table the value may be what counts beyond the round: the chances of both teams to win the match,
CERTAIN for a certain win of team 0 and -CERTAIN for one of team 1. Such values depend on the scores, so what is known
about a position is kept for its scores only.

Where scores do matter, near the target, a bound is as good as the lines that prove it: an entry keeps how much each
team scored at most on those lines, and holds for any scores from which that does not reach the target. Where a line did
reach it, the bound is kept for the scores at hand only.

A position with one legal move is never kept. The others are searched with a window around the best line (principal
variation search, Marsland 1983), moves with most points first, then with most pips: cleverer orders, by the best reply,
by mobility or by history, did not pay for themselves (benchmarks/solver.md).
"""

from libc.math cimport INFINITY
from libc.stdint cimport UINT64_MAX
from libc.string cimport memset

from sniffai_ext.belief cimport Belief
from sniffai_ext.transpositions cimport BOUNDLESS, NO_MOVE, Entry, close_bounds, keep, look_up, open_bounds
from sniffai_ext.clock cimport monotonic
from sniffai_ext.checks cimport read_flag, read_real, read_whole
from sniffai_ext.layout cimport arm_weight
from sniffai_ext.rng cimport mulhi
from sniffai_ext.rollout cimport Fit, find_fits
from sniffai_ext.round cimport Round, placeable, play, settle
from sniffai_ext.signals cimport answer, called, watch_signals
from sniffai_ext.types cimport (
    LEAD, LOW, MAX_ARMS, POINTS, RUNNING, int16_t, is_double, lowest, make_move, move_tile, popcount,
    target_of, team_of, tile_pips,
)
from sniffai_ext.utility cimport end_chances, end_margin
from sniffai_ext.view cimport View

from sniffai_ext.errors import LimitsError, ViewError
from sniffai_ext.rows import SolvedMove

cdef enum:
    CHECK_EVERY = 1024    # nodes between two looks at the stop flag, the clock and signals: some 0.2 ms
    CERTAIN = 20000       # below BOUNDLESS
    FEW_WORLDS = 1000


cdef inline uint64_t mix(uint64_t a, uint64_t b) noexcept nogil:
    """Both halves of the product of two numbers (Wang Yi's wyhash)."""
    return mulhi(a, b) ^ (a * b)


cdef inline uint64_t position_key(const Prover *prover, const State *state) noexcept nogil:
    """A hash of all that decides the value to come, but for the scores: hands, turn, arms, talon.

    A drawn tile that is forced is the only one of the hand that fits, and passes end with a placement: neither counts.
    """
    cdef uint64_t hands = state.hand[0] | <uint64_t> state.hand[1] << 28 | <uint64_t> state.seat << 56
    cdef uint64_t arms = (state.arms.singles | <uint64_t> state.arms.kinds << 28
                          | <uint64_t> state.arms.sniff << 56 | <uint64_t> state.arms.lines << 59)
    cdef uint64_t key = mix(hands ^ <uint64_t> 0x9e3779b97f4a7c15, arms ^ prover.talon_key[state.talon_next])
    if state.players == 4:
        hands = state.hand[2] | <uint64_t> state.hand[3] << 28
        key = mix(key ^ <uint64_t> 0xa0761d6478bd642f, hands ^ <uint64_t> 0xe7037ed1a0b428db)
    key = mix(key ^ <uint64_t> 0xbf58476d1ce4e5b9, <uint64_t> 0x94d049bb133111eb)
    return key if key else 1


cdef inline uint64_t score_key(uint64_t key, const State *state) noexcept nogil:
    """The key of a position with its scores."""
    cdef uint64_t scores = <uint64_t> (state.score[0] + 32768) << 16 | <uint64_t> (state.score[1] + 32768)
    key = mix(key ^ <uint64_t> 0xe7037ed1a0b428db, scores ^ <uint64_t> 0x8ebc6af09c88c6e3)
    return key if key else 1


cdef inline int placement_points(const State *state, int tile, int pips, int kind) noexcept nogil:
    cdef int count = state.arms.count - arm_weight(pips, kind)
    return POINTS[count + (2 * pips if is_double(tile) else tile_pips(tile) - pips)]


cdef inline int appeal(int tile, int points) noexcept nogil:
    """How early a move is tried: for its points, then for the pips it sheds, then as a double."""
    return 64 * points + tile_pips(tile) + (8 if is_double(tile) else 0)


cdef inline void insert(Moves *moves, int *appeals, uint8_t move, int value) noexcept nogil:
    cdef int i = moves.count
    while i and appeals[i - 1] < value:
        appeals[i] = appeals[i - 1]
        moves.move[i] = moves.move[i - 1]
        i -= 1
    appeals[i] = value
    moves.move[i] = move
    moves.count += 1


cdef inline void order_moves(const State *state, Moves *moves) noexcept nogil:
    """Every distinct legal move, by :func:`appeal`."""
    cdef int[MAX_MOVES] appeals
    cdef Fit[MAX_ARMS] fits
    cdef uint32_t tiles = placeable(state)
    cdef int i, tile, n
    moves.count = 0
    if state.arms.open == 0:
        while tiles:
            tile = lowest(tiles)
            tiles &= tiles - 1
            insert(moves, appeals, make_move(tile, 0, LEAD), appeal(tile, POINTS[tile_pips(tile)]))
        return
    n = find_fits(state, tiles, fits)
    for i in range(n):
        tiles = fits[i].tiles
        while tiles:
            tile = lowest(tiles)
            tiles &= tiles - 1
            insert(moves, appeals, make_move(tile, LOW[tile] != fits[i].pips, fits[i].kind),
                   appeal(tile, placement_points(state, tile, fits[i].pips, fits[i].kind)))


cdef inline void try_first(Moves *moves, uint8_t move) noexcept nogil:
    """Bring a move to the front."""
    cdef int i = 0
    while i < moves.count and moves.move[i] != move:
        i += 1
    if i == moves.count:
        return
    while i:
        moves.move[i] = moves.move[i - 1]
        i -= 1
    moves.move[0] = move


cdef inline void raise_to(int *peak, int score, int other) noexcept nogil:
    peak[0] = max(peak[0], score)
    peak[1] = max(peak[1], other)


cdef bint interrupted(Prover *prover) noexcept nogil:
    """Whether the stop flag, a signal or the clock ends the question."""
    if (prover.stop != NULL and prover.stop[0]) or (prover.watch != NULL and called(prover.watch)):
        return True
    prover.late = prover.checkpoint > 0 and prover.deadline < INFINITY and monotonic() >= prover.deadline
    return prover.late


cdef inline bint spend(Prover *prover) noexcept nogil:
    """Count a placement; False when the limits are reached."""
    prover.nodes += 1
    if prover.nodes > prover.checkpoint:
        if prover.nodes > prover.node_cap or interrupted(prover):
            prover.gave_up = True
        prover.checkpoint = min(prover.checkpoint + CHECK_EVERY, prover.node_cap)
    return not prover.gave_up


cdef inline int end_value(const Prover *prover, const State *state) noexcept nogil:
    """What the end of a round is worth to team 0, beyond the points of its placements."""
    cdef float[2] chances
    if not prover.match:
        return end_margin(state)
    end_chances(prover.equity, state, chances)
    return <int> ((2 * chances[0] - 1) * CERTAIN)


cdef inline int follow(Prover *prover, const State *state, uint8_t move, int alpha, int beta) noexcept nogil:
    """The value of a move for the team that makes it, by the rules of :func:`explore`."""
    cdef State after = state[0]
    cdef int points, value, team = team_of(state.players, state.seat)
    if not spend(prover):
        return 0
    points = play(&after, move)
    if prover.match:
        points = 0                           # only the scores at the end count
    if after.end != RUNNING:
        raise_to(prover.peak, after.score[0], after.score[1])
        value = end_value(prover, &after)
        return points + (-value if team else value)
    if team_of(after.players, after.seat) == team:
        return points + explore(prover, &after, alpha - points, beta - points)
    return points - explore(prover, &after, points - beta, points - alpha)


cdef int explore(Prover *prover, const State *state, int alpha, int beta) noexcept nogil:
    """The value to come for the team to move, as far as the window asks (fail-soft alpha-beta).

    In alpha..beta the result is exact; at or below alpha the value is no higher than it, at or above beta no lower.
    Nothing is known where ``prover.gave_up`` is set.
    """
    cdef Moves moves
    order_moves(state, &moves)
    if moves.count == 1:
        return follow(prover, state, moves.move[0], alpha, beta)
    return choose(prover, state, &moves, alpha, beta)


cdef inline Entry *recall(Prover *prover, const State *state, uint64_t key) noexcept nogil:
    """What is known about a position and holds with its scores; NULL if nothing."""
    cdef Entry *entry = look_up(&prover.bounds, key)
    if entry != NULL and state.score[0] + 5 * entry.gain[0] < prover.target and \
            state.score[1] + 5 * entry.gain[1] < prover.target:
        return entry
    return look_up(&prover.bounds, score_key(key, state)) if prover.scored else NULL


cdef int choose(Prover *prover, const State *state, Moves *moves, int alpha, int beta) noexcept nogil:
    """:func:`explore` where there is a choice."""
    cdef Entry bounds
    cdef Entry *known
    cdef int value
    cdef int[2] outside
    cdef int[2] reached
    cdef uint64_t key = position_key(prover, state)
    bounds.low, bounds.high, bounds.move = -BOUNDLESS, BOUNDLESS, NO_MOVE
    reached[0], reached[1] = state.score[0], state.score[1]
    known = recall(prover, state, key)
    if known != NULL:
        bounds = known[0]
        raise_to(reached, state.score[0] + 5 * bounds.gain[0], state.score[1] + 5 * bounds.gain[1])
        if bounds.low >= beta or bounds.high <= alpha or bounds.low == bounds.high:
            raise_to(prover.peak, reached[0], reached[1])
            return bounds.low if bounds.low >= beta else bounds.high
        try_first(moves, bounds.move)
        alpha, beta = max(alpha, bounds.low), min(beta, bounds.high)
    outside = prover.peak
    value = best_of(prover, state, moves, alpha, beta, &bounds.move)
    raise_to(prover.peak, reached[0], reached[1])
    if not prover.gave_up:
        bounds.key = key
        if value > alpha:
            bounds.low = <int16_t> value
        if value < beta:
            bounds.high = <int16_t> value
        learn(prover, state, &bounds)
    raise_to(prover.peak, outside[0], outside[1])
    return value


cdef inline int best_of(Prover *prover, const State *state, const Moves *moves, int alpha, int beta,
                        uint8_t *best) noexcept nogil:
    """The highest value of some moves, as in :func:`explore`; ``best`` is written where one is above alpha.

    Leaves in ``prover.peak`` what the lines reach that prove the value: after a move at or above beta, its own alone.
    """
    cdef int i, value, highest = -BOUNDLESS
    cdef int[2] reached
    reached[0], reached[1] = state.score[0], state.score[1]
    for i in range(moves.count):
        prover.peak[0], prover.peak[1] = state.score[0], state.score[1]
        value = follow(prover, state, moves.move[i], alpha, beta if i == 0 else alpha + 1)
        if i and alpha < value < beta and not prover.gave_up:
            value = follow(prover, state, moves.move[i], value, beta)
        if prover.gave_up:
            return value
        if value > alpha:
            best[0] = moves.move[i]
            alpha = value
        if value >= beta:
            return value
        highest = max(highest, value)
        raise_to(reached, prover.peak[0], prover.peak[1])
    prover.peak = reached
    return highest


cdef int tiles_left(const State *state) noexcept nogil:
    cdef int seat, n = state.talon_end - state.talon_next
    for seat in range(state.players):
        n += popcount(state.hand[seat])
    return n


cdef inline void learn(Prover *prover, const State *state, Entry *bounds) noexcept nogil:
    """Keep bounds: for any scores that the lines cannot take to the target, or for these scores if one did."""
    if prover.match or prover.peak[0] >= prover.target or prover.peak[1] >= prover.target:
        bounds.key = score_key(bounds.key, state)
        prover.scored = True
    bounds.gain[0] = <uint8_t> ((prover.peak[0] - state.score[0]) // 5)
    bounds.gain[1] = <uint8_t> ((prover.peak[1] - state.score[1]) // 5)
    bounds.worth = <uint8_t> (prover.question << 5 | tiles_left(state))
    keep(&prover.bounds, bounds)


cdef bint open_prover(Prover *prover, size_t table_bytes, const EquityTable *equity, bint match) noexcept nogil:
    """Make a prover with a table of at most ``table_bytes``; False when there is no memory for it.

    Match equity (or NULL) and ``match`` stay as they are for its whole life. ``prover.stop`` may be set afterwards.
    """
    memset(prover, 0, sizeof(Prover))
    prover.equity = equity
    prover.match = match
    prover.deadline = INFINITY
    return open_bounds(&prover.bounds, table_bytes)


cdef void close_prover(Prover *prover) noexcept nogil:
    close_bounds(&prover.bounds)


cdef void begin(Prover *prover, const State *state, uint64_t node_cap) noexcept nogil:
    """Set up a question about a state."""
    cdef int i
    cdef uint64_t key = <uint64_t> 0x2127599bf4325c37
    prover.target = target_of(state.players)
    prover.question = (prover.question + 1) & 7
    prover.nodes = prover.checkpoint = 0
    prover.node_cap = node_cap
    prover.gave_up = prover.late = False
    prover.talon_key[state.talon_end] = key
    for i in range(state.talon_end - 1, state.talon_next - 1, -1):
        key = mix(key ^ (state.talon[i] + <uint64_t> 1), <uint64_t> 0x9e3779b97f4a7c15)
        prover.talon_key[i] = key


cdef bint prove(Prover *prover, const State *state, uint64_t node_cap, int *value, uint8_t *best) noexcept nogil:
    """The value for team 0 of a running round, and a best move: of equal ones the first by :func:`appeal`.

    :param state: 2 or 4 seats; the seat to move can place a tile, and the talon is in its true order.
    :param node_cap: give up after so many placements tried, at least 1.
    :return: False when it gave up; then nothing is written.
    """
    cdef Moves moves
    cdef int margin
    cdef uint8_t move = NO_MOVE
    begin(prover, state, node_cap)
    order_moves(state, &moves)
    margin = best_of(prover, state, &moves, -BOUNDLESS, BOUNDLESS, &move)
    if prover.gave_up:
        return False
    value[0] = -margin if team_of(state.players, state.seat) else margin
    best[0] = move
    return True


cdef bint prove_moves(Prover *prover, const State *state, uint64_t node_cap, Moves *moves, int *values) noexcept nogil:
    """The value for team 0 of every distinct legal move, with the best play of both teams after it.

    :param moves: written, in the order of :func:`appeal`.
    :param values: room for MAX_MOVES; ``values[i]`` belongs to ``moves.move[i]``.
    :return: False when it gave up; then the values mean nothing.
    """
    cdef int i, value
    begin(prover, state, node_cap)
    order_moves(state, moves)
    for i in range(moves.count):
        value = follow(prover, state, moves.move[i], -BOUNDLESS, BOUNDLESS)
        if prover.gave_up:
            return False
        values[i] = -value if team_of(state.players, state.seat) else value
    return True


cdef bint prove_line(Prover *prover, const State *state, uint8_t move, Line *line) noexcept nogil:
    """What a move leads to with best play of both teams; part of the question asked last, about the same state.

    Of equal moves the first by :func:`appeal`. It is mostly cheap, as the values on the way are remembered. The value
    is proven by now, so the cap of the question does not hold for its line: only the deadline, the stop flag and
    signals.
    :return: False when it gave up; then the line means nothing.
    """
    cdef State after = state[0]
    cdef Moves moves
    cdef float[2] chances
    prover.node_cap = UINT64_MAX
    line.length = 0
    while True:
        line.move[line.length] = move
        line.length += 1
        play(&after, move)
        if after.end != RUNNING:
            break
        order_moves(&after, &moves)
        best_of(prover, &after, &moves, -BOUNDLESS, BOUNDLESS, &move)
        if prover.gave_up:
            return False
    line.chance = -1
    if prover.equity != NULL:
        end_chances(prover.equity, &after, chances)
        line.chance = chances[0]
    settle(&after)
    line.margin = after.score[0] - state.score[0] - after.score[1] + state.score[1]
    return True


cdef dict named_moves(Layout table, uint32_t tiles):
    """``{compact move: (tile, at)}`` for tiles of a hand; ``at`` is the lowest of equal attachment points."""
    named = {}
    for tile, at in table.placements_of(tiles):
        named.setdefault(table.compact(tile, at), (tile, at))
    return named


cdef tuple named_line(Layout table, const Line *line):
    """A line as ``(tile, at)``, every ``at`` the lowest of equal attachment points."""
    cdef Layout after = table.clone()
    cdef int i
    named = []
    for i in range(line.length):
        named.append(named_moves(after, <uint32_t> 1 << move_tile(line.move[i]))[line.move[i]])
        after.put(named[i][0], named[i][1])
    return tuple(named)


cdef class Solver:
    """Solves one position after another; what it remembers of one speeds up the next.

    A question from another thread waits for the one before it.

    :param table_bytes: room for what is remembered, 64..2**40; the largest power of two below is used.
    :param equity: chances to win the match; None: they are not reported.
    :param match: whether they are the values; else values are margins.
    :param stop: ends questions, together with all else that looks at it; None: one of its own, see :meth:`stop`.
    :raises LimitsError: a parameter out of range, or no memory for the table.
    """

    def __cinit__(self, *, table_bytes, Equity equity=None, match=False, StopFlag stop=None):
        cdef size_t room = read_whole(table_bytes, "table_bytes", 64, 1 << 40)
        cdef bint chances = read_flag(match, "match")
        if chances and equity is None:
            raise LimitsError("a solver for the chance to win the match needs an equity table",
                              reason="NO_EQUITY",
                              field="match")
        self.equity = equity
        if not open_prover(&self.prover, room, NULL if equity is None else &equity.table, chances):
            raise LimitsError(f"the process has no memory left for a table of {room} bytes", reason="NO_MEMORY",
                              field="table_bytes")
        self.flag = StopFlag() if stop is None else stop
        self.turn = Turn("the solver")
        self.prover.stop = &self.flag.raised

    def __reduce__(self):
        raise TypeError("a solver cannot be copied or pickled: its memory belongs to one process")

    def __dealloc__(self):
        close_prover(&self.prover)

    def stop(self):
        """Make the present question and all later ones give up at once. May be called from any thread."""
        self.flag.stop()

    @property
    def nodes(self):
        """Placements tried for the last question."""
        return self.prover.nodes

    @property
    def late(self):
        """Whether it gave up the last question because its time was over."""
        return self.prover.late

    def solve(self, Round round_ not None, node_cap, seconds=INFINITY):
        """The value of a round, and a best move. Releases the GIL.

        :param round_: a running round of 2 or 4 seats.
        :param node_cap: give up after so many placements tried, 1..2**63-1.
        :param seconds: give up after so much time; infinity: no clock has a part.
        :return: ``(value, (tile, at))``: team 0's margin from here on with best play of both teams, or in
            -20,000..20,000 how sure its win is; ``at`` is the lowest of the equal attachment points, -1 for the lead.
            None when it gave up.
        :raises ViewError: the round is over, or has 3 seats.
        :raises LimitsError: the cap is out of range.
        :raises BusyError: this thread is already asking a question.
        """
        cdef State state = round_.state
        cdef Solution solution
        self._check_state(&state)
        if not self._ask(&state, node_cap, seconds, False, &solution):
            return None
        return solution.value, named_moves(round_.table, placeable(&state))[solution.best]

    def solve_moves(self, Round round_ not None, node_cap, seconds=INFINITY):
        """The value of every distinct legal move, with best play of both teams after it. Releases the GIL.

        Parameters and errors as :meth:`solve`, which is faster.

        :return: a :class:`~sniffai_ext.rows.SolvedMove` for each, ascending. Its value is as for :meth:`solve`. None
            when it gave up.
        """
        cdef State state = round_.state
        self._check_state(&state)
        return self._answer_moves(&state, round_.table, node_cap, seconds)

    def solve_view(self, View view not None, node_cap, seconds=INFINITY):
        """:meth:`solve_moves` for a seat that can infer where all tiles lie: 2 seats, a talon of at most one tile.

        With an empty talon both seats know all, and the values are exact. With one tile left in the talon the other
        seat may know less than this one: then the values are those against a seat that knows all, which is what this
        seat can be sure of.

        :return: ``(exact, moves)``: whether the talon is empty, and as :meth:`solve_moves`.
        :raises ViewError: it is not the seat's turn to place a tile, or more than one world is possible.
        :raises HistoryError: no deal explains the view.
        """
        cdef State state
        state_of_view(view, &state)
        self._check_state(&state)
        return view.talon_size == 0, self._answer_moves(&state, view.table, node_cap, seconds)

    cdef int _check_state(self, const State *state) except -1:
        """Raise SniffError unless the round is one that can be solved, with the equity there is."""
        check_state(state)
        if self.equity is not None and self.equity.players != state.players:
            raise LimitsError(f"the equity table is for {self.equity.players} seats, but the round has {state.players}",
                              reason="WRONG_EQUITY", field="equity")
        return 0

    cdef bint _ask(self, const State *state, node_cap, seconds, bint every_move, Solution *solution) except -1:
        """Answer a question in its turn, without the interpreter's lock, until it is stopped or its time is over.

        :param every_move: whether the values and lines of all moves are asked for; else the value of the state.
        :return: False when it gave up; then the solution means nothing.
        """
        cdef uint64_t cap = read_whole(node_cap, "node_cap", 1, (1 << 63) - 1)
        cdef double span = read_real(seconds, "seconds", -INFINITY, INFINITY)
        cdef Watch watch
        cdef bint solved
        with self.turn:
            watch = watch_signals()
            self.prover.watch = &watch
            self.prover.deadline = monotonic() + span
            with nogil:
                if every_move:
                    solved = prove_lines(&self.prover, state, cap, solution)
                else:
                    solved = prove(&self.prover, state, cap, &solution.value, &solution.best)
            self.prover.watch = NULL
        answer(&watch)
        return solved

    cdef list _answer_moves(self, const State *state, Layout table, node_cap, seconds):
        cdef Solution solution
        cdef int i
        if not self._ask(state, node_cap, seconds, True, &solution):
            return None
        rows = []
        for i in range(solution.moves.count):
            line = named_line(table, &solution.lines[i])
            rows.append(SolvedMove(
                *line[0], solution.values[i], solution.lines[i].margin, solution.lines[i].chance, line
            ))
        return sorted(rows)


cdef bint prove_lines(Prover *prover, const State *state, uint64_t node_cap, Solution *solution) noexcept nogil:
    """The value and the line of every distinct legal move; False when it gave up."""
    cdef int i
    if not prove_moves(prover, state, node_cap, &solution.moves, solution.values):
        return False
    for i in range(solution.moves.count):
        if not prove_line(prover, state, solution.moves.move[i], &solution.lines[i]):
            return False
    return True


cdef int check_state(const State *state) except -1:
    """Raise ViewError unless the round is one that can be solved."""
    if state.players == 3:
        raise ViewError("a round of 3 seats has no exact value: one seat's gain is not another seat's loss",
                        reason="THREE_SEATS", field="players")
    if state.end != RUNNING:
        raise ViewError("the round is over", reason="ROUND_OVER")
    return 0


cdef int state_of_view(View view, State *state) except -1:
    """The one full state that a view allows. Raises ViewError if there are more."""
    cdef Belief belief
    if view.must != "play":
        raise ViewError(f"the seat has no tile to place: it must {view.must}", reason="NOT_TO_PLAY", field="seat")
    if view.players > 2 or view.talon_size > 1:
        raise ViewError("the seat does not know where every tile is, so the round cannot be solved",
                        reason="NOT_ALL_KNOWN")
    belief = Belief.of(view)
    view.fill_state(state)
    if view.talon_size == 0:
        state.hand[1 - view.seat] = view.unseen()
        return 0
    worlds = belief.worlds(FEW_WORLDS)
    if worlds is None or len(worlds) > 1:
        raise ViewError("the seat does not know which tile is in the talon, so the round cannot be solved",
                        reason="NOT_ALL_KNOWN")
    (world,) = worlds
    state.hand[1 - view.seat] = world[1 - view.seat]
    state.talon[0] = <uint8_t> lowest(world[2])
    return 0
