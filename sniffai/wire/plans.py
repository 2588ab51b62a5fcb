"""Plans of the table to messages."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from sniffai.draw.geometry import MAX_MARK, Box, OpenEnd, PlacedTile, Spot, plan_growing_layout
from sniffai.errors import SniffError
from sniffai.layout import Layout
from sniffai.v1 import move_pb2
from sniffai.v1 import table_plan_pb2 as pb
from sniffai.wire.errors import Violation, WireError
from sniffai.wire.faults import Faults

MIN_ROOM: Final = 2
"""Grid units of an open end's room, unless a request asks for more."""

MAX_ROOM: Final = MAX_MARK
"""Grid units that a request may ask for."""

HEADINGS: Final = (pb.HEADING_RIGHT, pb.HEADING_DOWN, pb.HEADING_LEFT, pb.HEADING_UP)


def read_layout(placements: Sequence[move_pb2.Move], path: str = "placements") -> Layout:
    """The table after these placements, whoever made them.

    :raises WireError: one does not exist, or does not fit.
    """
    faults = Faults()
    moves = faults.moves(faults.limited(placements, path), path)
    faults.check()
    try:
        return Layout.of(moves)
    except SniffError as error:
        raise WireError(Violation.of(error, f"{path}{error.field}")) from None


def read_room(room: int) -> int:
    """How far the room of an open end reaches, in grid units; 0 is the default.

    :raises WireError: it is out of range.
    """
    if room and not MIN_ROOM <= room <= MAX_ROOM:
        text = f"the room of an open end is {MIN_ROOM}..{MAX_ROOM} grid units, not {room}"
        raise WireError(Violation("end_room", "NUMBER_OUT_OF_RANGE", text))
    return room or MIN_ROOM


@lru_cache(maxsize=1024)
def write_plan(layout: Layout, room: int) -> pb.TablePlan:
    """Where the tiles of a layout lie. Callers share the message, so they must not change it.

    A plan takes a millisecond, some take fifty, and every seat of a match asks for the same one.

    :param room: see :func:`read_room`.
    """
    plan = plan_growing_layout(layout, room)
    return pb.TablePlan(
        box=_box(plan.box) if plan.tiles else None, tiles=map(_tile, plan.tiles), open_ends=map(_end, plan.ends)
    )


def _tile(placed: PlacedTile) -> pb.PlannedTile:
    return pb.PlannedTile(tile=str(placed.tile), low=_point(placed.low), high=_point(placed.high))


def _end(end: OpenEnd) -> pb.PlannedEnd:
    return pb.PlannedEnd(at=end.name, pips=end.pips, value=end.value, room=_box(end.box), heading=HEADINGS[end.heading])


def _box(box: Box) -> pb.PlanBox:
    return pb.PlanBox(left=box.left, top=box.top, right=box.right, bottom=box.bottom)


def _point(spot: Spot) -> pb.PlanPoint:
    return pb.PlanPoint(x=spot.x, y=spot.y)
