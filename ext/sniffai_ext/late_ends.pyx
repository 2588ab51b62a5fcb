"""Ends of the round that are solved at a new node of the tree (see late_ends.pxd)."""

from libc.math cimport fabs

from sniffai_ext.proof cimport EQUAL, prove
from sniffai_ext.round cimport legal_moves, play
from sniffai_ext.solver cimport Line, close_prover, open_prover, prove_line, tiles_left
from sniffai_ext.solver cimport prove as prove_value
from sniffai_ext.tree cimport add_child
from sniffai_ext.types cimport MAX_MOVES, RUNNING, team_of
from sniffai_ext.valuation cimport utility_for, value_end

cdef enum:
    END_TILES = 18        # with as many off the table or fewer, alpha-beta solves the rest of the round
    END_TILES_UNPRUNED = 14  # the same without alpha-beta: with 3 seats, or in a match that is as good as decided
    END_PLACEMENTS = 256  # that this may take
    END_TABLE = 1 << 18   # bytes in which alpha-beta remembers positions


cdef bint open_end_solver(EndSolver *solver, const EquityTable *table, bint match) noexcept nogil:
    """Make a solver by alpha-beta; False when there is no memory for it."""
    solver.pruned = open_prover(&solver.prover, END_TABLE, table, match)
    return solver.pruned


cdef void close_end_solver(EndSolver *solver) noexcept nogil:
    close_prover(&solver.prover)


cdef void look_to_the_end(EndSolver *solver, const Valuation *valuation, Tree *tree, uint32_t node,
                          const State *state) noexcept nogil:
    """Prove a new node where the round is over, or so late that its end is quickly solved."""
    cdef Ending ending
    cdef int budget = END_PLACEMENTS
    if state.end != RUNNING:
        prove(tree, node, 0, 0)
    elif tiles_left(state) <= (END_TILES if solver.pruned else END_TILES_UNPRUNED) and (
            solve(solver, state, &ending) if solver.pruned else best_play(valuation, state, &budget, &ending)):
        add_line(tree, node, &ending)


cdef bint solve(EndSolver *solver, const State *state, Ending *ending) noexcept nogil:
    """The best line of two teams, by alpha-beta; False where it takes too many placements."""
    cdef Line line
    cdef int i, value
    cdef uint8_t move
    if not prove_value(&solver.prover, state, END_PLACEMENTS, &value, &move):
        return False
    if not prove_line(&solver.prover, state, move, &line):
        return False
    ending.length = line.length
    for i in range(line.length):
        ending.move[i] = line.move[line.length - 1 - i]
    return True


cdef bint best_play(const Valuation *valuation, const State *state, int *budget, Ending *ending) noexcept nogil:
    """The line of a running round in which each seat makes the move that is best for it, every line of play seen.

    :param budget: placements that it may take; counted down.
    :return: False where it takes more.
    """
    cdef uint8_t[MAX_MOVES] moves
    cdef State after
    cdef Ending candidate
    cdef int i, count = legal_moves(state, moves)
    budget[0] -= count
    if budget[0] < 0:
        return False
    ending.length = 0
    for i in range(count):
        after = state[0]
        play(&after, moves[i])
        candidate.length = 0
        if after.end != RUNNING:
            value_end(valuation, &after, &candidate.result)
        elif not best_play(valuation, &after, budget, &candidate):
            return False
        candidate.move[candidate.length] = moves[i]
        candidate.length += 1
        if i == 0 or is_preferred(valuation, &candidate, ending, team_of(state.players, state.seat)):
            ending[0] = candidate
    return True


cdef bint is_preferred(const Valuation *valuation, const Ending *a, const Ending *b, int team) noexcept nogil:
    """Whether a team goes for ending ``a`` rather than ``b``: by utility, then by its first move."""
    cdef double gain = utility_for(valuation, &a.result, team) - utility_for(valuation, &b.result, team)
    if fabs(gain) > EQUAL:
        return gain > 0
    return a.move[a.length - 1] < b.move[b.length - 1]


cdef void add_line(Tree *tree, uint32_t node, const Ending *ending) noexcept nogil:
    """Add the best line from a new node on to the end of the round below it, proven."""
    cdef uint32_t child, end = node
    cdef int i
    for i in range(ending.length - 1, -1, -1):
        child = add_child(tree, end, ending.move[i])
        if child == 0:
            return                           # without memory the run ends
        end = child
    while True:
        prove(tree, node, 0, 0)
        if node == end:
            return
        node = tree.nodes[node].children
