"""Inference from choices (Rebstock et al. 2019, "Policy Based Inference in Trick-Taking Card Games").

    log P(choices | world) = sum over the choices c of the other seats:
        log( floor / n + (1 - floor) * softmax(rating / temperature)[c] )

with n the number of distinct moves the seat had. What the rules force (draws, passes, a drawn tile that must be placed)
is not a choice; the belief accounts for it exactly, so nothing is counted twice.
"""

from libc.math cimport expf, logf

from sniffai_ext.belief cimport Belief
from sniffai_ext.checks cimport read_seed
from sniffai_ext.rng cimport Rng, seed_rng
from sniffai_ext.types cimport move_tile, popcount


cdef enum:
    MIDDLE = 8   # tiles on the table from which on a round is in its middle phase
    LATE = 16    # and from which on in its last

PHASE_EDGES = (MIDDLE, LATE)


cdef inline int phase_of(const State *state) noexcept nogil:
    """0..2: the policy chooses more sharply early in a round."""
    cdef int placed = popcount(state.table)
    return 0 if placed < MIDDLE else (1 if placed < LATE else 2)


cdef float chosen_share(const float *values, int count, int pick, float temperature) noexcept nogil:
    """softmax(values / temperature)[pick]"""
    cdef float most = values[0], total = 0
    cdef int i
    for i in range(1, count):
        if values[i] > most:
            most = values[i]
    for i in range(count):
        total += expf((values[i] - most) / temperature)
    return expf((values[pick] - most) / temperature) / total


cdef inline uint32_t hand_then(const Choice *choice, uint32_t[ALL_BATCHES] *batch_tiles) noexcept nogil:
    """What the choosing seat held before a choice, in one deal: all it had got, less what was on the table."""
    cdef uint32_t hand = 0
    cdef int b
    for b in range(choice.batches):
        hand |= batch_tiles[choice.state.seat][b]
    return hand & ~choice.state.table


cdef void log_likelihoods(
    const Model *model, View view, uint32_t[ALL_BATCHES] *batch_tiles, double *by_seat
) noexcept nogil:
    """The formula above for one deal, given batch by batch: adds the terms of each seat's choices to ``by_seat``."""
    cdef uint8_t[MAX_MOVES] moves
    cdef float[MAX_MOVES] values
    cdef State state
    cdef const Choice *choice
    cdef int i, count, pick
    for i in range(view.choices):
        choice = &view.choice[i]
        state = choice.state
        state.hand[state.seat] = hand_then(choice, batch_tiles)
        count = legal_moves(&state, moves)
        if count < 2:
            continue
        rate_moves(model.net, &state, moves, count, values)
        pick = 0
        while pick < count - 1 and moves[pick] != choice.move:
            pick += 1
        by_seat[state.seat] += logf(
            model.floor / count
            + (1 - model.floor) * chosen_share(values, count, pick, model.temperature[phase_of(&state)]))


def sampled_past(View view not None, seed):
    """The other seats' choices in one deal drawn from the exact belief, to inspect what the model weighs.

    :param seed: 0..2**64-1.
    :return: ``[(placements before it, seat, tile placed, hand before it)]``, one row for each choice, in order.
    :raises LimitsError: the seed is out of range.
    :raises HistoryError: no deal explains the view.
    """
    cdef Belief belief = Belief.of(view)
    cdef uint32_t[4][ALL_BATCHES] batch_tiles
    cdef uint8_t[TILES] talon
    cdef const Choice *choice
    cdef Rng rng
    cdef int i
    seed_rng(&rng, read_seed(seed))
    belief.sample_batches(&rng, batch_tiles, talon)
    rows = []
    for i in range(view.choices):
        choice = &view.choice[i]
        hand = hand_then(choice, batch_tiles)
        rows.append((popcount(choice.state.table), choice.state.seat, move_tile(choice.move), hand))
    return rows
