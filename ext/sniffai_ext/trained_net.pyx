"""What the policy and the world-value net share: weights that are checked once and never change."""

from sniffai_ext.net cimport lay_out, net_size

from sniffai_ext.checks import read_net


cdef class TrainedNet:
    """Base of the nets. A net is for one number of seats, and never changes: threads may share it.

    It is equal to every net of the same kind with the same number of seats and the same weights.
    """

    def __cinit__(self, *_, **__):
        if type(self) is TrainedNet:
            raise TypeError("a TrainedNet cannot be made: make a Policy or a WorldValue")

    cdef int lay_out_weights(self, int players, weights, int rows, int outputs) except -1:
        """Check the weights and point the net at a copy of them.

        :param players: seats, 2..4.
        :param weights: float32 ``[net_size(rows, outputs)]``, finite.
        :param rows: inputs of the net.
        :param outputs: numbers that it gives.
        :raises LimitsError: wrong number of weights, or a weight that is not finite.
        """
        self.players = players
        self.weights = read_net(weights, net_size(rows, outputs), players)
        lay_out(&self.net, &self.weights[0], rows, outputs)
        return 0

    def __reduce__(self):
        import numpy as np

        return type(self), (self.players, np.array(self.weights))

    def __eq__(self, other):
        import numpy as np

        if type(self) is not type(other):
            return NotImplemented
        return self.players == other.players and np.array_equal(self.weights, (<TrainedNet> other).weights)

    def __hash__(self):
        import numpy as np

        return hash((self.players, np.asarray(self.weights).tobytes()))

    def __copy__(self):
        return self                          # it never changes

    def __deepcopy__(self, memo):
        return self
