"""A trained net as a value."""

from sniffai_ext.net cimport Net

cdef class TrainedNet:
    cdef Net net
    cdef readonly int players
    cdef float[::1] weights
    cdef int lay_out_weights(self, int players, weights, int rows, int outputs) except -1
