"""Whether a seat can have seen a history: rules §5 checked event by event, then all deals counted."""

from dataclasses import dataclass, field
from typing import Any

from tests.reference import HAND_SIZE, SET, TARGET, Layout, Tile, parse
from tests.reference_belief import Sight, assignment_count, own_tiles


@dataclass
class Watch:
    """What a seat keeps in mind while the events go by."""

    sight: Sight
    scores: list[int]
    layout: Layout = field(default_factory=Layout)
    passes: int = 0
    drawing: int = 0
    """Tiles drawn in this turn so far."""
    over: bool = False

    def __post_init__(self) -> None:
        self.own = list(self.sight.hand)
        self.turn = self.sight.leader
        self.sizes = [HAND_SIZE[self.sight.players]] * self.sight.players
        self.talon = len(SET) - sum(self.sizes)

    def fits(self, tiles: list[Tile]) -> bool:
        return any(self.layout.places_for(tile) for tile in tiles)

    def allows(self, event: dict[str, Any]) -> bool:
        """Whether the rules and the seat's own tiles allow an event now; takes note of it if they do."""
        if self.over or event["seat"] != self.turn:
            return False
        mine = event["seat"] == self.sight.seat
        if "play" in event:
            return self.allows_play(event, mine)
        if not self.layout.placements:
            return False
        return self.allows_draw(event, mine) if "draw" in event else self.allows_pass(mine)

    def allows_play(self, event: dict[str, Any], mine: bool) -> bool:
        tile = parse(event["play"])
        if tile in self.layout.tiles or event["at"] not in self.layout.places_for(tile):
            return False
        if (tile in self.own) is not mine:
            return False
        self.layout.place(tile, event["at"])
        self.own = [other for other in self.own if other != tile]
        return self.after_play(event["seat"], event.get("points"))

    def after_play(self, seat: int, points: int | None) -> bool:
        players, scored = self.sight.players, self.layout.points
        team = seat % 2 if players == 4 else seat
        self.scores[team] += scored
        self.sizes[seat] -= 1
        self.over = self.sizes[seat] == 0 or bool(scored and self.scores[team] >= TARGET[players])
        self.passes = self.drawing = 0
        self.turn = (seat + 1) % players
        return points in (None, scored)

    def allows_draw(self, event: dict[str, Any], mine: bool) -> bool:
        number, tiles = event["draw"], [parse(tile) for tile in event.get("tiles", [])]
        if not 1 <= number <= self.talon or len(tiles) != (number if mine else 0):
            return False
        if mine and (self.fits(self.own) or self.fits(tiles[:-1]) or len(set(tiles)) < number):
            return False
        if set(tiles) & {*self.own, *self.layout.tiles}:
            return False
        self.own += tiles
        self.talon -= number
        self.sizes[event["seat"]] += number
        self.drawing += number
        return True

    def allows_pass(self, mine: bool) -> bool:
        if self.talon or (mine and self.fits(self.own)):
            return False
        self.passes += 1
        self.drawing = 0
        self.over = self.passes == self.sight.players
        self.turn = (self.turn + 1) % self.sight.players
        return True


def first_fault(sight: Sight, scores: list[int]) -> int | None:
    """The index of the first event that the rules or the seat's own tiles forbid, or None."""
    watch = Watch(sight, list(scores))
    return next((index for index, event in enumerate(sight.events) if not watch.allows(event)), None)


def joined(sight: Sight) -> Sight:
    """The same with the draws of one turn made one event."""
    events: list[dict[str, Any]] = []
    for event in sight.events:
        if events and "draw" in event and "draw" in events[-1]:
            both = {**events[-1], "draw": events[-1]["draw"] + event["draw"]}
            events[-1] = both | ({"tiles": both["tiles"] + event["tiles"]} if "tiles" in both else {})
        else:
            events.append(event)
    return Sight(sight.players, sight.seat, sight.leader, sight.hand, events)


def is_explained(sight: Sight) -> bool:
    """Whether some deal leads to a history without a fault of its own."""
    whole = joined(sight)
    return len(set(own_tiles(whole))) == len(own_tiles(whole)) and assignment_count(whole) > 0
