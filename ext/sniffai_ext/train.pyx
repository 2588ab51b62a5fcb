"""Training of the policy net and the world-value net by self-play: TD(lambda) on the tables after a seat's placements.

    for each round:
        play it with moves drawn from softmax(rating / temperature)
        for each seat, from its last placement back to its first:
            target = what its team gained until its next placement, and then
                     (1 - lambda) * the net's value there + lambda * the target there
        one step of stochastic gradient descent on (value - target)^2 for every placement; where the world value has a
        second output, its target is that of the next seat's team, to that seat's next placement

Sutton and Barto, Reinforcement Learning, 2nd ed., 12.1 (the forward view). One thread and one generator: the same seed
gives the same weights.
"""

from libc.math cimport pow as power
from libc.stdint cimport INT64_MAX, UINT64_MAX

from sniffai_ext.checks cimport read_real, read_seed, read_whole
from sniffai_ext.features cimport MAX_ROWS, OWN, base_rows, move_rows, net_rows, tile_rows
from sniffai_ext.layout cimport join
from sniffai_ext.net cimport (
    MOST_OUTPUTS, NARROW, WIDE, Net, add_rows, lay_out, net_size, net_value, net_values, start_sum, take_row,
)
from sniffai_ext.policy cimport NET_SCALE, draw_by_softmax
from sniffai_ext.rng cimport Rng, seed_rng
from sniffai_ext.rollout cimport deal
from sniffai_ext.round cimport legal_moves, place, settle, settle_turn
from sniffai_ext.signals cimport Watch, answer, called, watch_signals
from sniffai_ext.types cimport (
    MAX_MOVES, RUNNING, TILES, Arms, State, int16_t, move_tile, team_count, team_of, uint8_t, uint16_t, uint32_t,
)
from sniffai_ext.world_features cimport world_net_rows, world_rows
from sniffai_ext.world_value cimport world_outputs

import numpy as np

from sniffai_ext.errors import LimitsError
from sniffai_ext.round import check_players

cdef double LEAST_TEMPERATURE = 1e-6
cdef double MOST_TEMPERATURE = 1e6
cdef double MOST_SQUARES = 1e300

cdef enum:
    SLICE = 10_000        # rounds between two reports of progress

cdef struct Glimpse:
    uint16_t[MAX_ROWS] rows
    int count
    float[MOST_OUTPUTS] value   # the net's expectation for the seat's team after the placement, in net units; then
    float[MOST_OUTPUTS] target  # that of the seat after it

cdef struct Sample:
    int seat
    float[3] utility      # every team's utility up to and with the placement, in net units
    Glimpse policy        # as the seat sees it
    Glimpse world         # all hands known

cdef float utility_of(const State *state, int team) noexcept nogil:
    cdef int other, teams = team_count(state.players)
    cdef float total = 0
    for other in range(teams):
        total += state.score[other]
    return (state.score[team] - (total - state.score[team]) / (teams - 1)) / NET_SCALE


cdef void note_utilities(const State *state, float *utility) noexcept nogil:
    cdef int team
    for team in range(team_count(state.players)):
        utility[team] = utility_of(state, team)


cdef void note_policy(const State *state, uint8_t move, Glimpse *seen) noexcept nogil:
    """The policy's rows for the table after a move, before it is made."""
    cdef Arms after = state.arms
    cdef uint32_t own = state.hand[state.seat] & ~(<uint32_t> 1 << move_tile(move))
    join(&after, move)
    seen.count = base_rows(state, state.seat, seen.rows)
    seen.count = tile_rows(own, OWN, seen.rows, seen.count)
    seen.count += move_rows(state, state.seat, &after, own, seen.rows + seen.count)


cdef void note_world(const Net *net, const State *state, int seat, Glimpse *seen) noexcept nogil:
    """The world's rows just after ``seat`` placed a tile, and what the net makes of them."""
    cdef float[WIDE] acc
    cdef float[NARROW] narrow
    seen.count = world_rows(state, seat, seen.rows)
    net_values(net, seen.rows, seen.count, acc, narrow, seen.value)


