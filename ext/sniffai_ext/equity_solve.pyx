"""Match equity from recorded rounds, backwards over the scores.

    W(scores, who leads) = mean over the rounds recorded:
        1 for the team that is the first able to reach the target (rules 7), 0 for the others;
        where none is, W(scores after the settlement, who leads then)

The same rounds are used at every score, so more own points, or fewer of the others, never lower W: whatever follows,
the same points bring that team to the target no later. Scores can fall by the settlement, so the equation is solved by
sweeps from the highest scores down, until it no longer changes (the Gauss-Seidel method).

Cells are laid out as ``[s0][s1][s2]``, points of seats 0 to 2 in steps of 5, above a margin of ``pad`` rows in each
direction that repeats the lowest row. With two teams the first direction has one row and no margin, and s1, s2 are the
teams 0 and 1. For each seat that may lead, and at last for a random leader, there is a layer of cells with the chance
of seat 0 and, with three teams, one with that of seat 1.
"""

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t, uint16_t

from sniffai_ext.checks cimport read_real, read_whole

from sniffai_ext.signals cimport Watch, answer, called, watch_signals

import numpy as np

from sniffai_ext.errors import LimitsError

cdef enum:
    MOST_ROWS = 4096
    FLUSH = 512           # terms that are added up in single precision before double takes the sum

# Rounds that are alike: the same points and settlement by team and the same next lead.
cdef struct Outcome:
    int32_t reach0        # points in fives that placements brought or might have, at most, by direction
    int32_t reach1
    int32_t reach2
    int32_t shift         # from a cell to the cell after the round
    int32_t lead          # layer of the next lead
    float weight          # share of all rounds

cdef struct Grid:
    float *cells          # [teams + 1][values][count]
    float *wins           # [values][rows], share of rounds that a team wins: [s0][s1][s2] without margins
    int teams
    int values            # teams - 1
    int size              # rows of a direction, without the margin
    int pad
    int first             # rows of the first direction: size, or 1 with two teams
    int first_pad         # its margin: pad, or 0
    int width             # size + pad
    int64_t count         # cells of a layer


cdef inline int64_t cell_at(const Grid *grid, int a, int b, int c) noexcept nogil:
    return (<int64_t> (a + grid.first_pad) * grid.width + b + grid.pad) * grid.width + c + grid.pad


cdef inline float *layer_of(const Grid *grid, int lead, int value) noexcept nogil:
    return grid.cells + (lead * grid.values + value) * grid.count


cdef inline float put(const Grid *grid, int lead, int value, int64_t cell, float chance) noexcept nogil:
    """Store a chance, and update the one for a random leader; returns by how much it changed."""
    cdef float *place = layer_of(grid, lead, value) + cell
    cdef float change = chance - place[0]
    place[0] = chance
    layer_of(grid, grid.teams, value)[cell] += change / grid.teams
    return change if change >= 0 else -change


cdef float store(const Grid *grid, int a, int b, int c, float own, float next_) noexcept nogil:
    """Store what the leader and the seat after it have at the leader's scores ``a`` (three teams), ``b`` and ``c``.

    For the seats beside 0 that may lead, the scores go round. Returns the change.
    """
    cdef int64_t cell
    cdef float change
    if grid.teams == 2:
        change = put(grid, 0, 0, cell_at(grid, 0, b, c), own)
        put(grid, 1, 0, cell_at(grid, 0, c, b), 1 - own)
        return change
    cell = cell_at(grid, a, b, c)
    change = max(put(grid, 0, 0, cell, own), put(grid, 0, 1, cell, next_))
    cell = cell_at(grid, c, a, b)
    put(grid, 1, 0, cell, 1 - own - next_)
    put(grid, 1, 1, cell, own)
    cell = cell_at(grid, b, c, a)
    put(grid, 2, 0, cell, next_)
    put(grid, 2, 1, cell, 1 - own - next_)
    return change


