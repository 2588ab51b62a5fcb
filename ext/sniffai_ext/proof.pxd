"""Proven nodes: what a node is worth once every line of play below it was seen to its end (MCTS-Solver, Winands 2008).

Only where nothing is hidden, so that a node stands for one state. A proven node needs its spread no longer. What is
stored in its place is which of its children is best, below 0: -1 - the child's place among them, and -1 for an end of
the round.
"""

from sniffai_ext.tree cimport Node, Tree
from sniffai_ext.types cimport uint32_t


cdef inline bint is_proven(const Node *node) noexcept nogil:
    return node.spread < 0

cdef inline double proven_utility(const Node *node) noexcept nogil:
    """For the team that made the move to a proven node with a visit."""
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
