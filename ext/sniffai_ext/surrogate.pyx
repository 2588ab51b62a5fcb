"""A surrogate for the likelihood of past choices: ridge regression, seat by seat, on the tiles in hand.

    log P(choices | world)  ~  base + sum over the hidden seats and the tiles each holds of gain[seat][tile]

The policy takes microseconds to weigh a world, the fit nanoseconds. A search of a few thousand simulations can afford
only a few hundred worlds weighed by the policy. With so few, chance decides which worlds are among them, and that moves
the values of moves. The fit keeps what the choices say about single tiles, and can weigh any number of worlds. It loses
how tiles go together; the worlds that it was fitted to keep their exact weights.

A seat's choices depend on its own hand only, so there is one regression for each seat, on centred data:
(X'X + ridge) gain = X'y, solved by Cholesky's decomposition.
"""

from libc.math cimport sqrt
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from sniffai_ext.checks cimport read_real
from sniffai_ext.types cimport ALL_TILES, lowest

from sniffai_ext.errors import LimitsError


cdef enum:
    SIDE_BY_SIDE = 4      # worlds


cdef void fit_surrogate(Surrogate *fit, const World *world, const double *by_seat, int size, int own,
                        double ridge) noexcept nogil:
    """Fit to ``size`` worlds.

    :param by_seat: log-likelihoods, a row of four for each world.
    """
    cdef int turn, seat, i
    memset(fit, 0, sizeof(Surrogate))
    fit.own = own
    for turn in range(4):
        seat = place_at(own, turn)
        for i in range(size):
            if by_seat[4 * i + seat] != 0:
                fit_seat(fit, world, by_seat, size, seat, ridge)
                break


cdef void fit_seat(Surrogate *fit, const World *world, const double *by_seat, int size, int seat,
                   double ridge) noexcept nogil:
    """The regression for one seat, on the tiles that it holds in some world: the others have no effect."""
    cdef double[TILES][TILES] a
    cdef double[TILES] held, gain
    cdef int[TILES] tile, place_                     # which tiles these are; and where they come among them
    cdef double mean = 0, off
    cdef uint32_t rest, others, seen = 0
    cdef int i, t, u, tiles = 0
    for i in range(size):
        mean += by_seat[4 * i + seat] / size
        seen |= world[i].hand[seat]
    while seen:
        tile[tiles] = lowest(seen)
        place_[tile[tiles]] = tiles
        seen &= seen - 1
        tiles += 1
    for t in range(tiles):
        held[t] = gain[t] = 0
        for u in range(t + 1):
            a[t][u] = 0
    for i in range(size):
        off = by_seat[4 * i + seat] - mean
        rest = world[i].hand[seat]
        while rest:
            t = place_[lowest(rest)]
            held[t] += 1
            gain[t] += off
            others = rest
            while others:
                a[place_[lowest(others)]][t] += 1
                others &= others - 1
            rest &= rest - 1
    for t in range(tiles):
        for u in range(t + 1):
            a[t][u] -= held[t] * held[u] / size
        a[t][t] += ridge
    solve(a, gain, tiles)
    fit.base += mean
    fit.chose[seat] = True
    for t in range(tiles):
        fit.gain[seat][tile[t]] = gain[t]
        fit.base -= gain[t] * held[t] / size


cdef void solve(double[TILES] *a, double *x, int size) noexcept nogil:
    """Replace ``x`` by the solution of ``a y = x``; ``a`` is positive definite, its lower half is given and lost.

    Each column is taken off all that follow it as soon as it is known: sums that wait for nothing, many at a time.
    """
    cdef double[TILES] column
    cdef double above
    cdef int i, j, k
    for k in range(size):
        a[k][k] = sqrt(a[k][k])
        for i in range(k + 1, size):
            a[i][k] /= a[k][k]
            column[i] = a[i][k]
        for i in range(k + 1, size):
            above = column[i]
            for j in range(k + 1, i + 1):
                a[i][j] -= above * column[j]
    for k in range(size):
        x[k] /= a[k][k]
        for i in range(k + 1, size):
            x[i] -= a[i][k] * x[k]
    for k in range(size - 1, -1, -1):
        for i in range(k + 1, size):
            x[k] -= a[i][k] * x[i]
        x[k] /= a[k][k]


