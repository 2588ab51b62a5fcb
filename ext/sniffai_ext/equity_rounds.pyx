"""Rounds as the points that fell in them, and whole matches: the policy at every seat.

Match equity needs of a round, played as if no target were near: the points of each team in order, the settlement, and
who leads next. Teams are counted from the one that led, so that rounds of all leaders can be used alike. Players take a
placement that wins the match when they have one, so the most that a placement could have scored is recorded beside its
points. One placement is one number:

     15   8 7    4 3      0
    +------+------+--------+
    | team | most | points |     in fives, 0..12, points <= most; left out where most is 0
    +------+------+--------+
"""

from libc.stdint cimport int8_t, int64_t

from sniffai_ext.checks cimport check_seat, read_int, read_items, read_placement, read_seed, read_whole
from sniffai_ext.fixed_net cimport FixedNet
from sniffai_ext.layout cimport join
from sniffai_ext.policy cimport Policy, first_best, rate_moves
from sniffai_ext.rng cimport Rng, below, seed_rng
from sniffai_ext.rollout cimport deal
from sniffai_ext.round cimport Round, legal_moves, place, settle, settle_turn
from sniffai_ext.signals cimport Watch, answer, called, watch_signals
from sniffai_ext.types cimport (
    MAX_MOVES, RUNNING, TARGET, TILES, WENT_OUT, Arms, State, deduction, int16_t, target_of, team_count, team_of,
    uint8_t, uint16_t,
)

import numpy as np

from sniffai_ext.errors import LimitsError, MoveError
from sniffai_ext.round import check_scores

cdef enum:
    FAR_BELOW = -10_000   # a score from which no round reaches the target
    MOST_ROUNDS = 10_000  # of one match
    MOST_PLAYED = 1_000_000_000  # rounds or matches of one call


cdef int most_points(const State *state, const uint8_t *moves, int count, int *most) noexcept nogil:
    """The index of the first move that scores most now; writes its points."""
    cdef Arms after
    cdef int i, points, best = 0
    most[0] = -1
    for i in range(count):
        after = state.arms
        points = join(&after, moves[i])
        if points > most[0]:
            most[0] = points
            best = i
    return best


cdef uint8_t chosen_move(const FixedNet *net, const State *state, int *most) noexcept nogil:
    """The policy's move, or one that reaches the target; writes the points of the move that scores most now."""
    cdef uint8_t[MAX_MOVES] moves
    cdef float[MAX_MOVES] values
    cdef int count = legal_moves(state, moves)
    cdef int best = most_points(state, moves, count, most)
    if count == 1 or state.score[team_of(state.players, state.seat)] + most[0] >= target_of(state.players):
        return moves[best]
    rate_moves(net, state, moves, count, values)
    return moves[first_best(values, count)]


cdef int play_scores(State *state, const FixedNet *net, uint16_t *gains) noexcept nogil:
    """Play a round to its end, before the settlement, seat 0 leading; writes what scored, returns how many did."""
    cdef int team, points, most, n = 0
    cdef uint8_t move
    while state.end == RUNNING:
        team = team_of(state.players, state.seat)
        move = chosen_move(net, state, &most)
        points = place(state, move)
        if most:
            gains[n] = gain_of(team, most, points)
            n += 1
        if state.end == RUNNING:
            settle_turn(state)
    return n


