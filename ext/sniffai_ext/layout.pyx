"""The named layout: which tile lies where, by the ports of rules 3, with every check of a placement."""

from sniffai_ext.checks cimport check_tile, read_int, read_items, read_placement, read_tiles
from sniffai_ext.types cimport ALL_TILES, TILES, lowest, make_move

from sniffai_ext.errors import MoveError, TileError

cdef tuple PLAIN_PORTS = ("LOW", "HIGH")
cdef tuple DOUBLE_PORTS = ("LINE_A", "LINE_B", "SIDE_A", "SIDE_B")
cdef enum:
    LINE_A = 0
    LINE_B = 1
    BOTH_LINES = 3


cdef str tile_text(int tile):
    return f"{LOW[tile]}|{HIGH[tile]}"


def point_name(at):
    """The name of an attachment point code: ``"4|6:HIGH"``.

    :param at: ``tile * 4 + port``, 0..111.
    :raises TileError: there is no such tile or port.
    """
    cdef int point = read_int(at, "at", TileError)
    check_point(point)
    tile, port = point >> 2, point & 3
    return f"{tile_text(tile)}:{(DOUBLE_PORTS if is_double(tile) else PLAIN_PORTS)[port]}"


def played_layout(placements):
    """The layout that placements make.

    :param placements: ``[(tile, at)]`` in play order.
    :raises SniffError: one is not allowed; ``field`` is its index.
    """
    cdef Layout layout = Layout()
    for i, placement in enumerate(read_items(placements, "placements", MoveError)):
        pair = read_placement(placement, f"[{i}]")
        layout.put(read_int(pair[0], f"[{i}].tile", MoveError), read_int(pair[1], f"[{i}].at", MoveError))
    return layout


cdef int check_point(int at) except -1:
    if not 0 <= at < TILES * 4:
        raise TileError(f"there is no attachment point with code {at}: 0..{TILES * 4 - 1} is expected",
                        reason="UNKNOWN_ATTACHMENT_POINT", field="at")
    if at & 3 >= 2 and not is_double(at >> 2):
        raise TileError(f"{tile_text(at >> 2)} is not a double: its ports are 0 and 1, not {at & 3}",
                        reason="UNKNOWN_ATTACHMENT_POINT", field="at")
    return 0


