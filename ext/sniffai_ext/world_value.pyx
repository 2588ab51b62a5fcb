"""The world-value net's Python door."""

from sniffai_ext.net cimport lay_out, net_size
from sniffai_ext.world_features cimport world_net_rows

import numpy as np

from sniffai_ext.errors import LimitsError
from sniffai_ext.round import check_players


cdef class WorldValue:
    """A world-value net for one number of seats.

    :param players: 2..4.
    :param weights: float32 ``[world_weight_count(players)]``, see net.pxd for their order.
    :raises SniffError: wrong number of seats or of weights.
    """

    def __init__(self, int players, weights):
        check_players(players)
        block = np.array(weights, np.float32)
        if block.shape != (world_weight_count(players),):
            raise LimitsError(f"a net for {players} seats has {world_weight_count(players)} weights, not {block.shape}",
                              reason="WRONG_NUMBER_OF_WEIGHTS", field="weights")
        self.players = players
        self.weights = block
        lay_out(&self.net, &self.weights[0], world_net_rows(players), world_outputs(players))


def world_weight_count(int players):
    """How many weights a world-value net for so many seats has."""
    return net_size(world_net_rows(players), world_outputs(players))
