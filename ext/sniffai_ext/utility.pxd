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

    Who went out leads the next round; after a blocked one the lead goes by lot (rules 2).
    """
    cdef int[3] scores
    cdef int team
    settlement(state, scores)
    for team in range(team_count(state.players)):
        scores[team] += state.score[team]
    win_chance(table, scores, state.seat if state.end == WENT_OUT else -1, chances)

cdef inline float hoped_chance(const EquityTable *table, const State *state, int seat, double margin) noexcept nogil:
    """The chance of a seat's team to win the match, in a round expected to bring it so much more than the others.

    Between multiples of the step it is interpolated. The better the round is to go, the likelier the seat leads the
    next one: its chance of that is taken to rise by 1 in LEAD_RISE points.
    """
    cdef int teams = team_count(state.players), step = 15 if teams == 3 else 10
    cdef int fives = <int> (margin / step + 1000) - 1000
    cdef float part = <float> (margin / step) - fives
    cdef float lead = <float> (1.0 / teams + margin / LEAD_RISE)
    lead = min(<float> 0.95, max(<float> 0.05, lead))
    return ((1 - part) * chance_after(table, state, seat, step * fives, lead)
            + part * chance_after(table, state, seat, step * (fives + 1), lead))

cdef inline float chance_after(const EquityTable *table, const State *state, int seat, int margin,
                               float lead) noexcept nogil:
    """The chance of a seat's team after a round that brings it ``margin`` more than the others, and with the chance
    ``lead`` the next lead."""
    cdef int[3] scores
    cdef float[3] leading
    cdef float[3] lot
    cdef int other, team = team_of(state.players, seat), teams = team_count(state.players)
    for other in range(teams):
        scores[other] = state.score[other] - margin // teams
    scores[team] += margin
    win_chance(table, scores, seat, leading)
    win_chance(table, scores, -1, lot)
    return lead * leading[team] + (1 - lead) * (teams * lot[team] - leading[team]) / (teams - 1)

cdef enum:
    LEAD_RISE = 60
