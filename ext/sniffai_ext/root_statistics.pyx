"""How root moves compare: their standard errors, their order, and when a search knows enough.

The same thresholds hold for one tree, here, and for several together, in :mod:`sniffai.search.roots`.
"""

from functools import partial

from libc.math cimport M_SQRT2, erfc, fabs, hypot, sqrt

from sniffai_ext.tree cimport Node
from sniffai_ext.valuation cimport FIRST_CHANCE, MATCH_POINTS as MATCH_WORTH, UTILITY, ranking_value

from sniffai_ext.rows import RootMove

cdef enum:
    JUDGED_FROM = 30      # visits from which on a root move is judged by its own simulations
    USUAL_DEVIATION = 30  # of a round's margin, in points

cdef double RESOLUTION = 1e-4   # chances that differ by less are not told apart,
cdef double CLOSE = 2e-3        # nor those that differ by less than this
cdef double APART = 2.0         # and by less than so many standard errors
cdef double CAUTION = 0.5       # standard errors by which a root move's value is lowered before the moves are ranked
cdef double DOUBT = 2.25        # factor on errors of a difference that decides: a young tree also errs in other ways
cdef double DRIFTS = 3.0        # how many times the drift of a tree counts in the errors that are reported

FEW_VISITS = JUDGED_FROM
MATCH_POINTS = MATCH_WORTH
STATED_DRIFTS = DRIFTS
RANK_CAUTION = CAUTION
CLOSE_CHANCES = CLOSE
DECISION_DOUBT = DOUBT


cdef double standard_error(const Root *root, int move, int value, uint32_t visits) noexcept nogil:
    """Of the mean of one of a root move's values. Four things make it uncertain:

    - chance: the spread of the simulations over the root of their number;
    - drift: a tree that still learns moves its values; measured as the mean since half_visits less the whole mean.
      Reported errors count it DRIFTS times, for what a much longer search would still change;
    - the resolution of what was seen: one more simulation may lie a usual deviation off, whatever those so far say;
    - the pool: simulations cannot make up for worlds that a sampled pool lacks, nor for those that a fit to it weighs.
      All of the spread is taken to lie between worlds, which measures well (docs/search.md).
    """
    cdef const RootStatistics *statistics = &root.move[move]
    cdef double spread, square, resolution
    if visits == 0:
        return 0
    resolution = <double> USUAL_DEVIATION / visits
    if FIRST_CHANCE <= value < UTILITY:
        resolution /= MATCH_WORTH
    if statistics.proven:
        return resolution
    spread = variance(statistics, value, visits)
    square = spread / visits + resolution * resolution + drift(statistics, value, visits) ** 2
    if root.sampled_worlds > 0:
        square += spread / root.sampled_worlds
    return sqrt(square)


cdef bint is_decided(const Root *root, const Tree *tree) noexcept nogil:
    """Whether the best root move is better than every other one with a probability of ``goal``, in chance or, where
    their chances are not told apart and hardly differ, in margin.

    No move is judged before it has FEW_VISITS visits, and errors count DOUBT times.
    """
    cdef const Node *nodes = tree.nodes + tree.nodes[0].children
    cdef int i, best = favourite(root, tree), by = ranking_value(root.valuation)
    cdef bint sure
    if best < 0:
        return False
    for i in range(tree.nodes[0].count):
        if nodes[i].visits < JUDGED_FROM:
            return False
        if i == best:
            continue
        if are_apart(root, nodes, best, i):
            sure = is_better(root, nodes, best, i, by, 0)
        else:
            sure = (is_better(root, nodes, best, i, root.valuation.team, 0)
                    and is_better(root, nodes, best, i, by, CLOSE))
        if not sure:
            return False
    return True


cdef bint is_better(const Root *root, const Node *nodes, int a, int b, int value, double slack) noexcept nogil:
    """Whether root move ``a`` has more of a value than ``b``, or no less by ``slack``, with a probability of
    ``goal``."""
    cdef double gap = mean(&root.move[a], value, nodes[a].visits) - mean(&root.move[b], value, nodes[b].visits)
    cdef double error = DOUBT * hypot(standard_error(root, a, value, nodes[a].visits),
                                      standard_error(root, b, value, nodes[b].visits))
    return 0.5 * erfc(-(gap + slack) / (error * M_SQRT2 + 1e-12)) >= root.goal


cdef bint are_apart(const Root *root, const Node *nodes, int a, int b) noexcept nogil:
    """Whether two root moves differ in what ranks them first, so that the margin has no say."""
    cdef int value = ranking_value(root.valuation)
    if not root.valuation.match:
        return True
    return apart(bound(root, nodes, a, value) - bound(root, nodes, b, value),
                 hypot(standard_error(root, a, value, nodes[a].visits),
                       standard_error(root, b, value, nodes[b].visits)))


cdef double bound(const Root *root, const Node *nodes, int move, int value) noexcept nogil:
    """One of a root move's values as it is ranked: its mean less CAUTION standard errors."""
    return (mean(&root.move[move], value, nodes[move].visits)
            - CAUTION * standard_error(root, move, value, nodes[move].visits))


