"""Reasons: each number is computed once more, from all worlds one by one and the twin of the rules."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import pytest

import sniffai
from sniffai.explain import LANGUAGES, Reason, ReasonKind, compare, prospect, reasons, render
from sniffai.rules import TARGET, team_of
from tests import reference

KINDS = set(ReasonKind) - {ReasonKind.CARELESS}
"""Those of every analysis; the other has tests of its own in tests/sniffai/search/test_careless.py."""


@dataclass
class Judge:
    """What a placement of one seat does, found out by trying everything."""

    view: sniffai.View
    found: list[sniffai.World] | None = None
    """All worlds, where they are known."""

    @cached_property
    def worlds(self) -> list["Deal"]:
        found = self.found or sniffai.Belief(self.view).worlds(4000)
        assert found is not None
        return [Deal([twins(hand) for hand in world.hands], twins(world.talon), world.weight) for world in found]

    @cached_property
    def next_seat(self) -> int:
        return (self.view.seat + 1) % self.view.players

    @cached_property
    def table(self) -> reference.Layout:
        layout = reference.Layout()
        for move in self.view.placements:
            layout.place(reference.parse(str(move.tile)), move.at)
        return layout

    @cached_property
    def unseen(self) -> list[reference.Tile]:
        own = [reference.parse(str(tile)) for tile in self.view.hand]
        return [tile for tile in reference.SET if tile not in own and tile not in self.table.tiles]

    def after(self, move: sniffai.Move) -> reference.Layout:
        layout = self.table.copy()
        layout.place(reference.parse(str(move.tile)), move.at)
        return layout

    def rest(self, move: sniffai.Move) -> list[reference.Tile]:
        return [reference.parse(str(tile)) for tile in self.view.hand if tile != move.tile]

    def moves(self) -> list[sniffai.Move]:
        """All legal moves, those of equal futures included."""
        return self.view.legal_moves()

    def others(self, move: sniffai.Move) -> list[sniffai.Move]:
        """The legal moves with another future."""
        core = self.view.core().layout
        tile, at = move.codes
        same = {(tile, point) for point in core.equal_points(tile, at)} | {(tile, at)}
        return [other for other in self.moves() if other.codes not in same]

    @cached_property
    def next_hands(self) -> list[tuple[list[reference.Tile], int]]:
        """What the next seat may hold: its hand in each world, and the world's weight."""
        return [(world.hands[self.next_seat], world.weight) for world in self.worlds]

    def expect(self, number: Callable[[list[reference.Tile]], float]) -> float:
        """The mean over all worlds of what follows from the next seat's hand."""
        total = sum(weight for _, weight in self.next_hands)
        return sum(weight * number(hand) for hand, weight in self.next_hands) / total

    def reply(self, layout: reference.Layout) -> float:
        points = self.points_of(layout)
        return self.expect(lambda hand: max([points[tile] for tile in hand], default=0))

    def points_of(self, layout: reference.Layout) -> dict[reference.Tile, int]:
        """What each tile that another seat may hold would score at best."""
        return {tile: best_points(layout, tile) for tile in self.unseen}

    def stuck(self, layout: reference.Layout) -> float:
        return self.expect(lambda hand: float(not any(layout.places_for(tile) for tile in hand)))

    def lacks(self, suit: int) -> float:
        return self.expect(lambda hand: float(not any(suit in tile for tile in hand)))

    def ends(self, move: sniffai.Move) -> bool:
        return not self.rest(move) or self.wins(move) or self.blocks(move)

    def mean(self, number: Callable[["Deal"], float]) -> float:
        """The mean over all worlds of anything."""
        total = sum(world.weight for world in self.worlds)
        return sum(world.weight * number(world) for world in self.worlds) / total

    @cached_property
    def others_in_turn(self) -> list[int]:
        players = self.view.players
        return [(self.view.seat + i) % players for i in range(1, players)]

    @property
    def partner(self) -> int:
        return (self.view.seat + 2) % 4

    @cached_property
    def short(self) -> list[int]:
        """The opponents with one tile."""
        own = team_of(self.view.players, self.view.seat)
        rivals = [seat for seat in self.others_in_turn if team_of(self.view.players, seat) != own]
        return [seat for seat in rivals if self.view.hand_sizes[seat] == 1]

    def place(self, move: sniffai.Move, seats: list[int]) -> float:
        """The chance that one of some seats holds a tile that fits after a move; 0 if the round ends with it."""
        layout = self.after(move)
        if self.ends(move):
            return 0.0
        return self.mean(lambda world: float(any(layout.places_for(tile) for tile in held(world, seats))))

    def all_stuck(self, move: sniffai.Move) -> float:
        return 0.0 if self.ends(move) else 1 - self.place(move, self.others_in_turn)

    def reply_of(self, move: sniffai.Move, seat: int) -> float:
        if self.ends(move):
            return 0.0
        points = self.points_of(self.after(move))
        return self.mean(lambda world: max([points[tile] for tile in world.hands[seat]], default=0))

    def match_lost(self, move: sniffai.Move) -> float:
        if self.ends(move):
            return 0.0
        needed = TARGET[self.view.players] - self.view.scores_now[team_of(self.view.players, self.next_seat)]
        points = self.points_of(self.after(move))
        return self.mean(lambda world: float(any(points[tile] >= needed for tile in world.hands[self.next_seat])))

    def costs(self, move: sniffai.Move, *, drawn: bool = False) -> list[float]:
        """What each hand is expected to cost, the talon in the next seat's hand or not."""

        def cost(seat: int) -> float:
            if seat == self.view.seat:
                return settled(self.rest(move))
            takes = drawn and seat == self.next_seat
            return self.mean(lambda world: settled([*world.hands[seat], *(world.talon if takes else [])]))

        return [cost(seat) for seat in range(self.view.players)]

    def margin(self, costs: list[float]) -> float:
        players = self.view.players
        team = team_of(players, self.view.seat)
        own = sum(cost for seat, cost in enumerate(costs) if team_of(players, seat) == team)
        others = sum(cost for seat, cost in enumerate(costs) if team_of(players, seat) != team)
        return (others / 2 if players == 3 else others) - own

    def run(self, move: sniffai.Move) -> int:
        return longest(self.after(move), self.rest(move))

    def seals(self, move: sniffai.Move) -> bool:
        layout = self.after(move)
        nothing = not any(layout.places_for(tile) for tile in [*self.rest(move), *self.unseen])
        return nothing and self.view.talon_size > 0 and not self.ends(move)

    def wins(self, move: sniffai.Move) -> bool:
        points = self.after(move).points
        return points > 0 and self.score() + points >= TARGET[self.view.players]

    def score(self) -> int:
        return self.view.scores_now[team_of(self.view.players, self.view.seat)]

    def blocks(self, move: sniffai.Move) -> bool:
        layout, rest = self.after(move), self.rest(move)
        return (
            not self.view.talon_size
            and bool(rest)
            and not self.wins(move)
            and not any(layout.places_for(tile) for tile in [*rest, *self.unseen])
        )

    def playable(self, move: sniffai.Move) -> int:
        return sum(1 for tile in self.rest(move) if self.after(move).places_for(tile))

    def reply_after(self, move: sniffai.Move) -> float:
        return 0.0 if self.ends(move) else self.reply(self.after(move))

    def stuck_after(self, move: sniffai.Move) -> float:
        return 0.0 if self.ends(move) else self.stuck(self.after(move))


