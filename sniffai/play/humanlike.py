"""Players that err as people do: they misjudge moves, overlook points, and forget what draws and passes show.

A player that misjudges is off by as many points as it usually is, either way, for each move anew. So small mistakes are
frequent and large ones rare. It takes the more care the less is open: with a match as good as decided it hardly errs,
and so it does not throw away one that it is winning. It never misses a placement that wins the match now.
"""

from dataclasses import dataclass, field
from random import Random
from typing import Final

from sniffai.checks import keep, read_flag, read_real
from sniffai.equity.table import load
from sniffai.equity.worth import POINT_WORTH
from sniffai.moves import Move
from sniffai.play.players import SearchPlayer
from sniffai.rules import TARGET
from sniffai.search.analysis import Analysis
from sniffai.search.candidates import distinct_moves
from sniffai.search.nets import load_policy
from sniffai.search.params import Limits
from sniffai.search.searcher import Searcher
from sniffai.view import View

DECIDED: Final = 0.01
"""With a chance to win the match below this, or above 1 less this, a player that searches does not err."""

MOST_POINTS: Final = 60
"""No placement scores more: the ends of a layout count less than this."""


def openness(chance: float) -> float:
    """How open a match is: 1 if it is even, 0 once it is decided.

    :param chance: a team's chance to win it, 0..1.
    """
    return 4 * chance * (1 - chance)


@dataclass(frozen=True, slots=True)
class CarelessPlayer:
    """Takes the most points it sees and looks no further; chooses among equal moves at random.

    :raises LimitsError: ``misses`` is out of range.
    """

    misses: float = 0.5
    """The chance that it overlooks that a placement scores, for each placement separately: 0..1."""

    def __post_init__(self) -> None:
        keep(self, "misses", read_real(self.misses, "misses", 0, 1))

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`."""
        lots = Random(seed)
        moves = distinct_moves(view)
        seen = [0 if lots.random() < self.misses else view.points(move) for move in moves]
        most = max(seen)
        return lots.choice([move for move, points in zip(moves, seen, strict=True) if points == most])

    def chances(self, view: View) -> dict[Move, float]:
        """See :class:`sniffai.play.players.Teller`."""
        moves = distinct_moves(view)
        scored: dict[int, list[Move]] = {}
        for move in moves:
            scored.setdefault(view.points(move), []).append(move)
        chances, overlooked = dict.fromkeys(moves, 0.0), 1.0  # the chance that it overlooks all that scores more
        for points in sorted(scored, reverse=True):
            equal = scored[points]
            missed = self.misses ** len(equal) if points else 0.0
            # Of equal placements each is as likely as the others to be among those seen and taken. Once every one that
            # scores is overlooked, all moves seem to score 0.
            for move in equal if points else moves:
                chances[move] += overlooked * (1 - missed) / len(equal if points else moves)
            overlooked *= missed
        if 0 not in scored:
            for move in moves:
                chances[move] += overlooked / len(moves)
        return {move: chance for move, chance in chances.items() if chance}


@dataclass(frozen=True, slots=True)
class HastyPlayer:
    """Rates the moves at a glance, by the policy and without any search, and misjudges them.

    :raises LimitsError: ``misjudges`` is out of range.
    """

    misjudges: float = 0.0
    """Standard deviation of its error in each move's rating, in points, where the match is even: 0..1000."""

    def __post_init__(self) -> None:
        keep(self, "misjudges", read_real(self.misjudges, "misjudges", 0, 1000))

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`."""
        rated = [(Move.from_codes(tile, at), value) for tile, at, value in load_policy(view.players).rate(view.core())]
        winning = _winning(view, [move for move, _ in rated])
        if winning is not None:
            return winning
        lots = Random(seed)
        error = self.misjudges * openness(load(view.players).core.chance(view.scores_now, -1)[view.team])
        seeming = [value + lots.gauss(0.0, error) for _, value in rated]
        return rated[seeming.index(max(seeming))][0]


def _winning(view: View, moves: list[Move]) -> Move | None:
    """The first move that wins the match now."""
    missing = TARGET[view.players] - view.scores_now[view.team]
    if missing > MOST_POINTS:
        return None
    return next((move for move in moves if view.points(move) >= missing), None)


@dataclass(frozen=True, slots=True)
class ForgetfulPlayer:
    """Searches, but ignores what draws and passes showed, and misjudges the moves' chances to win the match.

    :raises LimitsError: ``misjudges`` is out of range.
    """

    search: SearchPlayer = field(default_factory=SearchPlayer)
    misjudges: float = 0.0
    """Standard deviation of its error in each move's value, in points, where the match is even: 0..1000."""
    forgets: bool = True
    """Whether it ignores what draws and passes showed."""

    def __post_init__(self) -> None:
        keep(self, "misjudges", read_real(self.misjudges, "misjudges", 0, 1000))
        keep(self, "forgets", read_flag(self.forgets, "forgets"))

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`."""
        return self.decide(view, seed)[0]

    def decide(self, view: View, seed: int) -> tuple[Move, int]:
        """The choice, and the simulations that it took."""
        analysis = self.analyze(view, seed)
        return self.pick(analysis, seed), analysis.effort.simulations

    @property
    def limits(self) -> Limits:
        """Those of the search."""
        return self.search.limits

    def searcher(self, view: View, seed: int, *, inferred: bool = True) -> Searcher:
        """The search of what the player remembers, ready to run within :attr:`limits`.

        :param inferred: whether answers have the inferred belief.
        """
        return self.search.searcher(view.without_voids() if self.forgets else view, seed, inferred=inferred)

    def analyze(self, view: View, seed: int) -> Analysis:
        """What the search of what the player remembers thinks of every move. It tells no inferred belief."""
        return self.searcher(view, seed, inferred=False).run(self.limits)

    def pick(self, analysis: Analysis, seed: int) -> Move:
        """The move that seems best after its errors of judgement; the first where no move has a value yet."""
        best = self.search.pick(analysis, seed)
        chances = {entry.move: entry.win_probability for entry in analysis.moves if entry.win_probability is not None}
        chance = chances.get(best, 1.0)
        if not DECIDED <= chance <= 1 - DECIDED:
            return best
        lots = Random(seed)
        error = self.misjudges * POINT_WORTH * openness(chance)
        seeming = {move: value + lots.gauss(0.0, error) for move, value in chances.items()}
        return max(seeming, key=seeming.__getitem__) if error else best
