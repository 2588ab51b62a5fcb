"""The world-value net as a Python object."""

from libc.stdlib cimport free, malloc

from sniffai_ext.checks cimport read_seed, read_whole
from sniffai_ext.net cimport net_size
from sniffai_ext.rng cimport Rng, seed_rng
from sniffai_ext.rollout cimport MOST_POSITIONS, MOST_TIMES, random_move, some_positions
from sniffai_ext.round cimport place
from sniffai_ext.signals cimport Watch, answer, called, watch_signals
from sniffai_ext.types cimport RUNNING, uint8_t
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

    def judge_positions(self, positions, times, seed):
        """Value worlds just after a placement, as the leaves of a search: to measure its speed.

        :param positions: 1..100,000: of random rounds, before that placement, which is random.
        :param times: 0..10,000: how often all of them are gone through.
        :param seed: 0..2**64-1; decides the positions.
        :return: ``(values, sum)``: how many worlds were valued, and what all were worth to the first team, in points.
        :raises LimitsError: a number out of range.
        """
        cdef double[3] worth
        cdef double total = 0
        cdef int most = read_whole(positions, "positions", 1, MOST_POSITIONS)
        cdef int left = read_whole(times, "times", 0, MOST_TIMES), i, n = 0
        cdef long long valued = 0
        cdef State *states = <State *> malloc(most * sizeof(State))
        cdef uint8_t *seats = <uint8_t *> malloc(most)
        cdef Rng rng
        cdef Watch watch = watch_signals()
        if states == NULL or seats == NULL:
            free(states)
            free(seats)
            raise MemoryError
        seed_rng(&rng, read_seed(seed))
        with nogil:
            some_positions(states, most, self.players, &rng)
            for i in range(most):
                states[n] = states[i]
                seats[n] = states[n].seat
                place(&states[n], random_move(&states[n], &rng))
                n += states[n].end == RUNNING
            while left and not called(&watch):
                for i in range(n):
                    world_values(&self.net, &states[i], seats[i], worth)
                    total += worth[0]
                valued += n
                left -= 1
        free(states)
        free(seats)
        answer(&watch)
        return valued, total


def world_weight_count(players):
    """How many weights a world-value net for so many seats has.

    :param players: 2..4.
    :raises ViewError: it is another number.
    """
    cdef int seats = check_players(players)
    return net_size(world_net_rows(seats), world_outputs(seats))