cdef int favourite(const Root *root, const Tree *tree) noexcept nogil:
    """The place of the root move that :func:`ranked` puts first; -1 while none has FEW_VISITS visits."""
    cdef const Node *nodes = tree.nodes + tree.nodes[0].children
    cdef int i, first = -1, best, count = tree.nodes[0].count
    cdef int value = ranking_value(root.valuation), margin = root.valuation.team
    for i in range(count):
        if nodes[i].visits >= JUDGED_FROM and (
                first < 0 or bound(root, nodes, i, value) > bound(root, nodes, first, value)):
            first = i
    best = first
    for i in range(count):
        if nodes[i].visits >= JUDGED_FROM and i != best and not are_apart(root, nodes, first, i) and \
                bound(root, nodes, i, margin) > bound(root, nodes, best, margin):
            best = i
    return best


cdef bint is_precise(const Root *root, const Tree *tree) noexcept nogil:
    """Whether the best root move's expected margin is known to within ``precision``, in standard errors as reported: of
    ``trees`` such trees together."""
    cdef int best = favourite(root, tree), team = root.valuation.team
    cdef uint32_t visits
    cdef double moved, error
    if best < 0:
        return False
    visits = tree.nodes[tree.nodes[0].children + best].visits
    moved = drift(&root.move[best], team, visits)
    error = standard_error(root, best, team, visits)
    return error * error / root.trees + (DRIFTS * DRIFTS - 1) * moved * moved <= root.precision * root.precision


cdef inline bint apart(double gap, double error) noexcept nogil:
    """Whether two chances can be told apart, from how far they differ and the standard error of that."""
    gap = fabs(gap)
    return gap >= RESOLUTION and gap >= min(CLOSE, APART * error)


def told_apart(double gap, double error):
    """Whether two chances to win the match can be told apart; where they cannot, the margin decides.

    :param gap: by how much they differ.
    :param error: the standard error of that, at least 0.
    """
    return apart(gap, error)


cdef object named_move(const Root *root, int place, uint32_t visits, int tile, int at, simulations, int teams,
                       bint with_chances):
    """The statistics of a root move as a :class:`RootMove`.

    Every root move is available in every simulation.

    :param place: the place of its node among the root's children.
    """
    cdef const RootStatistics *statistics = &root.move[place]
    cdef int value
    margins = range(teams)
    chances = range(FIRST_CHANCE, FIRST_CHANCE + teams) if with_chances else ()
    return RootMove(
        tile, at, visits, simulations,
        tuple([mean(statistics, value, visits) for value in margins]),
        tuple([sqrt(variance(statistics, value, visits)) for value in margins]),
        tuple([standard_error(root, place, value, visits) for value in margins]),
        mean(statistics, UTILITY, visits),
        standard_error(root, place, UTILITY, visits),
        tuple([mean(statistics, value, visits) for value in chances]),
        tuple([standard_error(root, place, value, visits) for value in chances]),
        tuple([fabs(drift(statistics, value, visits)) for value in margins]),
        fabs(drift(statistics, UTILITY, visits)),
        tuple([fabs(drift(statistics, value, visits)) for value in chances]),
        bool(statistics.proven),
    )


cdef object untried_move(int tile, int at, simulations, int teams, bint with_chances):
    """A root move without a visit as a :class:`RootMove`."""
    zeros = (0.0,) * teams
    chances = zeros if with_chances else ()
    return RootMove(tile, at, 0, simulations, zeros, zeros, zeros, 0.0, 0.0, chances, chances, zeros, 0.0, chances,
                    False)


cdef double cautious_value(row, team) except? -1:
    """What ranks a root move, CAUTION standard errors below its mean."""
    if team is None:
        return row.utility - CAUTION * row.utility_error
    return row.chances[team] - CAUTION * row.chance_errors[team]


cdef double cautious_margin(row, team) except? -1:
    """A root move's margin, CAUTION standard errors below its mean."""
    return row.margins[team] - CAUTION * row.margin_errors[team]


def _preference(team, row):
    """Sorts root moves, the better ones first."""
    seldom = row.visits < JUDGED_FROM
    return seldom, -row.visits if seldom else -cautious_value(row, team), -row.utility, row.tile, row.at


def ranked(rows, team=None):
    """Root moves in the order of preference.

    By the team's chance to win the match less CAUTION standard errors: of two moves that look alike the better known
    one comes first. Of those whose chances are not told apart from the best one's, the one with the highest margin,
    less as many errors, comes first; then the same with the rest. Moves with fewer than FEW_VISITS visits come after
    the others, the most visited first.

    :param rows: each a :class:`RootMove`.
    :param team: whose chances rank the moves; None: utilities do, and are margins.
    """
    left = sorted(rows, key=partial(_preference, team))  # no closure: it would be garbage that Python must look for
    if team is None:
        return left
    in_order = []
    while left and left[0].visits >= JUDGED_FROM:
        first = best = left[0]
        for row in left[1:]:
            if row.visits >= JUDGED_FROM and cautious_margin(row, team) > cautious_margin(best, team) and not apart(
                    cautious_value(first, team) - cautious_value(row, team),
                    hypot(first.chance_errors[team], row.chance_errors[team])):
                best = row
        in_order.append(best)
        left = [row for row in left if row is not best]
    return in_order + left
