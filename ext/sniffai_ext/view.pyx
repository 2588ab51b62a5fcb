"""What one seat knows, built event by event. Each event is checked against the rules and the seat's own hand.

For every other seat the history is kept as *batches*: the tiles of its deal and of each draw. A draw or a pass says
that no tile held at that moment fits (rules 5), so the batches of that moment lose the fitting tiles. A tile placed
later came out of one of the batches that could still hold it.
"""

from sniffai_ext.checks cimport check_seat, check_tile, read_int, read_items, read_placement, read_tiles
from sniffai_ext.layout cimport tile_text
from sniffai_ext.types cimport (
    ALL_TILES, BLOCKED, FITTING, NO_TILE, PIPS, RUNNING, TARGET, TILES, WENT_OUT, hand_size, lowest,
    popcount, target_of, team_count, team_of, uint64_t,
)

from sniffai_ext.errors import HistoryError, MoveError, SniffError, TileError, ViewError
from sniffai_ext.round import check_players, check_scores


cdef class View:
    """What ``seat`` knows before the lead; :meth:`play`, :meth:`draw` and :meth:`passes` add what it sees.

    :param players: seats, 2..4.
    :param seat: whose knowledge this is.
    :param leader: the seat that leads.
    :param hand: mask of the tiles dealt to the seat.
    :param scores: one for each team, before the round.
    :raises SniffError: see :class:`sniffai_ext.round.Round`; ``field`` is the parameter's name.
    """

    def __cinit__(self, *_, **__):
        """An empty view of a round that is over, until :meth:`__init__` has checked the arguments."""
        self.to_move = self.forced = self.last_seat = -1
        self.end = BLOCKED
        self.table = Layout()

    def __init__(self, players, seat, leader, hand, scores):
        cdef int seats = check_players(players), first = read_int(leader, "leader", ViewError)
        cdef uint32_t held = read_tiles(hand, "hand")
        if self.players:
            raise TypeError("a view cannot be made again: make a new one")
        check_seat(first, seats, "leader", ViewError)
        if popcount(held) != hand_size(seats):
            raise TileError(f"a dealt hand has {hand_size(seats)} tiles, not {popcount(held)}",
                            reason="WRONG_HAND_SIZE", field="hand")
        self._seat_down(seats, seat, scores)
        self.dealt = self.hand = held
        self.to_move = first
        self.talon_size = TILES - seats * hand_size(seats)
        for other in range(seats):
            self.size[other] = hand_size(seats)
            self.batch[other][0] = Batch(hand_size(seats), ALL_TILES)
            self.batch_count[other] = 1

    def _seat_down(self, int players, seat, scores):
        cdef int own = read_int(seat, "seat", ViewError)
        check_seat(own, players, "seat", ViewError)
        for team, score in enumerate(check_scores(players, scores)):
            self.score[team] = score
        self.players = players
        self.seat = own
        self.end = RUNNING

    @classmethod
    def snapshot(cls, players, seat, placements, hand, hand_sizes, talon_size, voids, scores, drawn_tile=-1):
        """What the seat to move knows without the history: the table, the hand sizes, and the suits that seats lack.

        :param placements: ``[(tile, at)]`` in play order.
        :param hand: mask of the tiles the seat holds now.
        :param hand_sizes: tiles in every hand, by seat.
        :param voids: a 7-bit mask of pips for each seat: suits that the seat is known not to hold.
        :param scores: one for each team, now.
        :param drawn_tile: the tile just drawn, which must be placed; -1 if none.
        :raises SniffError: tiles that do not add up to one set, or a placement that does not fit.
        """
        cdef View view = View.__new__(View)
        cdef uint32_t held = read_tiles(hand, "hand")
        cdef int tile, at, last = read_int(drawn_tile, "drawn_tile", ViewError)
        view._seat_down(check_players(players), seat, scores)
        view.to_move = view.seat
        for index, placement in enumerate(read_items(placements, "placements", MoveError)):
            pair = read_placement(placement, f"placements[{index}]")
            try:
                tile, at = read_int(pair[0], "tile", MoveError), read_int(pair[1], "at", MoveError)
                view.table.put(tile, at)
            except SniffError as error:
                raise error.at(f"placements[{index}]") from None
            if held >> tile & 1:
                raise TileError(f"{tile_text(tile)} is on the table, so it cannot be in the hand", reason="TILE_TWICE",
                                field=f"placements[{index}].tile")
        view.on_table = view.table.tiles
        view._take_sizes(held, read_items(hand_sizes, "hand_sizes", ViewError),
                         read_int(talon_size, "talon_size", ViewError))
        view._take_voids(read_items(voids, "voids", ViewError))
        if last >= 0:
            view._take_drawn(last)
        return view

    def _take_sizes(self, uint32_t hand, tuple sizes, int talon_size):
        cdef int other, size
        if hand == 0:
            raise TileError("the seat to move holds at least one tile, but its hand is empty", reason="WRONG_HAND_SIZE",
                            field="hand")
        if len(sizes) != self.players:
            raise ViewError(f"{self.players} hand sizes are expected, one for each seat, not {len(sizes)}",
                            reason="WRONG_NUMBER_OF_SIZES", field="hand_sizes")
        for other in range(self.players):
            size = read_int(sizes[other], f"hand_sizes[{other}]", ViewError)
            if not 1 <= size <= TILES:
                raise ViewError(f"a hand has 1..{TILES} tiles while the round goes on, not {size}",
                                reason="SIZE_OUT_OF_RANGE", field=f"hand_sizes[{other}]")
            self.size[other] = size
        if popcount(hand) != self.size[self.seat]:
            raise ViewError(f"the hand has {popcount(hand)} tiles, but its size is given as {self.size[self.seat]}",
                            reason="WRONG_HAND_SIZE", field=f"hand_sizes[{self.seat}]")
        dealt = self.players * hand_size(self.players)
        if not 0 <= talon_size <= TILES - dealt:
            raise ViewError(f"the talon has 0..{TILES - dealt} tiles, not {talon_size}", reason="SIZE_OUT_OF_RANGE",
                            field="talon_size")
        total = self.table.placed + sum(self.hand_sizes) + talon_size
        if total != TILES:
            raise ViewError(f"table, hands and talon have {TILES} tiles together, not {total}",
                            reason="TILES_DO_NOT_ADD_UP", field="hand_sizes")
        self.hand = hand
        self.talon_size = talon_size

    def _take_voids(self, tuple voids):
        cdef int other, pips
        if len(voids) != self.players:
            raise ViewError(f"{self.players} sets of void suits are expected, one for each seat, not {len(voids)}",
                            reason="WRONG_NUMBER_OF_VOIDS", field="voids")
        for other in range(self.players):
            pips = read_int(voids[other], f"voids[{other}]", ViewError)
            if not 0 <= pips < 1 << PIPS:
                raise ViewError(f"a mask of suits in 0..{(1 << PIPS) - 1} is expected, not {pips}",
                                reason="SUIT_OUT_OF_RANGE", field=f"voids[{other}]")
            if other == self.seat and self.hand & FITTING[pips]:
                raise ViewError("the hand has a tile of a suit that is given as void", reason="VOID_SUIT_HELD",
                                field=f"voids[{other}]")
            self.batch[other][0] = Batch(self.size[other], ALL_TILES & ~FITTING[pips])
            self.batch_count[other] = 1
            self.void_pips[other] = <uint8_t> pips

    def _take_drawn(self, int drawn):
        if drawn >= TILES or not self.hand >> drawn & 1:
            raise ViewError("the drawn tile is not in the hand", reason="TILE_NOT_IN_HAND", field="drawn_tile")
        if self.table.placed == 0:
            raise ViewError("no seat can draw before the lead", reason="DRAW_NOT_ALLOWED", field="drawn_tile")
        if self.table.fitting(self.hand & ~(<uint32_t> 1 << drawn)):
            raise ViewError("another tile of the hand fits, so the seat cannot have drawn", reason="DRAW_NOT_ALLOWED",
                            field="drawn_tile")
        self.forced = drawn if self.table.fitting(<uint32_t> 1 << drawn) else -1

    # what the seat sees

    cdef int turn_of(self, seat) except -1:
        """The seat whose turn it is, if it is that of ``seat``."""
        cdef int mover = read_int(seat, "seat", ViewError)
        if self.end != RUNNING:
            raise ViewError("the round is over", reason="ROUND_OVER", field="seat")
        check_seat(mover, self.players, "seat", ViewError)
        if mover != self.to_move:
            raise ViewError(f"it is the turn of seat {self.to_move}, not of seat {mover}", reason="NOT_THE_TURN",
                            field="seat")
        return mover

    def play(self, seat, tile, at):
        """``seat`` places ``tile`` at an attachment point (-1: the lead). Returns the points.

        :raises SniffError: ``field`` is ``"seat"``, ``"play"`` (the tile) or ``"at"``.
        """
        self.belief = None
        return self.put(self.turn_of(seat), read_int(tile, "play", MoveError), read_int(at, "at", MoveError))

    cdef int put(self, int seat, int tile, int at) except -1:
        cdef int team, move
        try:
            move = self.table.compact(tile, at)
        except MoveError as error:
            raise MoveError(error.message, reason=error.reason, field="play" if error.field == "tile" else "at") \
                from None
        if seat == self.seat:
            self._shed_own(tile)
        else:
            if not self.pending:
                self.note_choice(seat, move)
            self._shed_other(seat, tile)
        points = self.table.put(tile, at)
        self.on_table = self.table.tiles
        self.size[seat] -= 1
        self.pending = 0
        self.passes = 0
        self.last_seat = seat
        team = team_of(self.players, seat)
        self.score[team] += points
        if points and self.score[team] >= target_of(self.players):
            self._finish(TARGET)
        elif self.size[seat] == 0:
            self._finish(WENT_OUT)
        else:
            self.to_move = (seat + 1) % self.players
        return points

    def _finish(self, int end):
        self.end = end
        self.to_move = -1

    cdef void note_choice(self, int seat, int move) noexcept:
        cdef Choice *choice = &self.choice[self.choices]
        cdef int other
        self.fill_state(&choice.state)
        for other in range(self.players):
            choice.state.hand[other] = (<uint32_t> 1 << self.size[other]) - 1
        choice.move = <uint8_t> move
        choice.batches = <uint8_t> self.batch_count[seat]
        self.choices += 1

    def _shed_own(self, int tile):
        if not self.hand >> tile & 1:
            raise MoveError(f"the seat does not hold {tile_text(tile)}", reason="TILE_NOT_IN_HAND", field="play")
        if self.forced >= 0 and tile != self.forced:
            raise MoveError(f"the drawn tile {tile_text(self.forced)} must be played", reason="DRAWN_TILE_IS_FORCED",
                            field="play")
        self.hand &= ~(<uint32_t> 1 << tile)
        self.forced = -1

    def _shed_other(self, int seat, int tile):
        cdef int b, origins = 0
        if self.hand >> tile & 1:
            raise ViewError(f"seat {seat} cannot place {tile_text(tile)}: seat {self.seat} holds it",
                            reason="TILE_IN_OWN_HAND", field="play")
        if self.pending:                     # the tile drawn last: it is known now
            self._add_batch(seat, self.pending - 1)
            return
        for b in range(self.batch_count[seat]):
            if self.batch[seat][b].size and self.batch[seat][b].allowed >> tile & 1:
                origins |= 1 << b
        if not origins:
            raise HistoryError(f"seat {seat} cannot hold {tile_text(tile)}: it drew or passed when that tile fitted",
                               reason="NO_DEAL_EXPLAINS", field="play")
        self.shed[seat][self.shed_count[seat]] = Shed(tile, origins)
        self.shed_count[seat] += 1

    def _add_batch(self, int seat, int size):
        """The draws of this turn, none of which fitted, become a batch."""
        if size:
            self.batch[seat][self.batch_count[seat]] = Batch(size, ALL_TILES & ~FITTING[self.table.arms.open])
            self.batch_count[seat] += 1

    def _exclude(self, int seat):
        """No tile that the seat holds fits now."""
        cdef int b
        for b in range(self.batch_count[seat]):
            self.batch[seat][b].allowed &= ~FITTING[self.table.arms.open]

    def draw(self, seat, count, tiles=None):
        """``seat`` draws ``count`` tiles; ``tiles`` (indices, in order) for the seat's own draws only.

        :raises SniffError: ``field`` is ``"seat"``, ``"draw"``, ``"tiles"`` or ``"tiles[i]"``.
        """
        cdef int mover = self.turn_of(seat), drawn = read_int(count, "draw", ViewError)
        self.belief = None
        named = None if tiles is None else read_items(tiles, "tiles", ViewError)
        if self.table.placed == 0:
            raise ViewError("no seat can draw before the lead", reason="DRAW_NOT_ALLOWED", field="draw")
        if not 1 <= drawn <= self.talon_size:
            raise ViewError(f"{drawn} tiles cannot be drawn from a talon of {self.talon_size}",
                            reason="DRAW_COUNT_OUT_OF_RANGE", field="draw")
        if mover == self.seat:
            self._draw_own(drawn, named)
        elif named:
            raise ViewError("the tiles that another seat drew are hidden", reason="HIDDEN_TILES_GIVEN", field="tiles")
        else:
            self._exclude(mover)
            self.pending += drawn
        self.void_pips[mover] = self.table.arms.open
        self.size[mover] += drawn
        self.talon_size -= drawn

    def _draw_own(self, int count, tiles):
        cdef uint32_t drawn = 0
        cdef int index, tile = 0
        if self.table.fitting(self.hand):
            raise ViewError("a tile of the hand fits, so the seat cannot draw", reason="DRAW_NOT_ALLOWED", field="draw")
        if tiles is None or len(tiles) != count:
            raise ViewError(f"the seat drew {count} tiles, but {len(tiles or ())} are named",
                            reason="WRONG_NUMBER_OF_TILES", field="tiles")
        for index, named in enumerate(tiles):
            tile = read_int(named, f"tiles[{index}]", TileError)
            check_tile(tile, f"tiles[{index}]", TileError)
            if (self.hand | drawn | self.table.tiles) >> tile & 1:
                raise TileError(f"{tile_text(tile)} cannot be drawn: it is on the table, in the hand or drawn before",
                                reason="TILE_TWICE", field=f"tiles[{index}]")
            if self.table.fitting(drawn):
                raise ViewError(f"{tile_text(lowest(self.table.fitting(drawn)))} fits, so the draw ends with it",
                                reason="DRAW_NOT_ALLOWED", field=f"tiles[{index}]")
            drawn |= <uint32_t> 1 << tile
        if self.table.fitting(drawn):
            self.forced = tile
        self.hand |= drawn
        self.pending += count

    def passes_turn(self, seat):
        """``seat`` passes.

        :raises SniffError: ``field`` is ``"seat"`` or ``"pass"``.
        """
        cdef int mover = self.turn_of(seat)
        self.belief = None
        if self.table.placed == 0:
            raise ViewError("no seat can pass before the lead", reason="PASS_NOT_ALLOWED", field="pass")
        if self.talon_size:
            raise ViewError(f"the talon has {self.talon_size} tiles: the seat must draw", reason="PASS_NOT_ALLOWED",
                            field="pass")
        if mover == self.seat:
            if self.table.fitting(self.hand):
                raise ViewError("a tile of the hand fits, so the seat cannot pass", reason="PASS_NOT_ALLOWED",
                                field="pass")
        else:
            self._exclude(mover)
            self._add_batch(mover, self.pending)
        self.void_pips[mover] = self.table.arms.open
        self.pending = 0
        self.passes += 1
        self.to_move = (mover + 1) % self.players
        if self.passes == self.players:
            self._finish(BLOCKED)

    # what the seat knows

    @property
    def over(self):
        return self.end != RUNNING

    @property
    def went_out(self):
        """The seat that went out, or -1."""
        return self.last_seat if self.end == WENT_OUT else -1

    @property
    def blocked(self):
        return self.end == BLOCKED

    @property
    def match_winner(self):
        """The team that reached the target, or -1."""
        return team_of(self.players, self.last_seat) if self.end == TARGET else -1

    @property
    def scores(self):
        """One for each team, with the points of every placement seen; without deductions."""
        return tuple(self.score[team] for team in range(team_count(self.players)))

    @property
    def hand_sizes(self):
        """Tiles in every hand, by seat."""
        return tuple(self.size[seat] for seat in range(self.players))

    @property
    def layout(self):
        return self.table.clone()

    @property
    def must(self):
        """What the rules require of the seat: ``"play"``, ``"draw"``, ``"pass"``, ``"wait"`` or ``"over"``."""
        if self.end != RUNNING:
            return "over"
        if self.to_move != self.seat:
            return "wait"
        if self.table.fitting(self.hand):
            return "play"
        return "draw" if self.talon_size else "pass"

    def legal_moves(self):
        """``[(tile, at)]`` when the seat is to place a tile, else []."""
        if self.must != "play":
            return []
        return self.table.placements_of(<uint32_t> 1 << self.forced if self.forced >= 0 else self.hand)

    def distinct_moves(self):
        """Of :meth:`legal_moves`, those with equal futures once: at the lowest attachment point."""
        cdef uint64_t[4] listed = [0, 0, 0, 0]
        cdef int move
        moves = []
        for tile, at in self.legal_moves():
            move = self.table.compact(tile, at)
            if not listed[move >> 6] >> (move & 63) & 1:
                listed[move >> 6] |= <uint64_t> 1 << (move & 63)
                moves.append((tile, at))
        return moves

    cdef uint32_t unseen(self) noexcept:
        """The tiles that the seat has not seen."""
        return ALL_TILES & ~(self.hand | self.table.tiles)

    cdef void fill_state(self, State *state) noexcept:
        """Everything of a packed round but the hidden hands and the talon."""
        cdef int i
        state.arms = self.table.arms
        for i in range(3):
            state.score[i] = <short> self.score[i]
        for i in range(4):
            state.hand[i] = 0
            state.void_pips[i] = self.void_pips[i]
        state.hand[self.seat] = self.hand
        state.table = self.table.tiles
        state.talon_next = 0
        state.talon_end = <uint8_t> self.talon_size
        state.players = <uint8_t> self.players
        state.seat = <uint8_t> self.to_move
        state.forced = <uint8_t> self.forced if self.forced >= 0 else NO_TILE
        state.passes = <uint8_t> self.passes
        state.end = <uint8_t> self.end

    def copy(self):
        """An independent copy, which keeps no belief: its owner may change it in any way."""
        cdef View other = View.__new__(View)
        other.players, other.seat, other.to_move = self.players, self.seat, self.to_move
        other.dealt, other.hand, other.talon_size, other.forced = self.dealt, self.hand, self.talon_size, self.forced
        other.size, other.score = self.size, self.score
        other.passes, other.end, other.last_seat, other.pending = self.passes, self.end, self.last_seat, self.pending
        other.table, other.on_table = self.table.clone(), self.on_table
        other.batch, other.batch_count = self.batch, self.batch_count
        other.void_pips = self.void_pips
        other.choice, other.choices = self.choice, self.choices
        other.shed, other.shed_count = self.shed, self.shed_count
        return other

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        raise TypeError("the core keeps no history of a view: pickle sniffai.View instead")
