"""Writes views down as a person at a table would: halves in any order, places left out where they are unique."""

from collections.abc import Sequence
from random import Random

import sniffai
from sniffai import Draw, Event, Move, Play, Snapshot, Tile, View

SIGNS = ("", "-", "|", "/")


class Writer:
    """One person's habits, by lot."""

    def __init__(self, lots: Random) -> None:
        self.lots = lots
        self.sign = lots.choice(SIGNS)
        self.names_seats = lots.choice([0.0, 0.3, 1.0])
        self.one_line = lots.random() < 0.3

    def tile(self, tile: Tile) -> str:
        low, high = self.lots.sample((tile.low, tile.high), 2)
        return f"{low}{self.sign}{high}"

    def tiles(self, tiles: Sequence[Tile]) -> str:
        shuffled = self.lots.sample(list(tiles), len(tiles))
        return self.lots.choice([" ", ", "]).join(map(self.tile, shuffled))

    def move(self, move: Move, before: sniffai.Layout) -> str:
        """A placement; its place only where more than one fits, or the second of two mirror images is meant."""
        if move.at is None:
            return self.tile(move.tile)
        fitting = [point for point in before.attachment_points if point.pips in (move.tile.low, move.tile.high)]
        point = next(point for point in fitting if point.name == move.at)
        if len(fitting) == 1 or (
            self.lots.random() < 0.5 and {other.tile for other in fitting} == {point.tile} and fitting[0] is point
        ):
            return self.tile(move.tile)
        if len([other for other in fitting if other.tile == point.tile]) == 1:
            place = self.lots.choice([self.tile(point.tile), f"{self.tile(point.tile)}:{point.port.lower()}"])
        else:
            place = f"{self.tile(point.tile)}:{point.port}"
        return self.tile(move.tile) + self.lots.choice(["@", " at "]) + place

    def events(self, view: View) -> list[str]:
        played: list[Move] = []
        lines = []
        for event in view.events:
            lines.append(self.event(event, view.seat, sniffai.Layout.of(played)))
            if isinstance(event, Play):
                played.append(event.move)
        return lines

    def event(self, event: Event, own: int, before: sniffai.Layout) -> str:
        who = f"{event.seat}{self.lots.choice(['', ':'])} " if self.lots.random() < self.names_seats else ""
        if isinstance(event, Play):
            points = f" +{event.points}" if event.points and self.lots.random() < 0.5 else ""
            return who + self.move(event.move, before) + points
        if not isinstance(event, Draw):
            return who + self.lots.choice(["passes", "pass", "-"])
        if event.seat != own:
            return who + self.lots.choice(["draws ", "drew ", "+"]) + str(event.count)
        return who + "draws " + " ".join(map(self.tile, event.tiles or ()))

    def view(self, view: View) -> str:
        """The notes of a whole round as far as it went."""
        head = [f"players {view.players}", f"seat {view.seat}", f"leader {view.leader}"]
        self.lots.shuffle(head)
        if any(view.scores) or self.lots.random() < 0.5:
            before = self.lots.choice(["before", "scores before"])
            head.append(f"{before} {' '.join(map(str, view.scores))}")
        head.append(f"hand {self.tiles(view.dealt or ())}")
        events = self.events(view)
        return ("; " if self.one_line else "\n").join([*head, *events])

    def snapshot(self, view: View) -> str:
        """The table now."""
        played: list[Move] = []
        table = []
        for move in view.placements:
            table.append(self.move(move, sniffai.Layout.of(played)).replace(" at ", "@"))
            played.append(move)
        lines = [f"players {view.players}", f"seat {view.seat}", f"sizes {' '.join(map(str, view.hand_sizes))}"]
        lines.append(f"scores now {' '.join(map(str, view.scores_now))}")
        lines.append(f"hand now {self.tiles(view.hand)}")
        if table:
            lines.append(f"table {' '.join(table)}")
        if isinstance(view.position, Snapshot):
            for seat, suits in enumerate(view.position.voids):
                if suits:
                    lines.append(f"void {seat} {self.lots.choice(['', ' ']).join(map(str, suits))}")
        if view.forced is not None:
            lines.append(f"drawn {self.tile(view.forced)}")
        return "\n".join(lines)
