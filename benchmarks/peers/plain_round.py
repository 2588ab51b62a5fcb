"""American Sniff in plain Python integers, for the peers: the rules once more, written to be fast without a compiler.

For legality and the count a layout is nothing but its arms (docs/rules.md, consequences), so attachment points with
equal futures are one here. An arm is named by a code, its *end*:

====  ====================================================================================
0     the empty table: a lead
1..7  a plain end of 0..6 pips: the open half of a plain tile, or an open side of the sniff
8..14 an open line port of the double of 0..6 pips
====  ====================================================================================

An *action* is ``tile * 15 + end``, 0..419. Tiles are indices 0..27, hands are 28-bit sets, as in the library. The name
of an attachment point says which end it is (:func:`end_of`), so named moves and actions convert both ways.

This module needs neither a peer nor the compiled core.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, Self

from sniffai.rules import HAND_SIZE, TARGET, TEAMS, deduction, team_of

ENDS: Final = 15
"""End codes."""
ACTIONS: Final = 28 * ENDS
"""Action codes; many of them are never legal."""

HALVES: Final = tuple((low, high) for low in range(7) for high in range(low, 7))
"""The two halves of each tile, by index."""
TEXTS: Final = tuple(f"{low}|{high}" for low, high in HALVES)
"""The name of each tile, by index."""
SUITS: Final = tuple(sum(1 << i for i, halves in enumerate(HALVES) if pips in halves) for pips in range(7))
"""The tiles that show a number, as a set."""
DOUBLES: Final = {halves[0]: i for i, halves in enumerate(HALVES) if halves[0] == halves[1]}
"""The index of each double, by its pips."""


def _end_text(end: int) -> str:
    return "" if not end else f"@{end - 1}" if end < 8 else f"@{TEXTS[DOUBLES[end - 8]]}"


PLAY_TEXTS: Final = tuple(f" {TEXTS[action // ENDS]}{_end_text(action % ENDS)}" for action in range(ACTIONS))
"""An action in the public record: ``" 4|6@6"`` joins a plain end, ``" 4|6@6|6"`` the double, ``" 4|6"`` leads."""
DRAW_TEXTS: Final = tuple(f" +{count}" for count in range(15))
PASS_TEXT: Final = " -"


def end_of(at: str | None) -> int:
    """The end that a named attachment point is: ``"4|6:HIGH"`` and ``"6|6:SIDE_A"`` are plain ends of 6 pips."""
    if at is None:
        return 0
    tile, port = at.split(":")
    low, high = int(tile[0]), int(tile[2])
    return 8 + low if port.startswith("LINE") else 1 + (high if port == "HIGH" else low)


@lru_cache(maxsize=1 << 14)
def joints(arms: int) -> tuple[tuple[int, ...], ...]:
    """The actions of each tile, ascending, by the set of open ends (bit ``end - 1``)."""
    return tuple(
        tuple(tile * ENDS + end for end in range(1, ENDS) if arms >> (end - 1) & 1 and (end - 1) % 7 in halves)
        for tile, halves in enumerate(HALVES)
    )


@lru_cache(maxsize=1 << 14)
def fitting(arms: int) -> int:
    """The tiles that can be joined, as a set, by the set of open ends."""
    return sum(1 << tile for tile, actions in enumerate(joints(arms)) if actions)


@lru_cache(maxsize=1 << 17)
def actions_of(arms: int, tiles: int) -> tuple[int, ...]:
    """The actions of a set of tiles, ascending."""
    by_tile = joints(arms)
    return tuple(action for tile in tiles_of(tiles) for action in by_tile[tile])


def tiles_of(mask: int) -> list[int]:
    """The indices in a set of tiles, ascending."""
    indices = []
    while mask:
        lowest = mask & -mask
        indices.append(lowest.bit_length() - 1)
        mask ^= lowest
    return indices


@lru_cache(maxsize=1 << 17)
def cost(hand: int) -> int:
    """What a hand costs in the settlement, in points (rules §6)."""
    return deduction(sum(sum(HALVES[tile]) for tile in tiles_of(hand)))


class PlainRound:
    """A round with all hands known: legal actions, plays, and what is forced between them (rules §3 to §7)."""

    __slots__ = (
        "arms",
        "before",
        "count",
        "forced",
        "gains",
        "hands",
        "over",
        "plain",
        "players",
        "record",
        "seat",
        "sniff",
        "talon",
        "whole",
    )

    def __init__(
        self, players: int, hands: Sequence[int], talon: Sequence[int], leader: int, scores: Sequence[int]
    ) -> None:
        self.players = players
        self.hands = list(hands)
        self.talon = tuple(reversed(talon))
        """What is left to draw, last tile first."""
        self.seat = leader
        self.before = tuple(scores)
        """Points before the round, by team."""
        self.gains = [0] * TEAMS[players]
        """Points won in the round, by team."""
        self.arms = 0
        """The set of open ends, bit ``end - 1``."""
        self.plain = 0
        """How many plain ends of each number are open, four bits each."""
        self.count = 0
        self.sniff = -1
        """The pips of the sniff, -1 before there is one."""
        self.whole = False
        """Whether the sniff led and neither of its line ports is joined yet."""
        self.forced = -1
        """The tile just drawn, which must be played; -1 if none."""
        self.over = False
        self.record = ""
        """Everything public, in order: placements, numbers of draws, passes."""

    @classmethod
    def dealt(cls, players: int, order: Sequence[int], leader: int, scores: Sequence[int]) -> Self:
        """A round from a shuffled set: a hand after the other, the talon last."""
        size = HAND_SIZE[players]
        hands = [sum(1 << tile for tile in order[seat * size : (seat + 1) * size]) for seat in range(players)]
        return cls(players, hands, order[players * size :], leader, scores)

    def copy(self) -> "PlainRound":
        """An independent copy."""
        new = PlainRound.__new__(PlainRound)
        new.players, new.before, new.talon = self.players, self.before, self.talon
        new.hands, new.gains = self.hands[:], self.gains[:]
        new.arms, new.plain, new.count = self.arms, self.plain, self.count
        new.sniff, new.whole, new.forced = self.sniff, self.whole, self.forced
        new.seat, new.over, new.record = self.seat, self.over, self.record
        return new

    def __deepcopy__(self, memo: dict[int, Any]) -> "PlainRound":
        return self.copy()

    def legal_actions(self) -> tuple[int, ...]:
        """What the seat may do, ascending; empty when the round is over."""
        if self.over:
            return ()
        if self.forced >= 0:
            return joints(self.arms)[self.forced]
        hand = self.hands[self.seat]
        if not self.arms:
            return tuple(tile * ENDS for tile in tiles_of(hand))
        return actions_of(self.arms, hand & fitting(self.arms))

    def play(self, action: int) -> None:
        """Make a legal action, and everything forced that follows."""
        seat, tile = self.seat, action // ENDS
        self.hands[seat] ^= 1 << tile
        self.forced = -1
        self.place(action)
        if self._scored():
            self.over = True
        elif not self.hands[seat]:
            self._settle()
        else:
            self._next_turn()

    def place(self, action: int) -> None:
        """Put a tile on the table and on record: arms, count, the sniff (rules §3, §4). Nothing else happens."""
        self.record += PLAY_TEXTS[action]
        low, high = HALVES[action // ENDS]
        end = action % ENDS
        if not end:
            self._lead(low, high)
            return
        pips = (end - 1) % 7
        if end < 8:
            self._close_plain(pips)
        else:
            self._close_line(pips)
        if low == high:
            self._open_double(pips)
        else:
            self._open_plain(high if low == pips else low)

    def _lead(self, low: int, high: int) -> None:
        if low == high:
            self._open_double(low)
            self.whole = True
        else:
            self._open_plain(low)
            self._open_plain(high)

    def _open_plain(self, pips: int) -> None:
        self.plain += 1 << 4 * pips
        self.arms |= 1 << pips
        self.count += pips

    def _open_double(self, pips: int) -> None:
        self.arms |= 128 << pips
        self.count += 2 * pips
        if self.sniff < 0:
            self.sniff = pips

    def _close_plain(self, pips: int) -> None:
        self.plain -= 1 << 4 * pips
        self.count -= pips
        if not self.plain >> 4 * pips & 15:
            self.arms ^= 1 << pips

    def _close_line(self, pips: int) -> None:
        if pips == self.sniff and self.whole:
            self.whole = False
            return
        self.arms ^= 128 << pips
        self.count -= 2 * pips
        if pips == self.sniff:
            self._open_plain(pips)
            self._open_plain(pips)

    def _scored(self) -> bool:
        """Credit the placement; whether it won the match (rules §4, §7)."""
        count = self.count
        if not count or count % 5:
            return False
        team = team_of(self.players, self.seat)
        self.gains[team] += count
        return self.before[team] + self.gains[team] >= TARGET[self.players]

    def _next_turn(self) -> None:
        """On to the first seat that can play, drawing and passing on the way (rules §5)."""
        fits = fitting(self.arms)
        for _ in range(self.players):
            self.seat = (self.seat + 1) % self.players
            if self.hands[self.seat] & fits or (self.talon and self._draw(fits)):
                return
            self.record += PASS_TEXT
        self._settle()

    def _draw(self, fits: int) -> bool:
        """Draw until a tile fits (True) or the talon is empty (False)."""
        talon, drawn = self.talon, 0
        for left in range(len(talon) - 1, -1, -1):
            tile = talon[left]
            drawn |= 1 << tile
            if fits >> tile & 1:
                self.forced = tile
                break
        self.hands[self.seat] |= drawn
        self.talon = talon[:left]
        self.record += DRAW_TEXTS[len(talon) - left]
        return self.forced >= 0

    def _settle(self) -> None:
        self.over = True
        for seat, hand in enumerate(self.hands):
            self.gains[team_of(self.players, seat)] -= cost(hand)

    @property
    def scores(self) -> tuple[int, ...]:
        """Points now, by team."""
        return tuple(before + gain for before, gain in zip(self.before, self.gains, strict=True))

    def margins(self) -> list[float]:
        """Each seat's team's gain less the mean gain of the other teams, in points; they sum to 0 over the teams."""
        gains, players = self.gains, self.players
        if players == 3:
            return [1.5 * gain - sum(gains) / 2 for gain in gains]
        margin = float(gains[0] - gains[1])
        return [margin, -margin] * (players // 2)
