"""Where the tiles of a layout lie: a plan of the table that fits a narrow page.

Lengths are *grid units*: a half of a tile is a square of 2 by 2, a tile 2 by 4; x runs right, y down. The sniff (before
there is one, the lead) lies in the middle, and from its ports run *arms*: rows of tiles, each joined to the one before.
Doubles lie crosswise. An arm turns only inside a plain tile whose joined half goes straight on while its other half
turns aside, so that a turn never looks like a branch.

A beam search lays the arms, one tile of each in turn, and keeps the plans that are narrow, low and straight. A tile
keeps a distance of a unit from every tile that it is not joined to, and each open end keeps room for its mark.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from sniffai.checks import read_kind, read_whole
from sniffai.errors import ViewError
from sniffai.layout import Layout
from sniffai.moves import Move
from sniffai.ports import ports_of
from sniffai.tiles import Tile

BEAM: Final = 32
"""Plans kept at each step."""

WIDTH: Final = 36
"""Widest plan, marks included: then a half measures 18 pixels on a page of 360."""

EASY: Final = 28
"""Width and height that cost nothing."""

AFTER_DOUBLE: Final = 2.0
"""What a turn right after a double costs, where another costs 1: it looks as if two tiles lay side by side."""

RIGHT, DOWN, LEFT, UP = range(4)
"""Headings, clockwise."""

_STEP: Final = ((1, 0), (0, 1), (-1, 0), (0, -1))


class Box(NamedTuple):
    """A rectangle in grid units."""

    left: int
    top: int
    right: int
    bottom: int

    def around(self, other: "Box") -> "Box":
        """The smallest box that holds both."""
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    @property
    def width(self) -> int:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """From top to bottom."""
        return self.bottom - self.top


class Spot(NamedTuple):
    """A point on the grid."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class PlacedTile:
    """A tile on the plan."""

    move: Move
    """Its placement."""
    box: Box
    low: Spot
    """The middle of its low half; of a double, the upper or left one."""
    high: Spot
    """The middle of its high half; of a double, the lower or right one."""

    @property
    def tile(self) -> Tile:
        """The tile."""
        return self.move.tile

    @property
    def upright(self) -> bool:
        """Whether the halves lie above one another."""
        return self.low.x == self.high.x


@dataclass(frozen=True, slots=True)
class OpenEnd:
    """An attachment point on the plan."""

    name: str
    """``tile:PORT``."""
    pips: int
    """0..6."""
    value: int | None
    """What it counts; ``None`` if a tile could be joined, but nothing is counted here."""
    box: Box
    """The room of its mark, beyond the port."""
    heading: int
    """The way on: 0 right, 1 down, 2 left, 3 up."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A layout in the plane."""

    tiles: tuple[PlacedTile, ...]
    """In play order."""
    ends: tuple[OpenEnd, ...]
    """In the order of the layout's attachment points."""
    box: Box
    """What holds all tiles and marks."""


MAX_MARK: Final = 12
"""Grid units that the mark of an open end may reach."""


def plan_layout(layout: Layout, mark: int = 2) -> Plan:
    """The plan of a layout; the same for every equal layout.

    :param mark: how far the mark of an open end reaches, in grid units, 2..12.
    :raises LimitsError: ``mark`` is out of range.
    :raises ViewError: ``layout`` is not a :class:`Layout`.
    """
    return _plan(layout, _read_mark(layout, mark), _lay)


def plan_growing_layout(layout: Layout, mark: int = 2) -> Plan:
    """A plan for a table that people watch: as few tiles as possible change their place from one placement to the next.

    It is the plan before the last placement with one more tile, as long as that fits; otherwise, and when the sniff
    becomes the middle, all tiles are laid anew. So it depends on the order of the placements.

    :param mark: how far the mark of an open end reaches, in grid units, 2..12.
    :raises LimitsError: ``mark`` is out of range.
    :raises ViewError: ``layout`` is not a :class:`Layout`.
    """
    mark = _read_mark(layout, mark)
    return _grown_plan(layout.placements, mark)