BEST_POINTS: dict[tuple[object, ...], int] = {}
"""What was found, since every world asks for the same few tiles."""


def best_points(layout: reference.Layout, tile: reference.Tile) -> int:
    key = (*layout.placements, tile)
    if key not in BEST_POINTS:
        found = 0
        for at in layout.places_for(tile):
            after = layout.copy()
            after.place(tile, at)
            found = max(found, after.points)
        BEST_POINTS[key] = found
    return BEST_POINTS[key]


class Deal(NamedTuple):
    """A world in the twin's tiles."""

    hands: list[list[reference.Tile]]
    talon: list[reference.Tile]
    weight: int


@cache
def twins(tiles: tuple[sniffai.Tile, ...]) -> list[reference.Tile]:
    """Tiles as the twin's; worlds share most of their hands."""
    return [reference.parse(str(tile)) for tile in tiles]


def held(world: Deal, seats: list[int]) -> list[reference.Tile]:
    return [tile for seat in seats for tile in world.hands[seat]]


def settled(tiles: list[reference.Tile]) -> float:
    """Pips rounded to the nearest multiple of 5."""
    return 5.0 * round(sum(map(sum, tiles)) / 5)


def longest(layout: reference.Layout, hand: list[reference.Tile]) -> int:
    most = 0
    for tile in hand:
        for at in layout.places_for(tile):
            after = layout.copy()
            after.place(tile, at)
            most = max(most, 1 + longest(after, [other for other in hand if other != tile]))
    return most


def open_suits(layout: reference.Layout) -> set[int]:
    return {value for _, value in layout.attachment_points()}


def close(number: float | None, expected: float) -> bool:
    return number is not None and number == pytest.approx(expected, abs=1e-9)