cdef double likely(const Surrogate *fit, const World *world) noexcept nogil:
    """The fitted log-likelihood of a world."""
    cdef double total = fit.base
    cdef uint32_t rest
    cdef int turn, seat
    for turn in range(4):
        seat = place_at(fit.own, turn)
        rest = world.hand[seat]
        while rest:
            total += fit.gain[seat][lowest(rest)]
            rest &= rest - 1
    return total


cdef void rate_worlds(const Surrogate *fit, const World *world, int count, double *logs) noexcept nogil:
    """:func:`likely` of worlds in which every seat has as many tiles as in the others.

    Each addition waits for the one before, so four worlds are rated side by side.
    """
    cdef int i = 0
    while i + SIDE_BY_SIDE <= count:
        rate_some(fit, world + i, logs + i)
        i += SIDE_BY_SIDE
    while i < count:
        logs[i] = likely(fit, world + i)
        i += 1


cdef void rate_some(const Surrogate *fit, const World *world, double *logs) noexcept nogil:
    """:func:`rate_worlds` for SIDE_BY_SIDE of them."""
    cdef double[SIDE_BY_SIDE] total
    cdef uint32_t[SIDE_BY_SIDE] rest
    cdef const double *gain
    cdef int turn, seat, j
    for j in range(SIDE_BY_SIDE):
        total[j] = fit.base
    for turn in range(4):
        seat = place_at(fit.own, turn)
        if not fit.chose[seat]:
            continue
        gain = fit.gain[seat]
        for j in range(SIDE_BY_SIDE):
            rest[j] = world[j].hand[seat]
        while rest[0]:
            for j in range(SIDE_BY_SIDE):
                total[j] += gain[lowest(rest[j])]
                rest[j] &= rest[j] - 1
    for j in range(SIDE_BY_SIDE):
        logs[j] = total[j]


def fit(hands, logs, ridge=2.0):
    """The regression by itself, to inspect its result.

    :param hands: masks of the hidden tiles by world and seat, absent seats with nothing: uint32 ``[n, 4]``,
        n at least 1.
    :param logs: log-likelihoods of the choices by world and seat, 0 for a seat without any: float64 ``[n, 4]``.
    :param ridge: what pulls every gain towards 0, in worlds, 0.000001..1,000,000.
    :return: ``(base, gain)``, the gain by seat and tile: float64 ``[4, 28]``.
    :raises LimitsError: the shapes are others, a mask has more than 28 bits, or a number is not finite.
    """
    import numpy as np

    try:
        masks, logs = np.asarray(hands), np.ascontiguousarray(logs, np.float64)
    except Exception:                        # a foreign object may raise whatever it likes
        masks, logs = np.zeros(0), np.zeros(0)
    if masks.shape != logs.shape or masks.shape[1:] != (4,) or not len(masks):
        raise LimitsError("two arrays of four columns with the same number of rows are expected", reason="WRONG_SHAPE",
                          field="hands")
    if masks.dtype.kind not in "iu" or not 0 <= masks.min() <= masks.max() <= ALL_TILES:
        raise LimitsError("masks of 28 tiles are expected", reason="NOT_TILES", field="hands")
    if not np.isfinite(logs).all():
        raise LimitsError("a log-likelihood is not finite", reason="OUT_OF_RANGE", field="logs")
    hands = np.ascontiguousarray(masks, np.uint32)
    cdef double pull = read_real(ridge, "ridge", 1e-6, 1e6)
    cdef const uint32_t[:, ::1] held = hands
    cdef const double[:, ::1] targets = logs
    cdef Surrogate result
    cdef World *world
    cdef int i, seat, n = <int> len(hands)
    world = <World *> calloc(n, sizeof(World))
    if world == NULL:
        raise MemoryError
    for i in range(n):
        for seat in range(4):
            world[i].hand[seat] = held[i, seat]
    fit_surrogate(&result, world, &targets[0, 0], n, 0, pull)
    free(world)
    gain = np.empty((4, TILES))
    cdef double[:, ::1] rows = gain
    for seat in range(4):
        for i in range(TILES):
            rows[seat, i] = result.gain[seat][i]
    return result.base, gain