cdef void add_terms(const Grid *grid, const Outcome *outcomes, int64_t count, int a, int b,
                    double *sums) noexcept nogil:
    """Add to a row of sums ``[values][size]`` what the outcomes that nobody's target cuts short are worth."""
    cdef float[MOST_ROWS] part
    cdef const Outcome *outcome
    cdef const float *source
    cdef float weight
    cdef int64_t k, base = cell_at(grid, a, b, 0)
    cdef int c, limit, value, waiting = 0, size = grid.size
    cdef int need0 = size - a if grid.teams == 3 else MOST_ROWS
    cdef int need1 = size - b
    for c in range(size * grid.values):
        part[c] = 0
    for k in range(count):
        outcome = &outcomes[k]
        if outcome.reach0 >= need0:
            break                            # they are sorted by reach0
        if outcome.reach1 >= need1:
            continue
        limit = size - outcome.reach2
        weight = outcome.weight
        for value in range(grid.values):
            source = layer_of(grid, outcome.lead, value) + base + outcome.shift
            add_scaled(part + value * size, source, weight, limit)
        waiting += 1
        if waiting == FLUSH:
            flush(part, sums, size * grid.values)
            waiting = 0
    flush(part, sums, size * grid.values)


cdef inline void add_scaled(float *sums, const float *source, float weight, int count) noexcept nogil:
    cdef int c
    for c in range(count):
        sums[c] += weight * source[c]


cdef inline void flush(float *part, double *sums, int count) noexcept nogil:
    cdef int c
    for c in range(count):
        sums[c] += part[c]
        part[c] = 0


cdef float sweep_row(const Grid *grid, const Outcome *outcomes, int64_t count, int a, int b) noexcept nogil:
    """Make the chances of one row again; returns the largest change."""
    cdef double[MOST_ROWS] sums
    cdef int64_t rows = <int64_t> grid.first * grid.size * grid.size
    cdef const float *wins = grid.wins + (<int64_t> a * grid.size + b) * grid.size
    cdef float change, most = 0
    cdef int c, value, size = grid.size
    for value in range(grid.values):
        for c in range(size):
            sums[value * size + c] = wins[value * rows + c]
    add_terms(grid, outcomes, count, a, b, sums)
    for c in range(size):
        change = store(grid, a, b, c, <float> sums[c], <float> sums[size + c] if grid.teams == 3 else 0)
        most = max(most, change)
    return most


cdef void fill_margins(const Grid *grid) noexcept nogil:
    """Repeat the lowest row in the margins: lower scores have the same chances."""
    cdef int a, b, c, layer
    cdef float *cells
    for layer in range((grid.teams + 1) * grid.values):
        cells = grid.cells + layer * grid.count
        for a in range(-grid.first_pad, grid.first):
            for b in range(-grid.pad, grid.size):
                for c in range(-grid.pad, grid.size):
                    if a < 0 or b < 0 or c < 0:
                        cells[cell_at(grid, a, b, c)] = cells[cell_at(grid, max(a, 0), max(b, 0), max(c, 0))]


cdef float sweep(const Grid *grid, const Outcome *outcomes, int64_t count, Watch *watch) noexcept nogil:
    """All rows once, highest scores first, unless a signal comes; returns the largest change."""
    cdef int a, b
    cdef float most = 0
    fill_margins(grid)
    for a in range(grid.first - 1, -1, -1):
        for b in range(grid.size - 1, -1, -1):
            if called(watch):
                return most
            most = max(most, sweep_row(grid, outcomes, count, a, b))
    return most