def check(judge: Judge, move: sniffai.Move, reason: Reason, analysis: sniffai.Analysis) -> None:
    """One reason's claim, whatever its kind."""
    held_against = judge.others(move) if reason.against is None else [reason.against]
    assert CHECKS[reason.kind](judge, move, reason, held_against, analysis), (judge.view.to_text(), move, reason)
    assert reason.kind in PLAIN or all(getattr(reason, name) is not None for name in NUMBERS[reason.kind]), reason


Others = list[sniffai.Move]


def check_value(judge: Judge, move: sniffai.Move, reason: Reason, others: Others, analysis: sniffai.Analysis) -> bool:
    """Part of the prospect."""

    def margin(of: sniffai.Move) -> float | None:
        for entry in analysis.moves:
            if entry.move.tile == of.tile and (entry.move.at == of.at or of.at in entry.equal_points):
                return entry.expected_margin if entry.standard_error is not None else None
        return None

    known = [value for other in others if (value := margin(other)) is not None]
    assert reason.value is not None
    most = max(known, default=None)
    return reason.value == margin(move) and reason.other == most


def check_chance(judge: Judge, move: sniffai.Move, reason: Reason, others: Others, analysis: sniffai.Analysis) -> bool:
    entries = {(entry.move.tile, at): entry for entry in analysis.moves for at in (entry.move.at, *entry.equal_points)}
    mine = entries[move.tile, move.at]
    known = [entries[other.tile, other.at] for other in others if (other.tile, other.at) in entries]
    best = max(
        one.win_probability for one in known if one.win_probability is not None and one.standard_error is not None
    )
    return (
        (reason.probability, reason.error) == (mine.win_probability, mine.win_probability_error)
        and reason.other == best
        and not judge.wins(move)
    )


def most(others: Others, number: Callable[[sniffai.Move], float]) -> float | None:
    return max(map(number, others), default=None)


def is_other(given: float | None, expected: float | None) -> bool:
    return given is None if expected is None else close(given, expected)


