"""The solver's memory: bounds of the value to come from positions met before (a *transposition table*).

A fixed number of entries in buckets of one cache line. An entry is found by a 64-bit key alone; with the keys of one
solver well mixed, ``n`` positions looked up among ``m`` entries are mistaken with a chance below n * m / 2**64.
"""

from libc.stdlib cimport calloc, free

from sniffai_ext.types cimport int16_t, uint8_t, uint64_t

cdef enum:
    BUCKET = 4            # entries that a position may be in
    NO_MOVE = 255
    BOUNDLESS = 30000     # above every value, and its negative below

# 16 bytes. The value to come, for the team to move, is in low..high.
cdef struct Entry:
    uint64_t key          # 0: empty
    int16_t low
    int16_t high
    uint8_t[2] gain       # fives that each team scores at most on the lines that prove the bounds
    uint8_t move          # the best move known, NO_MOVE if none
    uint8_t worth         # question * 32 + tiles left: see entry_price

cdef struct Bounds:
    void *memory          # as allocated
    Entry *entries        # as aligned
    uint64_t buckets      # a power of two

cdef inline bint open_bounds(Bounds *bounds, size_t bytes) noexcept nogil:
    """Make an empty table of at most ``bytes``, at least one bucket; False when there is no memory for it."""
    bounds.buckets = 1
    while bounds.buckets * 2 * BUCKET * sizeof(Entry) <= bytes:
        bounds.buckets *= 2
    bounds.memory = calloc(bounds.buckets + 1, BUCKET * sizeof(Entry))
    bounds.entries = <Entry *> ((<size_t> bounds.memory + 63) & ~(<size_t> 63))
    return bounds.memory != NULL

cdef inline void close_bounds(Bounds *bounds) noexcept nogil:
    free(bounds.memory)
    bounds.memory = NULL

cdef inline Entry *look_up(const Bounds *bounds, uint64_t key) noexcept nogil:
    """The entry with a key, NULL if there is none."""
    cdef Entry *entry = bounds.entries + (key & (bounds.buckets - 1)) * BUCKET
    cdef int i
    for i in range(BUCKET):
        if entry[i].key == key:
            return entry + i
    return NULL

cdef inline int entry_price(int worth, int now) noexcept nogil:
    """How dear an entry is: the more tiles were left the dearer, and nothing where it answered an earlier question."""
    return worth & 31 if worth >> 5 == now >> 5 else 0

cdef inline void keep(Bounds *bounds, const Entry *new) noexcept nogil:
    """Write an entry over the one with its key, else over the cheapest of its bucket."""
    cdef Entry *entry = bounds.entries + (new.key & (bounds.buckets - 1)) * BUCKET
    cdef Entry *place = entry
    cdef int i
    for i in range(BUCKET):
        if entry[i].key == new.key:
            place = entry + i
            break
        if entry_price(entry[i].worth, new.worth) < entry_price(place.worth, new.worth):
            place = entry + i
    place[0] = new[0]
