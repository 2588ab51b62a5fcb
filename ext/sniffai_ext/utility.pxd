"""What a finished round is worth to its teams: points, and the chance to win the match."""

from sniffai_ext.equity cimport EquityTable, win_chance
from sniffai_ext.types cimport TARGET, WENT_OUT, State, deduction, team_count, team_of

cdef inline void settlement(const State *state, int *gains) noexcept nogil:
    """What the settlement (rules 6) gives each team: nothing or less. The round is over, not yet settled."""
    cdef int team, seat
    for team in range(team_count(state.players)):
        gains[team] = 0
    if state.end != TARGET:
        for seat in range(state.players):
            gains[team_of(state.players, seat)] -= deduction(state.hand[seat])

cdef inline int end_margin(const State *state) noexcept nogil:
    """The settlement of team 0 less that of team 1, where there are two teams."""
    cdef int[3] gains
    settlement(state, gains)
    return gains[0] - gains[1]

cdef inline void end_chances(const EquityTable *table, const State *state, float *chances) noexcept nogil:
    """Every team's chance to win the match after a round that is over, not yet settled.

    The seat that went out leads the next round; after a blocked one a random seat leads (rules 2).
    """
    cdef int[3] scores
    cdef int team
    settlement(state, scores)
    for team in range(team_count(state.players)):
        scores[team] += state.score[team]
    win_chance(table, scores, state.seat if state.end == WENT_OUT else -1, chances)

cdef inline void hoped_chances(const EquityTable *table, const State *state, int seat, const double *margin,
                               double *chances) noexcept nogil:
    """Every team's chance to win the match, in a round expected to bring it so much more than the others.

    The better the round is to go for a team, the likelier it leads the next one: its chance of that is taken to rise by
    1 in LEAD_RISE points.

    :param seat: who has just placed a tile.
    :param margin: by team, in points; together 0.
    """
    cdef int own = team_of(state.players, seat)
    if state.players == 3:
        hope_of_three(table, state, margin, chances)
    else:
        chances[own] = hope_of_two(table, state, seat, margin[own])
        chances[1 - own] = 1 - chances[own]

cdef inline float likely_leader(int teams, double margin) noexcept nogil:
    return min(<float> 0.95, max(<float> 0.05, <float> (1.0 / teams + margin / LEAD_RISE)))

cdef inline float hope_of_two(const EquityTable *table, const State *state, int seat, double margin) noexcept nogil:
    """The chance of a seat's team, half of the margin won and half of it lost by the others. Between multiples of 10 it
    is interpolated."""
    cdef int tens = <int> (margin / 10 + 1000) - 1000
    cdef float part = <float> (margin / 10) - tens
    cdef float lead = likely_leader(2, margin)
    return ((1 - part) * chance_after(table, state, seat, 10 * tens, lead)
            + part * chance_after(table, state, seat, 10 * (tens + 1), lead))

cdef inline float chance_after(const EquityTable *table, const State *state, int seat, int margin,
                               float lead) noexcept nogil:
    """The chance of a seat's team after a round that brings it ``margin`` more than the others, and with the chance
    ``lead`` the next lead."""
    cdef int[3] scores
    cdef float[3] leading
    cdef float[3] random_lead
    cdef int team = team_of(state.players, seat)
    scores[1 - team] = state.score[1 - team] - margin // 2
    scores[team] = state.score[team] - margin // 2 + margin
    win_chance(table, scores, seat, leading)
    win_chance(table, scores, -1, random_lead)
    return lead * leading[team] + (1 - lead) * (2 * random_lead[team] - leading[team])

cdef inline void hope_of_three(const EquityTable *table, const State *state, const double *margin,
                               double *chances) noexcept nogil:
    """With three teams a gain counts one and a half times in a margin, where all gains together are 0. The scores are
    taken to the nearest 5, and each seat leads with its share of the chances to.

    Each team's sums begin with its own term, so that they do not depend on how the seats are numbered."""
    cdef int[3] scores
    cdef float[3][3] won      # by leader and team
    cdef double[3] lead
    cdef int team, leader, turn
    for team in range(3):
        scores[team] = state.score[team] + 5 * (<int> (margin[team] / 7.5 + 1000.5) - 1000)
        lead[team] = likely_leader(3, margin[team])
        chances[team] = 0
    for leader in range(3):
        win_chance(table, scores, leader, won[leader])
    for team in range(3):
        for turn in range(3):
            leader = (team + turn) % 3
            chances[team] += lead[leader] * won[leader][team]
        chances[team] = min(1.0, chances[team] / (lead[team] + lead[(team + 1) % 3] + lead[(team + 2) % 3]))

cdef enum:
    LEAD_RISE = 60
