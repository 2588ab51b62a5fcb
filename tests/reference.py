"""The rules of American Sniff once more, slow and literal: the twin against which the compiled core is tested.

Written from docs/rules.md alone, section by section, and from nothing of the engine's. A layout is a graph of joined
halves, named as the rules name them (``4|6:HIGH``); a hand is a list of tiles; nothing is packed. Every question is
answered by looking at the table. Kept are the meanings of names, which never change, and from one placement to the next
the attachment points, the tiles' places there and the counted ends.

``python -m tests.reference perft`` writes ``tests/data/perft`` again.
"""

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

HAND_SIZE = {2: 7, 3: 6, 4: 5}
"""Tiles dealt to each seat, by the number of seats (rules §1)."""

TARGET = {2: 250, 3: 200, 4: 200}
"""The score that wins the match, by the number of seats (rules §1)."""


class Tile(NamedTuple):
    """A tile of the double-six set, 0 ≤ low ≤ high ≤ 6 (rules §1)."""

    low: int
    high: int

    @cache  # noqa: B019 - there are 28 tiles
    def __str__(self) -> str:
        return f"{self.low}|{self.high}"

    @property
    def is_double(self) -> bool:
        return self.low == self.high


SET = [Tile(low, high) for low in range(7) for high in range(low, 7)]
"""All 28 tiles in ascending order."""

Placement = tuple[Tile, str | None]
"""A tile and the name of the attachment point that it is joined to (None: it leads)."""


@cache
def parse(text: str) -> Tile:
    """``"4|6"`` as a tile."""
    low, high = text.split("|")
    return Tile(int(low), int(high))


class Layout:
    """The table (rules §3, §4): tiles in the order played and the halves joined to one another."""

    def __init__(self) -> None:
        self.placements: list[Placement] = []
        self.joined: dict[str, str] = {}
        """Port name to port name, once in each direction."""
        self.sniff: Tile | None = None
        """The first double played in the round, or None so far."""
        self.points_now: list[tuple[str, int]] | None = None
        """The attachment points, once asked for; None after a placement."""
        self.places_now: dict[Tile, list[str | None]] = {}
        """Where tiles could be joined, as far as asked for; new after a placement, so copies share it until then."""
        self.ends_now: list[tuple[Tile, int]] | None = None
        """The counted ends, once asked for; None after a placement."""

    def copy(self) -> "Layout":
        """An independent copy."""
        other = Layout()
        other.placements, other.joined = list(self.placements), dict(self.joined)
        other.sniff, other.points_now = self.sniff, self.points_now
        other.places_now, other.ends_now = self.places_now, self.ends_now
        return other

    @property
    def tiles(self) -> list[Tile]:
        return [tile for tile, _ in self.placements]

    def ports(self, tile: Tile) -> list[str]:
        """The ports of a tile on the table; the sniff alone has sides."""
        return names_of_ports(tile, tile.is_double and tile == self.sniff)

    def unjoined(self, tile: Tile, *names: str) -> list[str]:
        """Those of a tile's named ports that nothing is joined to yet."""
        return [port for port in named(tile, names) if port not in self.joined]

    def attachment_points(self) -> list[tuple[str, int]]:
        """Names and pips of every attachment point, by ascending tile, then in the order of its ports."""
        if self.points_now is None:
            open_ports = (port for tile in sorted(self.tiles) for port in self.ports(tile) if self.is_open(port))
            self.points_now = [(port, pips(port)) for port in open_ports]
        return list(self.points_now)

    def is_open(self, port: str) -> bool:
        """Whether a port of a tile on the table is an attachment point now."""
        if port in self.joined:
            return False
        tile, name = parts(port)
        return not (name.startswith("SIDE") and self.unjoined(tile, "LINE_A", "LINE_B"))

    def contributions(self) -> list[tuple[Tile, int]]:
        """Every counted end as (tile, value), in ascending order (rules §4)."""
        return sorted(self.ends())

    def ends(self) -> list[tuple[Tile, int]]:
        """The same in the order of play."""
        if self.ends_now is None:
            self.ends_now = [(tile, value) for tile in self.tiles for value in self.counted_ends(tile)]
        return list(self.ends_now)

    def counted_ends(self, tile: Tile) -> list[int]:
        """What one tile on the table counts, end by end."""
        if not tile.is_double:
            return [pips(port) for port in self.unjoined(tile, "LOW", "HIGH")]
        if self.unjoined(tile, "LINE_A", "LINE_B"):
            return [tile.low + tile.high]
        if tile == self.sniff:
            return [tile.low for _ in self.unjoined(tile, "SIDE_A", "SIDE_B")]
        return []

    @property
    def count(self) -> int:
        return sum([value for _, value in self.ends()])

    @property
    def points(self) -> int:
        """What the last placement scored: the count if it is a positive multiple of 5, else nothing."""
        count = self.count
        return count if count > 0 and count % 5 == 0 else 0

    def places_for(self, tile: Tile) -> list[str | None]:
        """Where a tile could be joined now; ``[None]``, the lead, on an empty table."""
        if not self.placements:
            return [None]
        if tile not in self.places_now:
            self.places_now[tile] = [port for port, value in self.attachment_points() if value in tile]
        return list(self.places_now[tile])

    def place(self, tile: Tile, at: str | None) -> None:
        """Puts a tile on the table.

        :raises ValueError: if the tile cannot be joined there.
        """
        if tile in self.tiles or at not in self.places_for(tile):
            raise ValueError(f"{tile} cannot be joined at {at}")
        self.placements.append((tile, at))
        if tile.is_double and self.sniff is None:
            self.sniff = tile
        self.points_now, self.places_now, self.ends_now = None, {}, None
        if at is not None:
            near = f"{tile}:{near_port(tile, pips(at))}"
            self.joined[near] = at
            self.joined[at] = near


