"""The exact distribution of the tiles that one view cannot see."""

from sniffai_ext.rng cimport Rng
from sniffai_ext.types cimport TILES, uint8_t, uint32_t, uint64_t
from sniffai_ext.view cimport MAX_BATCHES, View

cdef enum:
    MAX_CELLS = 32        # batches of the other seats that still hide something: at most 3 deals and 14 draws
    ALL_BATCHES = MAX_BATCHES + 2   # a draw that is not over yet counts as two batches more
    TALON = 4             # the talon's index among the places; 0..3 are the seats
    IN_FREE = MAX_CELLS   # the cell of a listed tile that is in none: no seat's, and of no room

# A batch with room for tiles of its own: what it may still hold and how many.
cdef struct Cell:
    uint8_t seat
    uint8_t batch
    uint8_t size          # hidden tiles and sheds of uncertain origin that it holds
    uint32_t allowed      # hidden tiles it may hold
    int stride            # weight of its remaining size in a table index

# A batch that may hold any hidden tile, or the talon.
cdef struct FreeBatch:
    uint8_t place
    uint8_t batch
    uint8_t size

# A tile whose cell is not certain: a hidden tile that may lie in some cell, or a shed of several origins.
cdef struct Listed:
    uint8_t tile
    bint shed             # it must come from a cell; a hidden tile may also lie in a free batch
    uint32_t cells        # bit k: cell k may hold it
    uint32_t hidden       # the tile's mask; 0 of a shed

cdef class Belief:
    cdef readonly int players
    cdef readonly int seat
    cdef uint32_t own                 # tiles in the seat's own hand
    cdef uint32_t hidden              # tiles not seen
    cdef uint32_t unlisted            # hidden tiles that no cell may hold
    cdef int unlisted_count           # how many these are
    cdef uint8_t[TILES] unlisted_tiles    # and which
    cdef int free_batches
    cdef int free_seats               # how many of these are no talon, which comes last
    cdef FreeBatch[MAX_CELLS] free_batch
    cdef int free_size                # tiles in the free batches together
    cdef int cells
    cdef Cell[MAX_CELLS + 1] cell           # IN_FREE is the last
    cdef int listed
    cdef Listed[TILES] item
    cdef uint32_t[4][ALL_BATCHES] certain   # sheds of one possible origin, by seat and batch
    cdef int full                     # table index of "every cell empty yet"
    cdef uint32_t *open_cells         # by table index: bit k when cell k has room
    cdef uint64_t *ways               # [listed + 1][full + 1]: ways to finish from tile i with the room of an index
    cdef void add_cell(self, int seat, int batch, int size, uint32_t allowed) noexcept nogil
    cdef void add_batch(self, int place_, int batch, int size, uint32_t allowed) noexcept nogil
    cdef bint take_view(self, View view) noexcept
    cdef bint take_seat(self, View view, int seat) noexcept nogil
    cdef void list_tiles(self) noexcept nogil
    cdef bint fill(self) noexcept nogil
    cdef void fill_ways(self, int states) noexcept nogil
    cdef void _spread(self, double[:, ::1] rows, int tile, double share) noexcept
    cdef int _cell_marginals(self, double[:, ::1] rows) except -1
    cdef uint64_t count(self) noexcept nogil
    cdef void sample_hands(self, Rng *rng, uint32_t *hands, uint8_t *talon) noexcept nogil
    cdef void sample_batches(self, Rng *rng, uint32_t[ALL_BATCHES] *batch_tiles, uint8_t *talon) noexcept nogil