cdef void rate_in_training(const Net *net, const State *state, const uint8_t *moves, int count,
                           float *values) noexcept nogil:
    """The ratings of ``rate_moves`` by a net that learns, so by its floats."""
    cdef float[WIDE] base
    cdef float[WIDE] acc
    cdef uint16_t[MAX_ROWS] rows
    cdef float base_skip, skip
    cdef Arms after
    cdef uint32_t own = state.hand[state.seat]
    cdef int i, n, tile, points
    start_sum(net, base, &base_skip)
    n = base_rows(state, state.seat, rows)
    n = tile_rows(own, OWN, rows, n)
    add_rows(net, rows, n, base, &base_skip)
    for i in range(count):
        tile = move_tile(moves[i])
        after = state.arms
        points = join(&after, moves[i])
        acc = base
        skip = base_skip
        take_row(net, OWN + tile, acc, &skip)
        n = move_rows(state, state.seat, &after, own & ~(<uint32_t> 1 << tile), rows)
        add_rows(net, rows, n, acc, &skip)
        values[i] = points + NET_SCALE * net_value(net, acc, skip)


cdef int play_round(const Net *net, const Net *world, State *state, float temperature, Rng *rng,
                    Sample *samples) noexcept nogil:
    """Play a round to its settlement; returns how many placements were noted."""
    cdef uint8_t[MAX_MOVES] moves
    cdef float[MAX_MOVES] values
    cdef int count, pick, n = 0
    cdef int points
    while state.end == RUNNING:
        count = legal_moves(state, moves)
        rate_in_training(net, state, moves, count, values)
        pick = draw_by_softmax(values, count, temperature, rng) if count > 1 else 0
        samples[n].seat = state.seat
        note_policy(state, moves[pick], &samples[n].policy)
        points = place(state, moves[pick])
        samples[n].policy.value[0] = (values[pick] - points) / NET_SCALE
        note_world(world, state, samples[n].seat, &samples[n].world)
        note_utilities(state, samples[n].utility)
        settle_turn(state)
        n += 1
    settle(state)
    return n


cdef void set_targets(const State *state, Sample *samples, int n, float decay) noexcept nogil:
    """The lambda-returns, from the last placement back."""
    cdef float[3] final
    cdef int[4] later
    cdef int i, k, seat
    note_utilities(state, final)
    for seat in range(4):
        later[seat] = -1
    for i in range(n - 1, -1, -1):
        for k in range(world_outputs(state.players)):
            seat = (samples[i].seat + k) % state.players
            set_target(samples, i, later[seat], k, team_of(state.players, seat), final, decay)
        later[samples[i].seat] = i


cdef inline void set_target(Sample *samples, int i, int j, int k, int team, const float *final,
                            float decay) noexcept nogil:
    """The target of output ``k`` at placement ``i``: what a team gains to its seat's next placement ``j`` (-1: to the
    end), and from there on."""
    cdef float gain
    if j < 0:
        gain = final[team] - samples[i].utility[team]
        samples[i].policy.target[k] = samples[i].world.target[k] = gain
    else:
        gain = samples[j].utility[team] - samples[i].utility[team]
        samples[i].policy.target[k] = gain + blend(&samples[j].policy, decay)
        samples[i].world.target[k] = gain + blend(&samples[j].world, decay)


cdef inline float blend(const Glimpse *seen, float decay) noexcept nogil:
    return (1 - decay) * seen.value[0] + decay * seen.target[0]


cdef float learn(Net *net, const Glimpse *sample, float rate) noexcept nogil:
    """One step down the gradient; returns the error of the first output before it."""
    cdef float[WIDE] acc
    cdef float[WIDE] blame
    cdef float[NARROW] narrow
    cdef float[NARROW] back
    cdef float[MOST_OUTPUTS] value
    cdef float[MOST_OUTPUTS] step
    cdef int i, j, k
    net_values(net, sample.rows, sample.count, acc, narrow, value)
    for k in range(net.outputs):
        step[k] = rate * (value[k] - sample.target[k])
    for j in range(NARROW):              # from the outputs to the second layer: `back` is its blame
        back[j] = 0
        if narrow[j] > 0:
            for k in range(net.outputs):
                back[j] += step[k] * net.out[k * NARROW + j]
                net.out[k * NARROW + j] -= step[k] * narrow[j]
            net.bias2[j] -= back[j]
    for i in range(WIDE):
        blame[i] = pass_back(net.mix + i * NARROW, back, acc[i]) if acc[i] > 0 else 0
        net.bias1[i] -= blame[i]
    for k in range(net.outputs):
        net.bias3[k] -= step[k]
        for i in range(sample.count):
            net.skip[k * net.rows + sample.rows[i]] -= step[k]
    for i in range(sample.count):
        lower(net.embed + sample.rows[i] * WIDE, blame)
    return value[0] - sample.target[0]