def _read_mark(layout: Layout, mark: int) -> int:
    """The reach of a mark; both arguments are checked."""
    read_kind(layout, Layout, "layout", "NOT_A_LAYOUT", ViewError)
    return read_whole(mark, "mark", 2, MAX_MARK)


@lru_cache(maxsize=4096)
def _grown_plan(placements: tuple[Move, ...], mark: int) -> Plan:
    """The plan after some placements, made from the plan before the last one."""
    return _plan(Layout.of(placements), mark, lambda root, arms, mark: _grow(root, arms, mark, placements))


def _plan(layout: Layout, mark: int, lay: Callable[[Tile, Sequence["_Arm"], int], "_Laid"]) -> Plan:
    """The plan of a layout, whose tiles ``lay`` lays."""
    if not layout.placements:
        return Plan((), (), Box(0, 0, 0, 0))
    root, arms = _arms(layout)
    laid = lay(root, arms, mark)
    order = {move.tile: i for i, move in enumerate(layout.placements)}
    tiles = sorted(
        (replace(tile, move=layout.placements[order[tile.tile]]) for tile in laid.tiles()),
        key=lambda tile: order[tile.tile],
    )
    return Plan(tuple(tiles), _ends(layout, laid, arms, mark), laid.box)


# The layout as arms


class _Link(NamedTuple):
    """A tile of an arm."""

    tile: Tile
    entry: str
    """The port by which it hangs on the tile before."""
    move: Move
    """The tile alone: where it was joined is filled in once the plan is chosen."""


class _Arm(NamedTuple):
    heading: int
    start: Spot
    """The middle of the root's port."""
    links: tuple[_Link, ...]
    end: str | None
    """The open port at its end; ``None`` if that is closed still."""


class ArmTiles(NamedTuple):
    """An arm without its place on the plan."""

    heading: int
    """The way that it leaves the tile in the middle: 0 right, 1 down, 2 left, 3 up."""
    tiles: tuple[tuple[int, int], ...]
    """From the middle outward: the pips of each tile's near half and of its far half."""
    end: str | None
    """The attachment point at its end; ``None`` where nothing can be joined yet."""


def arms_of(layout: Layout) -> tuple[Tile | None, tuple[ArmTiles, ...]]:
    """The tile in the middle of a plan, ``None`` before the lead, and the arms that leave it."""
    if not layout.placements:
        return None, ()
    root, arms = _arms(layout)
    return root, tuple(ArmTiles(arm.heading, tuple(map(_outward, arm.links)), arm.end) for arm in arms)


def _outward(link: _Link) -> tuple[int, int]:
    tile = link.tile
    return (tile.high, tile.low) if link.entry == "HIGH" else (tile.low, tile.high)


def _arms(layout: Layout) -> tuple[Tile, list[_Arm]]:
    """The tile in the middle and what hangs on it."""
    root = layout.sniff or layout.placements[0].tile
    joined = _joints(layout)
    is_open = {point.name for point in layout.attachment_points}
    arms = []
    for port, (heading, start) in _ROOT_PORTS[root.is_double].items():
        links, name = [], f"{root}:{port}"
        while name in joined:
            tile, entry = joined[name]
            links.append(_Link(tile, entry, Move(tile)))
            name = f"{tile}:{_opposite(tile, entry)}"
        if links or name in is_open:
            arms.append(_Arm(heading, start, tuple(links), name if name in is_open else None))
    return root, arms


_ROOT_PORTS: Final = {
    False: {"LOW": (LEFT, Spot(-2, 0)), "HIGH": (RIGHT, Spot(2, 0))},
    True: {
        "LINE_A": (LEFT, Spot(-1, 0)),
        "LINE_B": (RIGHT, Spot(1, 0)),
        "SIDE_A": (UP, Spot(0, -2)),
        "SIDE_B": (DOWN, Spot(0, 2)),
    },
}
"""By whether the root is a double: its ports, the way that an arm leaves, and where."""


