"""The world-value net's Python door."""

from sniffai_ext.net cimport lay_out, net_size
from sniffai_ext.world_features cimport world_net_rows

import numpy as np

from sniffai_ext.checks import read_net
from sniffai_ext.round import check_players


cdef class WorldValue:
    """A world-value net for one number of seats.

    :param players: 2..4.
    :param weights: float32 ``[world_weight_count(players)]``, see net.pxd for their order.
    :raises SniffError: wrong number of seats or of weights.
    """

    def __cinit__(self, players, weights):
        self.players = check_players(players)
        self.weights = read_net(weights, world_weight_count(players), players)
        lay_out(&self.net, &self.weights[0], world_net_rows(self.players), world_outputs(self.players))

    def __reduce__(self):
        return type(self), (self.players, np.array(self.weights))

    def __eq__(self, other):
        if not isinstance(other, WorldValue):
            return NotImplemented
        return self.players == other.players and np.array_equal(self.weights, (<WorldValue>other).weights)

    def __hash__(self):
        return hash((self.players, np.asarray(self.weights).tobytes()))

    def __copy__(self):
        return self                          # it never changes

    def __deepcopy__(self, memo):
        return self


def world_weight_count(players):
    """How many weights a world-value net for so many seats has.

    :raises ViewError: not 2, 3 or 4 seats.
    """
    cdef int seats = check_players(players)
    return net_size(world_net_rows(seats), world_outputs(seats))
