"""The literal twin's values in the numbers of the compiled core."""

from collections.abc import Iterable
from typing import Any

from sniffai_ext.round import Round as CoreRound
from tests.reference import SET, Placement, Round, Tile, parse

PORTS = {"LOW": 0, "HIGH": 1, "LINE_A": 0, "LINE_B": 1, "SIDE_A": 2, "SIDE_B": 3}
_NUMBERS = {tile: number for number, tile in enumerate(SET)}


def index(tile: Tile) -> int:
    """A tile's number in the core, 0..27."""
    return _NUMBERS[tile]


def mask(tiles: Iterable[Tile]) -> int:
    """A set of tiles in the core."""
    return sum(1 << index(tile) for tile in tiles)


def code(at: str | None) -> int:
    """An attachment point's number in the core; -1 for the lead."""
    if at is None:
        return -1
    tile, port = at.split(":")
    return 4 * index(parse(tile)) + PORTS[port]


def name(at: int) -> str:
    """The name of an attachment point's number."""
    tile = SET[at // 4]
    ports = ["LINE_A", "LINE_B", "SIDE_A", "SIDE_B"] if tile.is_double else ["LOW", "HIGH"]
    return f"{tile}:{ports[at % 4]}"


def codes(move: Placement) -> tuple[int, int]:
    """A move in the core."""
    return index(move[0]), code(move[1])


def core_event(event: dict[str, Any]) -> tuple[Any, ...]:
    """An event in the core."""
    if "play" in event:
        return "play", event["seat"], index(parse(event["play"])), code(event["at"]), event["points"]
    if "draw" in event:
        return "draw", event["seat"], tuple(index(parse(tile)) for tile in event["tiles"])
    return "pass", event["seat"]


def core_round(literal: Round) -> CoreRound:
    """The same round in the core, played as far."""
    fresh = literal.again(0)
    hands, talon = [mask(hand) for hand in fresh.hands], [index(tile) for tile in fresh.talon]
    core = CoreRound(fresh.players, hands, talon, fresh.leader, fresh.scores)
    for move in literal.layout.placements:
        core.play(*codes(move))
    return core