def _joints(layout: Layout) -> dict[str, tuple[Tile, str]]:
    """By port, the tile joined to it and that tile's port."""
    joints = {}
    for move in layout.placements[1:]:
        at = move.at or ""
        parent, port = Tile.parse(at.partition(":")[0]), at.partition(":")[2]
        entry = "LINE_A" if move.tile.is_double else ("LOW" if _pips(parent, port) == move.tile.low else "HIGH")
        joints[at] = move.tile, entry
        joints[f"{move.tile}:{entry}"] = parent, port
    return joints


def _pips(tile: Tile, port: str) -> int:
    return tile.high if port == "HIGH" else tile.low


def _opposite(tile: Tile, port: str) -> str:
    """The other end of a tile in a row."""
    first, second = ports_of(tile)[:2]
    return second if port == first else first


# Laying


class _Cursor(NamedTuple):
    """Where an arm goes on: the middle of its last edge, and the way."""

    x: int
    y: int
    heading: int


@dataclass(frozen=True, slots=True)
class _Laid:
    """A plan in the making: the last tile laid, on top of the plan before it."""

    before: "_Laid | None"
    tile: PlacedTile
    cursors: tuple[_Cursor, ...]
    """By arm."""
    taken: int
    """Set of grid squares that no further tile may cover, except those around the arms' last tiles."""
    around: tuple[int, ...]
    """By arm, the squares of and around its last tile."""
    box: Box
    turns: float
    root: int
    """The squares of and around the first tile: only the first tiles of arms may come near it."""

    def tiles(self) -> Iterator[PlacedTile]:
        """All tiles, the last first."""
        laid: _Laid | None = self
        while laid is not None:
            yield laid.tile
            laid = laid.before


def _lay(root: Tile, arms: Sequence[_Arm], mark: int) -> _Laid:
    """The cheapest plan within the least width that some plan keeps to; straight arms always fit in some width."""
    width = WIDTH
    while True:
        laid = _search(root, arms, mark, width)
        if laid is not None:
            return laid
        width += 8


def _grow(root: Tile, arms: Sequence[_Arm], mark: int, placements: tuple[Move, ...]) -> _Laid:
    """The plan before the last placement with one more tile; laid anew where that does not fit."""
    if placements[-1].tile != root:  # otherwise it becomes the middle
        before = _grown_plan(placements[:-1], mark)
        laid = _search(root, arms, mark, WIDTH, {placed.tile: placed.box for placed in before.tiles})
        if laid is not None:
            return laid
    return _lay(root, arms, mark)


def _search(
    root: Tile, arms: Sequence[_Arm], mark: int, width: int, fixed: Mapping[Tile, Box] = MappingProxyType({})
) -> _Laid | None:
    """The cheapest plan that the beam finds; ``None`` if it finds none.

    :param fixed: where tiles must lie.
    """
    beam = [_first(root, arms)]
    for arm, link in _turns(arms):
        before, place = _before(arms[arm], link), fixed.get(link.tile)
        steps = [
            step
            for laid in beam
            for step in _steps(laid, arm, link, before, width)
            if place is None or step.put.box == place
        ]
        steps.sort(key=lambda step: step.cost)
        beam = [_after(step, arm, link) for step in steps[:BEAM]]
    whole = [marked for laid in beam if (marked := _with_marks(laid, arms, mark, width)) is not None]
    return min(whole, key=lambda laid: _cost(laid.box, laid.turns), default=None)


def _cost(box: Box, turns: float) -> float:
    """What is wrong with a plan: turns, then width and height beyond what is easy to show."""
    width, height = box.width, box.height
    return turns + 0.35 * max(0, width - EASY) + 0.25 * max(0, height - EASY) + 0.02 * (width + height)