cdef inline float pass_back(float *weights, const float *narrow, float activity) noexcept nogil:
    """One unit's blame from the second layer's, and its weights' step. Eight partial sums run side by side."""
    cdef float[8] part
    cdef int j, k
    for k in range(8):
        part[k] = 0
    for j in range(0, NARROW, 8):
        for k in range(8):
            part[k] += narrow[j + k] * weights[j + k]
    for j in range(NARROW):
        weights[j] -= activity * narrow[j]
    return ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]))


cdef inline void lower(float *weights, const float *blame) noexcept nogil:
    cdef int j
    for j in range(WIDE):
        weights[j] -= blame[j]


def first_state(seed):
    """Where a training begins: see :func:`train_part`.

    :raises SniffError: the seed is out of range.
    """
    cdef Rng rng
    seed_rng(&rng, read_seed(seed))
    return rng.a, rng.b, 0.0, 0.0, 0


def train(players, policy_weights, world_weights, rounds, seed, first_rate, last_rate, temperature, decay,
          progress=None):
    """Train a policy net and a world-value net in place; the policy plays.

    :param policy_weights: float32 ``[weight_count(players)]``, C-contiguous; changed in place.
    :param world_weights: float32 ``[world_weight_count(players)]``, likewise.
    :param rounds: rounds of self-play.
    :param first_rate: learning rate at the start; it falls geometrically to ``last_rate``.
    :param temperature: of the self-play's softmax, in points.
    :param decay: lambda, 0..1.
    :param progress: called with the number of rounds done, about every second; it changes nothing.
    :return: root mean square errors of the two nets in the last tenth of the rounds, in points.
    :raises SniffError: a number out of range, or weights of another kind or number.
    """
    return net_errors(train_part(players, policy_weights, world_weights, rounds, 0, rounds, first_state(seed),
                                 first_rate, last_rate, temperature, decay, progress))


def train_part(players, policy_weights, world_weights, rounds, start, stop, state, first_rate, last_rate, temperature,
               decay, progress=None):
    """Train for some of the rounds. One part after the other gives the weights that :func:`train` gives.

    :param rounds: of the whole training, on which the rates and the errors depend.
    :param start: the first round of the part, from 0.
    :param stop: the one after its last, start..rounds.
    :param state: what the part before returned, or :func:`first_state`.
    :return: the state for the next part, of plain numbers: that of the generator, and the sums of squared errors.
    :raises SniffError: a number out of range, or weights of another kind or number.
    """
    cdef int seats = check_players(players)
    cdef long long most = read_whole(rounds, "rounds", 0, INT64_MAX)
    cdef long long last = read_whole(stop, "stop", 0, most), begin = read_whole(start, "start", 0, last)
    cdef double rate_now = read_real(first_rate, "first_rate", 0, 1, True)
    cdef double rate_then = read_real(last_rate, "last_rate", 0, 1, True)
    cdef double spread = read_real(temperature, "temperature", LEAST_TEMPERATURE, MOST_TEMPERATURE)
    cdef double memory = read_real(decay, "decay", 0, 1)
    counts = weight_counts(seats)
    check_weights(policy_weights, counts[0], "policy_weights")
    check_weights(world_weights, counts[1], "world_weights")
    if progress is not None and not callable(progress):
        raise LimitsError("a function is expected", reason="NOT_CALLABLE", field="progress")
    check_state(state)
    cdef float[::1] policy_block = policy_weights
    cdef float[::1] world_block = world_weights
    cdef Net net
    cdef Net world
    cdef Rng rng
    cdef State table
    cdef Sample[TILES] samples
    cdef int16_t[3] scores
    cdef long long k, edge, learned = state[4]
    cdef int i, n
    cdef double squares = state[2], world_squares = state[3]
    cdef float error, world_error, rate
    cdef Watch watch = watch_signals()
    lay_out(&net, &policy_block[0], net_rows(seats), 1)
    lay_out(&world, &world_block[0], world_net_rows(seats), world_outputs(seats))
    scores[0] = scores[1] = scores[2] = 0
    rng.a, rng.b = state[0], state[1]
    while begin < last:
        edge = min(begin + SLICE, last)
        with nogil:
            for k in range(begin, edge):
                if called(&watch):
                    break
                rate = <float> (rate_now * power(rate_then / rate_now, <double> k / most))
                deal(&table, seats, k % seats, scores, &rng)
                n = play_round(&net, &world, &table, <float> spread, &rng, samples)
                set_targets(&table, samples, n, <float> memory)
                for i in range(n):
                    error = learn(&net, &samples[i].policy, rate)
                    world_error = learn(&world, &samples[i].world, rate)
                    if k >= most - most // 10:
                        squares += error * error
                        world_squares += world_error * world_error
                        learned += 1
        answer(&watch)
        begin = edge
        if progress is not None:
            progress(begin)
    return rng.a, rng.b, squares, world_squares, learned


