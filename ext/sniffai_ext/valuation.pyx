"""The weights of chance and margin in a search's utility (see valuation.pxd)."""

from sniffai_ext.equity cimport win_chance

cdef enum:
    SWING = 30            # points won or lost in a round, to see how far the chance spreads at the scores
    LEAST_SPREAD = 25     # points that such a swing is worth at least

cdef double POINT_SHARE = 4e-6  # of the match that a point is worth beside its chance, to choose among equal chances


cdef void weigh_utilities(Valuation *valuation, int teams) noexcept:
    """Set the weights of chance and margin for each team.

    What UCB1 explores is measured in points. So where a round can hardly change a team's chance any more, because the
    match is as good as decided for it, its chance is worth more points.
    """
    cdef int team
    for team in range(teams):
        valuation.chance_weight[team], valuation.margin_weight[team] = 0, 1
        if valuation.match:
            valuation.chance_weight[team] = max(<double> MATCH_POINTS, LEAST_SPREAD / swing(valuation, team, teams))
            valuation.margin_weight[team] = POINT_SHARE * valuation.chance_weight[team]


cdef double swing(const Valuation *valuation, int own, int teams) noexcept:
    """How much more of the match a team has after SWING points won than after as many lost, points counted in."""
    cdef int[3] scores
    cdef float[3] chances
    cdef int team, sign
    cdef double spread = 2 * SWING * POINT_SHARE
    for sign in (1, -1):
        for team in range(teams):
            scores[team] = valuation.score[team] - sign * (SWING // teams)
        scores[own] += sign * SWING
        win_chance(valuation.table, scores, -1, chances)
        spread += sign * chances[own]
    return spread
