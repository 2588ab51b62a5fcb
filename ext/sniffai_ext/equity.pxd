"""Match equity: every team's chance to win the match, from the scores between two rounds and who leads next.

A table is relative to the lead, so one serves every seat. Its scores go in steps of 5 from ``lowest`` to 5 below the
target; a chance is stored for

- 2 teams: the leading team, at ``[own score][the other's score]``; the other team has the rest;
- 3 teams: the leading seat and the one after it, at ``[leader's][next seat's][last seat's score]``.

Scores below ``lowest`` have the same chances as ``lowest``. Scores between two steps count as the lower one, which is
exact: points come in fives, so as many of them are still needed.
"""

from libc.stdint cimport uint32_t

cdef enum:
    STEP = 5              # every placement's points and every deduction is a multiple of it (rules 4, 6)

cdef struct EquityTable:
    const float *lead     # as above
    const float *random_lead  # a random seat leads: team 0's chance, with 3 teams team 1's beside it, at scores by team
    int players           # seats: 2, 3 or 4
    int target            # points that win the match
    int lowest            # points of the first row, a negative multiple of STEP
    int size              # rows: scores from lowest to target - STEP

cdef inline size_t equity_row(const EquityTable *table, int score) noexcept nogil:
    return <uint32_t> (score - table.lowest) / STEP if score > table.lowest else 0

cdef inline bint has_won(int target, int teams, const int *scores, float *chances) noexcept nogil:
    """Whether a team has reached the target, and so has won for certain (rules 7)."""
    cdef int team, winner = -1
    for team in range(teams):
        if scores[team] >= target:
            winner = team
    if winner < 0:
        return False
    for team in range(teams):
        chances[team] = team == winner
    return True

cdef inline void two_chances(const EquityTable *table, const int *scores, int leader, float *chances) noexcept nogil:
    cdef int own = leader & 1             # also for the teams of 4 seats
    if leader < 0:
        own = 0
    cdef size_t place = equity_row(table, scores[own]) * table.size + equity_row(table, scores[1 - own])
    cdef float chance = table.random_lead[place] if leader < 0 else table.lead[place]
    chances[own] = chance
    chances[1 - own] = 1 - chance

cdef inline void three_chances(const EquityTable *table, const int *scores, int leader, float *chances) noexcept nogil:
    cdef int first = leader if leader > 0 else 0
    cdef int second = first + 1 if first < 2 else 0
    cdef int third = second + 1 if second < 2 else 0
    cdef size_t place = equity_row(table, scores[first]) * table.size + equity_row(table, scores[second])
    cdef const float *pair = table.random_lead if leader < 0 else table.lead
    pair += 2 * (place * table.size + equity_row(table, scores[third]))
    chances[first] = pair[0]
    chances[second] = pair[1]
    chances[third] = max(<float> 0, 1 - pair[0] - pair[1])

cdef inline void win_chance(const EquityTable *table, const int *scores, int leader, float *chances) noexcept nogil:
    """Write every team's chance to win the match, after a round; together they are 1.

    :param scores: points by team after the settlement, perhaps below 0. A team at or past the target has won.
    :param leader: the seat that leads next, or -1 for a random one (rules 2): the mean over the seats.
    :param chances: one for each team, 0..1.
    """
    cdef int teams = 3 if table.players == 3 else 2
    if has_won(table.target, teams, scores, chances):
        return
    if teams == 3:
        three_chances(table, scores, leader, chances)
    else:
        two_chances(table, scores, leader, chances)

cdef class Equity:
    cdef EquityTable table
    cdef readonly object lead
    cdef readonly object random_lead
