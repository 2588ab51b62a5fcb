"""What the policy and the world-value net share: weights that are checked once and never change."""

from sniffai_ext.fixed_net cimport fix_net
from sniffai_ext.net cimport net_size

from sniffai_ext.checks import read_net


cdef class TrainedNet:
    """Base of the nets. A net is for one number of seats, and never changes: threads may share it.

    It is equal to every net of the same kind with the same number of seats and the same weights.
    """

    def __cinit__(self, *_, **__):
        if type(self) is TrainedNet:
            raise TypeError("a TrainedNet cannot be made: make a Policy or a WorldValue")

    cdef int lay_out_weights(self, int players, weights, int rows, int outputs, sums=None) except -1:
        """Check the weights, keep a copy of them, and round the net that is asked.

        :param players: seats, 2..4.
        :param weights: float32 ``[net_size(rows, outputs)]``, finite.
        :param rows: inputs of the net.
        :param outputs: numbers that it gives.
        :param sums: see ``fix_net``.
        :raises LimitsError: wrong number of weights, or a weight that is not finite, or too large.
        """
        self.players = players
        self.weights = read_net(weights, net_size(rows, outputs), players)
        self.weights.flags.writeable = False
        self.blocks = fix_net(&self.net, self.weights, rows, outputs, sums)
        return 0

    def __reduce__(self):
        return type(self), (self.players, self.weights)

    def __eq__(self, other):
        import numpy as np

        if type(self) is not type(other):
            return NotImplemented
        return self.players == other.players and np.array_equal(self.weights, (<TrainedNet> other).weights)

    def __hash__(self):
        return hash((self.players, self.weights.tobytes()))

    def __copy__(self):
        return self                          # it never changes

    def __deepcopy__(self, memo):
        return self
