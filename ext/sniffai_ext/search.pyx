"""Single-observer information-set MCTS (Cowling, Powley and Whitehouse 2012, "Information Set Monte Carlo Tree
Search").

    until a limit is hit:
        determinize   draw the hidden hands and the talon from the belief: for the n-th simulation of each root move
                      the same ones (common worlds), so that moves are not compared by their luck
        select        while every legal move of this world has a node, go down by UCB1 with availability counts,
                      its exploration term scaled by how far the values of the node itself spread
        expand        add a node for a legal move that has none
        evaluate      ask the world-value net what is to come, or roll out mostly greedy moves to the end of the round
        back up       add the utility of each mover's team along the way

The belief is exact for what the rules force. With a policy, worlds are weighted by how likely it makes the other seats'
past choices (:mod:`sniffai_ext.inference`).

A node is reached by the public record and the tile that the observer drew and must place at once: draws and passes of a
turn lead through an *outcome* node. Only what the observer drew in vain on the way is no part of a node's key.

Where nothing is hidden, a node stands for one state, so an end of the round proves a value, and a node whose moves are
all proven is proven (MCTS-Solver, Winands, Björnsson and Saito 2008); late ends are solved at once at a new node. What
is proven is not searched again, and told instead of a mean (:mod:`sniffai_ext.proof`).

Margin: what the round brings from here, in points, settlement included. With two teams it is a team's points less the
other team's; with three seats a seat's points less the mean of the others' (each plays for itself). Reaching the target
ends the round there (rules 7). The utility that the tree maximises is that margin, or what counts beyond the round: the
chance to win the match (:mod:`sniffai_ext.equity`), in points of which MATCH_POINTS are worth the match, and more of
them where the match is as good as decided. Where chances cannot be told apart, the margin decides.
"""

from libc.math cimport INFINITY, M_SQRT2, erfc, fabs, hypot, sqrt, sqrtf
from libc.stdint cimport INT32_MAX, INT64_MAX
from libc.string cimport memcpy

from sniffai_ext.clock cimport monotonic
from sniffai_ext.checks cimport read_flag, read_int, read_items, read_real, read_seed, read_tiles, read_whole
from sniffai_ext.equity cimport Equity, win_chance
from sniffai_ext.layout cimport Layout
from sniffai_ext.policy cimport draw_by_softmax, rate_moves
from sniffai_ext.proof cimport best_reply, is_proven, prove, proven_utility
from sniffai_ext.rng cimport below, next64, seed_rng
from sniffai_ext.rollout cimport roll_out
from sniffai_ext.round cimport choice, count_moves, draw_until_fit, give_pass, legal_moves, place, play, settle_turn
from sniffai_ext.signals cimport answer, called, watch_signals
from sniffai_ext.solver cimport Line, close_prover, open_prover, prove_line, tiles_left
from sniffai_ext.solver cimport prove as prove_value
from sniffai_ext.tree cimport Node, add_child, close_tree, open_tree
from sniffai_ext.types cimport (
    ALL_TILES, FITTING, MAX_MOVES, RUNNING, TILES, lowest, move_tile, popcount, target_of, team_count, team_of,
    uint16_t,
)
from sniffai_ext.utility cimport end_chances, hoped_chances, settlement
from sniffai_ext.world_value cimport world_values

from sniffai_ext.errors import BusyError, LimitsError, ViewError
from sniffai_ext.worlds import MOST_WORLDS, check_choices
from sniffai_ext.shown import shown

cdef extern from * nogil:
    """
    /* ln(x) for x >= 1 within 2e-4: exponent by bits, mantissa by a polynomial. Several times faster than logf. */
    static inline float sniff_ln(float x) {
        union { float f; uint32_t u; } v = { x };
        float e = (float)((int)(v.u >> 23) - 127);
        v.u = (v.u & 0x7fffff) | 0x3f800000;
        return 0.69314718f * (e - 1.7417939f + (2.8212026f + (-1.4699568f + (0.44717955f - 0.056570851f * v.f)
                              * v.f) * v.f) * v.f);
    }
    """
    float fast_ln "sniff_ln"(float x) noexcept
    void prefetch "__builtin_prefetch"(const void *address) noexcept

cdef enum:
    OUTCOME = 256         # keys from here on are outcomes
    FEW_VISITS = 30       # below, a root move is not judged
    MATCH_POINTS = 250    # what the match is worth: so that its chance spreads about as far as a round's margin
    SWING = 30            # points won or lost in a round, to see how far its chance spreads at the scores
    LEAST_SPREAD = 25     # points that such a swing is worth at least
    NEAR_TARGET = 60      # points before the target: from there on leaves are rolled out, as order decides
    SPREAD_START = 3      # simulations that the spread a node starts from counts for
    SPREAD_MEMORY = 1000  # simulations after which a node's spread begins to forget
    FOLLOW_FROM = 500     # visits of a node from which on the other seats may follow the policy: it takes its time
    MOST_TREES = 1024     # side by side
    END_TILES = 18        # with as many off the table or fewer, ends are solved at new nodes if nothing is hidden
    END_TILES_UNPRUNED = 14  # the same without the solver: with 3 seats, or in a match that is as good as decided
    END_PLACEMENTS = 256  # that this may take
    END_TABLE = 1 << 18   # bytes that the solver remembers positions in
    USUAL_DEVIATION = 30  # of a round's margin, in points
    CHECK_EVERY = 64      # simulations between two looks at the clock, the stop flag and signals: well under 0.2 ms
    CHECK_EVERY_OPEN = 8  # the same where nothing is hidden: a simulation may solve an end

cdef double POINT_SHARE = 4e-6  # of the match that a point is worth beside its chance, to choose among equal chances
cdef double RESOLUTION = 1e-4   # chances that differ by less are not told apart,
cdef double CLOSE = 2e-3        # nor those that differ by less than this
cdef double APART = 2.0         # and by less than so many standard errors
cdef double MOST_EXPLORATION = 1e6
cdef double EQUAL = 1e-9       # points: utilities that lie less apart are the same
cdef double CAUTION = 0.5     # standard errors by which a root move's value is lowered before the moves are ranked
cdef double DOUBT = 2.25      # times the standard error of a difference that decides: a young tree errs otherwise, too
cdef double DRIFTS = 3.0      # times that the drift of a tree counts in the errors that are told
cdef double FOLLOW_TEMPERATURE = 1.5  # of the policy that the other seats follow, in points

cdef enum StopReason:
    SIMULATIONS = 0
    SECONDS = 1
    MEMORY = 2
    STOPPED = 3
    DECIDED = 4
    PRECISE = 5

STATED_DRIFTS = DRIFTS
RANK_CAUTION = CAUTION
CLOSE_CHANCES = CLOSE
DECISION_DOUBT = DOUBT
STOP_REASONS = ("simulations", "time", "memory", "stopped", "decided", "precise")


