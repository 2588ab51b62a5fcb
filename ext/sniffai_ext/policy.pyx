"""The policy net as a Python object, and duels of policies without search."""

from libc.stdint cimport INT32_MAX
from libc.stdlib cimport free, malloc

from sniffai_ext.checks cimport read_seed, read_whole
from sniffai_ext.features cimport net_rows
from sniffai_ext.joint_features cimport joint_sums
from sniffai_ext.net cimport net_size
from sniffai_ext.rng cimport Rng, seed_rng
from sniffai_ext.rollout cimport MOST_POSITIONS, MOST_TIMES, deal, greedy_move, some_positions
from sniffai_ext.round cimport play, settle
from sniffai_ext.signals cimport Watch, answer, called, watch_signals
from sniffai_ext.types cimport NO_TILE, RUNNING, int16_t, team_count, team_of

from sniffai_ext.errors import LimitsError
from sniffai_ext.round import check_players
from sniffai_ext.view cimport View


cdef class Policy(TrainedNet):
    """A policy net for one number of seats.

    :param players: 2..4.
    :param weights: float32 ``[weight_count(players)]``, see net.pxd for their order.
    :raises SniffError: wrong number of seats or of weights.
    """

    def __cinit__(self, players, weights):
        cdef int seats = check_players(players)
        self.lay_out_weights(seats, weights, net_rows(seats), 1, joint_sums(seats))

    def play_rounds(self, rounds, seed):
        """Play whole rounds from fresh deals against itself, by the best rating each time: to measure its speed.

        :param seed: 0..2**64-1; decides the deals.
        :return: ``(decisions, moves)``: how often there was a choice, and how many moves were rated then.
        :raises LimitsError: a number out of range.
        """
        cdef uint8_t[MAX_MOVES] moves
        cdef float[MAX_MOVES] values
        cdef int16_t[3] scores
        cdef long long decisions = 0, rated = 0
        cdef int i, count, most = read_whole(rounds, "rounds", 0, INT32_MAX)
        cdef State state
        cdef Rng rng
        cdef Watch watch = watch_signals()
        scores[0] = scores[1] = scores[2] = 0
        seed_rng(&rng, read_seed(seed))
        with nogil:
            for i in range(most):
                if called(&watch):
                    break
                deal(&state, self.players, i % self.players, scores, &rng)
                while state.end == RUNNING:
                    count = legal_moves(&state, moves)
                    if count > 1:
                        decisions += 1
                        rated += count
                        rate_moves(&self.net, &state, moves, count, values)
                    play(&state, moves[first_best(values, count) if count > 1 else 0])
        answer(&watch)
        return decisions, rated

    def draw_replies(self, positions, times, seed):
        """Draw moves by softmax of the ratings, as the other seats of a search do: to measure its speed.

        :param positions: 1..100,000: of random rounds, after the lead, with at least two moves each.
        :param times: 0..10,000: how often all of them are gone through.
        :param seed: 0..2**64-1; decides the positions and the moves.
        :return: how many moves were drawn.
        :raises LimitsError: a number out of range.
        """
        cdef int most = read_whole(positions, "positions", 1, MOST_POSITIONS)
        cdef int left = read_whole(times, "times", 0, MOST_TIMES), i
        cdef long long drawn = 0
        cdef State *states = <State *> malloc(most * sizeof(State))
        cdef Rng rng
        cdef Watch watch = watch_signals()
        if states == NULL:
            raise MemoryError
        seed_rng(&rng, read_seed(seed))
        with nogil:
            some_positions(states, most, self.players, &rng)
            while left and not called(&watch):
                for i in range(most):
                    drawn += draw_reply(&self.net, &states[i], &rng) != NO_TILE
                left -= 1
        free(states)
        answer(&watch)
        return drawn

    def rate(self, View view not None):
        """``[(tile, at, value)]`` for every distinct move of the view's seat (see ``rate_moves``), best first.

        ``at`` is the lowest of the equal attachment points. [] when the seat is not to place a tile.

        :raises LimitsError: the view has another number of seats.
        """
        cdef State state
        cdef uint8_t[MAX_MOVES] moves
        cdef float[MAX_MOVES] values
        cdef int i, other, count
        if view.must != "play":
            return []
        check_seats(self, view.players)
        view.fill_state(&state)
        for other in range(view.players):        # sizes are public; which tiles they are, the ratings never ask
            if other != view.seat:
                state.hand[other] = (<uint32_t> 1 << view.size[other]) - 1
        count = legal_moves(&state, moves)
        rate_moves(&self.net, &state, moves, count, values)
        rated = {moves[i]: values[i] for i in range(count)}
        rows = []
        for tile, at in view.legal_moves():
            value = rated.pop(view.table.compact(tile, at), None)
            if value is not None:
                rows.append((tile, at, value))
        return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))


def weight_count(players):
    """How many weights a policy net for so many seats has.

    :param players: 2..4.
    :raises ViewError: it is another number.
    """
    return net_size(net_rows(check_players(players)), 1)


cdef int check_seats(Policy policy, int players) except -1:
    """Raise LimitsError unless a net is for so many seats."""
    if policy.players != players:
        raise LimitsError(f"the net is for {policy.players} seats, but the round has {players}", reason="WRONG_NET",
                          field="players")
    return 0


cdef int duel_round(State *state, const FixedNet *team_net, const FixedNet *other_net, int team,
                    Rng *rng) noexcept nogil:
    """Play a round; NULL stands for the greedy policy. Returns twice the team's margin (an integer for 3 seats too)."""
    cdef const FixedNet *net
    cdef int other, margin = 0, teams = team_count(state.players)
    while state.end == RUNNING:
        net = team_net if team_of(state.players, state.seat) == team else other_net
        play(state, best_move(net, state) if net != NULL else greedy_move(state, rng))
    settle(state)
    for other in range(teams):
        margin += 2 * state.score[other] if other == team else -2 * state.score[other] // (teams - 1)
    return margin


def duel(players, deals, seed, Policy b not None, Policy a=None):
    """Paired deals without search: ``b`` in every seating against ``a`` (None: the greedy policy).

    :return: float64 ``[deals]``: b's mean margin a round in each deal, in points.
    :raises SniffError: a number out of range, or a net for another number of seats.
    """
    import numpy as np

    cdef Rng rng
    cdef Rng lots
    cdef State start
    cdef State state
    cdef int16_t[3] scores
    cdef int seats = check_players(players), count = read_whole(deals, "deals", 0, INT32_MAX)
    cdef int i, team, total, teams = team_count(seats)
    check_seats(b, seats)
    if a is not None:
        check_seats(a, seats)
    cdef const FixedNet *b_net = &b.net
    cdef const FixedNet *a_net = NULL if a is None else &a.net
    cdef Watch watch = watch_signals()
    margins = np.zeros(count)
    cdef double[::1] rows = margins
    scores[0] = scores[1] = scores[2] = 0
    seed_rng(&rng, read_seed(seed))
    with nogil:
        for i in range(count):
            if called(&watch):
                break
            deal(&start, seats, i % seats, scores, &rng)
            total = 0
            for team in range(teams):
                state = start
                seed_rng(&lots, i)
                total += duel_round(&state, b_net, a_net, team, &lots)
            rows[i] = total / (2.0 * teams)
    answer(&watch)
    return margins
