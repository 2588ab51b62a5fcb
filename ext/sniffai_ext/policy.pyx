"""The policy's Python door, and duels of policies without search."""

from sniffai_ext.features cimport net_rows
from sniffai_ext.net cimport lay_out, net_size
from sniffai_ext.rng cimport Rng, seed_rng
from sniffai_ext.rollout cimport deal, greedy_move
from sniffai_ext.round cimport play, settle
from sniffai_ext.types cimport RUNNING, int16_t, team_count, team_of, uint64_t

import numpy as np

from sniffai_ext.errors import LimitsError
from sniffai_ext.round import check_players
from sniffai_ext.view cimport View


cdef class Policy:
    """A policy net for one number of seats.

    :param players: 2..4.
    :param weights: float32 ``[weight_count(players)]``, see net.pxd for their order.
    :raises SniffError: wrong number of seats or of weights.
    """

    def __init__(self, int players, weights):
        check_players(players)
        block = np.array(weights, np.float32)
        if block.shape != (weight_count(players),):
            raise LimitsError(f"a net for {players} seats has {weight_count(players)} weights, not {block.shape}",
                              reason="WRONG_NUMBER_OF_WEIGHTS", field="weights")
        self.players = players
        self.weights = block
        lay_out(&self.net, &self.weights[0], net_rows(players), 1)

    def play_rounds(self, int rounds, seed):
        """Play whole rounds from fresh deals against itself, by the best rating each time: to measure its speed.

        :param seed: 0..2**64-1; decides the deals.
        :return: ``(decisions, moves)``: how often there was a choice, and how many moves were rated then.
        """
        cdef uint8_t[MAX_MOVES] moves
        cdef float[MAX_MOVES] values
        cdef int16_t[3] scores
        cdef long long decisions = 0, rated = 0
        cdef int i, count
        cdef State state
        cdef Rng rng
        scores[0] = scores[1] = scores[2] = 0
        seed_rng(&rng, <uint64_t> (seed & 0xffffffffffffffff))
        with nogil:
            for i in range(rounds):
                deal(&state, self.players, i % self.players, scores, &rng)
                while state.end == RUNNING:
                    count = legal_moves(&state, moves)
                    if count > 1:
                        decisions += 1
                        rated += count
                        rate_moves(&self.net, &state, moves, count, values)
                    play(&state, moves[first_best(values, count) if count > 1 else 0])
        return decisions, rated

    def rate(self, View view):
        """``[(tile, at, value)]`` for every distinct move of the view's seat (see ``rate_moves``), best first.

        ``at`` is the lowest of the equal attachment points. [] when the seat is not to place a tile.
        """
        cdef State state
        cdef uint8_t[MAX_MOVES] moves
        cdef float[MAX_MOVES] values
        cdef int i, other, count
        if view.must != "play":
            return []
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


def weight_count(int players):
    """How many weights a net for so many seats has."""
    return net_size(net_rows(players), 1)


cdef int duel_round(State *state, const Net *team_net, const Net *other_net, int team, Rng *rng) noexcept nogil:
    """Play a round; NULL stands for the greedy policy. Returns twice the team's margin (an integer for 3 seats too)."""
    cdef const Net *net
    cdef int other, margin = 0, teams = team_count(state.players)
    while state.end == RUNNING:
        net = team_net if team_of(state.players, state.seat) == team else other_net
        play(state, best_move(net, state) if net != NULL else greedy_move(state, rng))
    settle(state)
    for other in range(teams):
        margin += 2 * state.score[other] if other == team else -2 * state.score[other] // (teams - 1)
    return margin


def duel(int players, int deals, seed, Policy b, Policy a=None):
    """Paired deals without search: ``b`` in every seating against ``a`` (None: the greedy policy).

    :return: float64 ``[deals]``: b's mean margin a round in each deal, in points.
    """
    cdef Rng rng
    cdef Rng lots
    cdef State start
    cdef State state
    cdef int16_t[3] scores
    cdef int i, team, total, teams = team_count(players)
    cdef const Net *b_net = &b.net
    cdef const Net *a_net = NULL if a is None else &a.net
    margins = np.zeros(deals)
    cdef double[::1] rows = margins
    scores[0] = scores[1] = scores[2] = 0
    seed_rng(&rng, <uint64_t> (seed & 0xffffffffffffffff))
    with nogil:
        for i in range(deals):
            deal(&start, players, i % players, scores, &rng)
            total = 0
            for team in range(teams):
                state = start
                seed_rng(&lots, i)
                total += duel_round(&state, b_net, a_net, team, &lots)
            rows[i] = total / (2.0 * teams)
    return margins
