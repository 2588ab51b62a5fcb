"""What an analysis says, as values.

All margins are per team and absolute, never from the perspective of the player to move: with 2 and 4 seats a team's
points from now to the end of the round less the other team's, with 3 seats a seat's points less the mean of the
others'. Settlement is included (docs/rules.md §6); where the target is reached, the round ends there (§7).
"""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from sniffai.checks import keep, read_only
from sniffai.moves import Move
from sniffai.search.params import EffectiveLimits

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Action = Literal["play", "draw", "pass"]
"""What the seat must do. Only ``"play"`` leaves a choice."""

Source = Literal["forced", "search", "exact", "unsearched"]
"""``"forced"``: there was nothing to choose, so nothing was searched. ``"exact"``: nothing was hidden, and the rest of
the round was solved. ``"unsearched"``: a player that does not search chose the move."""

StopReason = Literal[
    "forced",
    "simulations",
    "time",
    "memory",
    "stopped",
    "decided",
    "precise",
    "exact",
    "deadline",
    "running",
    "unsearched",
]
"""What ended the search. ``"deadline"``: the end that the caller set came before the limits. ``"running"``: it goes on,
and this is a snapshot."""


@dataclass(frozen=True, slots=True)
class TeamValue:
    """One team's prospect: for the rest of the round, in points, and for the match."""

    team: int
    expected_margin: float
    standard_error: float | None
    """Of the mean, above 0 unless the round was solved: chance, the resolution of what was seen, the tree's drift and
    the sampled worlds; the search's model of the other players is no part of it. ``None`` where it is not known: after
    fewer than 5 visits, or fewer than 30 simulations in all."""
    standard_deviation: float | None
    """Spread of the margin over the simulations, at least 0; ``None`` where the standard error is."""
    win_probability: float
    """Chance to win the match, 0..1, by match equity (:mod:`sniffai.equity`) at the end of the round."""
    win_probability_error: float | None
    """Standard error of that, of the same four parts; the equity table's own error is no part of it. ``None`` where the
    standard error is."""


@dataclass(frozen=True, slots=True)
class LineStep:
    """One placement of an expected line of play."""

    move: Move
    visits: int
    """Simulations that came through it."""
    estimated: bool
    """Whether it depends on hidden tiles: it is likely, but may turn out to be impossible."""


@dataclass(frozen=True, slots=True)
class MoveEvaluation:
    """The evaluation of one move."""

    rank: int
    """1 is the recommended move. The order is that of the chance to win the match (or of the margin, if the search was
    asked for that) less half a standard error, and where chances are not told apart that of the margin; moves with few
    visits come after those with many."""
    move: Move
    equal_points: tuple[str, ...]
    """All attachment points that lead to the same future, ``move.at`` among them; empty for the lead."""
    visits: int
    """Simulations that began with the move."""
    availability: int
    """Simulations that could have begun with it."""
    values: tuple[TeamValue, ...]
    """By team, the move's own points included; empty for a move without a visit in a search."""
    expected_margin: float | None
    """The value for the mover's team; ``None`` without a visit."""
    standard_error: float | None
    """``None`` where it is not known, see :attr:`TeamValue.standard_error`."""
    win_probability: float | None
    """The mover's team's chance to win the match; ``None`` without a visit."""
    win_probability_error: float | None
    """``None`` where it is not known."""
    points_now: int
    """What the placement scores at once."""
    count_after: int
    """The count after it."""
    loss: float | None
    """How much less the mover's team expects of the round than from rank 1, in points; ``None`` where the error of
    either is not known. Below 0 where more points win the match less often, or where two moves are not told apart."""
    win_probability_loss: float | None
    """How much less chance to win the match than rank 1 gives; as small below 0 as its error, and where chances are not
    told apart. ``None`` where :attr:`loss` is."""
    loss_significant: bool
    """Whether rank 1 is better, in chance or, where chances are not told apart, in margin, by more than two standard
    errors of the difference, so hardly by chance. Solved: whether it is better."""
    best_probability: float | None
    """Probability that the move is the best of those considered, estimated from the simulations; all together are 1.
    Equal best moves of a solved round share it. ``None`` without a search, after fewer than 30 simulations, and until
    every move has been tried."""
    line: tuple[LineStep, ...]
    """The most visited way on, beginning with the move itself; empty without a visit."""
    careless: TeamValue | None = None
    """The value for the mover's team against careless opponents, who overlook points; ``None`` unless it was asked for
    (:class:`sniffai.ContrastSearcher`), and without a visit."""


