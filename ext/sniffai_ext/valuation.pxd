"""What a state is worth to its teams: margin, chance to win the match, and the utility that a search maximises.

Margin: what the round brings from the root of the search on, in points, settlement included. With two teams it is a
team's points less the other team's; with three seats a seat's points less the mean of the others' (each plays for
itself). Reaching the target ends the round there (rules 7).

Utility: the margin, or what counts beyond the round, the chance to win the match (:mod:`sniffai_ext.equity`). A chance
is measured in points, of which MATCH_POINTS are worth the match.
"""

from sniffai_ext.equity cimport EquityTable
from sniffai_ext.fixed_net cimport FixedNet
from sniffai_ext.types cimport State, team_count
from sniffai_ext.utility cimport end_chances, hoped_chances, settlement
from sniffai_ext.world_value cimport world_values

cdef enum:
    FIRST_CHANCE = 3      # the place of team 0's chance among the values of a result; margins stand before it
    UTILITY = 6           # the place of the searching team's utility
    VALUES = 7
    MATCH_POINTS = 250    # points that the match is worth: so its chance spreads about as far as a round's margin

# What one simulation yields: the margins of up to three teams, their chances, and the searching team's utility.
cdef struct Result:
    double[VALUES] value

# How results are valued, seen from the root of a search.
cdef struct Valuation:
    const EquityTable *table   # chances to win the match; NULL: they stay 0
    const FixedNet *leaf            # values positions before the end of the round; NULL: they are rolled out
    int[3] score               # by team, at the root
    int team                   # the searching one
    bint match                 # the chance to win the match is what counts, else the margin
    double[3] chance_weight    # by team: points that its whole chance is worth in its utility
    double[3] margin_weight    # by team: points that a point of margin is worth

cdef void weigh_utilities(Valuation *valuation, int teams) noexcept

cdef inline double utility_for(const Valuation *valuation, const Result *result, int team) noexcept nogil:
    """What a result is worth to a team, in points."""
    return (valuation.margin_weight[team] * result.value[team]
            + valuation.chance_weight[team] * result.value[FIRST_CHANCE + team])

cdef inline int ranking_value(const Valuation *valuation) noexcept nogil:
    """The place of the value that ranks the root's moves before all others: the own team's chance or its margin."""
    return valuation.team + (FIRST_CHANCE if valuation.match else 0)

cdef inline void set_margins(const double *gain, int teams, Result *result) noexcept nogil:
    """Write each team's gain less the mean of the others' gains, and 0 to all other values."""
    cdef int i
    cdef double total = 0
    for i in range(VALUES):
        result.value[i] = 0
    for i in range(teams):
        total += gain[i]
    for i in range(teams):
        result.value[i] = gain[i] - (total - gain[i]) / (teams - 1)

cdef inline void value_end(const Valuation *valuation, const State *state, Result *result) noexcept nogil:
    """The result of a finished round that is not settled yet."""
    cdef int[3] at_end
    cdef float[3] chances
    cdef double[3] gain
    cdef int team, teams = team_count(state.players)
    settlement(state, at_end)
    for team in range(teams):
        gain[team] = at_end[team] + state.score[team] - valuation.score[team]
    set_margins(gain, teams, result)
    if valuation.table != NULL:
        end_chances(valuation.table, state, chances)
        for team in range(teams):
            result.value[FIRST_CHANCE + team] = chances[team]
    result.value[UTILITY] = utility_for(valuation, result, valuation.team)

cdef inline void value_leaf(const Valuation *valuation, const State *state, int seat, Result *result) noexcept nogil:
    """The result that the world-value net expects just after a placement of ``seat``."""
    cdef double[3] gain
    cdef double[3] to_come
    cdef int team, teams = team_count(state.players)
    world_values(valuation.leaf, state, seat, to_come)
    for team in range(teams):
        gain[team] = state.score[team] - valuation.score[team]
    set_margins(gain, teams, result)
    for team in range(teams):
        result.value[team] += to_come[team]
    if valuation.table != NULL:
        hoped_chances(valuation.table, state, seat, to_come, result.value + FIRST_CHANCE)
    result.value[UTILITY] = utility_for(valuation, result, valuation.team)
