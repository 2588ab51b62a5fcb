"""The world-value net as a Python object."""

from sniffai_ext.net cimport net_size
from sniffai_ext.world_features cimport world_net_rows

from sniffai_ext.round import check_players


cdef class WorldValue(TrainedNet):
    """A world-value net for one number of seats.

    :param players: 2..4.
    :param weights: float32 ``[world_weight_count(players)]``, see net.pxd for their order.
    :raises SniffError: wrong number of seats or of weights.
    """

    def __cinit__(self, players, weights):
        cdef int seats = check_players(players)
        self.lay_out_weights(seats, weights, world_net_rows(seats), world_outputs(seats))


def world_weight_count(players):
    """How many weights a world-value net for so many seats has.

    :param players: 2..4.
    :raises ViewError: it is another number.
    """
    cdef int seats = check_players(players)
    return net_size(world_net_rows(seats), world_outputs(seats))
