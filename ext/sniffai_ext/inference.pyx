"""Inference from choices (Rebstock et al. 2019, "Policy Based Inference in Trick-Taking Card Games").

    log P(choices | world) = sum over the choices c of the other seats:
        log( floor / n + (1 - floor) * softmax(rating / temperature)[c] )

with n the number of distinct moves the seat had. What the rules force (draws, passes, a drawn tile that must be placed)
is no choice; the belief accounts for it exactly, so nothing is counted twice.
"""

from libc.math cimport expf, logf

from sniffai_ext.types cimport popcount


cdef inline int phase_of(const State *state) noexcept nogil:
    cdef int placed = popcount(state.table)
    return 0 if placed < 8 else (1 if placed < 16 else 2)


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


cdef float log_likelihood(const Model *model, View view, uint32_t[ALL_BATCHES] *got) noexcept nogil:
    """The formula above for one deal, given batch by batch."""
    cdef uint8_t[MAX_MOVES] moves
    cdef float[MAX_MOVES] values
    cdef State state
    cdef const Choice *choice
    cdef uint32_t hand
    cdef float total = 0
    cdef int i, b, count, pick
    for i in range(view.choices):
        choice = &view.choice[i]
        hand = 0
        for b in range(choice.batches):
            hand |= got[choice.state.seat][b]
        state = choice.state
        state.hand[state.seat] = hand & ~state.table
        count = legal_moves(&state, moves)
        if count < 2:
            continue
        rate_moves(model.net, &state, moves, count, values)
        pick = 0
        while pick < count - 1 and moves[pick] != choice.move:
            pick += 1
        total += logf(model.floor / count
                      + (1 - model.floor) * chosen_share(values, count, pick, model.temperature[phase_of(&state)]))
    return total