CHECKS: dict[ReasonKind, Callable[[Judge, sniffai.Move, Reason, Others, sniffai.Analysis], bool]] = {
    ReasonKind.FORCED: lambda judge, move, reason, others, analysis: (
        not judge.others(move)
        and reason.only is (len(judge.view.legal_moves()) == 1)
        and (reason.count or 1) == len(judge.view.legal_moves())
    ),
    ReasonKind.DRAWN_TILE: lambda judge, move, reason, others, analysis: (
        reason.tile == judge.view.forced and {other.tile for other in judge.moves()} == {reason.tile}
    ),
    ReasonKind.WINS_MATCH: lambda judge, move, reason, others, analysis: (
        reason.points == judge.after(move).points
        and reason.score == judge.score() + judge.after(move).points
        and judge.wins(move)
        and reason.only is not any(map(judge.wins, others))
    ),
    ReasonKind.GOES_OUT: lambda judge, move, reason, others, analysis: (
        not judge.rest(move) and check_settlement(judge, move, reason)
    ),
    ReasonKind.BLOCKS_ROUND: lambda judge, move, reason, others, analysis: (
        judge.blocks(move) and reason.pips == sum(map(sum, judge.rest(move))) and check_settlement(judge, move, reason)
    ),
    ReasonKind.SEALS_ROUND: lambda judge, move, reason, others, analysis: (
        judge.seals(move)
        and (reason.seat, reason.count) == (judge.next_seat, judge.view.talon_size)
        and check_settlement(judge, move, reason, drawn=True)
    ),
    ReasonKind.STOPS_MATCH: lambda judge, move, reason, others, analysis: (
        reason.seat == judge.next_seat
        and close(reason.probability, judge.match_lost(move))
        and check_range(reason, others, judge.match_lost)
    ),
    ReasonKind.KEEPS_IN: lambda judge, move, reason, others, analysis: (
        (reason.seat, reason.count) == (judge.short[0], len(judge.short))
        and close(reason.probability, judge.place(move, judge.short))
        and check_range(reason, others, lambda other: judge.place(other, judge.short))
        and (reason.suit is None or reason.suit not in open_suits(judge.after(move)))
        and (reason.tile is None or all(world.hands[judge.short[0]] == twins((reason.tile,)) for world in judge.worlds))
    ),
    ReasonKind.LETS_PARTNER_OUT: lambda judge, move, reason, others, analysis: (
        reason.seat == judge.partner
        and judge.view.hand_sizes[judge.partner] == 1
        and close(reason.probability, judge.place(move, [judge.partner]))
        and is_other(reason.other, most(others, lambda other: judge.place(other, [judge.partner])))
        and close(reason.value, judge.margin(without(judge.costs(move), judge.partner)))
    ),
    ReasonKind.OUT_NEXT: lambda judge, move, reason, others, analysis: (
        [reference.parse(str(reason.tile))] == judge.rest(move)
        and reason.count == len(judge.after(move).places_for(judge.rest(move)[0])) > 0
        and close(reason.probability, safe(judge, move))
    ),
    ReasonKind.PIPS_AT_RISK: lambda judge, move, reason, others, analysis: (
        close(reason.probability, judge.place(move, one_tile(judge)))
        and reason.pips == sum(map(sum, judge.rest(move)))
        and close(reason.value, settled(judge.rest(move)))
        and check_range(reason, others, lambda other: settled(judge.rest(other)))
        and list(reason.hands or ()) == pytest.approx(judge.costs(move))
    ),
    ReasonKind.EXTRA_TURN: lambda judge, move, reason, others, analysis: (
        judge.view.players > 2
        and close(reason.probability, judge.all_stuck(move))
        and is_other(reason.other, most(others, judge.all_stuck))
        and reason.count == judge.view.talon_size
    ),
    ReasonKind.HEAVIEST: lambda judge, move, reason, others, analysis: (
        reason.tile == move.tile
        and reason.pips == move.tile.pips == max(tile.pips for tile in judge.view.hand)
        and reason.left == sum(1 for tile in judge.unseen if {move.tile.low, move.tile.high} & set(tile))
        and reason.count == followers(judge, move)
    ),
    ReasonKind.TEMPO: lambda judge, move, reason, others, analysis: (
        reason.count == len(judge.rest(move)) == judge.run(move)
        and reason.left == judge.view.hand_sizes[reason.seat or 0]
        and reason.left == min(judge.view.hand_sizes[seat] for seat in judge.others_in_turn)
        and is_other(reason.other, most(others, judge.run))
    ),
    ReasonKind.LATER_REPLY: lambda judge, move, reason, others, analysis: (
        reason.seat in judge.others_in_turn[1:]
        and team_of(judge.view.players, reason.seat or 0) != team_of(judge.view.players, judge.view.seat)
        and close(reason.value, judge.reply_of(move, reason.seat or 0))
        and check_range(reason, others, lambda other: judge.reply_of(other, reason.seat or 0))
    ),
    ReasonKind.PARTNER_REPLY: lambda judge, move, reason, others, analysis: (
        reason.seat == judge.partner
        and close(reason.value, judge.reply_of(move, judge.partner))
        and is_other(reason.other, most(others, lambda other: judge.reply_of(other, judge.partner)))
    ),
    ReasonKind.PARTNER_MOVES: lambda judge, move, reason, others, analysis: (
        reason.seat == judge.partner
        and close(reason.probability, judge.place(move, [judge.partner]))
        and is_other(reason.other, most(others, lambda other: judge.place(other, [judge.partner])))
    ),
    ReasonKind.POINTS_LATER: lambda judge, move, reason, others, analysis: (
        reference.parse(str(reason.tile)) in judge.rest(move)
        and (reason.points, reason.probability) in later_points(judge, move, reason)
        and (reason.before is None or reason.before == most(others, lambda other: judge.after(other).points))
        and (reason.before is None or reason.before > judge.after(move).points)
    ),
    ReasonKind.LITTLE_DIFFERENCE: lambda judge, move, reason, others, analysis: (
        reason.count == sum(1 for entry in analysis.moves[1:] if entry.loss is not None and not entry.loss_significant)
    ),
    ReasonKind.CHANCE: check_chance,
    ReasonKind.VALUE: check_value,
    ReasonKind.SCORES: lambda judge, move, reason, others, analysis: (
        reason.points == judge.after(move).points > 0
        and is_other(reason.other, most(others, lambda other: judge.after(other).points))
        and (reason.points or 0) >= (reason.other or 0)
        and reason.only is (reason.other == 0)
    ),
    ReasonKind.LOWERS_THREAT: lambda judge, move, reason, others, analysis: (
        reason.seat == judge.next_seat
        and close(reason.value, judge.reply(judge.after(move)))
        and close(reason.before, judge.reply(judge.table))
        and check_taken(judge, reason)
        and (reason.before or 0) >= (reason.value or 0) + 0.5 - 1e-9
    ),
    ReasonKind.LOW_REPLY: lambda judge, move, reason, others, analysis: (
        reason.seat == judge.next_seat
        and close(reason.value, judge.reply(judge.after(move)))
        and check_range(reason, others, judge.reply_after)
        and check_taken(judge, reason)
        and (reason.worst or 0) >= (reason.value or 0) + 0.5 - 1e-9
    ),
    ReasonKind.FORCES_DRAW: lambda judge, move, reason, others, analysis: (
        judge.view.talon_size > 0 and check_stuck(judge, move, reason, others)
    ),
    ReasonKind.FORCES_PASS: lambda judge, move, reason, others, analysis: (
        judge.view.talon_size == 0 and check_stuck(judge, move, reason, others)
    ),
    ReasonKind.BLOCKS_SUIT: lambda judge, move, reason, others, analysis: (
        reason.suit in open_suits(judge.after(move)) - open_suits(judge.table)
        and reason.seat == judge.next_seat
        and close(reason.probability, judge.lacks(reason.suit or 0))
        and (reason.probability or 0) >= 0.6
    ),
    ReasonKind.KEEPS_SUIT: lambda judge, move, reason, others, analysis: (
        reason.suit in open_suits(judge.after(move))
        and reason.count == sum(1 for tile in judge.rest(move) if reason.suit in tile)
        and reason.left == sum(1 for tile in judge.unseen if reason.suit in tile)
        and (reason.count or 0) > (reason.left or 0)
    ),
    ReasonKind.KEEPS_MOVES: lambda judge, move, reason, others, analysis: (
        reason.count == judge.playable(move)
        and is_other(reason.other, most(others, judge.playable))
        and (reason.count or 0) >= (reason.other or 0)
        and reason.only is (reason.other == 0)
    ),
    ReasonKind.SHEDS_PIPS: lambda judge, move, reason, others, analysis: (
        reason.pips == move.tile.pips > (reason.other or 0)
        and is_other(reason.other, most(others, lambda other: other.tile.pips))
        and reason.count
        == judge.view.hand_sizes[reason.seat or 0]
        == min(size for seat, size in enumerate(judge.view.hand_sizes) if seat != judge.view.seat)
    ),
    ReasonKind.PLAYS_SNIFF: lambda judge, move, reason, others, analysis: (
        judge.table.sniff is None
        and str(judge.after(move).sniff) == str(move.tile) == str(reason.tile)
        and reason.left == sum(1 for tile in judge.unseen if move.tile.low in tile)
        and reason.count == followers(judge, move)
    ),
    ReasonKind.OPENS_SIDES: lambda judge, move, reason, others, analysis: (
        sides(judge.after(move)) == {f"{reason.tile}:SIDE_A", f"{reason.tile}:SIDE_B"} and not sides(judge.table)
    ),
    ReasonKind.PLAYS_DOUBLE: lambda judge, move, reason, others, analysis: (
        move.tile == reason.tile
        and move.tile.is_double
        and judge.table.sniff is not None
        and reason.left == sum(1 for tile in judge.unseen if move.tile.low in tile)
    ),
}