def _first(root: Tile, arms: Sequence[_Arm]) -> _Laid:
    if root.is_double:
        placed = PlacedTile(Move(root), Box(-1, -2, 1, 2), Spot(0, -1), Spot(0, 1))
    else:
        placed = PlacedTile(Move(root), Box(-2, -1, 2, 1), Spot(-1, 0), Spot(1, 0))
    cursors = tuple(_Cursor(*arm.start, arm.heading) for arm in arms)
    return _Laid(None, placed, cursors, 0, (0,) * len(arms), placed.box, 0, _squares(_grown(placed.box, 1)))


def _turns(arms: Sequence[_Arm]) -> Iterator[tuple[int, _Link]]:
    """The order of laying: outwards, a tile of each arm in turn, so that all find room."""
    for distance in range(max((len(arm.links) for arm in arms), default=0)):
        for i, arm in enumerate(arms):
            if distance < len(arm.links):
                yield i, arm.links[distance]


class _Step(NamedTuple):
    """One way to lay the next tile of an arm."""

    cost: float
    laid: _Laid
    put: "_Put"
    whole: Box
    turns: float


def _before(arm: _Arm, link: _Link) -> Tile | None:
    """The tile before another in an arm; ``None`` for the first."""
    place = arm.links.index(link)
    return arm.links[place - 1].tile if place else None


def _steps(laid: _Laid, arm: int, link: _Link, before: Tile | None, width: int) -> Iterator[_Step]:
    """The ways to lay the next tile of an arm: straight on, or round a corner, though hardly beside a double."""
    first = before is None
    corner = AFTER_DOUBLE if before is not None and before.is_double else 1.0
    taken = laid.taken if first else laid.taken | laid.root
    for other, mask in enumerate(laid.around):
        if other != arm:
            taken |= mask
    for bend in (0,) if link.tile.is_double or first else (0, 1, -1):
        put = _put(laid.cursors[arm], link.tile.is_double, bend)
        if put.squares & taken:
            continue
        whole = laid.box.around(put.box)
        if whole.width <= width:
            turns = laid.turns + (corner if bend else 0.0)
            yield _Step(_cost(whole, turns), laid, put, whole, turns)


def _after(step: _Step, arm: int, link: _Link) -> _Laid:
    """The plan with the tile in place."""
    laid, put = step.laid, step.put
    low, high = (put.far, put.near) if link.entry == "HIGH" else (put.near, put.far)
    return _Laid(
        before=laid,
        tile=PlacedTile(link.move, put.box, low, high),
        cursors=(*laid.cursors[:arm], put.after, *laid.cursors[arm + 1 :]),
        taken=laid.taken | laid.around[arm],
        around=(*laid.around[:arm], put.squares_around, *laid.around[arm + 1 :]),
        box=step.whole,
        turns=step.turns,
        root=laid.root,
    )


class _Put(NamedTuple):
    """A tile laid at a cursor."""

    box: Box
    near: Spot
    """The middle of the joined half; of a double, of the upper or left half."""
    far: Spot
    """The middle of the other half."""
    after: _Cursor
    """Where the arm goes on."""
    shape: int
    """The grid squares that it covers, as if it lay in the grid's corner."""
    place: int
    """How many squares after the corner it lies."""
    around: int
    """Like ``shape``, with the squares around it."""

    @property
    def squares(self) -> int:
        """The set of grid squares that it covers. It is some kilobytes large, so it is not kept."""
        return self.shape << self.place

    @property
    def squares_around(self) -> int:
        """The set of these squares and of those around them."""
        return self.around << self.place - _ROW - 1


@lru_cache(maxsize=4096)
def _put(cursor: _Cursor, double: bool, bend: int) -> _Put:
    """Lay a tile, a double crosswise, a plain tile straight on (0) or bent to its right (1) or left (-1)."""
    x, y, heading = cursor
    dx, dy = _STEP[heading]
    near = Spot(x + dx, y + dy)
    if double:
        first, second = (Spot(near.x - abs(dy), near.y - abs(dx)), Spot(near.x + abs(dy), near.y + abs(dx)))
        return _put_at(first, second, _Cursor(x + 2 * dx, y + 2 * dy, heading))
    turned = (heading + bend) % 4
    tx, ty = _STEP[turned]
    far = Spot(near.x + 2 * tx, near.y + 2 * ty)
    return _put_at(near, far, _Cursor(far.x + tx, far.y + ty, turned))


