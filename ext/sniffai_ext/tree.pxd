"""The search tree: one arena of 28-byte nodes; the children of a node lie side by side.

    arena   [0 root][ children of the root, room 32 ........ ][children of a][children of b ..][free][...
              |       ^  a      b                              ^              ^
              +-------+  +------|------------------------------+              |
                                +---------------------------------------------+

A node stands for a placement, or for what its observer saw of the draws and passes after one (an *outcome*): a key
below OUTCOME is a compact move, the others name an outcome. When a block of children is full it moves to a
larger one and the old block is kept for reuse; only the parent points to it. A node is 28 bytes, and blocks grow in
small steps, so that a tree takes less than 32 bytes for each node in use.
"""

from sniffai_ext.types cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    ROOT_ROOM = 32
    MAX_ROOM = 255
    ROOMS = 16             # how many block sizes there are
    OUTCOME = 256          # keys from here on are outcomes, below they are compact moves

cdef packed struct Node:
    double total           # sum of the utilities of the team that made the move; of team 0 at the root and in outcomes
    float spread           # running mean of the squared deviation of those utilities from their mean; below 0: proven
    uint32_t visits
    uint32_t availability  # simulations that reached the parent, did not follow the policy there, and had the move
    uint32_t children      # arena index of the first child
    uint16_t key
    uint8_t count          # children in use
    uint8_t room           # children there is room for

cdef struct Tree:
    Node *nodes
    uint32_t used          # arena nodes handed out, spare and free ones included
    uint32_t capacity      # arena nodes there is memory for now
    uint32_t limit         # arena nodes there may ever be
    uint32_t in_use        # nodes that stand for something
    bint exhausted         # memory ran out
    uint32_t[ROOMS] spare  # by block size: first block given back, 0 if none

cdef extern from * nogil:
    """
    static const uint8_t SNIFF_ROOMS[16] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 26, 34, 64, 128, 255};
    """
    const uint8_t[16] ROOM_SIZES "SNIFF_ROOMS"

cdef bint open_tree(Tree *tree, uint64_t memory_bytes, uint64_t expected_nodes) noexcept nogil
cdef void close_tree(Tree *tree) noexcept nogil
cdef uint32_t add_child(Tree *tree, uint32_t parent, uint16_t key) noexcept nogil

cdef inline uint32_t find_child(const Tree *tree, uint32_t parent, int key) noexcept nogil:
    """The child with a key, 0 if there is none."""
    cdef uint32_t i, first = tree.nodes[parent].children
    for i in range(first, first + tree.nodes[parent].count):
        if tree.nodes[i].key == key:
            return i
    return 0

cdef inline uint32_t outcome_child(Tree *tree, uint32_t parent, uint16_t key) noexcept nogil:
    """The outcome node with a key, made if need be; 0 when memory is out."""
    cdef uint32_t child = find_child(tree, parent, key)
    return child if child else add_child(tree, parent, key)