NUMBERS = {
    ReasonKind.DRAWN_TILE: ("tile",),
    ReasonKind.WINS_MATCH: ("points", "score"),
    ReasonKind.GOES_OUT: ("value", "hands"),
    ReasonKind.BLOCKS_ROUND: ("pips", "value", "hands"),
    ReasonKind.SEALS_ROUND: ("seat", "count", "value", "hands"),
    ReasonKind.STOPS_MATCH: ("seat", "probability", "other", "worst"),
    ReasonKind.KEEPS_IN: ("seat", "count", "probability", "other", "worst"),
    ReasonKind.LETS_PARTNER_OUT: ("seat", "probability", "value", "other"),
    ReasonKind.OUT_NEXT: ("tile", "count", "probability"),
    ReasonKind.PIPS_AT_RISK: ("pips", "probability", "value", "hands", "other", "worst"),
    ReasonKind.EXTRA_TURN: ("probability", "count"),
    ReasonKind.HEAVIEST: ("tile", "pips", "left", "count"),
    ReasonKind.TEMPO: ("count", "seat", "left", "other"),
    ReasonKind.LATER_REPLY: ("seat", "value", "other", "worst"),
    ReasonKind.PARTNER_REPLY: ("seat", "value", "other"),
    ReasonKind.PARTNER_MOVES: ("seat", "probability", "other"),
    ReasonKind.POINTS_LATER: ("tile", "points", "probability"),
    ReasonKind.LITTLE_DIFFERENCE: ("count",),
    ReasonKind.CHANCE: ("probability", "error"),
    ReasonKind.VALUE: ("value", "error"),
    ReasonKind.SCORES: ("points",),
    ReasonKind.LOWERS_THREAT: ("seat", "value", "before"),
    ReasonKind.LOW_REPLY: ("seat", "value", "other", "worst"),
    ReasonKind.FORCES_DRAW: ("seat", "probability"),
    ReasonKind.FORCES_PASS: ("seat", "probability"),
    ReasonKind.BLOCKS_SUIT: ("seat", "suit", "probability"),
    ReasonKind.KEEPS_SUIT: ("suit", "count", "left"),
    ReasonKind.KEEPS_MOVES: ("count", "other"),
    ReasonKind.SHEDS_PIPS: ("pips", "seat", "count", "other"),
    ReasonKind.PLAYS_SNIFF: ("tile", "count", "left"),
    ReasonKind.OPENS_SIDES: ("tile",),
    ReasonKind.PLAYS_DOUBLE: ("tile", "left"),
}
PLAIN = KINDS - set(NUMBERS)


