"""An equity table as a Python object, which owns and checks the chances."""

from libc.stdint cimport INT64_MAX

from sniffai_ext.checks cimport check_seat, read_int, read_items, read_seed, read_whole
from sniffai_ext.rng cimport Rng, below, seed_rng
from sniffai_ext.types cimport target_of, team_count

from sniffai_ext.errors import LimitsError, ViewError
from sniffai_ext.shown import shown

cdef enum:
    MOST_SCORE = 1_000_000


cdef class Equity:
    """An equity table. Kernels use ``&equity.table``, which is valid as long as the object lives.

    :param players: seats, 2..4.
    :param lead: float32 chances relative to the lead: ``[n, n]`` for 2 and 4 seats, ``[n, n, n, 2]`` for 3 seats (see
        equity.pxd), each within 0..1, a pair with a sum of at most 1 (by 0.0001 more it is taken for rounding).
    :param lowest: points that the first row stands for: a multiple of 5, at most 0. The last row is 5 below the target.
    :raises SniffError: wrong seats, shape, or a chance outside its range.
    """

    def __cinit__(self, players, lead, lowest):
        import numpy as np

        cdef int size = row_count(players, lowest)
        chances = float_array(lead, "lead")
        shape = (size,) * 3 + (2,) if players == 3 else (size, size)
        if chances.shape != shape:
            raise LimitsError(f"a table for {players} seats from {lowest} points has the shape {shape}, not "
                              f"{chances.shape}", reason="WRONG_SHAPE", field="lead")
        total = chances.sum(axis=-1) if players == 3 else chances
        if not (chances.min() >= 0 and total.max() <= 1 + 1e-4):
            raise LimitsError("a chance is outside 0..1", reason="OUT_OF_RANGE", field="lead")
        self.lead = pairs_within_one(chances)
        self.random_lead = pairs_within_one(np.ascontiguousarray(mean_over_leads(chances), np.float32))
        self.lead.setflags(write=False)
        self.random_lead.setflags(write=False)
        cdef const float[::1] lead_cells = self.lead.ravel()
        cdef const float[::1] random_cells = self.random_lead.ravel()
        self.table = EquityTable(&lead_cells[0], &random_cells[0], players, target_of(players), lowest, size)

    def __reduce__(self):
        return type(self), (self.table.players, self.lead.copy(), self.table.lowest)

    def __copy__(self):
        return self                          # it never changes

    def __deepcopy__(self, memo):
        return self

    @property
    def players(self):
        return self.table.players

    @property
    def lowest(self):
        """Points of the first row; lower scores have the same chances."""
        return self.table.lowest

    def chance(self, scores, leader):
        """Every team's chance, as :func:`win_chance` writes it.

        :param scores: one for each team.
        :param leader: the seat that leads next; -1: a random one.
        :raises ViewError: wrong number of scores, or no such seat.
        """
        cdef int first = read_int(leader, "leader", ViewError)
        cdef int[3] points
        cdef float[3] chances
        cdef int team, teams = team_count(self.table.players)
        scores = read_items(scores, "scores", ViewError)
        if len(scores) != teams:
            raise ViewError(f"{self.table.players} seats have {teams} scores, one for each team, not {len(scores)}",
                            reason="WRONG_NUMBER_OF_SCORES", field="scores")
        check_seat(first, self.table.players, "leader", ViewError, -1)
        for team in range(teams):
            points[team] = read_whole(scores[team], f"scores[{team}]", -MOST_SCORE, MOST_SCORE, ViewError)
        win_chance(&self.table, points, first, chances)
        return tuple(chances[team] for team in range(teams))

    def churn(self, count, seed):
        """Look up ``count`` chances at scores near each other, as a search does: to measure the speed.

        :return: the sum of the first team's chances.
        """
        cdef int[64][3] points
        cdef float[3] chances
        cdef double total = 0
        cdef long long i, most = read_whole(count, "count", 0, INT64_MAX)
        cdef int team
        cdef Rng rng
        seed_rng(&rng, read_seed(seed))
        for i in range(64):
            for team in range(3):
                points[i][team] = 100 + STEP * <int> below(&rng, 16)
        with nogil:
            for i in range(most):
                win_chance(&self.table, points[i & 63], <int> (i & 1) - (i & 4 == 4), chances)
                total += chances[0]
        return total


def float_array(values, field):
    """A new float32 array in C order.

    :raises LimitsError: the values are not numbers.
    """
    import numpy as np

    try:
        with np.errstate(over="ignore"):
            return np.array(values, np.float32, order="C")
    except Exception:                        # a foreign object may raise anything
        raise LimitsError(f"an array of numbers is expected, not {shown(values)}", reason="NOT_NUMBERS",
                          field=field) from None


def row_count(players, lowest):
    """How many scores a table has from ``lowest`` points, a multiple of 5 in -10000..0, to 5 below the target."""
    cdef int seats = read_int(players, "players", ViewError), least = read_int(lowest, "lowest")
    if not 2 <= seats <= 4:
        raise ViewError(f"a match has 2, 3 or 4 seats, not {seats}", reason="PLAYERS_OUT_OF_RANGE", field="players")
    if least % STEP or not -10000 <= least <= 0:
        raise LimitsError(f"a multiple of {STEP} in -10000..0 is expected, not {least}", reason="OUT_OF_RANGE",
                          field="lowest")
    return (target_of(seats) - least) // STEP


def pairs_within_one(chances):
    """The same float32 array, where with 3 seats rounding may have left a third chance a last digit below 0."""
    import numpy as np

    if chances.ndim == 4:
        np.minimum(chances[..., 1], 1 - chances[..., 0], out=chances[..., 1])
    return chances


def mean_over_leads(chances):
    """From chances relative to the lead to those by team when a random seat leads: the same shape."""
    import numpy as np

    if chances.ndim == 2:
        return (chances + 1 - chances.T) / 2
    first, second = chances[..., 0], chances[..., 1]
    third = 1 - first - second
    # Seat 1 leads at scores (s0, s1, s2): the table's cell (s1, s2, s0), where seat 0 comes third. Likewise for seat 2.
    if_seat_1 = [third.transpose(2, 0, 1), first.transpose(2, 0, 1)]
    if_seat_2 = [second.transpose(1, 2, 0), third.transpose(1, 2, 0)]
    return np.stack([(first + if_seat_1[0] + if_seat_2[0]) / 3, (second + if_seat_1[1] + if_seat_2[1]) / 3], axis=-1)
