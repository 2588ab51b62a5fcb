"""The packed round as a Python object: it checks arguments and keeps the named layout and the events."""

from libc.stdint cimport uint64_t
from libc.string cimport memcmp

from sniffai_ext.checks cimport check_seat, check_tile, read_int, read_items, read_placement, read_tiles
from sniffai_ext.layout cimport clear_arms, tile_text
from sniffai_ext.signals cimport Watch, answer, called, watch_signals
from sniffai_ext.types cimport MAX_MOVES, TILES, hand_size, popcount, target_of

from sniffai_ext.errors import LimitsError, MoveError, TileError, ViewError


def check_players(players):
    """The number of seats.

    :raises ViewError: not 2, 3 or 4 (rules 1).
    """
    cdef int seats = read_int(players, "players", ViewError)
    if not 2 <= seats <= 4:
        raise ViewError(f"a round has 2, 3 or 4 seats, not {seats}", reason="PLAYERS_OUT_OF_RANGE", field="players")
    return seats


def check_scores(players, scores):
    """The scores as a tuple of ``int``, one for each team.

    :raises ViewError: no numbers, wrong number, a score at or past the target (the match is over, rules 7), below
        -30000, or no multiple of 5 (all points and deductions are, rules 4 and 6).
    """
    cdef int seats = check_players(players)
    cdef int teams = team_count(seats)
    cdef int target = target_of(seats)
    values = tuple(read_int(score, f"scores[{team}]", ViewError)
                   for team, score in enumerate(read_items(scores, "scores", ViewError)))
    if len(values) != teams:
        raise ViewError(f"{seats} seats have {teams} scores, one for each team, not {len(values)}",
                        reason="WRONG_NUMBER_OF_SCORES", field="scores")
    for team, score in enumerate(values):
        if score >= target:
            raise ViewError(f"{score} has reached the target of {target}: the match is over",
                            reason="SCORE_PAST_TARGET", field=f"scores[{team}]")
        if score < -30000:
            raise ViewError(f"a score in -30000..{target - 5} is expected, not {score}", reason="SCORE_OUT_OF_RANGE",
                            field=f"scores[{team}]")
        if score % 5:
            raise ViewError(f"{score} is not a multiple of 5, as every score is", reason="NOT_A_MULTIPLE_OF_5",
                            field=f"scores[{team}]")
    return values


cdef uint64_t perft(const State *state, int depth, Watch *watch) noexcept nogil:
    """Sequences of ``depth`` placements, every attachment point its own; a round that ends earlier counts none.

    Where a signal comes, the number means nothing.
    """
    cdef uint8_t[MAX_MOVES] moves
    cdef State after
    cdef uint64_t total = 0
    cdef int i, copies, n = legal_moves(state, moves)
    if depth > 2 and called(watch):
        return 0
    for i in range(n):
        copies = arm_copies(state, moves[i])
        if depth == 1:
            total += copies
            continue
        after = state[0]
        play(&after, moves[i])
        if after.end == RUNNING:
            total += copies * perft(&after, depth - 1, watch)
    return total


cdef int arm_copies(const State *state, uint8_t move) noexcept nogil:
    """How many attachment points one compact move stands for."""
    cdef int kind = move & 3
    cdef int pips = HIGH[move >> 3] if move & 4 else LOW[move >> 3]
    if kind == SINGLE:
        return singles_at(&state.arms, pips)
    return state.arms.lines if kind == LINE else 1


