"""How likely the other seats' past placements are in one world, by the policy."""

from sniffai_ext.belief cimport ALL_BATCHES
from sniffai_ext.fixed_net cimport FixedNet
from sniffai_ext.policy cimport rate_moves
from sniffai_ext.seat_model cimport ChoosingOrNone
from sniffai_ext.round cimport legal_moves
from sniffai_ext.types cimport MAX_MOVES, State, TILES, uint8_t, uint32_t, uint64_t
from sniffai_ext.view cimport Choice, View

# How the other seats are taken to choose: as softmax(rating / temperature) of the policy or, where a seat has a model
# of its own, as that says; mixed with a floor.
cdef struct Model:
    const FixedNet *net
    float[3] temperature  # in points: fewer than 8 tiles on the table, fewer than 16, and later
    float floor           # share of a choice made at random, above 0: no possible world is ruled out
    float[TILES] told_temperature   # the same for what is told of the worlds, by tiles on the table
    float told_floor
    ChoosingOrNone[4] seat   # by seat: its own model, or NULL

# What a choice adds to the log-likelihood of a world. It depends on the hand before the choice only, and worlds share
# many hands.
cdef struct Term:
    uint64_t key          # that hand and the number of the choice; 0: nothing is known yet
    double log
    double told           # the same with the numbers of what is told

cdef enum:
    TERM_BITS = 11        # of the number of a term among those that are remembered
    TERMS = 1 << TERM_BITS

cdef tuple take_models(Model *model, models, int players)

cdef int take_told(Model *model, told) except -1

cdef void log_likelihoods(
    const Model *model, View view, uint32_t[ALL_BATCHES] *batch_tiles, double *by_seat, double *told, Term *known
) noexcept nogil
