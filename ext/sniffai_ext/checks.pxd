"""Checks of the arguments that Python passes in. Each returns plain numbers that the kernels can use, or raises."""

from sniffai_ext.types cimport uint32_t, uint64_t

cpdef object as_whole(value)
cpdef object as_real(value)
cpdef object read_whole(value, str field, least, most, error=*, str reason=*)
cpdef double read_real(value, str field, double least, double most, bint open_below=*) except? -1
cpdef bint read_flag(value, str field) except -1
cdef int read_int(value, str field, error=*) except? -1
cdef uint64_t read_seed(value) except? 0xffffffffffffffff
cdef uint32_t read_tiles(value, str field) except? 0xffffffff
cdef tuple read_items(value, str field, error=*)
cdef int check_seat(int seat, int players, str field, error, int least=*) except -1
cdef int check_tile(int tile, str field, error) except -1
cdef tuple read_placement(value, str field)