cdef class Round:
    """A round with all hands known.

    :param players: seats, 2..4.
    :param hands: a tile mask a seat.
    :param talon: tile indices in the order of drawing.
    :param leader: the seat that leads, 0..players-1.
    :param scores: one a team, before the round.
    :raises SniffError: anything that is not one deal of one set, by rules 1.
    """

    def __cinit__(self, *_, **__):
        """An empty round that is over, until :meth:`__init__` has checked the arguments."""
        clear_arms(&self.state.arms)
        self.state.forced = NO_TILE
        self.state.end = BLOCKED
        self.table = Layout()
        self.log = []

    def __init__(self, players, hands, talon, leader, scores):
        cdef int seats = check_players(players), first = read_int(leader, "leader", ViewError)
        if self.state.players:
            raise TypeError("a round cannot be dealt again: make a new one")
        check_seat(first, seats, "leader", ViewError)
        values = check_scores(seats, scores)
        self._deal(seats, read_items(hands, "hands", TileError), read_items(talon, "talon", TileError))
        for team, score in enumerate(values):
            self.state.score[team] = score
        self.state.seat = <uint8_t> first
        self.state.end = RUNNING
        self.state.players = <uint8_t> seats
        self.start = self.state

    def _deal(self, int players, tuple hands, tuple talon):
        cdef uint32_t seen = 0
        cdef int seat, place_
        if len(hands) != players:
            raise TileError(f"{players} hands are expected, one for each seat, not {len(hands)}",
                            reason="WRONG_NUMBER_OF_HANDS", field="hands")
        for seat, held in enumerate(hands):
            mask = read_tiles(held, f"hands[{seat}]")
            if popcount(mask) != hand_size(players):
                raise TileError(f"a dealt hand has {hand_size(players)} tiles, not {int(mask).bit_count()}",
                                reason="WRONG_HAND_SIZE", field=f"hands[{seat}]")
            if seen & <uint32_t> mask:
                raise TileError(f"{tile_text(lowest(seen & <uint32_t> mask))} occurs twice", reason="TILE_TWICE",
                                field=f"hands[{seat}]")
            seen |= <uint32_t> mask
            self.state.hand[seat] = mask
        if len(talon) != TILES - players * hand_size(players):
            raise TileError(f"the talon has {TILES - players * hand_size(players)} tiles, not {len(talon)}",
                            reason="WRONG_TALON_SIZE", field="talon")
        for place_, drawn in enumerate(talon):
            tile = read_int(drawn, f"talon[{place_}]", TileError)
            check_tile(tile, f"talon[{place_}]", TileError)
            if seen >> tile & 1:
                raise TileError(f"{tile_text(tile)} occurs twice", reason="TILE_TWICE",
                                field=f"talon[{place_}]")
            seen |= <uint32_t> 1 << tile
            self.state.talon[place_] = tile
        self.state.talon_end = len(talon)

    @property
    def players(self):
        return self.state.players

    @property
    def seat(self):
        """The seat to place a tile; after the end, the seat that placed last or would be next."""
        return self.state.seat

    @property
    def over(self):
        return self.state.end != RUNNING

    @property
    def went_out(self):
        """The seat that went out, or -1. A round stopped by the target has nobody out (rules 7)."""
        return self.state.seat if self.state.end == WENT_OUT else -1

    @property
    def blocked(self):
        return self.state.end == BLOCKED

    @property
    def match_winner(self):
        """The team that reached the target, or -1."""
        return team_of(self.state.players, self.state.seat) if self.state.end == TARGET else -1

    @property
    def scores(self):
        """One for each team; after the end, less the deductions of rules 6."""
        return tuple(self.state.score[team] for team in range(team_count(self.state.players)))

    @property
    def hands(self):
        """Tile masks by seat, as they are now."""
        return tuple(self.state.hand[seat] for seat in range(self.state.players))

    @property
    def talon(self):
        """The tiles left, in the order of drawing."""
        return tuple(self.state.talon[i] for i in range(self.state.talon_next, self.state.talon_end))

    @property
    def layout(self):
        return self.table.clone()

    @property
    def count(self):
        return self.state.arms.count

    @property
    def forced(self):
        """The drawn tile that must be placed now, or -1."""
        return -1 if self.state.forced == NO_TILE else self.state.forced

    def events(self):
        """Everything that happened, in order: ``("play", seat, tile, at, points)``, ``("draw", seat, tiles)``
        and ``("pass", seat)``."""
        return list(self.log)

    def legal_moves(self):
        """``[(tile, at)]``, ascending; [] when the round is over, else never empty."""
        return [] if self.state.end != RUNNING else self.table.moves(placeable(&self.state))

    def play(self, tile, at):
        """Place a tile; forced draws and passes that follow happen by themselves. Returns the points.

        :raises MoveError: the round is over, the tile is not in the hand, not the forced one, or does not fit.
        """
        if self.state.end != RUNNING:
            raise MoveError("the round is over", reason="ROUND_OVER")
        return self.put(read_int(tile, "tile", MoveError), read_int(at, "at", MoveError))

    cdef int put(self, int tile, int at) except -1:
        cdef int points, seat = self.state.seat
        cdef uint8_t move = self.table.compact(tile, at)
        if not self.state.hand[seat] >> tile & 1:
            raise MoveError(f"seat {seat} does not hold {tile_text(tile)}", reason="TILE_NOT_IN_HAND",
                            field="tile")
        if not placeable(&self.state) >> tile & 1:
            raise MoveError(f"the drawn tile {tile_text(self.state.forced)} must be played",
                            reason="DRAWN_TILE_IS_FORCED", field="tile")
        self.table.put(tile, at)
        points = place(&self.state, move)
        self.log.append(("play", seat, tile, at, points))
        self._settle_turn()
        if self.state.end != RUNNING:
            settle(&self.state)
        return points

    def _settle_turn(self):
        """``settle_turn``, with every draw and pass noted."""
        cdef int before
        cdef bint fits
        while self.state.end == RUNNING:
            before = self.state.talon_next
            fits = draw_until_fit(&self.state)
            if self.state.talon_next > before:
                drawn = tuple(self.state.talon[i] for i in range(before, self.state.talon_next))
                self.log.append(("draw", self.state.seat, drawn))
            if fits:
                return
            self.log.append(("pass", self.state.seat))
            give_pass(&self.state)

    def perft(self, depth):
        """The number of sequences of ``depth`` placements (0..28); draws and passes happen by themselves.

        :raises LimitsError: depth out of range.
        """
        cdef uint64_t total
        cdef State state = self.state        # another thread may play on meanwhile
        cdef Watch watch
        cdef int plies = read_int(depth, "depth")
        if not 0 <= plies <= TILES:
            raise LimitsError(f"a depth in 0..{TILES} is expected, not {plies}", reason="DEPTH_OUT_OF_RANGE",
                              field="depth")
        if plies == 0:
            return 1
        if self.state.end != RUNNING:
            return 0
        watch = watch_signals()
        with nogil:
            total = perft(&state, plies, &watch)
        answer(&watch)
        return total

    def copy(self):
        """An independent copy."""
        cdef Round other = Round.__new__(Round)
        other.start, other.state = self.start, self.state
        other.table = self.table.clone()
        other.log = list(self.log)
        return other

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        cdef int players = self.start.players
        if players == 0:
            raise TypeError("a round that was never dealt cannot be pickled")
        dealt = (
            players,
            tuple(self.start.hand[seat] for seat in range(players)),
            tuple(self.start.talon[i] for i in range(self.start.talon_end)),
            self.start.seat,
            tuple(self.start.score[team] for team in range(team_count(players))),
        )
        return played_round, (dealt, tuple(self.table.placements()))

    def __eq__(self, other):
        if not isinstance(other, Round):
            return NotImplemented
        return self.same(other)

    cdef bint same(self, Round other):
        """Whether both have the same deal and the same course."""
        return memcmp(&self.start, &other.start, sizeof(State)) == 0 and self.log == other.log


def played_round(dealt, placements):
    """A round and its course, in the form that pickle stores.

    :param dealt: the arguments of :class:`Round`.
    :param placements: ``[(tile, at)]`` in play order.
    :raises SniffError: the deal breaks a rule, or a placement does.
    """
    parts = read_items(dealt, "dealt", ViewError)
    if len(parts) != 5:
        raise ViewError("seats, hands, talon, leader and scores are expected", reason="NOT_A_DEAL", field="dealt")
    cdef Round round_ = Round(*parts)
    for i, placement in enumerate(read_items(placements, "placements", MoveError)):
        round_.play(*read_placement(placement, f"placements[{i}]"))
    return round_