def first_to_reach(teams, ends, gains, size):
    """How often each team is the first that can reach the target, by the points that each still needs.

    :param ends: int64 ``[rounds]``, where each round's gains end.
    :param gains: uint16, as :mod:`sniffai_ext.equity_rounds` has them.
    :param size: points needed, in fives: 1..size, by team.
    :return: int64 ``[teams, size] + [size] * (teams - 1)``: rounds, at ``[team, needs of team 0 - 1, ...]``.
    :raises LimitsError: arrays or numbers that do not fit together.
    """
    cdef int sides = read_whole(teams, "teams", 2, 3), most = read_whole(size, "size", 1, MOST_ROWS)
    ends, gains = array_of(ends, np.int64, 1, "ends"), array_of(gains, np.uint16, 1, "gains")
    if ends.size and not (0 <= ends[0] and (np.diff(ends) >= 0).all() and ends[-1] <= gains.size):
        raise LimitsError(f"ascending numbers in 0..{gains.size} are expected", reason="OUT_OF_RANGE", field="ends")
    if gains.size and gains.max() >> 8 >= sides:
        raise LimitsError(f"a gain is for a team in 0..{sides - 1}", reason="OUT_OF_RANGE", field="gains")
    cdef const int64_t[::1] end_rows = ends
    cdef const uint16_t[::1] gain_rows = gains
    cdef int64_t k, n = 0
    cdef int team, before, after, step = most + 1
    cdef int64_t place
    cdef int[3] total
    cdef int[3] reach
    cdef int64_t[3] stride
    cdef Watch watch = watch_signals()
    marks = np.zeros((sides,) + (step,) * sides, np.int64)
    cdef int64_t[:, ::1] rows = marks.reshape(sides, -1)
    stride[sides - 1] = 1
    for team in range(sides - 2, -1, -1):
        stride[team] = stride[team + 1] * step
    with nogil:
        for k in range(end_rows.shape[0]):
            if k % 1024 == 0 and called(&watch):
                break
            total[0] = total[1] = total[2] = 0
            reach[0] = reach[1] = reach[2] = 0
            while n < end_rows[k]:
                # The team wins here if it needs more than could be had before, at most what could be had now, and no
                # other's need is met: a box of needs, added by its corners.
                team = gain_rows[n] >> 8
                before = min(reach[team], most)
                after = max(before, min(total[team] + (gain_rows[n] >> 4 & 15), most))
                reach[team] = after
                total[team] += gain_rows[n] & 15
                place = reach[0] * stride[0] + reach[1] * stride[1] + (reach[2] * stride[2] if sides == 3 else 0)
                rows[team, place] -= 1
                rows[team, place - (after - before) * stride[team]] += 1
                n += 1
    answer(&watch)
    for team in range(sides):
        marks = np.cumsum(marks, axis=team + 1)
    return marks[(slice(None),) + (slice(0, most),) * sides]


cdef object array_of(values, kind, int dimensions, str field):
    """An array of a kind in C order, with so many dimensions; whole numbers stay what they are.

    :raises LimitsError: the values make none, or some are not finite.
    """
    try:
        given = np.asarray(values)
        with np.errstate(over="ignore", invalid="ignore"):
            array = np.ascontiguousarray(given, kind)
        same = given.dtype.kind in ("iuf" if array.dtype.kind == "f" else "iu") and given.ndim == dimensions
        if same and array.dtype.kind != "f":
            same = bool((array == given).all())
    except Exception:                        # a foreign object may raise anything
        same = False
    if not same:
        raise LimitsError(f"an array of {np.dtype(kind).name} with {dimensions} dimensions is expected",
                          reason="WRONG_SHAPE", field=field)
    if not np.isfinite(array).all():
        raise LimitsError("a number is not finite", reason="OUT_OF_RANGE", field=field)
    return array


cdef object packed_outcomes(reach, net, leads, weights, int width):
    """The bytes of :class:`Outcome` structs, sorted by ``reach0``; for the arguments see :func:`solve`."""
    cdef int teams = reach.shape[1]
    order = np.argsort(reach[:, 0], kind="stable")
    table = np.zeros(len(order), [("reach0", np.int32), ("reach1", np.int32), ("reach2", np.int32),
                                  ("shift", np.int32), ("lead", np.int32), ("weight", np.float32)])
    for team in range(teams):
        direction = team + 3 - teams
        table[f"reach{direction}"] = reach[order, team]
        table["shift"] += (net[order, team] * width ** (2 - direction)).astype(np.int32)
    table["lead"] = leads[order]
    table["weight"] = weights[order]
    return table.view(np.uint8)


