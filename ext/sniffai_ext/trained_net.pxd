"""A trained net as a value."""

from sniffai_ext.fixed_net cimport FixedNet

cdef class TrainedNet:
    cdef FixedNet net
    cdef readonly int players
    cdef object weights       # float32, as they were given
    cdef tuple blocks         # where the net's numbers lie
    cdef int lay_out_weights(self, int players, weights, int rows, int outputs, sums=*) except -1
