"""Players that err as people do: they overlook points, misjudge positions, and ignore what draws and passes show."""

from dataclasses import dataclass, field
from random import Random

from sniffai.checks import keep, read_real
from sniffai.moves import Move
from sniffai.play.players import SearchPlayer
from sniffai.search.analysis import Analysis
from sniffai.search.candidates import distinct_moves
from sniffai.search.params import Limits
from sniffai.search.searcher import Searcher
from sniffai.view import View


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


@dataclass(frozen=True, slots=True)
class ForgetfulPlayer:
    """Searches, but ignores what draws and passes showed, and misjudges the moves' values.

    Large mistakes are rare, since they take a large misjudgement.

    :raises LimitsError: ``misjudges`` is out of range.
    """

    search: SearchPlayer = field(default_factory=SearchPlayer)
    misjudges: float = 0.0
    """Standard deviation of its error in each move's value, in points: 0..1000."""

    def __post_init__(self) -> None:
        keep(self, "misjudges", read_real(self.misjudges, "misjudges", 0, 1000))

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`."""
        return self.pick(self.analyze(view, seed), seed)

    @property
    def limits(self) -> Limits:
        """Those of the search."""
        return self.search.limits

    def searcher(self, view: View, seed: int) -> Searcher:
        """The search, without what draws and passes showed, ready to run within :attr:`limits`."""
        return self.search.searcher(view.without_voids(), seed)

    def analyze(self, view: View, seed: int) -> Analysis:
        """What the search thinks of every move, without what draws and passes showed."""
        return self.searcher(view, seed).run(self.limits)

    def pick(self, analysis: Analysis, seed: int) -> Move:
        """The move that seems best after its errors of judgement; the first where no move has a value yet."""
        lots = Random(seed)
        seeming = [
            (entry.expected_margin + lots.gauss(0.0, self.misjudges), -entry.rank, entry.move)
            for entry in analysis.moves
            if entry.expected_margin is not None
        ]
        return max(seeming)[2] if self.misjudges and seeming else self.search.pick(analysis, seed)