cdef inline uint16_t gain_of(int team, int most, int points) noexcept nogil:
    return <uint16_t> (team << 8 | most // 5 << 4 | points // 5)


cdef inline int8_t lead_after(const State *state) noexcept nogil:
    """The team that leads the next round, -1 for a random one (rules 2)."""
    return <int8_t> team_of(state.players, state.seat) if state.end == WENT_OUT else -1


def play_scored_rounds(Policy policy not None, rounds, seed):
    """Play rounds from fresh deals by the best rating each time, as if no target were near, and record the points.

    :param rounds: how many, at least 0.
    :param seed: 0..2**64-1; decides the deals.
    :return: ``(ends, gains, settled, leads)``: int64 ``[rounds]``, where each round's gains end; uint16, the gains of
        all rounds; uint8 ``[rounds, teams]``, what the settlement takes, in fives; int8 ``[rounds]``, the team that
        leads next, -1 for a random one.
    :raises LimitsError: a number out of range.
    """
    cdef int players = policy.players, teams = team_count(policy.players)
    cdef int count = read_whole(rounds, "rounds", 0, MOST_PLAYED)
    cdef int16_t[3] scores
    cdef int64_t n = 0
    cdef int i, seat, team
    cdef State state
    cdef Rng rng
    cdef Watch watch = watch_signals()
    ends = np.zeros(count, np.int64)
    gains = np.zeros(<int64_t> count * TILES, np.uint16)      # virtual memory until it is written
    settled = np.zeros((count, teams), np.uint8)
    leads = np.zeros(count, np.int8)
    cdef int64_t[::1] end_rows = ends
    cdef uint16_t[::1] gain_rows = gains
    cdef uint8_t[:, ::1] settled_rows = settled
    cdef int8_t[::1] lead_rows = leads
    scores[0] = scores[1] = scores[2] = FAR_BELOW
    seed_rng(&rng, read_seed(seed))
    with nogil:
        for i in range(count):
            if called(&watch):
                break
            deal(&state, players, 0, scores, &rng)
            n += play_scores(&state, &policy.net, &gain_rows[n])
            end_rows[i] = n
            lead_rows[i] = lead_after(&state)
            for seat in range(players):
                team = team_of(players, seat)
                settled_rows[i, team] += <uint8_t> (deduction(state.hand[seat]) // 5)
    answer(&watch)
    return ends, gains[:n].copy(), settled, leads


def noted_gains(Round start not None, placements):
    """The gains of a round that somebody played, teams counted from the one that led.

    :param start: the round before its first placement.
    :param placements: ``[(tile, at)]``, as :meth:`sniffai_ext.round.Round.play` takes them.
    :return: the numbers above.
    :raises MoveError: a placement is not allowed.
    """
    cdef uint8_t[MAX_MOVES] moves
    cdef Round round_ = start.copy()
    cdef int team, most, players = start.state.players
    cdef int leader = team_of(players, start.state.seat), teams = team_count(players)
    gains = []
    for i, placement in enumerate(read_items(placements, "placements", MoveError)):
        pair = read_placement(placement, f"placements[{i}]")
        team = (team_of(players, round_.state.seat) - leader + teams) % teams
        most_points(&round_.state, moves, legal_moves(&round_.state, moves), &most)
        points = round_.play(*pair)
        if most:
            gains.append(gain_of(team, most, points))
    return gains


cdef int play_match(State *state, const FixedNet *net, int players, int leader, int16_t *scores, Rng *rng,
                    Watch *watch) noexcept nogil:
    """Play rounds to the target; returns the team that won, -1 for none, as where a signal comes."""
    cdef int team, most, teams = team_count(players)
    for _ in range(MOST_ROUNDS):
        if called(watch):
            break
        if leader < 0:
            leader = below(rng, players)
        deal(state, players, leader, scores, rng)
        while state.end == RUNNING:
            place(state, chosen_move(net, state, &most))
            if state.end == RUNNING:
                settle_turn(state)
        if state.end == TARGET:
            return team_of(players, state.seat)
        settle(state)
        for team in range(teams):
            scores[team] = state.score[team]
        leader = state.seat if state.end == WENT_OUT else -1
    return -1


def play_matches(Policy policy not None, scores, leader, matches, seed):
    """Play matches on from some scores by the best rating each time, or the placement that wins the match.

    :param scores: points, one a team, below the target.
    :param leader: the seat that leads the first round; -1: a random one.
    :param seed: 0..2**64-1; decides the deals and the lots.
    :return: matches won, by team.
    :raises SniffError: scores or leader that no match can have, or a number out of range.
    """
    cdef int first = read_int(leader, "leader"), count = read_whole(matches, "matches", 0, MOST_PLAYED)
    cdef int players = policy.players, teams = team_count(policy.players)
    cdef int16_t[3] start
    cdef int16_t[3] points
    cdef int64_t[4] won
    cdef int team, winner
    cdef State state
    cdef Rng rng
    cdef Watch watch = watch_signals()
    check_seat(first, players, "leader", LimitsError, -1)
    for team, score in enumerate(check_scores(players, scores)):
        start[team] = score
    won[0] = won[1] = won[2] = won[3] = 0
    seed_rng(&rng, read_seed(seed))
    with nogil:
        for _ in range(count):
            points = start
            winner = play_match(&state, &policy.net, players, first, points, &rng, &watch)
            won[winner if winner >= 0 else 3] += 1
            if called(&watch):
                break
    answer(&watch)
    return tuple(won[team] for team in range(teams))