@cache
def named(tile: Tile, names: tuple[str, ...]) -> list[str]:
    """The full names of some of a tile's ports."""
    return [f"{tile}:{name}" for name in names]


@cache
def names_of_ports(tile: Tile, is_sniff: bool) -> list[str]:
    """The names of a tile's ports, in their order."""
    names = ("LINE_A", "LINE_B") if tile.is_double else ("LOW", "HIGH")
    return named(tile, names + ("SIDE_A", "SIDE_B") * is_sniff)


@cache
def parts(port: str) -> tuple[Tile, str]:
    """The tile and the bare name of a port: ``"4|6:HIGH"`` → 4|6, ``"HIGH"``."""
    tile, name = port.split(":")
    return parse(tile), name


@cache
def pips(port: str) -> int:
    """The pips of a port by its name."""
    tile, name = parts(port)
    return tile.high if name == "HIGH" else tile.low


def near_port(tile: Tile, value: int) -> str:
    """The port by which a tile is joined to a half of ``value`` pips."""
    if tile.is_double:
        return "LINE_A"
    return "LOW" if tile.low == value else "HIGH"


def rounded(pips_left: int) -> int:
    """The nearest multiple of 5 (rules §6): 2 → 0, 3 → 5."""
    below = pips_left - pips_left % 5
    return below if pips_left - below < below + 5 - pips_left else below + 5


@dataclass
class Round:
    """One round with every hand known (rules §2–§7). Forced draws and passes happen by themselves."""

    players: int
    hands: list[list[Tile]]
    talon: list[Tile]
    leader: int
    scores: list[int]
    layout: Layout = field(default_factory=Layout)
    events: list[dict[str, Any]] = field(default_factory=list)
    forced: Tile | None = None
    """The tile just drawn that must be played at once (rules §5)."""
    over: bool = False
    went_out: int | None = None
    blocked: bool = False
    match_winner: int | None = None

    def __post_init__(self) -> None:
        self.dealt = [list(hand) for hand in self.hands]
        self.scores_before = list(self.scores)
        self.seat = self.leader
        self.settlement = [0] * self.players
        """What the settlement took for each hand."""

    def team(self, seat: int) -> int:
        return seat % 2 if self.players == 4 else seat

    def playable(self, seat: int) -> list[Tile]:
        """The tiles of a hand that could be joined now."""
        return [tile for tile in self.hands[seat] if self.layout.places_for(tile)]

    def legal_moves(self) -> list[Placement]:
        """What the seat to move may do, by ascending tile, then attachment point; empty once the round is over."""
        if self.over:
            return []
        tiles = self.playable(self.seat) if self.forced is None else [self.forced]
        return [(tile, at) for tile in sorted(tiles) for at in self.layout.places_for(tile)]

    def play(self, tile: Tile, at: str | None) -> int:
        """Plays a legal move and returns the points it scored.

        :raises ValueError: if the move is not legal.
        """
        if (tile, at) not in self.legal_moves():
            raise ValueError(f"{tile} at {at} is not a legal move")
        seat = self.seat
        self.forced = None
        self.hands[seat].remove(tile)
        self.layout.place(tile, at)
        points = self.layout.points
        self.scores[self.team(seat)] += points
        self.events.append({"play": str(tile), "at": at, "seat": seat, "points": points})
        self.after_placement(seat, points)
        return points

    def after_placement(self, seat: int, points: int) -> None:
        """The match won at once (rules §7), the seat gone out (rules §6), or the next turn."""
        if points and self.scores[self.team(seat)] >= TARGET[self.players]:
            self.match_winner = self.team(seat)
            self.over = True
        elif not self.hands[seat]:
            self.went_out = seat
            self.settle()
        else:
            self.next_turn()

    def next_turn(self) -> None:
        """Goes clockwise to the first seat that can play, drawing and passing on the way (rules §5)."""
        for _ in range(self.players):
            self.seat = (self.seat + 1) % self.players
            if self.playable(self.seat) or self.draw():
                return
            self.events.append({"pass": True, "seat": self.seat})
        self.blocked = True
        self.settle()

    def draw(self) -> bool:
        """Draws tile by tile until one can be joined (True) or the talon is empty (False)."""
        drawn: list[Tile] = []
        while self.talon and self.forced is None:
            drawn.append(self.talon.pop(0))
            if self.layout.places_for(drawn[-1]):
                self.forced = drawn[-1]
        self.hands[self.seat] += drawn
        if drawn:
            tiles = [str(tile) for tile in drawn]
            self.events.append({"draw": len(drawn), "seat": self.seat, "tiles": tiles})
        return self.forced is not None

    def settle(self) -> None:
        """Takes what is left in each hand, rounded by itself, from its owner's score (rules §6)."""
        self.over = True
        for seat, hand in enumerate(self.hands):
            self.settlement[seat] = rounded(sum(tile.low + tile.high for tile in hand))
            self.scores[self.team(seat)] -= self.settlement[seat]

    def again(self, placements: int | None = None) -> "Round":
        """A fresh round of the same deal after its first placements (None: all of them)."""
        drawn = [parse(tile) for event in self.events if "draw" in event for tile in event["tiles"]]
        hands = [list(hand) for hand in self.dealt]
        other = Round(self.players, hands, drawn + self.talon, self.leader, list(self.scores_before))
        for tile, at in self.layout.placements[:placements]:
            other.play(tile, at)
        return other

    def sizes(self) -> list[int]:
        return [len(hand) for hand in self.hands]

    def seen_by(self, seat: int) -> list[dict[str, Any]]:
        """The events as one seat sees them: the tiles of the others' draws left out (rules §5)."""
        return [
            {key: value for key, value in event.items() if key != "tiles" or event["seat"] == seat}
            for event in self.events
        ]


