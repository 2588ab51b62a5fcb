"""Whole rounds by simple policies, from a fresh deal: for measuring, and for tests."""

from libc.stdint cimport INT32_MAX

from sniffai_ext.checks cimport read_real, read_seed, read_whole
from sniffai_ext.layout cimport clear_arms
from sniffai_ext.round cimport count_moves, settle
from sniffai_ext.rng cimport seed_rng, shuffle
from sniffai_ext.signals cimport Watch, answer, called, watch_signals
from sniffai_ext.types cimport NO_TILE, TILES, hand_size

from sniffai_ext.round import check_players

cdef enum:
    LOOK_EVERY = 64       # rounds between two looks for a signal


cdef void deal(State *state, int players, int leader, const int16_t *scores, Rng *rng) noexcept nogil:
    """Shuffle the set and deal (rules 1)."""
    cdef uint8_t[TILES] order
    cdef int i, seat, n = 0
    for i in range(TILES):
        order[i] = <uint8_t> i
    shuffle(rng, order, TILES)
    for seat in range(4):
        state.hand[seat] = 0
        state.void_pips[seat] = 0
    for i in range(3):
        state.score[i] = scores[i]
    state.table = 0
    for seat in range(players):
        for _ in range(hand_size(players)):
            state.hand[seat] |= <uint32_t> 1 << order[n]
            n += 1
    state.talon_next = 0
    state.talon_end = <uint8_t> (TILES - n)
    for i in range(TILES - n):
        state.talon[i] = order[n + i]
    clear_arms(&state.arms)
    state.players = <uint8_t> players
    state.seat = <uint8_t> leader
    state.forced = NO_TILE
    state.passes = 0
    state.end = RUNNING


cdef int some_positions(State *states, int count, int players, Rng *rng) noexcept nogil:
    """Fill ``states`` with positions of random rounds in which the seat to move has a choice after the lead: to
    measure on them what searches do at such."""
    cdef int16_t[3] scores
    cdef State state
    cdef int n = 0, leader = 0
    scores[0] = scores[1] = scores[2] = 0
    while n < count:
        deal(&state, players, leader, scores, rng)
        leader = (leader + 1) % players
        while state.end == RUNNING and n < count:
            states[n] = state
            n += state.table != 0 and count_moves(&state) > 1
            play(&state, random_move(&state, rng))
    return n


def rollouts(players, count, seed, epsilon=1.0):
    """Play ``count`` whole rounds from fresh deals at a score of 0 and sum up what happened.

    :param players: 2..4.
    :param epsilon: chance of a random move instead of a greedy one, 0..1; 1 is a wholly random rollout.
    :return: ``(plies, sum of the first team's margins)``: a check that two runs did the same, and work done.
    :raises SniffError: players, count, seed or epsilon out of range.
    """
    cdef Rng rng
    cdef State state
    cdef int16_t[3] scores
    cdef long long plies = 0, margin = 0
    cdef int i, team, seat, seats = check_players(players), most = read_whole(count, "count", 0, INT32_MAX)
    cdef uint32_t chance = <uint32_t> (read_real(epsilon, "epsilon", 0, 1) * 65536)
    cdef Watch watch = watch_signals()
    for team in range(3):
        scores[team] = 0
    seed_rng(&rng, read_seed(seed))
    with nogil:
        for i in range(most):
            if i % LOOK_EVERY == 0 and called(&watch):
                break
            deal(&state, seats, i % seats, scores, &rng)
            if chance >= 65536:
                roll_out_random(&state, &rng)
            else:
                roll_out(&state, chance, &rng)
            plies += TILES - (state.talon_end - state.talon_next)
            for seat in range(seats):
                plies -= popcount(state.hand[seat])
            settle(&state)
            margin += state.score[0] - state.score[1]
    answer(&watch)
    return plies, margin


def state_bytes():
    """Size of a packed round in bytes."""
    return sizeof(State)