def solve(teams, reach, net, leads, weights, wins, size, pad, start=None, tolerance=2e-6, most_sweeps=200,
          progress=None):
    """Solve the equation above.

    :param teams: 2 or 3.
    :param reach: int32 ``[outcomes, teams]``, points in fives that the round might have brought at any moment, counted
        from the leading team: a team that needs no more has won in it.
    :param net: int32 ``[outcomes, teams]``, what the round changed, the settlement in; at least ``-pad``.
    :param leads: int32 ``[outcomes]``, the team that leads next; ``teams`` for a random one.
    :param weights: float64 ``[outcomes]``, shares of the rounds.
    :param wins: float64 ``[teams] + [size] * teams``: share of the rounds in which each team is the first that can
        reach the target, by scores, the lowest first.
    :param size: scores of a team.
    :param start: a solution to start from, as this returns it.
    :param tolerance: the sweeps end when none of the chances changes by more.
    :param progress: called with the largest change after each sweep.
    :return: float32 ``[size, size]`` or ``[size, size, size, 2]``: see :mod:`sniffai_ext.equity`.
    :raises LimitsError: arrays or numbers that do not fit together.
    """
    cdef Grid grid
    cdef int a, b, c, value, turn = 0
    cdef int sides = read_whole(teams, "teams", 2, 3)
    cdef int rows = read_whole(size, "size", 1, MOST_ROWS // (sides - 1))
    cdef int margin = read_whole(pad, "pad", 0, MOST_ROWS)
    cdef int sweeps = read_whole(most_sweeps, "most_sweeps", 0, INT32_MAX)
    cdef double enough = read_real(tolerance, "tolerance", 0, 1)
    cdef float change = 1
    cdef Watch watch = watch_signals()
    if (rows + margin) ** (3 if sides == 3 else 2) > INT32_MAX:
        raise LimitsError(f"a table with size {rows} and pad {margin} is too large", reason="OUT_OF_RANGE",
                          field="pad")
    reach, net = array_of(reach, np.int32, 2, "reach"), array_of(net, np.int32, 2, "net")
    leads, weights = array_of(leads, np.int32, 1, "leads"), array_of(weights, np.float64, 1, "weights")
    wins = array_of(wins, np.float64, sides + 1, "wins")
    check_outcomes(reach, net, leads, weights, sides, margin)
    if wins.shape != (sides,) + (rows,) * sides:
        raise LimitsError(f"the shape {(sides,) + (rows,) * sides} is expected, not {wins.shape}",
                          reason="WRONG_SHAPE", field="wins")
    cdef int64_t count = weights.size
    grid.teams, grid.values, grid.size, grid.pad = sides, sides - 1, rows, margin
    grid.first = rows if sides == 3 else 1
    grid.first_pad = margin if sides == 3 else 0
    grid.width = rows + margin
    grid.count = <int64_t> (grid.first + grid.first_pad) * grid.width * grid.width
    cdef const uint8_t[::1] outcome_bytes = packed_outcomes(reach, net, leads, weights, grid.width)
    cdef const Outcome *outcomes = <const Outcome *> &outcome_bytes[0]
    cells = np.zeros((sides + 1) * grid.values * grid.count, np.float32)
    win_cells = np.ascontiguousarray(wins[:sides - 1], np.float32).ravel()
    cdef float[::1] cell_rows = cells
    cdef float[::1] win_rows = win_cells
    grid.cells, grid.wins = &cell_rows[0], &win_rows[0]
    shape = (grid.first, rows, rows, grid.values)
    begin = np.full(shape, 1.0 / sides, np.float32)
    if start is not None:
        begin = np.array(array_of(start, np.float32, 4 if sides == 3 else 2, "start"))
        if begin.size != grid.first * rows * rows * grid.values:
            raise LimitsError(f"{grid.first * rows * rows * grid.values} numbers are expected, not {begin.size}",
                              reason="WRONG_SHAPE", field="start")
        begin = begin.reshape(shape)
    cdef float[:, :, :, ::1] chances = begin
    for a in range(grid.first):
        for b in range(rows):
            for c in range(rows):
                store(&grid, a, b, c, chances[a, b, c, 0], chances[a, b, c, 1] if sides == 3 else 0)
    while change > enough and turn < sweeps:
        with nogil:
            change = sweep(&grid, outcomes, count, &watch)
        answer(&watch)
        turn += 1
        if progress is not None:
            progress(change)
    for a in range(grid.first):
        for b in range(rows):
            for c in range(rows):
                for value in range(grid.values):
                    chances[a, b, c, value] = layer_of(&grid, 0, value)[cell_at(&grid, a, b, c)]
    return begin.reshape([rows] * sides + ([2] if sides == 3 else []))


cdef int check_outcomes(reach, net, leads, weights, int teams, int pad) except -1:
    """Raise LimitsError unless every outcome leads from any cell that it is read for to a cell that there is."""
    count = weights.size
    if not count or reach.shape != (count, teams) or net.shape != (count, teams) or leads.shape != (count,):
        raise LimitsError(f"at least one outcome, each with a number for each of {teams} teams, is expected",
                          reason="WRONG_SHAPE", field="reach")
    if reach.min() < 0 or net.min() < -pad or (net > reach).any():
        raise LimitsError(f"a change is below {-pad}, or above the reach of its outcome",
                          reason="OUT_OF_RANGE", field="net")
    if leads.min() < 0 or leads.max() > teams:
        raise LimitsError(f"0..{teams} is expected", reason="OUT_OF_RANGE", field="leads")
    return 0