def _put_at(near: Spot, far: Spot, after: _Cursor) -> _Put:
    box = _hull(near, far)
    around = _grown(box, 1)
    return _Put(box, near, far, after, _shape(box.width, box.height), _place(box), _shape(around.width, around.height))


def _hull(corner: Spot, opposite: Spot) -> Box:
    """The tile whose halves have these middles."""
    return Box(
        min(corner.x, opposite.x) - 1,
        min(corner.y, opposite.y) - 1,
        max(corner.x, opposite.x) + 1,
        max(corner.y, opposite.y) + 1,
    )


def _with_marks(laid: _Laid, arms: Sequence[_Arm], mark: int, width: int) -> _Laid | None:
    """The plan with room for the marks of the open ends; ``None`` if there is none."""
    rooms = [(i, _mark_box(laid.cursors[i], mark)) for i, arm in enumerate(arms) if arm.end is not None]
    box = laid.box
    for i, room in rooms:
        taken = laid.taken | (laid.root if arms[i].links else 0)
        for other, mask in enumerate(laid.around):
            taken |= mask if other != i else 0
        for other, another in rooms:
            taken |= _squares(another) if other != i else 0
        if _squares(room) & taken:
            return None
        box = box.around(room)
    return replace(laid, box=box) if box.width <= width else None


def _mark_box(cursor: _Cursor, reach: int) -> Box:
    dx, dy = _STEP[cursor.heading]
    tip = Spot(cursor.x + reach * dx, cursor.y + reach * dy)
    return Box(
        min(cursor.x, tip.x) - abs(dy),
        min(cursor.y, tip.y) - abs(dx),
        max(cursor.x, tip.x) + abs(dy),
        max(cursor.y, tip.y) + abs(dx),
    )


def _grown(box: Box, by: int) -> Box:
    return Box(box.left - by, box.top - by, box.right + by, box.bottom + by)


_ROW: Final = 224
"""Squares in a row of the grid. The longest row of tiles has 98, and may run any way from the middle."""


def _squares(box: Box) -> int:
    """The set of grid squares that a box covers."""
    return _shape(box.width, box.height) << _place(box)


def _place(box: Box) -> int:
    """The number of a box's first square."""
    return (box.top + _ROW // 2) * _ROW + box.left + _ROW // 2


@lru_cache(maxsize=64)
def _shape(width: int, height: int) -> int:
    """The squares of a box in the grid's corner."""
    return int(sum(((1 << width) - 1) << line * _ROW for line in range(height)))


# Open ends


def _ends(layout: Layout, laid: _Laid, arms: Sequence[_Arm], mark: int) -> tuple[OpenEnd, ...]:
    cursors = {arm.end: cursor for arm, cursor in zip(arms, laid.cursors, strict=True)}
    values = end_values(layout)
    return tuple(
        OpenEnd(point.name, point.pips, values.get(point.name), _mark_box(cursor, mark), cursor.heading)
        for point in layout.attachment_points
        for cursor in (cursors[point.name],)
    )


def end_values(layout: Layout) -> dict[str, int]:
    """What each attachment point counts, by name; a lone double counts once, at its first port (docs/rules.md §4)."""
    values: dict[str, int] = {}
    counted = {tile for tile, _ in layout.contributions}
    seen = set()
    for point in layout.attachment_points:
        whole = point.tile.is_double and point.port.startswith("LINE")
        if point.tile not in counted or (whole and point.tile in seen):
            continue
        seen.add(point.tile)
        values[point.name] = 2 * point.pips if whole else point.pips
    return values
