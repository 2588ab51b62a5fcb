"""How one seat chooses, in closed form: the players of :mod:`sniffai.play` that do not search.

A search asks two things of a model: a move, drawn as the seat would draw it, and how likely the seat makes a move. Both
see what the seat may know only: its own hand, and of the other hands no more than their sizes.

The chance of the i-th of several moves whose ratings v err by normal errors of standard deviation s:

    P(i) = integral over x of phi(x) * product over the others j of Phi((v_i - v_j) / s + x)

by the trapezoidal rule. Its error falls faster than any power of the step for such smooth functions.
"""

from libc.math cimport M_PI, cos, erfc, exp, log, sqrt

from sniffai_ext.checks cimport read_items, read_real, read_seed
from sniffai_ext.equity cimport win_chance
from sniffai_ext.layout cimport join
from sniffai_ext.policy cimport first_best, rate_moves
from sniffai_ext.rng cimport below, seed_rng, uniform
from sniffai_ext.round cimport legal_moves
from sniffai_ext.types cimport MAX_MOVES, Arms, target_of, team_of, uint32_t

from sniffai_ext.errors import LimitsError, ViewError
from sniffai_ext.shown import shown

KINDS = ("careless", "policy", "hasty", "own")

cdef enum:
    STEPS = 28            # of the integral on either side of 0

cdef double STEP_WIDTH = 0.25        # 7 standard deviations in 28 steps: the tails beyond hold 1e-12
cdef double SURE = 1e-9              # an error of fewer points decides nothing
cdef double MOST_ERROR = 1000.0


cdef inline int points_of(const State *state, uint8_t move) noexcept nogil:
    cdef Arms after = state.arms
    return join(&after, move)


cdef inline double normal(Rng *rng) noexcept nogil:
    """A number from the standard normal distribution (Box and Muller)."""
    return sqrt(-2 * log(1 - uniform(rng))) * cos(2 * M_PI * uniform(rng))


cdef double openness(const Choosing *choosing, const State *state) noexcept nogil:
    """How open the match is for the seat to move: 1 if it is even, 0 once it is decided
    (:func:`sniffai.play.humanlike.openness`)."""
    cdef int[3] scores
    cdef float[3] chances
    cdef int team
    for team in range(3):
        scores[team] = state.score[team]
    win_chance(choosing.equity, scores, -1, chances)
    return 4 * <double> chances[team_of(state.players, state.seat)] * (
        1 - <double> chances[team_of(state.players, state.seat)])


cdef int winning_move(const State *state, const uint8_t *moves, const float *values, int count) noexcept nogil:
    """Of the moves that win the match now the one rated highest; -1 if none does."""
    cdef int i, best = -1, missing = target_of(state.players) - state.score[team_of(state.players, state.seat)]
    for i in range(count):
        if points_of(state, moves[i]) >= missing and (best < 0 or values[i] > values[best]):
            best = i
    return best


cdef const Part *drawn_part(const Choosing *choosing, Rng *rng) noexcept nogil:
    """The way in which the seat makes its next choice."""
    cdef double ticket
    cdef int i
    if choosing.parts == 1:
        return &choosing.part[0]
    ticket = uniform(rng)
    for i in range(choosing.parts - 1):
        ticket -= choosing.part[i].share
        if ticket < 0:
            return &choosing.part[i]
    return &choosing.part[choosing.parts - 1]


cdef uint8_t careless_move(const State *state, const uint8_t *moves, int count, double misses, Rng *rng) noexcept nogil:
    cdef int[MAX_MOVES] best
    cdef int i, points, most = -1, ties = 0
    for i in range(count):
        points = points_of(state, moves[i])
        if points and uniform(rng) < misses:
            points = 0
        if points > most:
            most = points
            ties = 0
        if points == most:
            best[ties] = i
            ties += 1
    return moves[best[below(rng, ties)]]


