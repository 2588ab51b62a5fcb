"""Memory of the search tree (see tree.pxd)."""

from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

cdef enum:
    FIRST_CAPACITY = 16384
    MOST_NODES = 0x7fffffff
    USUAL_SPREAD = 900     # of a round's margin, in points squared: what a new node starts from


cdef bint open_tree(Tree *tree, uint64_t memory_bytes, uint64_t expected_nodes) noexcept nogil:
    """Make a tree of a root without children; False when there is no memory for it."""
    cdef uint64_t limit = memory_bytes // sizeof(Node)
    cdef uint64_t capacity = FIRST_CAPACITY
    memset(tree, 0, sizeof(Tree))
    if limit > MOST_NODES:
        limit = MOST_NODES
    if capacity < expected_nodes:
        capacity = expected_nodes
    if capacity > limit:
        capacity = limit
    tree.limit = <uint32_t> limit
    tree.capacity = <uint32_t> capacity
    if tree.capacity < 1 + ROOT_ROOM:
        return False
    tree.nodes = <Node *> malloc(<size_t> tree.capacity * sizeof(Node))
    if tree.nodes == NULL:
        return False
    memset(tree.nodes, 0, (1 + ROOT_ROOM) * sizeof(Node))
    tree.nodes[0].spread = USUAL_SPREAD
    tree.nodes[0].children = 1
    tree.nodes[0].room = ROOT_ROOM
    tree.used = 1 + ROOT_ROOM
    tree.in_use = 1
    return True


cdef void close_tree(Tree *tree) noexcept nogil:
    free(tree.nodes)
    tree.nodes = NULL


cdef bint grow(Tree *tree) noexcept nogil:
    """Double the arena, up to its limit; False when it is there already or memory is out."""
    cdef uint64_t capacity = <uint64_t> tree.capacity * 2
    cdef Node *nodes = NULL
    if capacity > tree.limit:
        capacity = tree.limit
    if tree.capacity < tree.limit:
        nodes = <Node *> realloc(tree.nodes, <size_t> capacity * sizeof(Node))
    if nodes == NULL:
        tree.exhausted = True
        return False
    tree.nodes = nodes
    tree.capacity = <uint32_t> capacity
    return True


cdef uint32_t take_block(Tree *tree, int rank) noexcept nogil:
    """A block of ROOM_SIZES[rank] nodes; 0 when there is none."""
    cdef uint32_t block = tree.spare[rank]
    if block:
        tree.spare[rank] = tree.nodes[block].children
        return block
    while tree.used + ROOM_SIZES[rank] > tree.capacity:
        if not grow(tree):
            return 0
    block = tree.used
    tree.used += ROOM_SIZES[rank]
    return block


cdef int rank_of(int room) noexcept nogil:
    """The index of a block size; -1 for no block and for the root's."""
    cdef int rank = 0
    if room == 0 or room == ROOT_ROOM:
        return -1
    while ROOM_SIZES[rank] < room:
        rank += 1
    return rank


cdef bint enlarge(Tree *tree, uint32_t parent) noexcept nogil:
    """Move the children of a node to the next larger block."""
    cdef int rank = rank_of(tree.nodes[parent].room)
    cdef uint32_t old = tree.nodes[parent].children
    cdef uint32_t block
    if tree.nodes[parent].room >= MAX_ROOM or tree.nodes[parent].room == ROOT_ROOM:
        return False
    block = take_block(tree, rank + 1)
    if block == 0:
        return False
    if rank >= 0:
        memcpy(tree.nodes + block, tree.nodes + old, tree.nodes[parent].count * sizeof(Node))
        tree.nodes[old].children = tree.spare[rank]
        tree.spare[rank] = old
    tree.nodes[parent].children = block
    tree.nodes[parent].room = ROOM_SIZES[rank + 1]
    return True


cdef uint32_t add_child(Tree *tree, uint32_t parent, uint16_t key) noexcept nogil:
    """A new child; its arena index, or 0 when memory is out (``exhausted``) or the node has 255 children already."""
    cdef uint32_t child
    if tree.nodes[parent].count == tree.nodes[parent].room and not enlarge(tree, parent):
        return 0
    child = tree.nodes[parent].children + tree.nodes[parent].count
    tree.nodes[parent].count += 1
    tree.in_use += 1
    memset(tree.nodes + child, 0, sizeof(Node))
    tree.nodes[child].spread = USUAL_SPREAD
    tree.nodes[child].key = key
    return child
