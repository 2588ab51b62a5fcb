"""What a finished round is worth to its teams, in points."""

from sniffai_ext.types cimport TARGET, WENT_OUT, State, deduction, team_count, team_of

# What counts besides the score.
cdef struct Stakes:
    int lead_value        # points for the team of the seat that went out: it leads the next round (rules 2)
    int target_value      # points for the team that reached the target: it has won the match (rules 7)

cdef inline void end_gains(const State *state, const Stakes *stakes, int *gains) noexcept nogil:
    """What the end alone gives each team: the settlement (rules 6) and the stakes. The round is over, not yet settled.

    After a blocked round the lead goes by lot: every team has the same chance of it, so it counts for none.
    """
    cdef int team, seat
    for team in range(team_count(state.players)):
        gains[team] = 0
    if state.end == TARGET:
        gains[team_of(state.players, state.seat)] = stakes.target_value
        return
    if state.end == WENT_OUT:
        gains[team_of(state.players, state.seat)] = stakes.lead_value
    for seat in range(state.players):
        gains[team_of(state.players, seat)] -= deduction(state.hand[seat])

cdef inline int end_margin(const State *state, const Stakes *stakes) noexcept nogil:
    """:func:`end_gains` of team 0 less those of team 1, where there are two teams."""
    cdef int[3] gains
    end_gains(state, stakes, gains)
    return gains[0] - gains[1]
