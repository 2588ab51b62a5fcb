"""Flat Monte Carlo: each move tried in worlds dealt at random, each world played to its end by simple moves.

It is here to be played against, a fixed stranger to the search: it has no tree, no net, no equity, and no belief. Any
hidden tile may be anywhere, whatever draws, passes and choices showed. It is not to be improved: figures measured
against it would mean something else.
"""

from libc.stdint cimport INT32_MAX

from sniffai_ext.checks cimport read_seed, read_whole
from sniffai_ext.rng cimport Rng, next64, seed_rng, shuffle
from sniffai_ext.rollout cimport greedy_move, random_move
from sniffai_ext.round cimport legal_moves, play, settle
from sniffai_ext.signals cimport Watch, answer, called, watch_signals
from sniffai_ext.types cimport MAX_MOVES, RUNNING, TILES, State, lowest, team_count, team_of, uint8_t, uint32_t
from sniffai_ext.view cimport View


cdef void deal_hidden(State *state, const int *size, int own, uint32_t unseen, Rng *rng) noexcept nogil:
    """Deal the tiles that a seat does not see to the other hands and the talon, all ways equally likely."""
    cdef uint8_t[TILES] order
    cdef int k, seat, n = 0, dealt = 0
    while unseen:
        order[n] = <uint8_t> lowest(unseen)
        unseen &= unseen - 1
        n += 1
    shuffle(rng, order, n)
    for seat in range(state.players):
        if seat == own:
            continue
        state.hand[seat] = 0
        for _ in range(size[seat]):
            state.hand[seat] |= <uint32_t> 1 << order[dealt]
            dealt += 1
    for k in range(n - dealt):
        state.talon[k] = order[dealt + k]


cdef int twice_ahead(const State *state, int team) noexcept nogil:
    """Twice the team's score less the mean of the others'."""
    cdef int other, ahead = 0, teams = team_count(state.players)
    for other in range(teams):
        ahead += 2 * state.score[other] if other == team else -2 * state.score[other] // (teams - 1)
    return ahead


cdef void play_out(State *state, Rng *rng) noexcept nogil:
    """Play to the end by the most points now, every fourth time at random."""
    while state.end == RUNNING:
        play(state, greedy_move(state, rng) if next64(rng) & 3 else random_move(state, rng))
    settle(state)


def flat_values(View view not None, worlds, seed):
    """What each distinct move brings on average, every move in the same worlds.

    :param worlds: 1..2**31-1.
    :param seed: 0..2**64-1.
    :return: ``[(tile, at, margin)]``, best first, ``at`` the lowest of the equal attachment points; the margin is what
        the seat's team gains more than the others from now to the end of the round, in points. [] when the seat is not
        to place a tile.
    :raises LimitsError: a number out of range.
    """
    cdef State start
    cdef State state
    cdef uint8_t[MAX_MOVES] moves
    cdef long long[MAX_MOVES] total
    cdef int i, count, seat = view.seat
    cdef int most = read_whole(worlds, "worlds", 1, INT32_MAX)
    cdef int team = team_of(view.players, seat)
    cdef uint32_t unseen = view.unseen()
    cdef int[4] size = view.size
    cdef int before
    cdef Rng rng
    cdef Watch watch = watch_signals()
    seed_rng(&rng, read_seed(seed))
    if view.must != "play":
        return []
    view.fill_state(&start)
    before = twice_ahead(&start, team)
    count = legal_moves(&start, moves)
    for i in range(count):
        total[i] = 0
    with nogil:
        for _ in range(most):
            if called(&watch):
                break
            deal_hidden(&start, size, seat, unseen, &rng)
            for i in range(count):
                state = start
                play(&state, moves[i])
                play_out(&state, &rng)
                total[i] += twice_ahead(&state, team) - before
    answer(&watch)
    by_move = {moves[i]: total[i] / (2.0 * most) for i in range(count)}
    rows = []
    for tile, at in view.legal_moves():
        value = by_move.pop(view.table.compact(tile, at), None)
        if value is not None:
            rows.append((tile, at, value))
    return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))
