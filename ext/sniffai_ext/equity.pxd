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
    const float *random_lead  # a random seat leads: team 0's chance, at scores by team (3 teams: every second place)
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

cdef inline size_t three_scores(const EquityTable *table, const int *scores, int first) noexcept nogil:
    """The place of the scores in a table of 3 teams, that of ``first`` first, the others in the order of play."""
    cdef int second = first + 1 if first < 2 else 0
    cdef int third = second + 1 if second < 2 else 0
    cdef size_t place = equity_row(table, scores[first]) * table.size + equity_row(table, scores[second])
    return 2 * (place * table.size + equity_row(table, scores[third]))

cdef inline void three_chances(const EquityTable *table, const int *scores, int leader, float *chances) noexcept nogil:
    """Every team's chance comes from scores that begin with the leader's or, where a random seat leads, with its own:
    so it does not depend on how the seats are numbered."""
    cdef int team
    cdef const float *pair
    if leader < 0:
        for team in range(3):
            chances[team] = table.random_lead[three_scores(table, scores, team)]
        return
    pair = table.lead + three_scores(table, scores, leader)
    chances[leader] = pair[0]
    chances[leader + 1 if leader < 2 else 0] = pair[1]
    chances[leader - 1 if leader else 2] = max(<float> 0, 1 - pair[0] - pair[1])

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