cdef class Layout:
    """Tiles on the table, open ports and the count. Made empty; grows by :meth:`play`."""

    def __cinit__(self):
        clear_arms(&self.arms)
        self.sniff = -1

    @property
    def count(self):
        """The count of rules 4: 0 before the lead."""
        return self.arms.count

    @property
    def open_pips(self):
        """Mask of the pips that a tile can be joined to (bit p: p pips)."""
        return self.arms.open

    cdef Layout clone(self):
        cdef Layout other = Layout()
        other.arms = self.arms
        other.points = self.points
        other.sniff = self.sniff
        other.placed = self.placed
        other.tiles = self.tiles
        other.joined = self.joined
        other.order = self.order
        other.joined_at = self.joined_at
        return other

    def copy(self):
        """An independent copy."""
        return self.clone()

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        return self.clone()

    def __reduce__(self):
        return played_layout, (self.placements(),)

    def __eq__(self, other):
        if not isinstance(other, Layout):
            return NotImplemented
        return self.placements() == other.placements()

    cdef bint port_open(self, int tile, int port) noexcept:
        """Whether a port of a placed tile is an attachment point (rules 3)."""
        if self.joined[tile] >> port & 1:
            return False
        if port < 2:
            return True
        return tile == self.sniff and self.joined[tile] & BOTH_LINES == BOTH_LINES

    cdef int port_pips(self, int tile, int port) noexcept:
        return HIGH[tile] if port & 1 else LOW[tile]      # on a double both are the same

    cdef int port_kind(self, int tile, int port) noexcept:
        """The compact kind of an open port (see ``enum ArmKind``)."""
        if not is_double(tile):
            return SINGLE
        if tile == self.sniff:
            return LINE if port < 2 else SINGLE
        return DOUBLE if LOW[tile] else SINGLE

    cdef int compact(self, int tile, int at) except -1:
        """The compact move of a named one, after every check of rules 3. Raises MoveError."""
        cdef int target, port, pips
        check_tile(tile, "tile", MoveError)
        if self.tiles >> tile & 1:
            raise MoveError(f"{tile_text(tile)} is already on the table", reason="TILE_ON_TABLE", field="tile")
        if self.placed == 0:
            if at != -1:
                raise MoveError("the lead has no attachment point, because the table is empty",
                                reason="LEAD_JOINS_NOTHING", field="at")
            return make_move(tile, 0, LEAD)
        if at == -1:
            raise MoveError("the attachment point is missing: only the lead has none",
                            reason="ATTACHMENT_POINT_MISSING", field="at")
        check_point(at)
        target, port = at >> 2, at & 3
        if not self.tiles >> target & 1:
            raise MoveError(f"{tile_text(target)} is not on the table", reason="ATTACHMENT_POINT_NOT_ON_TABLE",
                            field="at")
        if not self.port_open(target, port):
            if self.joined[target] >> port & 1:
                raise MoveError(f"{point_name(at)} is already joined", reason="ATTACHMENT_POINT_JOINED", field="at")
            if target != self.sniff:
                raise MoveError(f"{tile_text(target)} is not the sniff, so nothing can join its sides",
                                reason="NOT_THE_SNIFF", field="at")
            raise MoveError(f"{point_name(at)} opens only when both line ports of the sniff are joined",
                            reason="SIDE_CLOSED", field="at")
        pips = self.port_pips(target, port)
        if LOW[tile] != pips and HIGH[tile] != pips:
            raise MoveError(f"{tile_text(tile)} has no half of {pips} pips to join {point_name(at)}",
                            reason="TILE_DOES_NOT_FIT", field="at")
        return make_move(tile, LOW[tile] != pips, self.port_kind(target, port))

    cdef int put(self, int tile, int at) except -1:
        """Place a tile after every check. Returns the points."""
        cdef uint8_t move = self.compact(tile, at)
        cdef bint first_double = is_double(tile) and self.arms.sniff == NO_SNIFF
        if at >= 0:
            self.joined[at >> 2] |= 1 << (at & 3)
            self.joined[tile] |= 1 << LINE_A if is_double(tile) else 1 << (move >> 2 & 1)
        self.points = join(&self.arms, move)
        self.order[self.placed] = tile
        self.joined_at[self.placed] = at
        self.placed += 1
        self.tiles |= <uint32_t> 1 << tile
        if first_double:
            self.sniff = tile
        return self.points

    def play(self, tile, at):
        """Join ``tile`` at an attachment point (-1: the lead) and return the points.

        :raises MoveError: the rules do not allow it; ``field`` is ``"tile"`` or ``"at"``.
        """
        return self.put(read_int(tile, "tile", MoveError), read_int(at, "at", MoveError))

    def check(self, tile, at):
        """Raise what :meth:`play` would raise, and change nothing."""
        self.compact(read_int(tile, "tile", MoveError), read_int(at, "at", MoveError))

    def fits(self, mask):
        """The tiles of a mask that can be joined somewhere (all of them before the lead).

        :raises TileError: it is no mask of 28 tiles.
        """
        return self.fitting(read_tiles(mask, "mask"))

    cdef uint32_t fitting(self, uint32_t mask) noexcept:
        return mask & (FITTING[self.arms.open] if self.placed else ALL_TILES)

    def attachment_points(self):
        """``[(at, pips)]`` of every attachment point, ascending."""
        cdef int tile, port
        points = []
        for tile in range(TILES):
            if self.tiles >> tile & 1:
                for port in range(4 if is_double(tile) else 2):
                    if self.port_open(tile, port):
                        points.append((tile * 4 + port, self.port_pips(tile, port)))
        return points

    def contributions(self):
        """``[(tile, value)]``: the counted ends of rules 4, ascending."""
        cdef int tile, port
        ends = []
        for tile in range(TILES):
            if not self.tiles >> tile & 1:
                continue
            if not is_double(tile):
                ends += [(tile, self.port_pips(tile, port)) for port in range(2) if self.port_open(tile, port)]
            elif self.joined[tile] & BOTH_LINES != BOTH_LINES:
                ends.append((tile, 2 * LOW[tile]))
            elif tile == self.sniff:
                ends += [(tile, LOW[tile]) for port in range(2, 4) if self.port_open(tile, port)]
        return sorted(ends)

    def placements(self):
        """``[(tile, at)]`` in play order; ``at`` is -1 for the lead."""
        return [(self.order[i], self.joined_at[i]) for i in range(self.placed)]

    def moves(self, hand):
        """``[(tile, at)]``: every placement of a tile of ``hand``, ascending tile, then attachment point.

        :raises TileError: it is no mask of 28 tiles, or a tile lies on the table.
        """
        cdef uint32_t mask = read_tiles(hand, "hand")
        if mask & self.tiles:
            raise TileError(f"{tile_text(lowest(mask & self.tiles))} is already on the table", reason="TILE_TWICE",
                            field="hand")
        return self.placements_of(mask)

    cdef list placements_of(self, uint32_t hand):
        cdef int tile, at, pips
        if self.placed == 0:
            return [(tile, -1) for tile in range(TILES) if hand >> tile & 1]
        points = self.attachment_points()
        return [
            (tile, at)
            for tile in range(TILES) if hand >> tile & 1
            for at, pips in points if LOW[tile] == pips or HIGH[tile] == pips
        ]

    def equal_points(self, tile, at):
        """All attachment points that lead to the same future as this one for ``tile`` (ascending; [] for the lead).

        Equal means: the same half joins, at equal pips and weight (rules, consequences).
        :raises MoveError: the move is not legal here.
        """
        cdef int joined = read_int(tile, "tile", MoveError), point = read_int(at, "at", MoveError)
        cdef int move = self.compact(joined, point)
        if point == -1:
            return []
        return [other for _, other in self.placements_of(<uint32_t> 1 << joined)
                if self.compact(joined, other) == move]

    def effect(self, tile, at):
        """``(points, count)`` as they would be after a placement: :meth:`outlook` without the ends.

        :raises MoveError: the move is not legal here.
        """
        cdef int move = self.compact(read_int(tile, "tile", MoveError), read_int(at, "at", MoveError))
        cdef Arms after = self.arms
        cdef int points = join(&after, <uint8_t> move)
        return points, after.count

    def outlook(self, tile, at):
        """``(points, count, contributions)`` as they would be after a placement.

        :raises MoveError: the move is not legal here.
        """
        cdef Layout after = self.clone()
        after.put(read_int(tile, "tile", MoveError), read_int(at, "at", MoveError))
        return after.points, after.arms.count, after.contributions()
