"""Ends of the round that are solved at a new node of the tree, where nothing is hidden."""

from sniffai_ext.equity cimport EquityTable
from sniffai_ext.solver cimport Prover
from sniffai_ext.tree cimport Tree
from sniffai_ext.types cimport TILES, State, uint8_t, uint32_t
from sniffai_ext.valuation cimport Result, Valuation

# The rest of a round with best play.
cdef struct Ending:
    Result result
    int length
    uint8_t[TILES] move   # the last one first

# Solves such ends.
cdef struct EndSolver:
    bint pruned           # by alpha-beta, which takes two teams; else every line of play is looked at
    Prover prover

cdef bint open_end_solver(EndSolver *solver, const EquityTable *table, bint match) noexcept nogil
cdef void close_end_solver(EndSolver *solver) noexcept nogil
cdef void look_to_the_end(EndSolver *solver, const Valuation *valuation, Tree *tree, uint32_t node,
                          const State *state) noexcept nogil