cdef uint8_t modelled_move(const Choosing *choosing, const Part *part, const State *state, Rng *rng) noexcept nogil:
    """What the seat to move places if it chooses in this way, drawn as it would draw it; OWN is taken for POLICY."""
    cdef uint8_t[MAX_MOVES] moves
    cdef float[MAX_MOVES] values
    cdef double error
    cdef int i, count = legal_moves(state, moves)
    if count == 1:
        return moves[0]
    if part.kind == CARELESS:
        return careless_move(state, moves, count, part.number, rng)
    rate_moves(choosing.net, state, moves, count, values)
    if part.kind == HASTY:
        i = winning_move(state, moves, values, count)
        if i >= 0:
            return moves[i]
        error = part.number * openness(choosing, state)
        if error > SURE:
            for i in range(count):
                values[i] += <float> (error * normal(rng))
    return moves[first_best(values, count)]


cdef double careless_chance(const State *state, const uint8_t *moves, int count, int pick,
                            double misses) noexcept nogil:
    """It takes a move either as one of the best that it sees, or because it sees no points at all."""
    cdef int i, points, own = points_of(state, moves[pick]), higher = 0, equal = 1, scoring = 0
    cdef double chance = 0
    for i in range(count):
        points = points_of(state, moves[i])
        scoring += points > 0
        higher += points > own
        equal += i != pick and points == own
    if own > 0:
        chance = power(misses, higher) * (1 - power(misses, equal)) / equal
    return chance + power(misses, scoring) / count


cdef inline double power(double base, int exponent) noexcept nogil:
    cdef double product = 1
    while exponent:
        product *= base
        exponent -= 1
    return product


cdef double judged_chance(const float *values, int count, int pick, double error) noexcept nogil:
    """The formula of the module's docstring."""
    cdef double x, term, total = 0
    cdef int i, step
    if error <= SURE:
        return first_best(values, count) == pick
    for step in range(-STEPS, STEPS + 1):
        x = step * STEP_WIDTH
        term = exp(-0.5 * x * x)
        for i in range(count):
            if i != pick:
                term *= 0.5 * erfc(-((values[pick] - values[i]) / error + x) * 0.7071067811865476)
        total += term
    return total * STEP_WIDTH * 0.3989422804014327


cdef double modelled_chance(const Choosing *choosing, const State *state, const uint8_t *moves, int count, int pick,
                            double own) noexcept nogil:
    """How likely the seat to move makes one of its distinct legal moves, 0..1.

    :param moves: all of them.
    :param pick: the index of the move.
    :param own: how likely the search's own model makes the move; needed for OWN.
    """
    cdef float[MAX_MOVES] values
    cdef const Part *part
    cdef double chance = 0
    cdef bint rated = False
    cdef int i, winning
    for i in range(choosing.parts):
        part = &choosing.part[i]
        if part.kind == CARELESS:
            chance += part.share * careless_chance(state, moves, count, pick, part.number)
            continue
        if part.kind == OWN:
            chance += part.share * own
            continue
        if not rated:
            rate_moves(choosing.net, state, moves, count, values)
            rated = True
        if part.kind == HASTY:
            winning = winning_move(state, moves, values, count)
            if winning >= 0:
                chance += part.share * (winning == pick)
            else:
                chance += part.share * judged_chance(values, count, pick, part.number * openness(choosing, state))
        else:
            chance += part.share * (first_best(values, count) == pick)
    return chance


