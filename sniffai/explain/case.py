"""One move and what it is held against: how much more each of its numbers is worth."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from sniffai.explain.facts import Facts, MoveFacts
from sniffai.explain.worth import numbers_of, weights
from sniffai.moves import Move
from sniffai.search.analysis import Analysis, MoveEvaluation
from sniffai.view import View

CERTAIN: Final = 1000.0
"""The weight of what leaves no choice, or ends the round or the match: more than any margin."""

LEAST_TOLD: Final = 0.25
"""A reason of less weight, in points, is told only if there is no other. Chosen by judgement: a larger number leaves
out facts that help, a smaller one adds sentences that say nothing."""

NEAR: Final = 4.0
"""Points by which a move has to be worse than the best of the others to count about a third as much as that. Chosen by
judgement, somewhat less than one score of 5: a smaller number compares with the second move alone, a larger one with
moves that nobody would make."""

TEMPTING: Final = 0.25
"""Share of the comparison with the move that scores most now, if that is more than the move itself scores."""

ANY: Final = 0.25
"""Share of the comparison with all other moves alike. It and TEMPTING were chosen by judgement, on the positions of
tests/data/points.jsonl that are not held out."""


@dataclass(frozen=True)
class Case:
    """A move, and what it is held against."""

    facts: Facts
    analysis: Analysis
    entries: Mapping[Move, MoveEvaluation]
    """What the analysis says of each move, by the move of :class:`MoveFacts`."""
    mine: MoveFacts
    others: Sequence[MoveFacts]
    against: Move | None
    """Set where the one other move is compared with."""

    @property
    def view(self) -> View:
        """Whose decision it is."""
        return self.facts.view

    @cached_property
    def shares(self) -> list[float]:
        """How much each of the other moves counts, together 1.

        Three kinds of them are worth a comparison: those that the analysis finds near the best of them, the one that
        tempts as it scores most now, and any.
        """
        if not self.others:
            return []
        size = len(self.others)
        known = [self._margin(other) for other in self.others]
        best = max((margin for margin in known if margin is not None), default=0.0)
        near = [math.exp(-(best - margin) / NEAR) if margin is not None else 0.0 for margin in known]
        most = self.most(lambda other: other.points) or 0
        tempting = [float(other.points == most > self.mine.points) for other in self.others]
        shares = [ANY / size] * size
        for kind, share in ((near, 1 - TEMPTING - ANY), (tempting, TEMPTING)):
            for i, count in enumerate(kind):
                shares[i] += share * count / (sum(kind) or 1.0)
        return [share / sum(shares) for share in shares]

    def _margin(self, move: MoveFacts) -> float | None:
        entry = self.entries.get(move.move)
        return None if entry is None else entry.expected_margin

    @cached_property
    def _gains(self) -> dict[str, float]:
        """By number, what the move has more of it than the others, in points."""
        mine = numbers_of(self.facts, self.mine)
        gains = dict(mine)
        for share, other in zip(self.shares, self.others, strict=True):
            for name, number in numbers_of(self.facts, other).items():
                gains[name] = gains.get(name, 0.0) - share * number
        worth = weights(self.view.players)
        return {name: worth[name] * gain for name, gain in gains.items()} if self.others else {}

    def gain(self, *names: str) -> float:
        """What some numbers together speak for the move, in points; below 0 where they speak against it."""
        return sum(self._gains.get(name, 0.0) for name in names)

    def worth(self, name: str) -> float:
        """What one more of a number is worth, in points."""
        return weights(self.view.players)[name]

    def usual(self, number: Callable[[MoveFacts], float]) -> float:
        """The mean of a number over the other moves, as they count; 0 without others."""
        return sum(share * number(other) for share, other in zip(self.shares, self.others, strict=True))

    def most(self, number: Callable[[MoveFacts], float]) -> float | None:
        """The highest number of the other moves; ``None`` without others."""
        return max(map(number, self.others), default=None)

    def least(self, number: Callable[[MoveFacts], float]) -> float | None:
        """The lowest number of the other moves; ``None`` without others."""
        return min(map(number, self.others), default=None)