def net_errors(state):
    """The errors of both nets after the last part: see :func:`train`.

    :raises SniffError: it is not a state of :func:`train_part`.
    """
    check_state(state)
    learned = max(1, state[4])
    return (state[2] / learned) ** 0.5 * NET_SCALE, (state[3] / learned) ** 0.5 * NET_SCALE


cdef int check_state(state) except -1:
    """Raise LimitsError unless it is what :func:`train_part` returns."""
    if not isinstance(state, (tuple, list)) or len(state) != 5:
        raise LimitsError("five numbers are expected", reason="NOT_NUMBERS", field="state")
    for index, least, most in ((0, 0, UINT64_MAX), (1, 0, UINT64_MAX), (4, 0, INT64_MAX)):
        read_whole(state[index], f"state[{index}]", least, most)
    for index in (2, 3):
        read_real(state[index], f"state[{index}]", 0, MOST_SQUARES)
    return 0


cdef int check_weights(weights, size, str field) except -1:
    """Raise LimitsError unless weights can be trained in place."""
    if not isinstance(weights, np.ndarray) or weights.dtype != np.float32 or weights.shape != (size,) \
            or not weights.flags.c_contiguous or not weights.flags.writeable:
        raise LimitsError(f"a writeable float32 array of {size} numbers in C order is expected", reason="WRONG_WEIGHTS",
                          field=field)
    if not np.isfinite(weights).all():
        raise LimitsError("a weight is not finite", reason="OUT_OF_RANGE", field=field)
    return 0


def weight_counts(players):
    """The numbers of weights of the policy net and the world-value net for so many seats.

    :raises ViewError: not 2, 3 or 4 seats.
    """
    cdef int seats = check_players(players)
    return net_size(net_rows(seats), 1), net_size(world_net_rows(seats), world_outputs(seats))


def first_weights(players, seed):
    """Random weights to start from, for the policy net and the world-value net: float32, scaled by the number of inputs
    (He et al. 2015).

    :raises SniffError: players or seed out of range.
    """
    cdef int seats = check_players(players)
    rng = np.random.Generator(np.random.PCG64(read_seed(seed)))
    return random_net(rng, net_rows(seats), 1), random_net(rng, world_net_rows(seats), world_outputs(seats))


cdef object random_net(rng, int rows, int outputs):
    """A net without skips and biases, in the order of net.pxd."""
    return np.concatenate([
        rng.normal(0, (2.0 / 45) ** 0.5, rows * WIDE),
        np.zeros(outputs * rows),
        np.zeros(WIDE),
        rng.normal(0, (2.0 / WIDE) ** 0.5, WIDE * NARROW),
        np.zeros(NARROW),
        rng.normal(0, (1.0 / NARROW) ** 0.5, outputs * NARROW),
        np.zeros(outputs),
    ]).astype(np.float32)
