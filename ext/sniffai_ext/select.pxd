"""How the search tree chooses among the moves of a node: expand, or UCB1 with availability counts."""

from libc.math cimport sqrtf

from sniffai_ext.proof cimport is_proven
from sniffai_ext.rng cimport Rng, below
from sniffai_ext.round cimport legal_moves, placeable
from sniffai_ext.tree cimport OUTCOME, Node, Tree, add_child
from sniffai_ext.types cimport MAX_MOVES, State, move_tile, prefetch, uint8_t, uint32_t, uint64_t

cdef extern from * nogil:
    """
    /* ln(x) for x >= 1 within 2e-4: exponent by bits, mantissa by a polynomial. Several times faster than logf. */
    static inline float sniff_ln(float x) {
        union { float f; uint32_t u; } v = { x };
        float e = (float)((int)(v.u >> 23) - 127);
        v.u = (v.u & 0x7fffff) | 0x3f800000;
        return 0.69314718f * (e - 1.7417939f + (2.8212026f + (-1.4699568f + (0.44717955f - 0.056570851f * v.f)
                              * v.f) * v.f) * v.f);
    }
    """
    float fast_ln "sniff_ln"(float x) noexcept

# How the tree chooses among moves that all have a node.
cdef struct Growth:
    float exploration     # least weight of UCB1's exploration term, in points
    float root_exploration
    float by_spread       # the weight in standard deviations of the node's values; the larger of both holds
    float root_share      # share of the simulations that is spread evenly over the root's moves
    float revisit         # square of how many times the root of its availability each move is tried at least

cdef inline bint select_child(Tree *tree, uint32_t parent, const State *state, const uint64_t *considered, int count,
                              const Growth *growth, Rng *rng, uint32_t *child, uint8_t *move) noexcept nogil:
    """Choose among ``count`` legal moves, those considered (NULL: all): one without a node if there is any (True: it
    got one, or 0 without memory), else a root move that has less than its share of visits, else by UCB1.

    UCB1 with availability counts: mean + exploration * sqrt(ln(availability) / visits), Cowling et al. 2012, III-A. A
    fixed exploration is too small where one line loses the round and the next one wins it, as a move that begins badly
    would hardly be tried again. So it grows with the spread of the node's own values (docs/search.md).

    UCB1 alone hardly comes back to a move with a large gap after few simulations: at 40 points, four times in two
    million. So each move gets a number of visits that grows with the square root of its availability
    (Growth.revisit).

    At a node the arms are always the same. So a move that has a node is legal whenever its tile is in the hand.
    """
    cdef uint8_t[MAX_MOVES] moves
    cdef uint32_t[MAX_MOVES + 1] known
    cdef uint32_t tiles = placeable(state)
    cdef Node *node
    cdef int legal, tried = 0
    cdef uint32_t i, first = tree.nodes[parent].children
    known[0] = 0
    for i in range(first, first + tree.nodes[parent].count):
        node = tree.nodes + i                # no branch: who holds which tile cannot be foretold
        legal = (node.key < OUTCOME) & (tiles >> move_tile(<uint8_t> node.key) & 1)
        node.availability += legal
        known[tried] = i
        tried += legal
    if tried < count:
        count = legal_moves(state, moves)
        if considered != NULL:
            count = keep(moves, count, considered)
        move[0] = nth_new(tree, known, tried, moves, count, below(rng, count - tried))
        child[0] = add_child(tree, parent, move[0])
        if child[0]:
            tree.nodes[child[0]].availability = 1
        return True
    child[0] = known[0] if tried == 1 else best_by_ucb(tree, parent, known, tried, growth, state.players == 3)
    prefetch_children(tree, child[0])
    move[0] = <uint8_t> tree.nodes[child[0]].key
    return False

cdef inline void prefetch_children(const Tree *tree, uint32_t node) noexcept nogil:
    """Fetch the nodes of the next step while the move is made: a large tree does not fit the caches."""
    cdef uint32_t i, first = tree.nodes[node].children
    for i in range(first, first + tree.nodes[node].count, 2):
        prefetch(tree.nodes + i)

cdef inline int keep(uint8_t *moves, int count, const uint64_t *considered) noexcept nogil:
    """Drop the moves that are not considered; returns how many are left."""
    cdef int i, kept = 0
    for i in range(count):
        moves[kept] = moves[i]
        kept += considered[moves[i] >> 6] >> (moves[i] & 63) & 1
    return kept

cdef inline uint8_t nth_new(const Tree *tree, const uint32_t *known, int tried, const uint8_t *moves, int count,
                            int n) noexcept nogil:
    """The n-th of the moves that no known child stands for."""
    cdef uint64_t[4] left
    cdef int i
    cdef uint8_t move
    left[0] = left[1] = left[2] = left[3] = 0
    for i in range(count):
        left[moves[i] >> 6] |= <uint64_t> 1 << (moves[i] & 63)
    for i in range(tried):
        move = <uint8_t> tree.nodes[known[i]].key
        left[move >> 6] ^= <uint64_t> 1 << (move & 63)
    for i in range(count):
        if left[moves[i] >> 6] >> (moves[i] & 63) & 1:
            if n == 0:
                return moves[i]
            n -= 1
    return moves[0]

cdef inline float choosers_spread(const Tree *tree, const uint32_t *known, int tried) noexcept nogil:
    """The variance of the utilities of the team that chooses among moves: that within each move, and that between them.

    A node keeps the variance for the team whose move led to it. With two teams that is the chooser's as well, as the
    one's gain is the other's loss. With three it says nothing of the chooser's.
    """
    cdef double visits = 0, total = 0, squares = 0, mean
    cdef const Node *node
    cdef int i
    for i in range(tried):
        node = tree.nodes + known[i]
        mean = node.total / max(node.visits, <uint32_t> 1)
        visits += node.visits
        total += node.total
        squares += node.visits * (mean * mean + max(node.spread, <float> 0))
    if visits == 0:
        return 0
    mean = total / visits
    return <float> max(squares / visits - mean * mean, 0.0)

cdef inline uint32_t best_by_ucb(const Tree *tree, uint32_t parent, const uint32_t *known, int tried,
                                 const Growth *growth, bint three_teams) noexcept nogil:
    cdef int i
    cdef uint32_t best = known[0], due = 0
    cdef float bound, highest = -1e30
    cdef float share
    cdef float spread = choosers_spread(tree, known, tried) if three_teams else tree.nodes[parent].spread
    cdef float exploration = max(growth.exploration if parent else growth.root_exploration,
                                 growth.by_spread * sqrtf(spread))
    cdef const Node *node
    if parent == 0:
        due = <uint32_t> (growth.root_share * tree.nodes[0].visits / tried)
    for i in range(tried):
        node = tree.nodes + known[i]
        if parent and is_proven(node):
            continue
        if node.visits < due or <float> node.visits * <float> node.visits < growth.revisit * <float> node.availability:
            return known[i]
        share = <float> 1.0 / <float> (node.visits if node.visits else 1)
        bound = <float> node.total * share + exploration * sqrtf(fast_ln(<float> node.availability) * share)
        if is_proven(node):
            bound -= 1e6                     # at the root: what is not proven comes first
        if bound > highest:
            highest = bound
            best = known[i]
    return best