def check_range(reason: Reason, others: Others, number: Callable[[sniffai.Move], float]) -> bool:
    return close(reason.other, min(map(number, others))) and close(reason.worst, max(map(number, others)))


def check_settlement(judge: Judge, move: sniffai.Move, reason: Reason, *, drawn: bool = False) -> bool:
    costs = judge.costs(move, drawn=drawn)
    return list(reason.hands or ()) == pytest.approx(costs) and close(reason.value, judge.margin(costs))


def check_taken(judge: Judge, reason: Reason) -> bool:
    """A reply by one tile, on the table before."""
    if reason.tile is None:
        return reason.points is None and reason.probability is None
    before = judge.table if reason.against is None else judge.after(reason.against)
    tile = reference.parse(str(reason.tile))
    holds = judge.mean(lambda world: float(tile in world.hands[judge.next_seat]))
    return reason.points == best_points(before, tile) and close(reason.probability, holds)


def without(costs: list[float], seat: int) -> list[float]:
    return [0.0 if i == seat else cost for i, cost in enumerate(costs)]


def one_tile(judge: Judge) -> list[int]:
    return [seat for seat in judge.others_in_turn if judge.view.hand_sizes[seat] == 1]


def nobody_has(judge: Judge, suits: set[int]) -> float:
    return judge.mean(lambda world: float(not any(suits & set(tile) for tile in held(world, judge.others_in_turn))))


def safe(judge: Judge, move: sniffai.Move) -> float:
    (tile,) = judge.rest(move)
    places = [value for _, value in judge.after(move).attachment_points() if value in tile]
    return 1.0 if len(places) > len(judge.others_in_turn) else nobody_has(judge, set(places))


def followers(judge: Judge, move: sniffai.Move) -> int:
    """Tiles of the rest that fit at the tile just placed."""
    here = {value for at, value in judge.after(move).attachment_points() if at.startswith(f"{move.tile}:")}
    return sum(1 for tile in judge.rest(move) if here & set(tile))


def later_points(judge: Judge, move: sniffai.Move, reason: Reason) -> list[tuple[int, Any]]:
    """What the tile could score at each place, and the chance that nobody else has a tile for that place."""
    layout, tile = judge.after(move), reference.parse(str(reason.tile))
    values = dict(layout.attachment_points())
    found = []
    for at in layout.places_for(tile):
        then = layout.copy()
        then.place(tile, at)
        found.append((then.points, pytest.approx(nobody_has(judge, {values[at or ""]}))))
    return found


def check_stuck(judge: Judge, move: sniffai.Move, reason: Reason, others: Others) -> bool:
    return (
        reason.seat == judge.next_seat
        and close(reason.probability, judge.stuck(judge.after(move)))
        and is_other(reason.other, most(others, judge.stuck_after))
        and reason.only is (reason.other is not None and not reason.other)
    )


def sides(layout: reference.Layout) -> set[str]:
    return {name for name, _ in layout.attachment_points() if "SIDE" in name}


def positions() -> Iterator[Judge]:
    """Decisions of random rounds in which few worlds are left, scores near the target now and then."""
    for seed in range(300):
        players = 2 + seed % 3
        score = TARGET[players] - 20 if seed % 5 == 0 else 0
        round_ = sniffai.Round.deal(players, seed, scores=[score] * (3 if players == 3 else 2))
        lots = random.Random(seed)
        while not round_.over:
            moves = round_.legal_moves()
            view = round_.view(round_.seat)
            if lots.random() < 0.4 and (worlds := sniffai.Belief(view).worlds(300)) is not None:
                yield Judge(view, worlds)
            round_.play(lots.choice(moves))


def test_every_reason_is_true() -> None:
    seen: dict[ReasonKind, int] = {}
    for number, judge in enumerate(positions()):
        view = judge.view
        analysis = sniffai.analyze(view, sniffai.Limits(simulations=60), seed=number)
        assert analysis.best is not None
        for move in {analysis.best.move, analysis.moves[-1].move}:
            for reason in [*reasons(view, analysis, move), *prospect(view, analysis, move)]:
                check(judge, move, reason, analysis)
                seen[reason.kind] = seen.get(reason.kind, 0) + 1
        if len(analysis.moves) > 1:
            worst = analysis.moves[-1].move
            for reason in compare(view, analysis, worst):
                assert reason.against == worst
                check(judge, analysis.best.move, reason, analysis)
    assert set(seen) == KINDS