cdef class SeatModel:
    """How one seat chooses: each placement in one of several ways, at random.

    :param parts: ``(kind, number, share)`` for each way, 1..32 of them. Kinds: ``"careless"`` (number: the chance to
        overlook the points of a placement, 0..1), ``"policy"`` (number: 0), ``"hasty"`` (number: the standard deviation
        of its errors in points, 0..1000), ``"own"`` (number: 0): as the search's own model says. Shares are above 0;
        they count in proportion to their sum.
    :param policy: rates the moves of ``"policy"`` and ``"hasty"``.
    :param equity: chances to win the match, for ``"hasty"``.
    :raises LimitsError: a part is none, or its data are missing.
    """

    def __cinit__(self, parts, Policy policy=None, Equity equity=None):
        cdef int i
        given = [self._read_part(part, f"parts[{i}]", policy, equity)
                 for i, part in enumerate(read_items(parts, "parts"))]
        if not 1 <= len(given) <= MOST_PARTS:
            raise LimitsError(f"a model has 1..{MOST_PARTS} parts, not {len(given)}", reason="OUT_OF_RANGE",
                              field="parts")
        total = sum(share for _, _, share in given)
        self.parts = tuple((kind, number, share / total) for kind, number, share in given)
        self.choosing.parts = len(given)
        for i, (kind, number, share) in enumerate(self.parts):
            self.choosing.part[i] = Part(KINDS.index(kind), number, share)
            self.choosing.own |= kind == "own"
        self.policy, self.equity = policy, equity
        if policy is not None:
            self.choosing.net = &policy.net
        if equity is not None:
            self.choosing.equity = &equity.table

    def _read_part(self, part, str field, Policy policy, Equity equity):
        items = read_items(part, field)
        if len(items) != 3 or not isinstance(items[0], str) or items[0] not in KINDS:
            raise LimitsError(f"(kind, number, share) is expected, a kind of {', '.join(KINDS)}, not {shown(part)}",
                              reason="NOT_A_PART", field=field)
        kind, number, share = items
        if kind in ("policy", "hasty") and policy is None:
            raise LimitsError(f"{kind} needs a policy", reason="NO_POLICY", field="policy")
        if kind == "hasty" and equity is None:
            raise LimitsError("hasty needs an equity table", reason="NO_EQUITY", field="equity")
        most = {"careless": 1.0, "policy": 0.0, "hasty": MOST_ERROR, "own": 0.0}[kind]
        return (str(kind), read_real(number, f"{field}[1]", 0, most),
                read_real(share, f"{field}[2]", 0, 1e9, open_below=True))

    def __copy__(self):
        return self                          # it never changes

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return type(self), (self.parts, self.policy, self.equity)

    def __eq__(self, other):
        if not isinstance(other, SeatModel):
            return NotImplemented
        return (self.parts, self.policy, self.equity) == (other.parts, other.policy, other.equity)

    def __hash__(self):
        return hash(self.parts)

    cdef int check_players(self, int players, str field) except -1:
        """Raise LimitsError unless the data are for so many seats."""
        for noun, data in (("policy", self.policy), ("equity table", self.equity)):
            if data is not None and data.players != players:
                raise LimitsError(f"the {noun} of a model is for {data.players} seats, but the round has {players}",
                                  reason="WRONG_NET", field=field)
        return 0

    cdef int fill_seen(self, View view, State *state) except -1:
        """The state as the view's seat sees it, to place a tile; of the other hands only the sizes.

        :raises ViewError: the seat is not to place a tile.
        :raises LimitsError: the view has another number of seats, or a part is the search's own model, which only a
            search has.
        """
        cdef int other
        if self.choosing.own:
            raise LimitsError("only a search knows its own model", reason="OWN_MODEL", field="parts")
        if view.must != "play":
            raise ViewError(f"the seat has no tile to place: it must {view.must}", reason="NOT_TO_PLAY", field="seat")
        self.check_players(view.players, "view")
        view.fill_state(state)
        for other in range(view.players):
            if other != view.seat:
                state.hand[other] = (<uint32_t> 1 << view.size[other]) - 1
        return 0

    def chances(self, View view not None):
        """``[(tile, at, chance)]`` for every distinct move of the view's seat, as it comes in the list of its moves.

        ``at`` is the lowest of the equal attachment points; the chances add up to 1.

        :raises ViewError: the seat is not to place a tile.
        :raises LimitsError: the view has another number of seats.
        """
        cdef State state
        cdef uint8_t[MAX_MOVES] moves
        cdef int i, count
        self.fill_seen(view, &state)
        count = legal_moves(&state, moves)
        by_move = {moves[i]: modelled_chance(&self.choosing, &state, moves, count, i, 0) for i in range(count)}
        rows = []
        for tile, at in view.legal_moves():
            chance = by_move.pop(view.table.compact(tile, at), None)
            if chance is not None:
                rows.append((tile, at, chance))
        return rows

    def choose(self, View view not None, seed):
        """``(tile, at)``: a move of the view's seat, drawn by these chances.

        :param seed: 0..2**64-1.
        :raises SniffError: as :meth:`chances`.
        """
        cdef State state
        cdef Rng rng
        cdef int move
        self.fill_seen(view, &state)
        seed_rng(&rng, read_seed(seed))
        move = modelled_move(&self.choosing, drawn_part(&self.choosing, &rng), &state, &rng)
        for tile, at in view.legal_moves():
            if view.table.compact(tile, at) == move:
                return tile, at
