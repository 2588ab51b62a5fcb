"""What a search is to do and with what, checked once: see search_options.pyx."""

from sniffai_ext.equity cimport Equity
from sniffai_ext.inference cimport Model
from sniffai_ext.policy cimport Policy
from sniffai_ext.select cimport Growth
from sniffai_ext.types cimport uint32_t, uint64_t
from sniffai_ext.world_value cimport WorldValue

cdef class SearchOptions:
    cdef readonly object params       # the TreeParams
    cdef Growth growth
    cdef readonly bint common_worlds
    cdef uint32_t epsilon             # chance of a random move in a rollout, in 1/65536
    cdef uint32_t follow              # share of their choices in which the others follow the policy, in 1/65536
    cdef readonly Equity equity
    cdef readonly bint match
    cdef readonly uint64_t memory_bytes
    cdef readonly uint64_t expected
    cdef readonly int pool_size
    cdef readonly int extra_size
    cdef readonly Policy policy
    cdef readonly tuple temperatures
    cdef readonly object told         # (start, growth, floor), or None
    cdef Model model                  # of the other seats; its net is NULL without a policy
    cdef readonly tuple models        # by seat: its own model, or None; () for none at all
    cdef readonly WorldValue value
    cdef readonly bint proofs
    cdef readonly uint32_t most_visits
    cdef int check_players(self, int players) except -1
