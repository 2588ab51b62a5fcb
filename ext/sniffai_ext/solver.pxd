"""Exact values when every hand and the order of the talon are known, for two teams (2 or 4 seats)."""

from sniffai_ext.transpositions cimport Bounds
from sniffai_ext.equity cimport Equity, EquityTable
from sniffai_ext.layout cimport Layout
from sniffai_ext.signals cimport Watch
from sniffai_ext.stop cimport StopFlag
from sniffai_ext.turn cimport Turn
from sniffai_ext.types cimport MAX_MOVES, TILES, State, uint8_t, uint32_t, uint64_t

# What alpha-beta needs and remembers. It serves one question after another, one at a time, and uses what it remembers
# of earlier ones. So the nodes of a question, and with them whether it gives up, depend on those before it; values,
# best moves and lines never do.
cdef struct Prover:
    Bounds bounds
    const EquityTable *equity  # chances to win the match; NULL: they are not reported
    bint match                # they are the values; else values are margins
    uint64_t[15] talon_key    # by index of the next tile to draw: a hash of the tiles from there on
    int question              # 0..7, counted round and round
    bint scored               # some bounds are kept by position and scores, where they are chances all
    int target
    int[2] peak               # by team: the highest score on the lines that prove the value under study
    uint64_t nodes            # placements tried for the present question
    uint64_t node_cap
    uint64_t checkpoint       # nodes at which to look at cap and stop flag
    volatile int *stop        # not 0: give up; NULL: there is no flag
    Watch *watch              # signals: give up; NULL: they are not watched
    double deadline           # by the clock: give up, once some placements have been tried
    bint late                 # it gave up for the deadline
    bint gave_up

# Legal moves, the most promising first.
cdef struct Moves:
    int count
    uint8_t[MAX_MOVES] move

# The rest of a round, placement by placement, with best play of both teams.
cdef struct Line:
    int length
    uint8_t[TILES] move
    int margin                # team 0's, in points
    float chance              # team 0's, to win the match after it; -1 without equity

# The answer to a question: the value of the state and a best move, or the value and the line of every move.
cdef struct Solution:
    int value
    uint8_t best
    Moves moves
    int[MAX_MOVES] values     # by place among the moves
    Line[MAX_MOVES] lines

cdef int tiles_left(const State *state) noexcept nogil
cdef bint open_prover(Prover *prover, size_t table_bytes, const EquityTable *equity, bint match) noexcept nogil
cdef void close_prover(Prover *prover) noexcept nogil
cdef bint prove(Prover *prover, const State *state, uint64_t node_cap, int *value, uint8_t *best) noexcept nogil
cdef bint prove_moves(Prover *prover, const State *state, uint64_t node_cap, Moves *moves, int *values) noexcept nogil
cdef bint prove_line(Prover *prover, const State *state, uint8_t move, Line *line) noexcept nogil

cdef class Solver:
    cdef Prover prover
    cdef Equity equity
    cdef StopFlag flag
    cdef Turn turn            # a question waits for the one before it
    cdef bint _ask(self, const State *state, node_cap, seconds, bint every_move, Solution *solution) except -1
    cdef int _check_state(self, const State *state) except -1
    cdef list _answer_moves(self, const State *state, Layout table, node_cap, seconds)