def test_openings_with_many_worlds_agree_with_samples() -> None:
    """The expected reply and the chance to be stuck, against 20,000 worlds drawn at random."""
    for seed in range(6):
        players = 2 + seed % 3
        round_ = sniffai.Round.deal(players, seed)
        lots = random.Random(seed)
        for _ in range(4):
            round_.play(lots.choice(round_.legal_moves()))
        view = round_.view(round_.seat)
        hands, _ = sniffai.Belief(view).sample_many(20_000, seed)
        holds = hands[:, (view.seat + 1) % players, np.newaxis] >> np.arange(28) & 1
        analysis = sniffai.analyze(view, sniffai.Limits(simulations=60))
        for move in view.legal_moves():
            layout = Judge(view).after(move)
            tiles = [reference.parse(str(tile)) for tile in sniffai.TILES]
            best = [0 if tile in layout.tiles else best_points(layout, tile) for tile in tiles]
            mean = (holds * best).max(axis=1).mean()
            for reason in reasons(view, analysis, move):
                if reason.kind in (ReasonKind.LOW_REPLY, ReasonKind.LOWERS_THREAT):
                    assert reason.value == pytest.approx(mean, abs=0.25)


FEW = sniffai.Limits(simulations=400)

OTHERS = ["0|0", "0|2", "0|3", "0|5", "1|1", "1|3", "1|6", "3|3"]
"""Tiles that fill a hand up: none fits 4, none makes a count of the tests below a multiple of 5."""


