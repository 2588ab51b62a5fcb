"""What one seat knows of a round (rules 5), in the form that belief and search need."""

from sniffai_ext.layout cimport Layout
from sniffai_ext.types cimport State, uint8_t, uint16_t, uint32_t

cdef enum:
    MAX_BATCHES = 16      # the deal and at most 14 draws

# Tiles that another seat got at one time: its deal, or one draw. A tile that was drawn and placed at once is known,
# and is counted in no batch.
cdef struct Batch:
    uint8_t size          # tiles of the batch, those placed since included
    uint32_t allowed      # the tiles that may be among those still in the hand

# A tile that another seat placed from its hand; it came out of one of the batches in `origins`.
cdef struct Shed:
    uint8_t tile
    uint16_t origins      # bit b: batch b may have held it

# A placement that another seat chose freely: what everyone saw before it. The hidden hands are masks of the right size.
cdef struct Choice:
    State state
    uint8_t move
    uint8_t batches       # how many batches the seat had got by then

cdef class View:
    cdef readonly int players
    cdef readonly int seat            # whose knowledge this is
    cdef readonly int to_move         # whose turn it is, -1 when the round is over
    cdef readonly uint32_t dealt      # tiles dealt to the seat; 0 when made from a snapshot
    cdef readonly uint32_t hand       # tiles the seat holds now
    cdef uint32_t on_table            # tiles placed
    cdef readonly int talon_size
    cdef readonly int forced          # the drawn tile that the seat must place now, -1 if none
    cdef int[4] size
    cdef int[4] score
    cdef int passes                   # passes since the last placement
    cdef int end                      # enum RoundEnd
    cdef int last_seat                # the seat that placed last, -1 before the lead
    cdef uint8_t[4] void_pips         # by seat: the open pips when it last had to draw or pass
    cdef int pending                  # tiles drawn by the seat to move in this turn
    cdef Layout table
    cdef Batch[4][MAX_BATCHES] batch
    cdef int[4] batch_count
    cdef Shed[4][28] shed
    cdef int[4] shed_count
    cdef Choice[28] choice
    cdef int choices
    cdef object belief                # what Belief.of made of all this; None before, and after the next event
    cdef int turn_of(self, seat) except -1
    cdef int put(self, int seat, int tile, int at) except -1
    cdef uint32_t unseen(self) noexcept
    cdef void note_choice(self, int seat, int move) noexcept
    cdef void fill_state(self, State *state) noexcept
