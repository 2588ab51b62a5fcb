"""Single-observer information-set MCTS (Cowling, Powley and Whitehouse 2012, "Information Set Monte Carlo Tree
Search").

    until a limit is hit:
        determinize   draw the hidden hands and the talon from the belief; the n-th simulation of each root move gets
                      the same ones (common worlds), so that luck does not decide between moves
        select        while every legal move of this world has a node, go down by UCB1 with availability counts,
                      its exploration term scaled by the spread of the node's own values
        expand        add a node for a legal move that has none
        evaluate      by the world-value net, or by a rollout of mostly greedy moves to the end of the round
        back up       add the utility of each mover's team along the path

The belief is exact for what the rules force. With a policy, worlds are weighted by how likely it makes the other seats'
past choices (:mod:`sniffai_ext.inference`).

A node stands for what everyone saw, and for the tile that the observer drew and must place: draws and passes of a turn
lead through an *outcome* node. To keep the tree small, positions that differ only in unplayable drawn tiles share a
node.

Where nothing is hidden, a node stands for one state, so an end of the round proves a value, and a node whose moves are
all proven is proven (MCTS-Solver, Winands, Björnsson and Saito 2008); late ends are solved at a new node. What is
proven is not searched again, and its value is reported in place of a mean (:mod:`sniffai_ext.proof`).

What a simulation yields, and which utility the tree maximises: :mod:`sniffai_ext.valuation`. How the root's moves
compare, and when the search knows enough: :mod:`sniffai_ext.root_statistics`.
"""

from libc.math cimport INFINITY
from libc.stdint cimport INT32_MAX, INT64_MAX
from libc.string cimport memcpy

from sniffai_ext.checks cimport read_int, read_items, read_placement, read_real, read_seed, read_tiles, read_whole
from sniffai_ext.clock cimport monotonic
from sniffai_ext.late_ends cimport close_end_solver, look_to_the_end, open_end_solver
from sniffai_ext.layout cimport Layout
from sniffai_ext.policy cimport best_move, draw_reply
from sniffai_ext.proof cimport (
    all_proven, best_proven, best_reply, is_proven, play_out_proof, prove, proven_utility,
)
from sniffai_ext.rng cimport below, next64, seed_rng
from sniffai_ext.rollout cimport roll_out
from sniffai_ext.root_statistics cimport (
    RootStatistics, is_decided, is_precise, named_move, note_proof, note_result, untried_move,
)
from sniffai_ext.round cimport count_moves, draw_until_fit, give_pass, legal_moves, place, play, settle_turn
from sniffai_ext.seat_model cimport OWN, Choosing, drawn_part, modelled_move
from sniffai_ext.select cimport prefetch_children, select_child
from sniffai_ext.signals cimport answer, called, watch_signals
from sniffai_ext.tree cimport OUTCOME, Node, add_child, close_tree, find_child, open_tree, outcome_child
from sniffai_ext.types cimport (
    ALL_TILES, FITTING, MAX_MOVES, NO_TILE, RUNNING, TILES, lowest, move_tile, popcount, target_of, team_count, team_of,
    uint16_t,
)
from sniffai_ext.valuation cimport MATCH_POINTS, Result, utility_for, value_end, value_leaf, weigh_utilities

from sniffai_ext.errors import BusyError, LimitsError, MoveError, ViewError
from sniffai_ext.root_statistics import ranked
from sniffai_ext.rows import LineMove
from sniffai_ext.shown import shown

cdef enum:
    NEAR_TARGET = 60      # points: this close to the target leaves are rolled out, as the order of points decides
    SPREAD_START = 3      # weight of the spread that a node starts from, in simulations
    SPREAD_MEMORY = 1000  # simulations after which a node's spread begins to forget
    FOLLOW_FROM = 500     # visits of a node from which on the other seats may follow the policy, which is slow
    MOST_TREES = 1024     # side by side
    NO_MOVE = 255         # no compact move: a reply that is not known
    MOVE_CODES = 256
    CHECK_EVERY = 64      # simulations between two checks of clock, stop flag and signals: well under 0.2 ms
    CHECK_EVERY_OPEN = 8  # the same where nothing is hidden: a simulation may solve an end

cdef enum StopReason:
    SIMULATIONS = 0
    SECONDS = 1
    MEMORY = 2
    STOPPED = 3
    DECIDED = 4
    PRECISE = 5

