"""Inference from choices (Rebstock et al. 2019, "Policy Based Inference in Trick-Taking Card Games").

    log P(choices | world) = sum over the choices c of the other seats:
        log( floor / n + (1 - floor) * softmax(rating / temperature)[c] )

with n the number of distinct moves the seat had. A seat with a model of its own (:mod:`sniffai_ext.seat_model`) has
that model's chance of c in place of the softmax. The sum is made twice: with the temperatures and the floor of the
search, and with those of what is told about the worlds (the inferred belief), which follow the choices more closely.

What the rules force (draws, passes, a drawn tile that must be placed) is not a choice; the belief accounts for it
exactly, so nothing is counted twice.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport expf, log, logf
from libc.string cimport memset

from sniffai_ext.belief cimport Belief
from sniffai_ext.checks cimport read_items, read_real, read_seed, read_whole
from sniffai_ext.policy cimport Policy
from sniffai_ext.rng cimport GOLDEN, Rng, seed_rng
from sniffai_ext.seat_model cimport Choosing, SeatModel, modelled_chance
from sniffai_ext.types cimport move_tile, popcount

from sniffai_ext.errors import LimitsError
from sniffai_ext.shown import shown


cdef enum:
    MIDDLE = 8   # tiles on the table from which on a round is in its middle phase
    LATE = 16    # and from which on in its last
    LOOK_EVERY = 1024   # deals between two looks for a signal

PHASE_EDGES = (MIDDLE, LATE)

MOST_DEALS = 1_000_000


cdef inline int phase_of(const State *state) noexcept nogil:
    """0..2: the policy chooses more sharply early in a round."""
    cdef int placed = popcount(state.table)
    return 0 if placed < MIDDLE else (1 if placed < LATE else 2)


cdef float chosen_share(const float *values, int count, int pick, float temperature) noexcept nogil:
    """softmax(values / temperature)[pick]"""
    cdef float most = values[0], total = 0, share, chosen = 0
    cdef int i
    for i in range(1, count):
        if values[i] > most:
            most = values[i]
    for i in range(count):
        share = expf((values[i] - most) / temperature)
        total += share
        chosen = share if i == pick else chosen
    return chosen / total


cdef inline uint32_t hand_then(const Choice *choice, uint32_t[ALL_BATCHES] *batch_tiles) noexcept nogil:
    """What the choosing seat held before a choice, in one deal: all it had got, less what was on the table."""
    cdef uint32_t hand = 0
    cdef int b
    for b in range(choice.batches):
        hand |= batch_tiles[choice.state.seat][b]
    return hand & ~choice.state.table


cdef void weigh_choice(const Model *model, const Choice *choice, uint32_t hand, Term *term) noexcept nogil:
    """The term of the formula above for one choice, if the seat held ``hand`` before it; and as it is told."""
    cdef uint8_t[MAX_MOVES] moves
    cdef float[MAX_MOVES] values
    cdef State state = choice.state
    cdef const Choosing *choosing = model.seat[state.seat]
    cdef float own = 0, told = 0
    cdef double own_chance, told_chance
    cdef int count, pick = 0
    state.hand[state.seat] = hand
    count = legal_moves(&state, moves)
    term.log = term.told = 0
    if count < 2:
        return
    while pick < count - 1 and moves[pick] != choice.move:
        pick += 1
    if choosing == NULL or choosing.own:
        rate_moves(model.net, &state, moves, count, values)
        own = chosen_share(values, count, pick, model.temperature[phase_of(&state)])
        told = chosen_share(values, count, pick, model.told_temperature[popcount(state.table)])
    if choosing == NULL:
        term.log = logf(model.floor / count + (1 - model.floor) * own)
        term.told = logf(model.told_floor / count + (1 - model.told_floor) * told)
    else:
        own_chance = told_chance = modelled_chance(choosing, &state, moves, count, pick, own)
        if choosing.own:
            told_chance = modelled_chance(choosing, &state, moves, count, pick, told)
        term.log = log(model.floor / count + (1 - model.floor) * own_chance)
        term.told = log(model.told_floor / count + (1 - model.told_floor) * told_chance)


cdef void log_likelihoods(
    const Model *model, View view, uint32_t[ALL_BATCHES] *batch_tiles, double *by_seat, double *told, Term *known
) noexcept nogil:
    """The formula above for one deal, given batch by batch: adds the terms of each seat's choices to ``by_seat``, and
    those with the numbers of what is told to ``told``.

    :param known: TERMS of them, all 0 at first: the terms of other deals of the same view, looked up and added to.
    """
    cdef const Choice *choice
    cdef Term *term
    cdef uint32_t hand
    cdef uint64_t key
    cdef int i
    for i in range(view.choices):
        choice = &view.choice[i]
        hand = hand_then(choice, batch_tiles)
        key = <uint64_t> (i + 1) << 32 | hand
        term = &known[key * GOLDEN >> (64 - TERM_BITS)]
        if term.key != key:
            term.key = key
            weigh_choice(model, choice, hand, term)
        by_seat[choice.state.seat] += term.log
        told[choice.state.seat] += term.told


cdef int take_told(Model *model, told) except -1:
    """Write how the others are taken to choose in what is told; the other numbers of the model are there.

    :param told: ``(start, growth, floor)``: with k tiles on the table the temperature is ``start * growth**k``, in
        points; None: as the rest of the model says.
    :raises LimitsError: a number is out of range, or there are not three.
    """
    cdef int placed
    if told is None:
        for placed in range(TILES):
            model.told_temperature[placed] = model.temperature[0 if placed < MIDDLE else (1 if placed < LATE else 2)]
        model.told_floor = model.floor
        return 0
    start, growth, floor = check_told(told)
    for placed in range(TILES):
        model.told_temperature[placed] = <float> (start * growth ** placed)
    model.told_floor = <float> floor
    return 0


def check_told(told):
    """How the others are taken to choose in what is told, as plain numbers.

    :param told: ``(start, growth, floor)``: 0.001..1,000 points, 0.5..2, and 0.000001..1.
    :raises LimitsError: a number is out of range, or there are not three.
    """
    values = read_items(told, "told")
    if len(values) != 3:
        raise LimitsError(f"three numbers are expected, not {len(values)}", reason="OUT_OF_RANGE", field="told")
    return (read_real(values[0], "told[0]", 1e-3, 1e3), read_real(values[1], "told[1]", 0.5, 2),
            read_real(values[2], "told[2]", 1e-6, 1))


cdef tuple take_models(Model *model, models, int players):
    """Write the models of the seats; returns them as a tuple, which must live as long.

    :param players: seats; 0 for any number.
    :raises LimitsError: they are none, or not one for each seat.
    """
    cdef tuple given = read_items(models, "models")
    cdef int seat
    if len(given) not in (0, 2, 3, 4) or (given and players and len(given) != players):
        raise LimitsError(f"a model for each seat is expected, or none, not {len(given)}", reason="OUT_OF_RANGE",
                          field="models")
    for seat in range(4):
        model.seat[seat] = NULL
    for seat, each in enumerate(given):
        if each is None:
            continue
        if not isinstance(each, SeatModel):
            raise LimitsError(f"a SeatModel is expected, not {shown(each)}", reason="NOT_A_MODEL",
                              field=f"models[{seat}]")
        if players:
            (<SeatModel> each).check_players(players, f"models[{seat}]")
        model.seat[seat] = &(<SeatModel> each).choosing
    return given


def sampled_deals(View view not None, count, seed, Policy policy not None, temperatures, floor, models=()):
    """Deals drawn from the exact belief, tile by tile, and how likely the policy makes the others' choices in each.

    :param count: 1..1,000,000.
    :param seed: 0..2**64-1.
    :param temperatures: of the policy's choices by phase, in points, three numbers.
    :param floor: share of the choices that is taken to be random, 0.000001..1.
    :param models: by seat: a :class:`~sniffai_ext.seat_model.SeatModel`, or None for the policy; () for none at all.
    :return: ``(batches, talons, logs)``: uint32 ``[count, players, batches]``, what each other seat got in its deal and
        in each draw, tile masks, without tiles that were drawn and placed at once, and without draws of nothing else;
        uint8 ``[count, talon size]``, the talon in the order of drawing; float64 ``[count, players]``, log-likelihoods
        of each seat's choices in nats.
    :raises LimitsError: a number is out of range, or the net is for another number of seats.
    :raises HistoryError: no deal explains the view.
    """
    import numpy as np

    cdef Belief belief = Belief.of(view)
    cdef int deals = read_whole(count, "count", 1, MOST_DEALS), i, b, seat
    cdef uint32_t[4][ALL_BATCHES] batch_tiles
    cdef uint8_t[TILES] talon
    cdef double[4] by_seat, told
    cdef Term[TERMS] known
    cdef Model model
    cdef Rng rng
    if policy.players != view.players:
        raise LimitsError(f"the net is for {policy.players} seats, but the round has {view.players}",
                          reason="WRONG_NET", field="policy")
    steps = read_items(temperatures, "temperatures")
    if len(steps) != 3:
        raise LimitsError(f"three temperatures are expected, not {len(steps)}", reason="OUT_OF_RANGE",
                          field="temperatures")
    for i in range(3):
        model.temperature[i] = <float> read_real(steps[i], f"temperatures[{i}]", 1e-6, 1e6)
    model.net = &policy.net
    take_models(&model, models, view.players)
    model.floor = <float> read_real(floor, "floor", 1e-6, 1)
    take_told(&model, None)
    seed_rng(&rng, read_seed(seed))
    batches = np.zeros((deals, view.players, ALL_BATCHES), np.uint32)
    talons = np.zeros((deals, view.talon_size), np.uint8)
    logs = np.zeros((deals, view.players))
    cdef uint32_t[:, :, ::1] batch_rows = batches
    cdef uint8_t[:, ::1] talon_rows = talons
    cdef double[:, ::1] log_rows = logs
    memset(known, 0, sizeof(known))
    for i in range(deals):
        if i % LOOK_EVERY == 0:
            PyErr_CheckSignals()
        belief.sample_batches(&rng, batch_tiles, talon)
        by_seat = [0, 0, 0, 0]
        told = [0, 0, 0, 0]
        log_likelihoods(&model, view, batch_tiles, by_seat, told, known)
        for seat in range(view.players):
            log_rows[i, seat] = by_seat[seat]
            for b in range(ALL_BATCHES):
                batch_rows[i, seat, b] = batch_tiles[seat][b]
        for b in range(view.talon_size):
            talon_rows[i, b] = talon[b]
    return batches, talons, logs


def sampled_past(View view not None, seed):
    """The other seats' choices in one deal drawn from the exact belief, to inspect what the model weighs.

    :param seed: 0..2**64-1.
    :return: ``[(placements before it, seat, tile placed, hand before it)]``, one row for each choice, in order.
    :raises LimitsError: the seed is out of range.
    :raises HistoryError: no deal explains the view.
    """
    cdef Belief belief = Belief.of(view)
    cdef uint32_t[4][ALL_BATCHES] batch_tiles
    cdef uint8_t[TILES] talon
    cdef const Choice *choice
    cdef Rng rng
    cdef int i
    seed_rng(&rng, read_seed(seed))
    belief.sample_batches(&rng, batch_tiles, talon)
    rows = []
    for i in range(view.choices):
        choice = &view.choice[i]
        hand = hand_then(choice, batch_tiles)
        rows.append((popcount(choice.state.table), choice.state.seat, move_tile(choice.move), hand))
    return rows
