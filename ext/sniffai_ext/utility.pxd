"""What a finished round is worth to its teams, in points."""

from sniffai_ext.types cimport TARGET, WENT_OUT, State, deduction, team_count, team_of

# What counts besides the score.
cdef struct Stakes:
    int lead_value        # points for the team of the seat that went out: it leads the next round (rules 2)
    int target_value      # points for the team that reached the target: it has won the match (rules 7)

cdef inline int prize_of(const State *state, const Stakes *stakes) noexcept nogil:
    """What the end is worth, beyond the points, to the team of the seat that placed last.

    After a blocked round the lead goes by lot: every team has the same chance of it, so it counts for none.
    """
    if state.end == TARGET:
        return stakes.target_value
    return stakes.lead_value if state.end == WENT_OUT else 0

cdef inline void settlement(const State *state, int *gains) noexcept nogil:
    """What the settlement (rules 6) gives each team: nothing or less. The round is over, not yet settled."""
    cdef int team, seat
    for team in range(team_count(state.players)):
        gains[team] = 0
    if state.end != TARGET:
        for seat in range(state.players):
            gains[team_of(state.players, seat)] -= deduction(state.hand[seat])

cdef inline int end_margin(const State *state, const Stakes *stakes) noexcept nogil:
    """Settlement and stakes of team 0 less those of team 1, where there are two teams."""
    cdef int[3] gains
    settlement(state, gains)
    gains[team_of(state.players, state.seat)] += prize_of(state, stakes)
    return gains[0] - gains[1]