STOP_REASONS = ("simulations", "time", "memory", "stopped", "decided", "precise")


cdef inline uint16_t settle_turn_seen(State *state, int observer) noexcept nogil:
    """``settle_turn``; returns the key of what the observer sees of it, 0 when nobody drew or passed.

    Only the first seat can draw: it draws until a tile fits or the talon is empty (rules 5). So how many tiles were
    drawn, how many seats passed and the tile that the observer drew and must place say all, and the key has a place for
    each.
    """
    cdef int before = state.talon_next, passes = 0, forced = 0
    cdef bint fits
    while state.end == RUNNING:
        fits = draw_until_fit(state)
        if fits:
            if state.talon_next > before and state.seat == observer:
                forced = state.forced + 1
            break
        passes += 1
        give_pass(state)
    if passes == 0 and state.talon_next == before:
        return 0
    return <uint16_t> (OUTCOME + (passes * (TILES + 1) + state.talon_next - before) * (TILES + 1) + forced)


cdef class Search:
    """A search tree for one view, grown by :meth:`run`.

    One thread runs it at a time. While it runs, other threads may call :meth:`stop` and read the properties; methods
    that read the tree raise BusyError.

    :param view: the seat is to move and can place a tile.
    :param seed: 0..2**64-1; the same view, seed, options and number of simulations give the same tree.
    :param options: a :class:`~sniffai_ext.search_options.SearchOptions`; None: its defaults.
    :param root_moves: the only moves to consider at the root, as ``(tile, at)``; None: all.
    :param pool: the worlds to draw from, with their weights, such as :func:`~sniffai_ext.worlds.given_worlds` makes;
        None: the search fills its own.
    :param replies: ``{(tile, at): [(tile, at) or None, ...]}`` for root moves: what the next other seat to choose
        places in each world of the pool, as far as that is known. Only of a pool that is given, and only where nobody
        draws before.
    :param world: ``(hands, talon)``, tile masks by seat and tile indices in the order of drawing: nothing is hidden,
        every determinization is this world. None: the belief's.
    :param stop: ends runs of all searches that share it; None: the search gets its own, see :meth:`stop`.
    :raises SniffError: it is not the seat's turn to place a tile, no deal explains the view, a root move is not legal,
        the world is not one of the view's, a reply is not legal, or the options or the pool are for another number of
        seats.
    """

    def __cinit__(self, View view not None, seed, SearchOptions options=None, *, root_moves=None, world=None,
                  Pool pool=None, replies=None, StopFlag stop=None):
        if view.must != "play":
            raise ViewError(f"the seat has no tile to place: it must {view.must}", reason="NOT_TO_PLAY", field="seat")
        if options is None:
            options = SearchOptions()
        options.check_players(view.players)
        self.options = options
        self.growth = options.growth
        self.epsilon, self.follow = options.epsilon, options.follow
        self.common_worlds = options.common_worlds
        self.root.valuation = &self.valuation
        seed_rng(&self.rng, read_seed(seed))
        self.world_seed = next64(&self.rng)
        if not open_tree(&self.tree, options.memory_bytes, min(options.expected + options.expected // 2, 1 << 20)):
            raise LimitsError(f"a tree needs more than {options.memory_bytes} bytes", reason="MEMORY_TOO_SMALL",
                              field="memory_bytes")
        self.view = view.copy()
        self.belief = Belief.of(view)
        self.view.fill_state(&self.start)
        self._set_valuation()
        self._consider(root_moves)
        if world is not None:
            self._fix_world(world)
        else:
            self.pool_pending = options.pool_size > 0 and pool is None
        self.flag = StopFlag() if stop is None else stop
        if self.view.players == 2 and self.view.talon_size == 0:
            self._see_all()
        if pool is not None and not self.known:
            self._take_pool(pool, replies)
        self.modelled = any(model is not None for seat, model in enumerate(options.models) if seat != view.seat)
        self.proofs = options.proofs and self.known and not self.modelled
        # Alpha-beta knows chances in 20,000 steps: too few where only the margin is left to play for.
        if self.proofs and self.view.players != 3 and self.valuation.chance_weight[self.valuation.team] <= MATCH_POINTS:
            if not open_end_solver(&self.ends, self.valuation.table, self.valuation.match):
                raise LimitsError("the process has no memory left for solving ends of the round", reason="NO_MEMORY",
                                  field="memory_bytes")

    def _set_valuation(self):
        cdef int team
        self.valuation.table = NULL if self.options.equity is None else &self.options.equity.table
        self.valuation.match = self.options.match
        self.valuation.team = team_of(self.view.players, self.view.seat)
        for team in range(3):
            self.valuation.score[team] = self.start.score[team]
        weigh_utilities(&self.valuation, team_count(self.view.players))
        if self.options.value is not None and not (self.valuation.match and self._near_target()):
            self.valuation.leaf = &self.options.value.net

    def __reduce__(self):
        raise TypeError("a search cannot be copied or pickled: its tree belongs to one process")

    def _consider(self, root_moves):
        cdef int code
        if root_moves is None:
            root_moves = self.view.legal_moves()
        else:
            legal = set(self.view.legal_moves())
            root_moves = read_items(root_moves, "root_moves", ViewError)
            for move in root_moves:
                if move not in legal:
                    raise ViewError(f"{shown(move)} is not a legal move of the seat", reason="NOT_LEGAL",
                                    field="root_moves")
        for tile, at in root_moves:
            code = self.view.table.compact(tile, at)
            self.root_count += not self.considered[code >> 6] >> (code & 63) & 1
            self.considered[code >> 6] |= <uint64_t> 1 << (code & 63)
        if not root_moves:
            raise ViewError("at least one move is expected", reason="NO_MOVES", field="root_moves")

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
                raise ViewError(f"seat {seat} holds {self.view.size[seat]} tiles, not {popcount(hands[seat])}",
                                reason="WRONG_HAND_SIZE", field=f"world[0][{seat}]")
            tiles |= self.start.hand[seat]
        for i in range(self.view.talon_size):
            self.start.talon[i] = talon[i]
            tiles |= <uint32_t> 1 << self.start.talon[i]
        if tiles != ALL_TILES & ~self.view.table.tiles or self.start.hand[self.view.seat] != self.view.hand:
            raise ViewError("every tile that is not on the table is expected once, and the seat's own in its hand",
                            reason="WRONG_WORLD", field="world")
        self.known = True

    def _take_pool(self, Pool pool, replies):
        pool.check_filled()
        if pool.players != self.view.players or pool.seat != self.view.seat or pool.own != self.view.hand:
            raise ViewError("the pool is of another view", reason="WRONG_WORLD", field="pool")
        self.pool = pool
        self.root.sampled_worlds = pool.independent
        if replies is None:
            return
        if not isinstance(replies, dict):
            raise LimitsError(f"a dictionary is expected, not {shown(replies)}", reason="WRONG_REPLIES",
                              field="replies")
        import numpy as np

        table = np.full((MOVE_CODES, pool.size), NO_MOVE, np.uint8)
        cdef uint8_t[:, ::1] rows = table
        for move, by_world in replies.items():
            tile, at = read_items(move, "replies", MoveError)
            by_world = read_items(by_world, "replies")
            if move not in self.view.legal_moves() or len(by_world) != pool.size:
                raise LimitsError("a reply for each world is expected, to a legal move", reason="WRONG_REPLIES",
                                  field="replies")
            self._take_replies(tile, at, by_world, rows)
        self.reply_table = table
        self.reply = &rows[0, 0]

    def _take_replies(self, tile, at, by_world, uint8_t[:, ::1] rows):
        """Write the replies to a root move, each checked in its world."""
        cdef Layout after = self.view.table.clone()
        cdef uint8_t[MAX_MOVES] moves
        cdef uint8_t move = self.view.table.compact(tile, at)
        cdef State state
        cdef int world, seat, i, count
        after.put(tile, at)
        for world, reply in enumerate(by_world):
            if reply is None:
                continue
            state = self.start
            for seat in range(state.players):
                state.hand[seat] |= self.pool.world[world].hand[seat]
            place(&state, move)
            while state.end == RUNNING and state.talon_end == 0 and not draw_until_fit(&state):
                give_pass(&state)
            count = 0
            if (state.end == RUNNING and state.seat != self.view.seat
                    and state.hand[state.seat] & FITTING[state.arms.open]):
                count = legal_moves(&state, moves)
            tile, at = read_placement(reply, "replies")
            rows[move, world] = after.compact(tile, at)
            for i in range(count):
                if moves[i] == rows[move, world]:
                    break
            else:
                raise LimitsError(f"{shown(reply)} is no legal reply in its world", reason="WRONG_REPLIES",
                                  field="replies")

    def _see_all(self):
        """With 2 seats and an empty talon, the other hand is known."""
        self.start.hand[1 - self.view.seat] = self.view.unseen()
        self.known = True

    def _near_target(self):
        return max(self.view.scores) >= target_of(self.view.players) - NEAR_TARGET

    def __dealloc__(self):
        close_tree(&self.tree)
        close_end_solver(&self.ends)

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
        :param pool_seconds: from now on, for filling the pool in the first run; if that is too short, the pool
            depends on the clock (:attr:`Pool.hurried`). Infinity: no limit.
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
        self.root.goal, self.root.precision, self.root.trees = share, error, count
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
            raise BusyError("the search is already running", reason="BUSY")
        return 0

    cdef bint fill_pool(self, double seconds, Watch *watch) except -1:
        """Weigh the worlds, if there are some to weigh; False where that was stopped, as if it had never begun."""
        cdef Rng before = self.rng
        cdef SearchOptions options = self.options
        if not self.pool_pending:
            return True
        pool = Pool()
        (<Pool> pool).stop, (<Pool> pool).span = self.flag, max(0.0, seconds)
        if not (<Pool> pool).fill(self.belief, self.view, NULL if options.policy is None else &options.model,
                                  options.pool_size, options.extra_size, &self.rng, watch):
            self.rng = before
            return False
        self.pool = pool
        self.pool_pending = False
        self.root.sampled_worlds = 0 if self.pool.complete else self.pool.independent
        return True

    cdef int run_until(self, uint64_t simulations, double deadline, Watch *watch) noexcept nogil:
        cdef int countdown = 1
        while True:
            if self.done >= simulations:
                return SIMULATIONS
            if self.tree.exhausted or self.done >= self.options.most_visits:
                return MEMORY
            countdown -= 1
            if countdown == 0:
                countdown = CHECK_EVERY_OPEN if self.proofs else CHECK_EVERY
                if self.flag.raised or called(watch):
                    return STOPPED
                if self.done and monotonic() >= deadline:
                    return SECONDS
                if self.done >= self.least and self.root.goal > 0 and is_decided(&self.root, &self.tree):
                    return DECIDED
                if self.done >= self.least and self.root.precision > 0 and is_precise(&self.root, &self.tree):
                    return PRECISE
            if self.proofs:
                self.simulate_open()
            else:
                self.simulate()
            self.done += 1

    cdef bint determinize(self, uint64_t number, State *state) noexcept nogil:
        """Write the full round of a simulation: one that the view allows, each with its own probability.

        False if the talon has no order yet: most simulations never draw, and the others call :func:`order_talon`.
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
        cdef int seat, reply = NO_MOVE
        cdef bint fresh, ordered
        cdef uint8_t move = 0
        # The moves at the root do not depend on hidden tiles, so the move can be chosen before its world.
        path.length = 0
        fresh = select_child(&self.tree, 0, &self.start, self.considered, self.root_count, &self.growth, &self.rng,
                             &child, &move)
        number = self.tree.nodes[child].visits if child and self.common_worlds else self.done
        ordered = self.determinize(number, &state)
        if self.reply != NULL:
            reply = self.reply_to(move, number)
        while True:
            seat = state.seat
            push(&path, child, team_of(state.players, seat))
            place(&state, move)
            if child == 0:                   # no room for it: the simulation counts for the nodes above
                path.length -= 1
            if fresh and self.valuation.leaf != NULL and state.end == RUNNING:
                value_leaf(&self.valuation, &state, seat, &result)
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
            if reply != NO_MOVE and state.seat != self.view.seat and state.forced == NO_TILE:
                move = <uint8_t> reply
                fresh = self.follow_move(node, move, &child)
            elif self.follows(node, &state):
                move = self.model_move(&state)
                fresh = self.follow_move(node, move, &child)
            else:
                fresh = select_child(&self.tree, node, &state, NULL, count_moves(&state), &self.growth, &self.rng,
                                     &child, &move)
            reply = NO_MOVE
        if not ordered:
            order_talon(&state, self.world_seed + number)
        if self.modelled:
            self.play_out(&state)
        else:
            roll_out(&state, self.epsilon, &self.rng)
        value_end(&self.valuation, &state, &result)
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
                look_to_the_end(&self.ends, &self.valuation, &self.tree, child, &state)
            if state.end != RUNNING or fresh or is_proven(self.tree.nodes + child):
                break
            node = child
            i += 1
        if child and is_proven(self.tree.nodes + child):
            play_out_proof(&self.tree, child, &state)
            value_end(&self.valuation, &state, &result)
        elif self.valuation.leaf != NULL and state.end == RUNNING:
            value_leaf(&self.valuation, &placed, way.before[i].seat, &result)
        else:
            roll_out(&state, self.epsilon, &self.rng)
            value_end(&self.valuation, &state, &result)
        self.back_up_open(&way, &result)

    cdef void back_up_open(self, const Descent *way, Result *result) noexcept nogil:
        """Add a result along the way, and prove what it completes.

        A node whose moves are all proven is proven: the seat to move makes the best one. If only some are, a result
        worse than the best proven one is replaced by that, as the seat would choose it.
        """
        cdef int i, team
        cdef uint32_t parent, best
        cdef Node *node
        for i in range(way.length - 1, -1, -1):
            team = team_of(self.start.players, way.before[i].seat)
            node = self.tree.nodes + way.node[i]
            note_utility(node, utility_for(&self.valuation, result, team))
            if i == 0:
                self.note_root(way.node[0], result)
                break
            parent = way.node[i - 1]
            best = best_proven(&self.tree, parent)
            if best == 0:
                continue
            if best != way.node[i] and (is_proven(node)
                                        or proven_utility(self.tree.nodes + best) > node.total / node.visits):
                self.result_of_proof(&way.before[i], best, result)
            if all_proven(&self.tree, parent, way.choices[i]):
                prove(&self.tree, parent, <int> (best - self.tree.nodes[parent].children),
                      utility_for(&self.valuation, result, team_of(self.start.players, way.before[i - 1].seat)))
        note_utility(self.tree.nodes, utility_for(&self.valuation, result, 0))

    cdef void note_root(self, uint32_t node, const Result *result) noexcept nogil:
        cdef RootStatistics *statistics = &self.root.move[node - self.tree.nodes[0].children]
        note_result(statistics, self.tree.nodes[node].visits, result)
        if is_proven(self.tree.nodes + node) and not statistics.proven:
            note_proof(statistics, result)

    cdef void result_of_proof(self, const State *state, uint32_t node, Result *result) noexcept nogil:
        """The result of a proven move, from the state before it."""
        cdef State after = state[0]
        play(&after, <uint8_t> self.tree.nodes[node].key)
        play_out_proof(&self.tree, node, &after)
        value_end(&self.valuation, &after, result)

    cdef bint follows(self, uint32_t node, const State *state) noexcept nogil:
        """Whether the seat to move, if it is not the searching seat, follows its model this time.

        A seat with a model of its own always does, where that is not in part the search's own. Others follow the
        policy, at random.

        The tree lets the other seats choose as if they knew the searching seat's hand. The policy sees only what they
        see, but does not look ahead. Both have a share, so that neither error decides alone. With 2 seats and an empty
        talon the other seat does know that hand.
        """
        cdef const Choosing *choosing
        self.way = NULL
        if self.modelled and state.seat != self.view.seat:
            choosing = self.options.model.seat[state.seat]
            if choosing != NULL:
                self.way = drawn_part(choosing, &self.rng)
                if self.way.kind != OWN:
                    return True
                self.way = NULL
        if self.follow == 0 or state.seat == self.view.seat or self.tree.nodes[node].visits < FOLLOW_FROM:
            return False
        if state.players == 2 and state.talon_next == state.talon_end:
            return False
        return (next64(&self.rng) & 0xffff) < self.follow

    cdef uint8_t model_move(self, const State *state) noexcept nogil:
        """A move of another seat, drawn from its model."""
        if self.way != NULL:
            return modelled_move(self.options.model.seat[state.seat], self.way, state, &self.rng)
        return draw_reply(self.options.model.net, state, &self.rng)

    cdef void play_out(self, State *state) noexcept nogil:
        """Play to the end of the round: seats with a model of their own by that, all others by the policy."""
        cdef const Choosing *choosing
        while state.end == RUNNING:
            choosing = self.options.model.seat[state.seat]
            if choosing != NULL and state.seat != self.view.seat:
                play(state, modelled_move(choosing, drawn_part(choosing, &self.rng), state, &self.rng))
            else:
                play(state, best_move(self.options.model.net, state))

    cdef int reply_to(self, uint8_t move, uint64_t number) noexcept nogil:
        """The known reply to a root move in a simulation's world, or NO_MOVE."""
        return self.reply[move * self.pool.size + self.pool.drawn(number)]

    cdef bint follow_move(self, uint32_t parent, uint8_t move, uint32_t *child) noexcept nogil:
        """Go to the node of a move; True when it had none (it got one, or 0 without memory)."""
        child[0] = find_child(&self.tree, parent, move)
        if child[0]:
            prefetch_children(&self.tree, child[0])
            return False
        child[0] = add_child(&self.tree, parent, move)
        return True

    cdef void back_up(self, const Path *path, const Result *result) noexcept nogil:
        """Add a result along the way."""
        cdef int i, root_move
        cdef double[3] utility
        for i in range(team_count(self.view.players)):
            utility[i] = utility_for(&self.valuation, result, i)
        note_utility(self.tree.nodes, utility[0])
        for i in range(path.length):
            note_utility(self.tree.nodes + path.node[i], utility[path.team[i]])
        if path.length:
            root_move = path.node[0] - self.tree.nodes[0].children
            note_result(&self.root.move[root_move], self.tree.nodes[path.node[0]].visits, result)

    # results

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
        """A :class:`~sniffai_ext.rows.RootMove` for each distinct move that is considered, best first: see
        :func:`~sniffai_ext.root_statistics.ranked`.

        :raises BusyError: the search runs.
        """
        cdef int i, move, teams = team_count(self.view.players), children = self.tree.nodes[0].count
        cdef const Node *nodes = self.tree.nodes + self.tree.nodes[0].children
        cdef bint with_chances = self.options.equity is not None
        self.check_idle()
        cdef dict places = {nodes[i].key: i for i in range(children)}
        cdef set listed = set()
        rows = []
        for tile, at in self.view.legal_moves():
            move = self.view.table.compact(tile, at)
            if move in listed or not self.considered[move >> 6] >> (move & 63) & 1:
                continue
            listed.add(move)
            i = places.get(move, -1)
            if i < 0:
                rows.append(untried_move(tile, at, self.done, teams, with_chances))
            else:
                rows.append(named_move(&self.root, i, nodes[i].visits, tile, at, self.done, teams, with_chances))
        return ranked(rows, self.judging_team)

    @property
    def judging_team(self):
        """The team whose chances rank the root's moves; None where only margins count."""
        return self.valuation.team if self.valuation.match else None

    def outcome_count(self, tile, at):
        """How many different draws and passes after a root move have a node of their own.

        :raises BusyError: the search runs.
        """
        self.check_idle()
        cdef int move = self.view.table.compact(read_int(tile, "tile"), read_int(at, "at"))
        cdef uint32_t node = find_child(&self.tree, 0, move)
        cdef uint32_t i, first = self.tree.nodes[node].children, count = 0
        if node == 0:
            return 0
        for i in range(first, first + self.tree.nodes[node].count):
            count += self.tree.nodes[i].key >= OUTCOME
        return count

    def line(self, tile, at, least=2):
        """The most visited way on from a root move, a :class:`~sniffai_ext.rows.LineMove` for each placement.

        ``estimated`` is set on every step after the first, as it depends on hidden tiles, on a draw or on both; unless
        nothing is hidden, because one hand holds all unseen tiles, or only one world is possible and its talon has at
        most one tile.
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
            steps.append(LineMove(tile, at, self.tree.nodes[node].visits, hidden and bool(steps)))
            proven = is_proven(self.tree.nodes + node)
            node = next_step(&self.tree, node)
        return steps


cdef inline void order_talon(State *state, uint64_t seed) noexcept nogil:
    """Put the tiles that are neither placed nor in a hand into the talon, in random order."""
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


cdef inline void push(Path *path, uint32_t node, int team) noexcept nogil:
    path.node[path.length] = node
    path.team[path.length] = team
    path.length += 1


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