def view_of(table: list[str], hand: list[str], **more: Any) -> sniffai.View:
    """Seat 0 of two is to move; both hold what is left of their deal."""
    size = 7 - len(table) // 2
    tiles = [*hand, *(tile for tile in OTHERS if tile not in hand)][:size]
    sizes = [size, 7 - (len(table) + 1) // 2]
    talon = 28 - len(table) - sum(sizes)
    given = {"talon_size": talon, "scores": [0, 0], **more}
    return sniffai.View.from_snapshot(players=2, seat=0, placements=table, hand=tiles, hand_sizes=sizes, **given)


def why(view: sniffai.View, move: str | None = None) -> dict[ReasonKind, Reason]:
    found = reasons(view, sniffai.analyze(view, FEW), move)
    assert list(found) == sorted(found, key=lambda reason: -reason.weight)
    return {reason.kind: reason for reason in found}


def test_the_only_move_that_scores() -> None:
    view = view_of(["4|4", "4|6@4|4:LINE_A"], ["1|4", "0|6", "4|5"])
    found = why(view, "1|4@4|4:LINE_B")
    assert found[ReasonKind.SCORES].only
    assert found[ReasonKind.SCORES].points == 15
    assert render(found[ReasonKind.SCORES]) == "It scores 15 points. No other move does that."
    assert found[ReasonKind.OPENS_SIDES].tile == sniffai.Tile(4, 4)
    assert ReasonKind.SCORES not in why(view, "0|6@4|6:HIGH")


def test_points_are_a_reason_for_the_moves_that_score_most() -> None:
    view = view_of(["3|4"], ["1|3", "2|4"])
    assert [found_points(view, move) for move in ("1|3@3|4:LOW", "2|4@3|4:HIGH")] == [5, 5]
    better = view_of(["3|4"], ["1|3", "3|6"])
    assert [found_points(better, move) for move in ("1|3@3|4:LOW", "3|6@3|4:LOW")] == [None, 10]


def found_points(view: sniffai.View, move: str) -> int | None:
    reason = why(view, move).get(ReasonKind.SCORES)
    return reason.points if reason else None


def test_a_move_that_wins_the_match() -> None:
    view = view_of(["4|4", "4|6@4|4:LINE_A"], ["1|4", "0|6", "4|5"], scores=[240, 100])
    found = why(view)
    move = sniffai.Move("1|4", "4|4:LINE_B")
    won = found[ReasonKind.WINS_MATCH]
    assert CHECKS[won.kind](Judge(view), move, won, Judge(view).others(move), sniffai.analyze(view, FEW))
    assert (won.points, won.score, won.only) == (15, 255, True)
    assert not {ReasonKind.LOW_REPLY, ReasonKind.SCORES} & {*found}
    assert ReasonKind.WINS_MATCH not in why(view, "0|6@4|6:HIGH")


def test_what_another_move_does_as_certainly() -> None:
    reason = Reason(ReasonKind.FORCES_PASS, 1.0, seat=0, probability=1.0, other=1.0)
    assert render(reason) == "Seat 0 has no tile that fits, and must pass. Another move does that, too."


def test_a_suit_that_the_next_seat_lacks_for_sure() -> None:
    view = view_of(["2|4"], ["4|5", "2|3", "0|1"], voids={1: [2, 5]})
    found = why(view, "4|5@2|4:HIGH")
    assert found[ReasonKind.BLOCKS_SUIT].suit == 5
    assert found[ReasonKind.BLOCKS_SUIT].probability == pytest.approx(1.0)
    assert render(found[ReasonKind.BLOCKS_SUIT]) == "The new end shows 5, and seat 1 has no 5."
    assert render(found[ReasonKind.FORCES_DRAW]).startswith("Seat 1 has no tile that fits, and must draw.")


def test_the_reason_that_leaves_no_choice_comes_first() -> None:
    view = view_of(["4|4"], ["4|5"], drawn_tile="4|5")
    kinds = [reason.kind for reason in reasons(view, sniffai.analyze(view))]
    assert kinds[:2] == [ReasonKind.FORCED, ReasonKind.DRAWN_TILE]


@pytest.mark.parametrize(
    ("table", "places"),
    [
        (["1|4"], 1),
        (["4|4", "4|6@4|4:LINE_A"], 1),
        (["4|4"], 2),
        (["4|4", "4|6@4|4:LINE_A", "1|4@4|4:LINE_B"], 2),
    ],
)
def test_the_only_legal_move_is_described_so_only_if_there_is_one(table: list[str], places: int) -> None:
    """A front end lists every attachment point, also those that come to the same."""
    rest = 28 - len(table) - 2
    view = sniffai.View.from_snapshot(
        players=2,
        seat=0,
        placements=table,
        hand=["4|5", "0|3"],
        hand_sizes=[2, rest - 10],
        talon_size=10,
        scores=[0, 0],
    )
    assert len(view.legal_moves()) == places
    (first, *_) = reasons(view, sniffai.analyze(view))
    assert (first.kind, first.only, first.count) == (ReasonKind.FORCED, places == 1, places if places > 1 else None)
    told = {language: render(first, language) for language in LANGUAGES}
    single = {language: render(Reason(ReasonKind.FORCED, only=True), language) for language in LANGUAGES}
    assert single["en"] == "It is the only legal move."
    if places == 1:
        assert told == single
    else:
        assert "only legal move" not in told["en"]
        assert all(str(places) in told[language] != single[language] for language in LANGUAGES)


def test_comparing_a_move_with_itself_says_nothing() -> None:
    view = view_of(["4|4", "4|6@4|4:LINE_A", "1|4@4|4:LINE_B"], ["4|5", "0|6"])
    analysis = sniffai.analyze(view, sniffai.Limits(simulations=200))
    assert compare(view, analysis, "4|5@4|4:SIDE_A", "4|5@4|4:SIDE_B") == ()
    assert compare(view, analysis, "4|5@4|4:SIDE_A", "0|6@4|6:HIGH") != ()


def test_equal_places_are_one_move() -> None:
    view = view_of(["4|4", "4|6@4|4:LINE_A", "1|4@4|4:LINE_B"], ["4|5", "0|6"])
    analysis = sniffai.analyze(view, sniffai.Limits(simulations=200))
    assert reasons(view, analysis, "4|5@4|4:SIDE_A") == reasons(view, analysis, "4|5@4|4:SIDE_B")


def test_a_forced_draw_has_no_reasons() -> None:
    view = view_of(["4|4"], [])
    assert reasons(view, sniffai.analyze(view)) == ()
    assert compare(view, sniffai.analyze(view), "1|6@4|4:LINE_A") == ()


def test_a_move_that_is_not_legal_is_refused() -> None:
    view = view_of(["2|4"], ["4|5", "2|3"])
    analysis = sniffai.analyze(view, sniffai.Limits(simulations=50))
    with pytest.raises(sniffai.MoveError, match="not a legal move"):
        reasons(view, analysis, "1|4@2|4:HIGH")
    with pytest.raises(sniffai.SniffError):
        reasons(view, analysis, "nonsense")


def test_a_reason_as_a_dictionary_has_only_what_is_set() -> None:
    view = view_of(["4|4", "4|6@4|4:LINE_A"], ["1|4", "0|6", "4|5"])
    given = why(view, "1|4@4|4:LINE_B")[ReasonKind.SCORES].to_dict()
    assert given == {"kind": "scores", "weight": given["weight"], "only": True, "points": 15, "other": 0}


def test_what_a_seat_cannot_see_changes_no_reason() -> None:
    """The same view, whatever the hidden tiles are, is all that reasons rest on."""
    round_ = sniffai.Round.deal(2, 11)
    for _ in range(3):
        round_.play(round_.legal_moves()[0])
    view = round_.view(round_.seat)
    again = sniffai.View.from_text(view.to_text())
    limits = sniffai.Limits(simulations=300)
    assert reasons(view, sniffai.analyze(view, limits)) == reasons(again, sniffai.analyze(again, limits))