class _WithTable:
    """A value that holds a table among other fields, and is compared by all of them."""

    __slots__ = ()

    table: "npt.NDArray[np.float64]"

    def __post_init__(self) -> None:
        keep(self, "table", read_only(self.table))

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._fields()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        import numpy as np

        return np.array_equal(self.table, other.table) and self._fields()[1:] == other._fields()[1:]

    def __hash__(self) -> int:
        return hash((self.table.tobytes(), *self._fields()[1:]))


@dataclass(frozen=True, slots=True, eq=False)
class BeliefTable(_WithTable):
    """Where the hidden tiles may be, given all that the rules force: exact.

    :class:`InferredBelief` says what the other seats' choices suggest besides.
    """

    table: "npt.NDArray[np.float64]"
    """``[28, players + 1]``, read-only: probability of each tile at each seat and, last column, in the talon."""
    world_count: int
    """Ways to fill each seat's deal, each draw and the rest of the talon."""


@dataclass(frozen=True, slots=True, eq=False)
class InferredBelief(_WithTable):
    """Where the hidden tiles are likely to be, given what the other seats chose as well.

    It is not exact: a model of how the others play is in it, and it is wrong where they play otherwise
    (docs/policy.md).
    """

    table: "npt.NDArray[np.float64]"
    """``[28, players + 1]``, read-only: as in :class:`BeliefTable`, over the weighted worlds."""
    effective_sample_size: float
    """How many independent worlds would give the table as exactly, above 0. If all worlds were weighted, chance has no
    part in it; the error of the model is never in this number."""
    worlds_used: int
    """Weighted worlds that the table is made of, at least 1. At ``belief.world_count`` they are all there are."""
    model: str
    """The model of play: ``"policy"``, the policy net, or ``"opponents"``: what the search
    was told about other seats."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What the search cost."""

    simulations: int
    node_count: int
    memory_bytes: int
    """Bytes of the search tree."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Analysis:
    """The answer to one view."""

    action: Action
    moves: tuple[MoveEvaluation, ...]
    """The moves considered (all legal ones, unless some were included or excluded), best first, equal ones once; empty
    unless ``action`` is ``"play"``."""
    root_values: tuple[TeamValue, ...]
    """By team, over all simulations; empty where nothing was searched."""
    belief: BeliefTable
    source: Source
    stop_reason: StopReason
    effective_limits: EffectiveLimits
    """The limits in force."""
    effort: Effort
    seed: int
    deterministic: bool
    """Whether the answer does not depend on a clock: the same view, seed and limits give the same answer."""
    engine_version: str
    worlds_used: int | None = None
    """Weighted worlds that the simulations were drawn from; ``None`` where worlds were not weighted, and without a
    search. Where it is ``belief.world_count``, they are all there are."""
    effective_sample_size: float | None = None
    """How many worlds of equal weight would hold as much information: 1 to ``worlds_used``, ``None`` with it."""
    inferred_belief: InferredBelief | None = None
    """What the other seats' choices suggest; ``None`` where none were weighed: without a search, without weighted
    worlds, as long as the others have chosen nothing, or where it was not asked for."""
    omitted_move_count: int = 0
    """Legal moves not considered, equal ones once."""
    final: bool = True
    """``False``: a snapshot of a search that goes on."""
    warnings: tuple[str, ...] = ()

    @property
    def best(self) -> MoveEvaluation | None:
        """The recommended move; ``None`` unless ``action`` is ``"play"``."""
        return self.moves[0] if self.moves else None