def first_round(players: int, order: Sequence[Tile], leader: int, scores: Sequence[int]) -> Round:
    """A round dealt from a shuffled set: a hand after the other, the talon last."""
    size = HAND_SIZE[players]
    hands = [list(order[seat * size : (seat + 1) * size]) for seat in range(players)]
    return Round(players, hands, list(order[players * size :]), leader, list(scores))


def teams(players: int) -> int:
    """The number of scores kept (rules §1)."""
    return 3 if players == 3 else 2


def dealt(players: int, seed: int, scores: Sequence[int] | None = None) -> Round:
    """A round dealt by Python's seeded generator."""
    rng = random.Random(seed)
    order = rng.sample(SET, len(SET))
    return first_round(players, order, rng.randrange(players), scores or [0] * teams(players))


def perft(start: Round, depth: int) -> int:
    """The number of ways to go on from a round by exactly ``depth`` placements.

    Two attachment points are two ways, even with equal pips. Draws and passes are no plies. A round that ends before
    ``depth`` adds nothing.
    """
    if depth == 0:
        return 1
    if depth == 1:
        return len(start.legal_moves())
    total = 0
    for tile, at in start.legal_moves():
        after = start.again()
        after.play(tile, at)
        total += perft(after, depth - 1)
    return total


def line(start: Round) -> str:
    """A round as one line of text, in the form of docs/notation.md: the deal, a colon, the placements so far."""
    fresh = start.again(0)
    hands = "/".join(",".join(map(str, sorted(hand))) for hand in fresh.hands)
    scores = ",".join(map(str, fresh.scores))
    head = f"round players={fresh.players} leader={fresh.leader} scores={scores} hands={hands}"
    moves = [f"{tile}@{at}" if at else str(tile) for tile, at in start.layout.placements]
    return " ".join([head, f"talon={','.join(map(str, fresh.talon))}", ":", *moves])


def at_random(players: int, seed: int, placements: int, scores: Sequence[int] | None = None) -> Round:
    """A seeded deal after some placements at random (fewer where it ends before)."""
    round_, rng = dealt(players, seed, scores), random.Random(seed)
    while not round_.over and len(round_.layout.placements) < placements:
        round_.play(*rng.choice(round_.legal_moves()))
    return round_


PERFT_CASES = {
    2: [(1, 0, None, 7), (2, 6, None, 10), (7, 10, None, 14), (21, 3, [240, 235], 8)],
    3: [(3, 0, None, 7), (4, 6, None, 10), (5, 11, None, 12), (22, 4, [190, 195, -20], 8)],
    4: [(6, 0, None, 7), (8, 6, None, 12), (9, 10, None, 12), (23, 4, [185, 190], 9)],
}
"""By seats, the (seed, placements at random, scores, depth) of the positions in ``tests/data/perft``."""


def perft_block(players: int, seed: int, placements: int, scores: Sequence[int] | None, depth: int) -> str:
    """A line ``position …``, then a line ``perft DEPTH COUNT`` for each depth."""
    start = at_random(players, seed, placements, scores)
    counts = [f"perft {plies} {perft(start, plies)}" for plies in range(1, depth + 1)]
    return "\n".join([f"position {line(start)}", *counts]) + "\n"


def write_perft(folder: Path) -> None:
    """Writes ``2-seats.perft`` and its sisters; takes some minutes."""
    for players, cases in PERFT_CASES.items():
        blocks = [perft_block(players, *case) for case in cases]
        (folder / f"{players}-seats.perft").write_text("\n".join(blocks))


if __name__ == "__main__":
    if sys.argv[1:] != ["perft"]:
        sys.exit("usage: python -m tests.reference perft")
    write_perft(Path(__file__).parent / "data" / "perft")