cdef inline uint16_t settle_turn_seen(State *state, int observer) noexcept nogil:
    """``settle_turn``, and the key of what the observer sees of it: 0 when nobody drew or passed."""
    cdef uint32_t seen = 0
    cdef int before
    cdef bint fits
    while state.end == RUNNING:
        before = state.talon_next
        fits = draw_until_fit(state)
        if state.talon_next > before:
            seen = (seen + state.seat + 1) * <uint32_t> 2654435761 + <uint32_t> (state.talon_next - before)
            if fits and state.seat == observer:
                seen = seen * <uint32_t> 2654435761 + state.forced + 1
        if fits:
            break
        seen = (seen + state.seat + 1) * <uint32_t> 2246822519 + 1
        give_pass(state)
    if seen == 0:
        return 0
    seen ^= seen >> 15
    return <uint16_t> (OUTCOME + seen % (65536 - OUTCOME))


cdef class Search:
    """A search tree for one view, grown by :meth:`run`.

    One thread runs it at a time. While it runs, other threads may call :meth:`stop` and read the properties; what looks
    into the tree raises BusyError then.

    :param view: the seat is to move and can place a tile.
    :param seed: 0..2**64-1; the same view, seed, parameters and number of simulations give the same tree.
    :param exploration: least weight of the exploration term of UCB1, in points, below the root.
    :param root_exploration: the same at the root.
    :param by_spread: the weight in standard deviations of the node's values; the larger of both holds.
    :param root_share: share of the simulations that is spread evenly over the root's moves, 0..1.
    :param revisit: every move of a node is tried at least so many times the root of its availability, 0..1.
    :param common_worlds: whether the n-th simulation of every root move has the same world; else each has its own.
    :param epsilon: chance of a random move in a rollout, 0..1.
    :param equity: chances to win the match; None: they are not told.
    :param match: whether the utility is the chance to win the match; else it is the margin of the round.
    :param memory_bytes: hard cap for the tree.
    :param expected: simulations to make room for at once, a hint.
    :param pool: worlds to weigh when it first runs, and to draw from; 0: every determinization is a fresh sample.
    :param extra_worlds: further worlds in the pool, weighted by a fit to those.
    :param policy: model of the other seats; None: all worlds weigh the same.
    :param temperatures: of the model's choices by phase, in points, each 0.000001..1,000,000.
    :param floor: share of choices that the model takes for random, 0.000001..1.
    :param follow: share of their choices in which the other seats follow the policy in the tree, 0..1.
    :param value: evaluates leaves; None: leaves are rolled out.
    :param root_moves: the only moves to consider at the root, as ``(tile, at)``; None: all.
    :param world: ``(hands, talon)``, tile masks by seat and tile indices in the order of drawing: nothing is hidden,
        every determinization is this world. None: the belief's.
    :param proofs: whether ends of the round prove values where nothing is hidden; else all are means.
    :param stop: ends runs, together with all others that look at it; None: one of its own, see :meth:`stop`.
    :raises SniffError: it is not the seat's turn to place a tile, no deal explains the view, a root move is not legal,
        the world is not one of the view's, or a parameter is out of range.
    """

    def __cinit__(self, View view not None, seed, *, exploration=40.0, root_exploration=80.0, by_spread=1.0,
                  root_share=0.5, revisit=0.1, common_worlds=True, epsilon=0.1, Equity equity=None, match=False,
                  memory_bytes=1 << 28, expected=0, pool=0, extra_worlds=0, Policy policy=None,
                  temperatures=(3.0, 3.0, 3.0), floor=0.05, follow=0.0, WorldValue value=None, root_moves=None,
                  world=None, proofs=True, StopFlag stop=None):
        if view.must != "play":
            raise ViewError(f"the seat has no tile to place: it must {view.must}", reason="NOT_TO_PLAY", field="seat")
        for data in (policy, value, equity):
            if data is not None and data.players != view.players:
                raise LimitsError(f"data for {data.players} seats cannot serve {view.players}",
                                  reason="WRONG_NET", field="players")
        self.match = read_flag(match, "match")
        self.common_worlds = read_flag(common_worlds, "common_worlds")
        if self.match and equity is None:
            raise LimitsError("the chance to win the match takes a table of match equity", reason="NO_EQUITY",
                              field="match")
        self._take_growth(exploration, root_exploration, by_spread, root_share, revisit)
        self.epsilon = parts(epsilon, "epsilon")
        memory_bytes = read_whole(memory_bytes, "memory_bytes", 0, INT64_MAX)
        expected = read_whole(expected, "expected", 0, INT64_MAX)
        cdef int room = read_whole(pool, "pool", 0, MOST_WORLDS)
        cdef int extra = read_whole(extra_worlds, "extra_worlds", 0, MOST_WORLDS)
        seed_rng(&self.rng, read_seed(seed))
        self.world_seed = next64(&self.rng)
        if not open_tree(&self.tree, memory_bytes, min(expected + expected // 2, 1 << 20)):
            raise LimitsError(f"{memory_bytes} bytes are too few for a tree", reason="MEMORY_TOO_SMALL",
                              field="memory_bytes")
        self.view = view.copy()
        self.belief = Belief.of(view)
        self.view.fill_state(&self.start)
        self.equity = equity
        self.table = NULL if equity is None else &equity.table
        self.team = team_of(view.players, view.seat)
        self._weigh_utilities()
        self._take_nets(policy, temperatures, floor, follow, value)
        self._consider(self.view.legal_moves() if root_moves is None else root_moves)
        if world is not None:
            self._fix_world(world)
        else:
            self.room, self.extra = room, extra
        self.flag = StopFlag() if stop is None else stop
        if self.view.players == 2 and self.view.talon_size == 0:
            self._see_all()
        self.proofs = read_flag(proofs, "proofs") and self.known
        # The solver tells chances in 20,000 steps: too few where only the margin is left to play for.
        self.solver = self.proofs and self.view.players != 3 and self.chance_weight[self.team] <= MATCH_POINTS
        if self.solver and not open_prover(&self.prover, END_TABLE, self.table, self.match):
            raise LimitsError("there is no memory for the ends of the round", reason="NO_MEMORY", field="memory_bytes")

    def _weigh_utilities(self):
        """What a chance and a point are worth to each team in the tree.

        What UCB1 explores is measured in points. So where a round can hardly change a team's chance any more, as the
        match is as good as decided for it, its chance is worth more points.
        """
        cdef int team
        for team in range(team_count(self.view.players)):
            self.chance_weight[team], self.margin_weight[team] = 0, 1
            if self.match:
                self.chance_weight[team] = max(<double> MATCH_POINTS, LEAST_SPREAD / self._swing(team))
                self.margin_weight[team] = POINT_SHARE * self.chance_weight[team]

    cdef double _swing(self, int own) except -1:
        """How much more of the match a team has after SWING points won than after as many lost, points counted in."""
        cdef int[3] scores
        cdef float[3] chances
        cdef int team, way, teams = team_count(self.view.players)
        cdef double found = 2 * SWING * POINT_SHARE
        for way in (1, -1):
            for team in range(teams):
                scores[team] = self.start.score[team] - way * (SWING // teams)
            scores[own] += way * SWING
            win_chance(self.table, scores, -1, chances)
            found += way * chances[own]
        return found

    def __reduce__(self):
        raise TypeError("a search is neither copied nor pickled: its tree belongs to one process")

    def _take_growth(self, exploration, root_exploration, by_spread, root_share, revisit):
        self.growth = Growth(
            <float> read_real(exploration, "exploration", 0, MOST_EXPLORATION),
            <float> read_real(root_exploration, "root_exploration", 0, MOST_EXPLORATION),
            <float> read_real(by_spread, "by_spread", 0, MOST_EXPLORATION),
            <float> read_real(root_share, "root_share", 0, 1),
            <float> (read_real(revisit, "revisit", 0, 1) ** 2),
        )

    def _take_nets(self, Policy policy, temperatures, floor, follow, WorldValue value):
        cdef int phase
        self.policy = policy
        self.value = value
        self.follow = parts(follow, "follow")
        self.leaf = NULL if value is None or (self.match and self._near_target()) else &value.net
        temperatures, floor = check_choices(temperatures, floor)
        if policy is None:
            self.follow = 0
            return
        self.model.net = &policy.net
        self.model.floor = <float> floor
        for phase in range(3):
            self.model.temperature[phase] = <float> temperatures[phase]

    def _consider(self, root_moves):
        legal = set(self.view.legal_moves())
        root_moves = read_items(root_moves, "root_moves", ViewError)
        for move in root_moves:
            if move not in legal:
                raise ViewError(f"no legal move of the seat: {shown(move)}", reason="NOT_LEGAL", field="root_moves")
            tile, at = move
            move = self.view.table.compact(tile, at)
            self.root_count += not self.considered[move >> 6] >> (move & 63) & 1
            self.considered[move >> 6] |= <uint64_t> 1 << (move & 63)
        if not root_moves:
            raise ViewError("no move to consider", reason="NO_MOVES", field="root_moves")

    def _fix_world(self, world):
        cdef int seat, i
        cdef uint32_t tiles = 0
        parts_ = read_items(world, "world", ViewError)
        if len(parts_) != 2:
            raise ViewError("hands and a talon are expected", reason="WRONG_WORLD", field="world")
        hands = [read_tiles(hand, f"world[0][{seat}]")
                 for seat, hand in enumerate(read_items(parts_[0], "world[0]", ViewError))]
        talon = [read_whole(tile, f"world[1][{i}]", 0, TILES - 1, ViewError)
                 for i, tile in enumerate(read_items(parts_[1], "world[1]", ViewError))]
        if len(hands) != self.view.players or len(talon) != self.view.talon_size:
            raise ViewError(f"{self.view.players} hands and a talon of {self.view.talon_size} tiles are expected",
                            reason="WRONG_WORLD", field="world")
        for seat in range(self.view.players):
            self.start.hand[seat] = hands[seat]
            if popcount(hands[seat]) != self.view.size[seat]:
                raise ViewError(f"seat {seat} holds {self.view.size[seat]} tiles", reason="WRONG_HAND_SIZE",
                                field=f"world[0][{seat}]")
            tiles |= self.start.hand[seat]
        for i in range(self.view.talon_size):
            self.start.talon[i] = talon[i]
            tiles |= <uint32_t> 1 << self.start.talon[i]
        if tiles != ALL_TILES & ~self.view.table.tiles or self.start.hand[self.view.seat] != self.view.hand:
            raise ViewError("these are not the tiles off the table, each once", reason="WRONG_WORLD", field="world")
        self.known = True

    def _see_all(self):
        """With 2 seats and an empty talon the rest of the tiles is the other hand."""
        self.start.hand[1 - self.view.seat] = self.view.unseen()
        self.known = True

    def _near_target(self):
        return max(self.view.scores) >= target_of(self.view.players) - NEAR_TARGET

    def __dealloc__(self):
        close_tree(&self.tree)
        close_prover(&self.prover)

    def run(self, simulations, seconds, goal=0.0, precision=0.0, trees=1, least=0, pool_seconds=INFINITY):
        """Grow the tree until ``simulations`` in all are done, ``seconds`` have passed, the memory is full, the best
        move is decided or known well enough, or :meth:`stop` is called. Releases the GIL.

        :param simulations: total for this tree, 1..2**63-1.
        :param seconds: from now on; infinity for no limit. From 0 down the run ends after its first simulations.
        :param goal: probability of being best at which the best move decides the search; 0: never.
        :param precision: standard error of the best move's mean margin at which the search ends, in points; 0:
            never.
        :param trees: how many like this one grow side by side: their chance errors shrink together, their drift not.
        :param least: simulations in all before which neither ``goal`` nor ``precision`` ends the run.
        :param pool_seconds: from now on, that the pool may take where it is yet to be filled, and a clock then has a
            part in it (:attr:`Pool.hurried`); infinity: as long as it takes.
        :return: the reason of the stop: one of STOP_REASONS.
        :raises LimitsError: a limit out of range.
        :raises BusyError: it runs already.
        """
        cdef uint64_t most = read_whole(simulations, "simulations", 1, INT64_MAX)
        cdef double span = read_real(seconds, "seconds", -INFINITY, INFINITY)
        cdef double share = read_real(goal, "goal", 0, 1)
        cdef double error = read_real(precision, "precision", 0, INFINITY)
        cdef int count = read_whole(trees, "trees", 1, MOST_TREES)
        cdef uint64_t fewest = read_whole(least, "least", 0, INT64_MAX)
        cdef double weighing = read_real(pool_seconds, "pool_seconds", -INFINITY, INFINITY)
        cdef double deadline = monotonic() + span
        cdef int reason = STOPPED
        cdef Watch watch
        self.check_idle()
        self.busy = True
        watch = watch_signals()
        self.least = fewest
        self.goal = share
        self.precision = error
        self.trees = count
        try:
            if self.fill_pool(weighing, &watch):
                with nogil:
                    reason = self.run_until(most, deadline, &watch)
        finally:
            self.busy = False
        answer(&watch)
        return STOP_REASONS[reason]

    def stop(self):
        """End :meth:`run` within a millisecond, from any thread; later runs end at once."""
        self.flag.stop()

    cdef int check_idle(self) except -1:
        if self.busy:
            raise BusyError("the search runs", reason="BUSY")
        return 0

    cdef bint fill_pool(self, double seconds, Watch *watch) except -1:
        """Weigh the worlds, if there are some to weigh; False where that was stopped, as if it had never begun."""
        cdef Rng before = self.rng
        if self.room == 0:
            return True
        pool = Pool()
        (<Pool> pool).stop, (<Pool> pool).span = self.flag, max(0.0, seconds)
        if not (<Pool> pool).fill(self.belief, self.view, NULL if self.policy is None else &self.model, self.room,
                                  self.extra, &self.rng, watch):
            self.rng = before
            return False
        self.pool = pool
        self.room = 0
        return True

    cdef int run_until(self, uint64_t simulations, double deadline, Watch *watch) noexcept nogil:
        cdef int countdown = 1
        while True:
            if self.done >= simulations:
                return SIMULATIONS
            if self.tree.exhausted:
                return MEMORY
            countdown -= 1
            if countdown == 0:
                countdown = CHECK_EVERY_OPEN if self.proofs else CHECK_EVERY
                if self.flag.raised or called(watch):
                    return STOPPED
                if self.done and monotonic() >= deadline:
                    return SECONDS
                if self.done >= self.least and self.goal > 0 and self.decided():
                    return DECIDED
                if self.done >= self.least and self.precision > 0 and self.precise():
                    return PRECISE
            if self.proofs:
                self.simulate_open()
            else:
                self.simulate()
            self.done += 1

    cdef bint determinize(self, uint64_t number, State *state) noexcept nogil:
        """The full round of a number, among those that the view allows, each with its chance.

        False where the talon has no order yet: most simulations never draw, the others ask :func:`order_talon`.
        """
        cdef Rng rng
        memcpy(state, &self.start, sizeof(State))
        if self.known:
            return True
        if self.pool is not None:
            self.pool.draw(state.hand, number)
            return False
        seed_rng(&rng, self.world_seed + number)
        self.belief.sample_hands(&rng, state.hand, state.talon)
        return True

    cdef void simulate(self) noexcept nogil:
        """One pass: determinize, select, expand, evaluate, back up."""
        cdef State state
        cdef Path path
        cdef Result result
        cdef uint32_t node = 0, child = 0
        cdef uint16_t seen
        cdef uint64_t number
        cdef int seat
        cdef bint fresh, ordered
        cdef uint8_t move = 0
        # What the root may choose hangs on no hidden tile, so the move can come before its world.
        path.length = 0
        fresh = select_child(&self.tree, 0, &self.start, self.considered, self.root_count, &self.growth, &self.rng,
                             &child, &move)
        number = self.tree.nodes[child].visits if child and self.common_worlds else self.done
        ordered = self.determinize(number, &state)
        while True:
            seat = state.seat
            push(&path, child, team_of(state.players, seat))
            place(&state, move)
            if child == 0:                   # no room for it: the simulation counts for the nodes above
                path.length -= 1
            if fresh and self.leaf != NULL and state.end == RUNNING:
                self.estimate(&state, seat, &result)
                self.back_up(&path, &result)
                return
            if not ordered and state.end == RUNNING and not state.hand[state.seat] & FITTING[state.arms.open]:
                order_talon(&state, self.world_seed + number)
                ordered = True
            seen = settle_turn_seen(&state, self.view.seat)
            if fresh or state.end != RUNNING:
                break
            node = child
            if seen:
                node = outcome_child(&self.tree, child, seen)
                if node == 0:
                    break
                push(&path, node, 0)
            if self.follows(node, &state):
                fresh = self.follow_policy(node, &state, &child, &move)
            else:
                fresh = select_child(&self.tree, node, &state, NULL, count_moves(&state), &self.growth, &self.rng,
                                     &child, &move)
        if not ordered:
            order_talon(&state, self.world_seed + number)
        roll_out(&state, self.epsilon, &self.rng)
        self.judge(&state, &result)
        self.back_up(&path, &result)

    cdef void simulate_open(self) noexcept nogil:
        """One pass where nothing is hidden: every node is one state, so ends of the round prove values."""
        cdef Descent way
        cdef Result result
        cdef State state = self.start
        cdef State placed
        cdef uint32_t node = 0, child = 0
        cdef uint8_t move = 0
        cdef int i = 0
        cdef bint fresh
        while True:
            way.before[i] = state
            way.choices[i] = count_moves(&state) if node else self.root_count
            fresh = select_child(&self.tree, node, &state, NULL if node else self.considered, way.choices[i],
                                 &self.growth, &self.rng, &child, &move)
            way.node[i] = child
            place(&state, move)
            placed = state
            settle_turn(&state)
            way.length = i + (child != 0)        # without memory the simulation counts for the nodes above
            if child and fresh:
                self.look_to_the_end(child, &state)
            if state.end != RUNNING or fresh or is_proven(self.tree.nodes + child):
                break
            node = child
            i += 1
        if child and is_proven(self.tree.nodes + child):
            self.play_out_proof(child, &state)
            self.judge(&state, &result)
        elif self.leaf != NULL and state.end == RUNNING:
            self.estimate(&placed, way.before[i].seat, &result)
        else:
            roll_out(&state, self.epsilon, &self.rng)
            self.judge(&state, &result)
        self.back_up_open(&way, &result)

    cdef void look_to_the_end(self, uint32_t node, const State *state) noexcept nogil:
        """Prove a new node where the round is over, or so late that its end is quickly solved."""
        cdef Ending ending
        cdef int budget = END_PLACEMENTS
        if state.end != RUNNING:
            prove(&self.tree, node, 0, 0)
        elif tiles_left(state) <= (END_TILES if self.solver else END_TILES_UNPRUNED) and (
                self.solve(state, &ending) if self.solver else self.best_play(state, &budget, &ending)):
            self.add_line(node, &ending)

    cdef bint solve(self, const State *state, Ending *ending) noexcept nogil:
        """The best line of two teams, by the exact solver; False where it takes too many placements."""
        cdef Line line
        cdef int i, value
        cdef uint8_t move
        if not prove_value(&self.prover, state, END_PLACEMENTS, &value, &move):
            return False
        if not prove_line(&self.prover, state, move, &line):
            return False
        ending.length = line.length
        for i in range(line.length):
            ending.move[i] = line.move[line.length - 1 - i]
        return True

    cdef bint best_play(self, const State *state, int *budget, Ending *ending) noexcept nogil:
        """The line of a running round in which each seat makes the move that is best for it, every line of play seen.

        :param budget: placements that it may take; counted down.
        :return: False where it takes more.
        """
        cdef uint8_t[MAX_MOVES] moves
        cdef State after
        cdef Ending found
        cdef int i, count = legal_moves(state, moves)
        budget[0] -= count
        if budget[0] < 0:
            return False
        ending.length = 0
        for i in range(count):
            after = state[0]
            play(&after, moves[i])
            found.length = 0
            if after.end != RUNNING:
                self.judge(&after, &found.result)
            elif not self.best_play(&after, budget, &found):
                return False
            found.move[found.length] = moves[i]
            found.length += 1
            if i == 0 or self.prefers(&found, ending, team_of(state.players, state.seat)):
                ending[0] = found
        return True

    cdef bint prefers(self, const Ending *one, const Ending *other, int team) noexcept nogil:
        """Whether a team goes for one line rather than for another: by utility, then by its first move."""
        cdef double gain = self.utility(&one.result, team) - self.utility(&other.result, team)
        if fabs(gain) > EQUAL:
            return gain > 0
        return one.move[one.length - 1] < other.move[other.length - 1]

    cdef void add_line(self, uint32_t node, const Ending *ending) noexcept nogil:
        """Hang the best line from a new node on to the end of the round below it, proven."""
        cdef uint32_t child, end = node
        cdef int i
        for i in range(ending.length - 1, -1, -1):
            child = add_child(&self.tree, end, ending.move[i])
            if child == 0:
                return                       # without memory the run ends
            end = child
        while True:
            prove(&self.tree, node, 0, 0)
            if node == end:
                return
            node = self.tree.nodes[node].children

    cdef void play_out_proof(self, uint32_t node, State *state) noexcept nogil:
        """Play the best line of a proven node to the end of the round."""
        while state.end == RUNNING:
            node = best_reply(&self.tree, node)
            play(state, <uint8_t> self.tree.nodes[node].key)

    cdef void back_up_open(self, const Descent *way, Result *result) noexcept nogil:
        """Add a result along the way, and prove what it completes.

        A node whose moves are all proven is proven: the seat to move makes the best one. Where some are, a result that
        the seat would not have gone for is replaced by that of the best one.
        """
        cdef int i, team
        cdef uint32_t parent, best
        cdef Node *node
        for i in range(way.length - 1, -1, -1):
            team = team_of(self.start.players, way.before[i].seat)
            node = self.tree.nodes + way.node[i]
            note_utility(node, self.utility(result, team))
            if i == 0:
                self.note_root(way.node[0], result)
                break
            parent = way.node[i - 1]
            best = self.best_proven(parent)
            if best == 0:
                continue
            if best != way.node[i] and (is_proven(node)
                                        or proven_utility(self.tree.nodes + best) > node.total / node.visits):
                self.result_of_proof(&way.before[i], best, result)
            if self.all_proven(parent, way.choices[i]):
                prove(&self.tree, parent, <int> (best - self.tree.nodes[parent].children),
                      self.utility(result, team_of(self.start.players, way.before[i - 1].seat)))
        note_utility(self.tree.nodes, self.utility(result, 0))

    cdef void note_root(self, uint32_t node, const Result *result) noexcept nogil:
        cdef RootStats *stats = &self.root[node - self.tree.nodes[0].children]
        cdef int i
        note_result(stats, self.tree.nodes[node].visits, result)
        if is_proven(self.tree.nodes + node) and not stats.proven:
            stats.proven = True
            for i in range(VALUES):
                stats.truth[i] = result.value[i]

    cdef bint all_proven(self, uint32_t parent, int choices) noexcept nogil:
        """Whether each of a node's legal moves has a proven value."""
        cdef uint32_t i, first = self.tree.nodes[parent].children
        if self.tree.nodes[parent].count < choices:
            return False
        for i in range(first, first + choices):
            if not is_proven(self.tree.nodes + i):
                return False
        return True

    cdef uint32_t best_proven(self, uint32_t parent) noexcept nogil:
        """The proven move of a node that is best for the seat to move, 0 if none is proven.

        Of equal ones the first by tile, half and kind.
        """
        cdef uint32_t i, best = 0, first = self.tree.nodes[parent].children
        cdef const Node *nodes = self.tree.nodes
        cdef double gain
        for i in range(first, first + nodes[parent].count):
            if not is_proven(nodes + i):
                continue
            if best:
                gain = proven_utility(nodes + i) - proven_utility(nodes + best)
                if gain < -EQUAL or (gain < EQUAL and nodes[i].key > nodes[best].key):
                    continue
            best = i
        return best

    cdef void result_of_proof(self, const State *state, uint32_t node, Result *result) noexcept nogil:
        """What a proven move leads to from the state before it."""
        cdef State after = state[0]
        play(&after, <uint8_t> self.tree.nodes[node].key)
        self.play_out_proof(node, &after)
        self.judge(&after, result)

    cdef bint follows(self, uint32_t node, const State *state) noexcept nogil:
        """Whether the seat to move follows the policy now: another one than the searching seat, by lot.

        A tree lets the others choose what suits the searching seat's true hand, which they cannot know; the policy sees
        what they see, but no further. Each has a part in the choice, and neither is relied upon alone. With 2 seats and
        an empty talon the other one knows that hand.
        """
        if self.follow == 0 or state.seat == self.view.seat or self.tree.nodes[node].visits < FOLLOW_FROM:
            return False
        if state.players == 2 and state.talon_next == state.talon_end:
            return False
        return (next64(&self.rng) & 0xffff) < self.follow

    cdef bint follow_policy(self, uint32_t parent, const State *state, uint32_t *child, uint8_t *move) noexcept nogil:
        """Draw a move of another seat from the model; True when it had no node (it got one, or 0 without memory)."""
        cdef uint8_t[MAX_MOVES] moves
        cdef float[MAX_MOVES] values
        cdef int pick = 0, count = legal_moves(state, moves)
        if count > 1:
            rate_moves(self.model.net, state, moves, count, values)
            pick = draw_by_softmax(values, count, <float> FOLLOW_TEMPERATURE, &self.rng)
        move[0] = moves[pick]
        child[0] = find_child(&self.tree, parent, move[0])
        if child[0]:
            prefetch_children(&self.tree, child[0])
            return False
        child[0] = add_child(&self.tree, parent, move[0])
        return True

    cdef void judge(self, const State *state, Result *result) noexcept nogil:
        """The result of a finished round, before its settlement."""
        cdef int[3] at_end
        cdef float[3] chances
        cdef double[3] gain
        cdef int team, teams = team_count(state.players)
        settlement(state, at_end)
        for team in range(teams):
            gain[team] = at_end[team] + state.score[team] - self.start.score[team]
        margins(gain, teams, result.value)
        if self.table != NULL:
            end_chances(self.table, state, chances)
            for team in range(teams):
                result.value[3 + team] = chances[team]
        result.value[UTILITY] = self.utility(result, self.team)

    cdef void estimate(self, const State *state, int seat, Result *result) noexcept nogil:
        """The result that the world-value net expects after a placement of ``seat``."""
        cdef double[3] gain
        cdef double[3] value
        cdef int team, teams = team_count(state.players)
        world_values(self.leaf, state, seat, value)
        for team in range(teams):
            gain[team] = state.score[team] - self.start.score[team]
        margins(gain, teams, result.value)
        for team in range(teams):
            result.value[team] += value[team]
        if self.table != NULL:
            hoped_chances(self.table, state, seat, value, result.value + 3)
        result.value[UTILITY] = self.utility(result, self.team)

    cdef double utility(self, const Result *result, int team) noexcept nogil:
        """What a result is worth to a team, in points."""
        return self.margin_weight[team] * result.value[team] + self.chance_weight[team] * result.value[3 + team]

    cdef void back_up(self, const Path *path, const Result *result) noexcept nogil:
        """Add a result along the way."""
        cdef int i, root_move
        cdef double[3] utility
        for i in range(team_count(self.view.players)):
            utility[i] = self.utility(result, i)
        note_utility(self.tree.nodes, utility[0])
        for i in range(path.length):
            note_utility(self.tree.nodes + path.node[i], utility[path.team[i]])
        if path.length:
            root_move = path.node[0] - self.tree.nodes[0].children
            note_result(&self.root[root_move], self.tree.nodes[path.node[0]].visits, result)

    cdef int measure(self) noexcept nogil:
        """The value that ranks the root's moves before all others: the own team's chance or its margin."""
        return self.team + (3 if self.match else 0)

    cdef double standard_error(self, int root_move, int value, uint32_t visits) noexcept nogil:
        """Of the mean of one of a root move's values. Four things make it uncertain:

        - chance: the spread of the simulations over the root of their number;
        - drift: a tree that still learns moves its values; measured as the mean since half_visits less the whole mean.
          What is told counts it DRIFTS times, for what a much longer search would still change;
        - the resolution of what was seen: one more simulation may lie a usual deviation off, whatever those so far say;
        - the pool: worlds that a sampled pool lacks no simulation can make up for, nor those that a fit to it weighs. A
          quarter of the spread is taken to lie between worlds, which measures well (docs/search.md).
        """
        cdef RootStats *stats = &self.root[root_move]
        cdef double spread, square, resolution
        if visits == 0:
            return 0
        resolution = <double> USUAL_DEVIATION / visits
        if 3 <= value < UTILITY:
            resolution /= MATCH_POINTS
        if stats.proven:
            return resolution
        spread = variance(stats, value, visits)
        square = spread / visits + resolution * resolution + drift(stats, value, visits) ** 2
        if self.pool is not None and not self.pool.complete:
            square += 0.25 * spread / self.pool.weighed
        return sqrt(square)

    cdef bint decided(self) noexcept nogil:
        """Whether the best root move is better than every other one with a probability of ``goal``, in chance or, where
        their chances are not told apart and hardly differ, in margin.

        No move is judged before it has FEW_VISITS visits, and errors count DOUBT times.
        """
        cdef Node *nodes = self.tree.nodes + self.tree.nodes[0].children
        cdef int i, best = self.favourite()
        cdef bint sure
        if best < 0:
            return False
        for i in range(self.tree.nodes[0].count):
            if nodes[i].visits < FEW_VISITS:
                return False
            if i == best:
                continue
            if self.told_apart(best, i):
                sure = self.better(best, i, self.measure(), 0)
            else:
                sure = self.better(best, i, self.team, 0) and self.better(best, i, self.measure(), CLOSE)
            if not sure:
                return False
        return True

    cdef bint better(self, int one, int other, int value, double slack) noexcept nogil:
        """Whether one root move has more of a value than another, or no less by ``slack``, with a probability of
        ``goal``."""
        cdef Node *nodes = self.tree.nodes + self.tree.nodes[0].children
        cdef double gap = (mean(&self.root[one], value, nodes[one].visits)
                           - mean(&self.root[other], value, nodes[other].visits))
        cdef double error = DOUBT * hypot(self.standard_error(one, value, nodes[one].visits),
                                          self.standard_error(other, value, nodes[other].visits))
        return 0.5 * erfc(-(gap + slack) / (error * M_SQRT2 + 1e-12)) >= self.goal

    cdef bint told_apart(self, int one, int other) noexcept nogil:
        """Whether two root moves differ in what ranks them first, so that the margin has no say."""
        cdef Node *nodes = self.tree.nodes + self.tree.nodes[0].children
        cdef int value = self.measure()
        if not self.match:
            return True
        return apart(self.bound(one, value) - self.bound(other, value),
                     hypot(self.standard_error(one, value, nodes[one].visits),
                           self.standard_error(other, value, nodes[other].visits)))

    cdef double bound(self, int root_move, int value) noexcept nogil:
        """One of a root move's values as it is ranked: its mean less CAUTION standard errors."""
        cdef uint32_t visits = self.tree.nodes[self.tree.nodes[0].children + root_move].visits
        return mean(&self.root[root_move], value, visits) - CAUTION * self.standard_error(root_move, value, visits)

    cdef int favourite(self) noexcept nogil:
        """Number of the root move that :func:`ranked` puts first; -1 while none has FEW_VISITS visits."""
        cdef Node *nodes = self.tree.nodes + self.tree.nodes[0].children
        cdef int i, first = -1, best, count = self.tree.nodes[0].count, value = self.measure()
        for i in range(count):
            if nodes[i].visits >= FEW_VISITS and (first < 0 or self.bound(i, value) > self.bound(first, value)):
                first = i
        best = first
        for i in range(count):
            if nodes[i].visits >= FEW_VISITS and i != best and not self.told_apart(first, i) and \
                    self.bound(i, self.team) > self.bound(best, self.team):
                best = i
        return best

    cdef bint precise(self) noexcept nogil:
        """Whether the best root move's mean margin is known to within ``precision``, in standard errors as told:
        of ``trees`` such trees together."""
        cdef int best = self.favourite(), team = self.team
        cdef uint32_t visits
        cdef double moved, error
        if best < 0:
            return False
        visits = self.tree.nodes[self.tree.nodes[0].children + best].visits
        moved = drift(&self.root[best], team, visits)
        error = self.standard_error(best, team, visits)
        return error * error / self.trees + (DRIFTS * DRIFTS - 1) * moved * moved <= self.precision * self.precision

    # what it found

    @property
    def simulations(self):
        """Simulations finished."""
        return self.done

    @property
    def nodes(self):
        """Nodes in use."""
        return self.tree.in_use

    @property
    def memory_bytes(self):
        """Bytes that the tree takes."""
        return self.tree.used * sizeof(Node)

    def root_moves(self):
        """One tuple for each distinct move: ``(tile, at, visits, availability, means, deviations, errors, utility,
        utility_error, chances, chance_errors, drifts, utility_drift, chance_drifts, proven)``.

        Only the moves that are considered. ``at`` is the lowest of the equal attachment points (-1: the lead);
        ``means``, ``deviations`` and ``errors``
        hold the mean margin, the standard deviation of a simulation's margin and the standard error of the mean for
        each team, in points; ``utility`` and ``utility_error`` are those of what the search maximises, for the seat's
        team, in points; ``chances`` and ``chance_errors`` those of each team's chance to win the match, empty without
        a table of equity; the drifts say how far each of these means moved of late, which the errors hold once. All are
        0.0 without a visit, and no error is with one. ``proven``: every line of play was seen to its end, and the means
        are the values with best play of all. Best first, see :func:`ranked`.

        :raises BusyError: the search runs.
        """
        cdef int teams = team_count(self.view.players)
        cdef tuple nothing = (0.0,) * teams
        cdef tuple no_chance = () if self.equity is None else nothing
        self.check_idle()
        cdef dict found = self._found()
        rows = []
        for tile, at in self.view.legal_moves():
            move = self.view.table.compact(tile, at)
            if not self.considered[move >> 6] >> (move & 63) & 1:
                continue
            if move not in found:
                found[move] = (0, self.done, nothing, nothing, nothing, 0.0, 0.0, no_chance, no_chance,
                               nothing, 0.0, no_chance, False)
            if found[move] is not None:
                rows.append((tile, at) + found[move])
                found[move] = None
        return ranked(rows, self.judging_team)

    @property
    def judging_team(self):
        """The team whose chances rank the root's moves; -1 where only margins count: see :func:`ranked`."""
        return self.team if self.match else -1

    def _found(self):
        """Statistics of the root's children by compact move. Every root move is available in every simulation."""
        cdef int i, value, teams = team_count(self.view.players)
        cdef Node *node
        of_margin = range(teams)
        of_chance = range(3, 3 + teams) if self.equity is not None else ()
        found = {}
        for i in range(self.tree.nodes[0].count):
            node = self.tree.nodes + self.tree.nodes[0].children + i
            found[node.key] = (
                node.visits, self.done,
                tuple(mean(&self.root[i], value, node.visits) for value in of_margin),
                tuple(sqrt(variance(&self.root[i], value, node.visits)) for value in of_margin),
                tuple(self.standard_error(i, value, node.visits) for value in of_margin),
                mean(&self.root[i], UTILITY, node.visits), self.standard_error(i, UTILITY, node.visits),
                tuple(mean(&self.root[i], value, node.visits) for value in of_chance),
                tuple(self.standard_error(i, value, node.visits) for value in of_chance),
                tuple(fabs(drift(&self.root[i], value, node.visits)) for value in of_margin),
                fabs(drift(&self.root[i], UTILITY, node.visits)),
                tuple(fabs(drift(&self.root[i], value, node.visits)) for value in of_chance),
                bool(self.root[i].proven))
        return found

    def line(self, tile, at, least=2):
        """The most visited way on from a root move: ``[(tile, at, visits, estimated)]``.

        ``estimated`` is set on every step after the first, which hangs on the hidden tiles of another seat, on a draw,
        or on both; unless nothing is hidden, because one hand holds all unseen tiles, or only one world is possible and
        its talon has no order to guess.
        Draws and passes between two placements are left out. A proven line goes on to the end of the round, also where
        no simulation came.

        :param least: the line ends before a step with fewer visits.
        :raises BusyError: the search runs.
        """
        self.check_idle()
        cdef Layout table = self.view.table.clone()
        cdef int move = table.compact(read_int(tile, "tile"), read_int(at, "at"))
        cdef uint32_t node = find_child(&self.tree, 0, move)
        cdef uint32_t fewest = read_whole(least, "least", 0, INT32_MAX)
        cdef bint one_hand = self.view.players == 2 and self.view.talon_size == 0
        cdef bint proven = False
        cdef bint hidden = not one_hand and (self.view.talon_size > 1 or self.belief.assignments > 1)
        steps = []
        while node and (not steps or proven or self.tree.nodes[node].visits >= fewest):
            tile = move_tile(<uint8_t> self.tree.nodes[node].key)
            if steps:
                at = named_point(table, self.tree.nodes[node].key)
            table.put(tile, at)
            steps.append((tile, at, self.tree.nodes[node].visits, hidden and bool(steps)))
            proven = is_proven(self.tree.nodes + node)
            node = next_step(&self.tree, node)
        return steps


cdef uint32_t parts(share, str field) except? 0xffffffff:
    """A share of 0..1 in 1/65536."""
    return <uint32_t> (read_real(share, field, 0, 1) * 65536)


cdef inline bint apart(double gap, double error) noexcept nogil:
    """Whether two chances can be told apart, from how far they differ and the standard error of that."""
    gap = fabs(gap)
    return gap >= RESOLUTION and gap >= min(CLOSE, APART * error)


def told_apart(double gap, double error):
    """Whether two chances to win the match can be told apart; where they cannot, the margin decides.

    :param gap: by how much they differ.
    :param error: the standard error of that, at least 0.
    """
    return apart(gap, error)


def ranked(rows, int team=-1):
    """Rows of :meth:`Search.root_moves` in the order of preference.

    By the team's chance to win the match less CAUTION standard errors: of two moves that look alike the better known
    one comes first. Of those whose chances are not told apart from the best one's, the one with the highest margin,
    less as many errors, comes first; then the same with the rest. Moves with fewer than FEW_VISITS visits come after
    the others, the most visited first.

    :param team: whose chances rank the moves; -1: utilities do, and are margins.
    """
    def known(row, mean, error):
        return row[mean] - CAUTION * row[error] if team < 0 else row[mean][team] - CAUTION * row[error][team]

    def chance(row):
        return known(row, 7, 8) if team < 0 else known(row, 9, 10)

    def key(row):
        seldom = row[2] < FEW_VISITS
        return seldom, -row[2] if seldom else -chance(row), -row[7], row[0], row[1]

    left = sorted(rows, key=key)
    if team < 0:
        return left
    found = []
    while left and left[0][2] >= FEW_VISITS:
        first = left[0]
        level = [row for row in left if row[2] >= FEW_VISITS
                 and not apart(chance(first) - chance(row), hypot(first[10][team], row[10][team]))]
        best = max([row for row in level if row is not first], key=lambda row: known(row, 4, 6), default=first)
        if known(best, 4, 6) <= known(first, 4, 6):
            best = first
        found.append(best)
        left = [row for row in left if row is not best]
    return found + left


cdef inline void order_talon(State *state, uint64_t seed) noexcept nogil:
    """Put the tiles that are neither placed nor in a hand into the talon, in an order by lot."""
    cdef Rng rng
    cdef uint32_t tiles = ALL_TILES & ~(state.table | state.hand[0] | state.hand[1] | state.hand[2] | state.hand[3])
    cdef int j, n = 0
    seed_rng(&rng, seed)
    while tiles:
        j = below(&rng, n + 1)               # the inside-out shuffle
        state.talon[n] = state.talon[j]
        state.talon[j] = <uint8_t> lowest(tiles)
        tiles &= tiles - 1
        n += 1


cdef inline void note_utility(Node *node, double utility) noexcept nogil:
    """One more simulation through a node."""
    cdef float off
    if node.visits and node.spread >= 0:     # of a proven node it is no spread
        off = <float> utility - <float> node.total / <float> node.visits
        node.spread += (off * off - node.spread) / <float> (min(node.visits, <uint32_t> SPREAD_MEMORY) + SPREAD_START)
    node.visits += 1
    node.total += utility


cdef inline void note_result(RootStats *stats, uint32_t visits, const Result *result) noexcept nogil:
    """One more simulation of a root move, the ``visits``-th."""
    cdef int i
    for i in range(VALUES):
        stats.sum[i] += result.value[i]
        stats.squares[i] += result.value[i] * result.value[i]
    if visits & (visits - 1) == 0:
        stats.half_sum = stats.last_sum
        stats.last_sum = stats.sum
        stats.half_visits = stats.last_visits
        stats.last_visits = visits


cdef inline double mean(const RootStats *stats, int value, uint32_t visits) noexcept nogil:
    """A root move's value: the proven one, else the mean over its simulations; 0 without any."""
    if stats.proven:
        return stats.truth[value]
    return stats.sum[value] / visits if visits else 0.0


cdef inline double variance(const RootStats *stats, int value, uint32_t visits) noexcept nogil:
    """Of one of the values of a simulation that began with a root move."""
    cdef double middle
    if visits < 2:
        return 0
    middle = stats.sum[value] / visits
    return max(0.0, (stats.squares[value] - visits * middle * middle) / (visits - 1))


cdef inline double drift(const RootStats *stats, int value, uint32_t visits) noexcept nogil:
    """How far a value moved of late: its mean since half_visits less its mean over all ``visits``."""
    if stats.half_visits == 0 or stats.proven:
        return 0
    return (stats.sum[value] - stats.half_sum[value]) / (visits - stats.half_visits) - stats.sum[value] / visits


cdef inline void push(Path *path, uint32_t node, int team) noexcept nogil:
    path.node[path.length] = node
    path.team[path.length] = team
    path.length += 1


cdef inline void margins(const double *gain, int teams, double *value) noexcept nogil:
    """The first of a simulation's values: a team's gain less the mean of the others'. The rest are 0."""
    cdef int team
    cdef double total = 0
    for team in range(VALUES):
        value[team] = 0
    for team in range(teams):
        total += gain[team]
    for team in range(teams):
        value[team] = gain[team] - (total - gain[team]) / (teams - 1)


cdef inline bint select_child(Tree *tree, uint32_t parent, const State *state, const uint64_t *considered, int count,
                              const Growth *growth, Rng *rng, uint32_t *child, uint8_t *move) noexcept nogil:
    """Choose among ``count`` legal moves, those considered (NULL: all): one without a node if there is any (True: it
    got one, or 0 without memory), else a root move that has less than its share of visits, else by UCB1.

    UCB1 with availability counts: mean + exploration * sqrt(ln(availability) / visits), Cowling et al. 2012, III-A. A
    fixed exploration is too small where one line loses a round and the next one wins it, and what begins badly there
    would hardly be tried again; so it grows with the spread of the node's own values (docs/search.md).

    A move that looked bad at first would hardly be tried again where few simulations show a large gap: by UCB1 alone
    four in two million at 40 points. So each has at least a number of visits that grows with the root of its
    availability (Growth.revisit).

    Who comes to a node finds the same arms each time. So a move that has a node is legal whenever its tile is at hand.
    """
    cdef uint8_t[MAX_MOVES] moves
    cdef uint32_t[MAX_MOVES] known
    cdef uint32_t tiles = choice(state)
    cdef Node *node
    cdef int found = 0
    cdef uint32_t i, first = tree.nodes[parent].children
    known[0] = 0
    for i in range(first, first + tree.nodes[parent].count):
        node = tree.nodes + i
        if node.key < OUTCOME and tiles >> move_tile(<uint8_t> node.key) & 1:
            node.availability += 1
            known[found] = i
            found += 1
    if found < count:
        count = legal_moves(state, moves)
        if considered != NULL:
            count = keep(moves, count, considered)
        move[0] = nth_new(tree, known, found, moves, count, below(rng, count - found))
        child[0] = add_child(tree, parent, move[0])
        if child[0]:
            tree.nodes[child[0]].availability = 1
        return True
    child[0] = known[0] if found == 1 else best_by_ucb(tree, parent, known, found, growth)
    prefetch_children(tree, child[0])
    move[0] = <uint8_t> tree.nodes[child[0]].key
    return False


cdef inline void prefetch_children(const Tree *tree, uint32_t node) noexcept nogil:
    """Have the next step's nodes fetched while the move is made: a grown tree is far larger than the caches."""
    cdef uint32_t i, first = tree.nodes[node].children
    for i in range(first, first + tree.nodes[node].count, 2):
        prefetch(tree.nodes + i)


cdef inline int keep(uint8_t *moves, int count, const uint64_t *considered) noexcept nogil:
    """Leave out the moves that are not considered; returns how many stay."""
    cdef int i, kept = 0
    for i in range(count):
        moves[kept] = moves[i]
        kept += considered[moves[i] >> 6] >> (moves[i] & 63) & 1
    return kept


cdef inline uint8_t nth_new(const Tree *tree, const uint32_t *known, int found, const uint8_t *moves, int count,
                            int n) noexcept nogil:
    """The n-th of the moves that no known child stands for."""
    cdef uint64_t[4] left
    cdef int i
    cdef uint8_t move
    left[0] = left[1] = left[2] = left[3] = 0
    for i in range(count):
        left[moves[i] >> 6] |= <uint64_t> 1 << (moves[i] & 63)
    for i in range(found):
        move = <uint8_t> tree.nodes[known[i]].key
        left[move >> 6] ^= <uint64_t> 1 << (move & 63)
    for i in range(count):
        if left[moves[i] >> 6] >> (moves[i] & 63) & 1:
            if n == 0:
                return moves[i]
            n -= 1
    return moves[0]


cdef inline uint32_t best_by_ucb(const Tree *tree, uint32_t parent, const uint32_t *known, int found,
                                 const Growth *growth) noexcept nogil:
    cdef int i
    cdef uint32_t best = known[0], due = 0
    cdef float bound, highest = -1e30
    cdef float share
    cdef float exploration = max(growth.exploration if parent else growth.root_exploration,
                                 growth.by_spread * sqrtf(tree.nodes[parent].spread))
    cdef const Node *node
    if parent == 0:
        due = <uint32_t> (growth.root_share * tree.nodes[0].visits / found)
    for i in range(found):
        node = tree.nodes + known[i]
        if parent and is_proven(node):
            continue
        if node.visits < due or <float> node.visits * <float> node.visits < growth.revisit * <float> node.availability:
            return known[i]
        share = <float> 1.0 / <float> (node.visits if node.visits else 1)
        bound = <float> node.total * share + exploration * sqrtf(fast_ln(<float> node.availability) * share)
        if is_proven(node):
            bound -= 1e6                     # at the root: what is not proven comes first
        if bound > highest:
            highest = bound
            best = known[i]
    return best


cdef inline uint32_t find_child(const Tree *tree, uint32_t parent, int key) noexcept nogil:
    """The child with a key, 0 if there is none."""
    cdef uint32_t i, first = tree.nodes[parent].children
    for i in range(first, first + tree.nodes[parent].count):
        if tree.nodes[i].key == key:
            return i
    return 0


cdef inline uint32_t outcome_child(Tree *tree, uint32_t parent, uint16_t key) noexcept nogil:
    """The outcome node with a key, made if need be; 0 when memory is out."""
    cdef uint32_t child = find_child(tree, parent, key)
    return child if child else add_child(tree, parent, key)


cdef uint32_t most_visited(const Tree *tree, uint32_t parent, bint outcomes) noexcept nogil:
    """The most visited child among the moves or among the outcomes, 0 if there is none."""
    cdef uint32_t i, best = 0, first = tree.nodes[parent].children
    if is_proven(tree.nodes + parent):
        return 0 if outcomes else best_reply(tree, parent)
    for i in range(first, first + tree.nodes[parent].count):
        if (tree.nodes[i].key >= OUTCOME) == outcomes and \
                (best == 0 or tree.nodes[i].visits > tree.nodes[best].visits):
            best = i
    return best


cdef uint32_t next_step(const Tree *tree, uint32_t node) noexcept nogil:
    """The most visited placement after a move, through the most visited outcome where that is likelier."""
    cdef uint32_t move = most_visited(tree, node, False)
    cdef uint32_t outcome = most_visited(tree, node, True)
    cdef uint32_t i, direct = 0, first = tree.nodes[node].children
    for i in range(first, first + tree.nodes[node].count):
        if tree.nodes[i].key < OUTCOME:
            direct += tree.nodes[i].visits
    if outcome and tree.nodes[outcome].visits > direct:
        return most_visited(tree, outcome, False)
    return move


cdef int named_point(Layout table, int key) except -2:
    """The lowest attachment point that a compact move stands for."""
    for tile, at in table.placements_of(<uint32_t> 1 << (key >> 3)):
        if table.compact(tile, at) == key:
            return at
    raise AssertionError("a move of the tree does not fit its own line")
