"""The luck of one draw: what the drawn tiles were worth, less what the draw was worth before it was made.

The expectation is taken over draws sampled from the exact belief of the seat that draws. The tiles really
drawn and those of the samples are valued with the same limits, so that both have the same bias.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from sniffai.belief import Belief
from sniffai.equity import load
from sniffai.events import Draw
from sniffai.history import History
from sniffai.review.judge import share_of, standard_error
from sniffai.review.story import TalonDraw
from sniffai.review.values import Value
from sniffai.rules import deduction, margins_of, team_of
from sniffai.search.analysis import Analysis
from sniffai.search.params import Limits
from sniffai.search.searcher import Searcher
from sniffai.seeds import derived_seed
from sniffai.tiles import TILES, Tile, mask_tiles, tile_mask
from sniffai.view import View

SAMPLES: Final = 12
"""Number of sampled draws. Chosen by judgement."""

DRAW_SHARE: Final = 0.25
"""The limits of each value, as a share of a survey's. Chosen by judgement."""


@dataclass(frozen=True, slots=True)
class DrawLuck:
    """What a draw changed."""

    talon_draw: TalonDraw
    expected: Value
    """What the draw was worth before it was made."""
    after: Value | None
    """What it is worth with the tiles drawn; ``None`` if the seat had to pass after it."""
    error: float
    """Standard error of :attr:`luck` in chance to win the match, from the scatter of the samples."""
    simulations: int
    deterministic: bool

    @property
    def luck(self) -> Value | None:
        """By how much the draw was better than expected."""
        return None if self.after is None else self.after - self.expected


class ValueSearcher(Searcher):
    """A search for the value of a view, even if there is only one move."""

    @property
    def forced(self) -> bool:
        """Never."""
        return False


def weigh_draw(
    talon_draw: TalonDraw, limits: Limits, seed: int
) -> Generator[tuple[Searcher, Limits], Analysis, DrawLuck]:
    """Find the luck of one draw.

    :param limits: of a survey.
    :param seed: 0..2**64-1.
    """
    small = share_of(limits, DRAW_SHARE)
    spent = _Spent()
    after = None
    if talon_draw.after.must == "play":
        analysis = yield ValueSearcher(talon_draw.after, seed=derived_seed(seed, 0), inferred=False), small
        after = spent.value(analysis, talon_draw.banked)
    values: list[Value] = []
    known: dict[tuple[Tile, ...], Value] = {}
    for number, outcome in enumerate(_outcomes(talon_draw.before, derived_seed(seed, 1))):
        if outcome.drawn in known:
            values.append(known[outcome.drawn])
            continue
        view = outcome.view()
        if view is None:
            values.append(outcome.blocked(talon_draw))
            continue
        analysis = yield ValueSearcher(view, seed=derived_seed(seed, 2, number), inferred=False), small
        values.append(spent.value(analysis, talon_draw.banked))
        if outcome.fits:
            known[outcome.drawn] = values[-1]
    team = team_of(talon_draw.before.players, talon_draw.seat)
    return DrawLuck(
        talon_draw=talon_draw,
        expected=Value.mean(values),
        after=after,
        error=standard_error([value.chances[team] for value in values]),
        simulations=spent.simulations,
        deterministic=spent.deterministic,
    )


@dataclass(slots=True)
class _Spent:
    simulations: int = 0
    deterministic: bool = True

    def value(self, analysis: Analysis, banked: tuple[float, ...]) -> Value:
        self.simulations += analysis.effort.simulations
        self.deterministic &= analysis.deterministic
        return Value.of(analysis.moves[0].values, banked)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One sampled draw."""

    before: View
    drawn: tuple[Tile, ...]
    fits: bool
    """Whether the last tile can be placed; else the talon is empty and the seat passes."""
    hands: tuple[int, ...]
    """Masks by seat, of the world that the draw was sampled from, the drawn tiles in."""

    def view(self) -> View | None:
        """What the seat to place knows then: the drawer or, where it must pass, a seat after it in this world.

        ``None`` if no seat can place a tile: the round is blocked.
        """
        before = self.before
        if self.fits:
            history = before.position
            assert isinstance(history, History)
            events = (*history.events, Draw(before.seat, len(self.drawn), self.drawn))
            return View(before.players, before.seat, before.scores, replace(history, events=events))
        open_pips = {point.pips for point in before.attachment_points()}
        for step in range(1, before.players):
            seat = (before.seat + step) % before.players
            if any({tile.low, tile.high} & open_pips for tile in mask_tiles(self.hands[seat])):
                return self._snapshot(seat, sorted(open_pips), step)
        return None

    def _snapshot(self, seat: int, open_pips: list[int], step: int) -> View:
        before = self.before
        passed = [(before.seat + k) % before.players for k in range(step)]
        return View.from_snapshot(
            players=before.players,
            seat=seat,
            placements=before.placements,
            hand=mask_tiles(self.hands[seat]),
            hand_sizes=[hand.bit_count() for hand in self.hands],
            talon_size=0,
            scores=before.scores_now,
            voids=dict.fromkeys(passed, open_pips),
        )

    def blocked(self, talon_draw: TalonDraw) -> Value:
        """What it is worth that the round is blocked in this world."""
        players = self.before.players
        costs = [0] * len(talon_draw.banked)
        for seat, hand in enumerate(self.hands):
            costs[team_of(players, seat)] += deduction(sum(tile.pips for tile in mask_tiles(hand)))
        scores = [score - cost for score, cost in zip(self.before.scores_now, costs, strict=True)]
        settled = margins_of([-cost for cost in costs])
        margins = tuple(a + b for a, b in zip(talon_draw.banked, settled, strict=True))
        return Value(load(players).chance(scores), margins)


def _outcomes(before: View, seed: int) -> Iterator[_Outcome]:
    """Draws sampled from the belief."""
    masks, talons = Belief(before).sample_many(SAMPLES, np.random.default_rng(seed))
    open_pips = {point.pips for point in before.attachment_points()}
    own = tile_mask(before.hand)
    for row, talon in zip(masks, talons, strict=True):
        drawn: list[Tile] = []
        fits = False
        for index in talon:
            drawn.append(TILES[int(index)])
            fits = bool({drawn[-1].low, drawn[-1].high} & open_pips)
            if fits:
                break
        hands = [int(mask) for mask in row]
        hands[before.seat] = own | tile_mask(drawn)
        yield _Outcome(before, tuple(drawn), fits, tuple(hands))
