"""Proven nodes: their value is exact, as every line of play below them is known to its end (MCTS-Solver, Winands 2008).

There are some only where nothing is hidden, so that a node stands for one state. A proven node does not need its
spread. Its place holds the number of its best child, below 0: -1 - the child's place among them, and -1 for an end of
the round.
"""

from sniffai_ext.round cimport play
from sniffai_ext.tree cimport Node, Tree
from sniffai_ext.types cimport RUNNING, State, uint8_t, uint32_t

cdef extern from * nogil:
    """
    #define SNIFF_EQUAL 1e-9
    """
    const double EQUAL "SNIFF_EQUAL"  # points: utilities that lie less apart are the same

cdef inline bint is_proven(const Node *node) noexcept nogil:
    return node.spread < 0

cdef inline double proven_utility(const Node *node) noexcept nogil:
    """The value of a proven node with a visit, for the team that made the move to it."""
    return node.total / node.visits

cdef inline uint32_t best_reply(const Tree *tree, uint32_t node) noexcept nogil:
    """The best move in a proven node, 0 at the end of the round."""
    if tree.nodes[node].count == 0:
        return 0
    return tree.nodes[node].children + <uint32_t> (-1 - <int> tree.nodes[node].spread)

cdef inline void prove(Tree *tree, uint32_t node, int best, double utility) noexcept nogil:
    """Note that a node is proven.

    :param best: its best child's place among its children; anything at an end of the round.
    :param utility: for the team that made the move to it.
    """
    tree.nodes[node].spread = -1 - best if tree.nodes[node].count else -1
    tree.nodes[node].total = utility * tree.nodes[node].visits

cdef inline bint all_proven(const Tree *tree, uint32_t parent, int count) noexcept nogil:
    """Whether each of a node's ``count`` legal moves has a proven value."""
    cdef uint32_t i, first = tree.nodes[parent].children
    if tree.nodes[parent].count < count:
        return False
    for i in range(first, first + count):
        if not is_proven(tree.nodes + i):
            return False
    return True

cdef inline uint32_t best_proven(const Tree *tree, uint32_t parent) noexcept nogil:
    """The proven move of a node that is best for the seat to move, 0 if none is proven.

    Of equal ones the first by tile, half and kind.
    """
    cdef uint32_t i, best = 0, first = tree.nodes[parent].children
    cdef const Node *nodes = tree.nodes
    cdef double gain
    for i in range(first, first + nodes[parent].count):
        if not is_proven(nodes + i):
            continue
        if best:
            gain = proven_utility(nodes + i) - proven_utility(nodes + best)
            if gain < -EQUAL or (gain < EQUAL and nodes[i].key > nodes[best].key):
                continue
        best = i
    return best

cdef inline void play_out_proof(const Tree *tree, uint32_t node, State *state) noexcept nogil:
    """Play the best line of a proven node to the end of the round."""
    while state.end == RUNNING:
        node = best_reply(tree, node)
        play(state, <uint8_t> tree.nodes[node].key)
