"""What an analysis expects of a move: the chance to win the match and the margin. It is the verdict, not a reason.

Where the analysis also knows how the moves fare against careless opponents, and another move is better there, that is
told.
"""

from collections.abc import Iterator

from sniffai.explain.facts import Facts
from sniffai.explain.reason import Reason, ReasonKind
from sniffai.explain.reasons import check_given
from sniffai.moves import Move, MoveLike
from sniffai.rules import TARGET
from sniffai.search.analysis import Analysis, MoveEvaluation
from sniffai.search.careless import Gap, turned
from sniffai.view import View


def prospect(view: View, analysis: Analysis, move: MoveLike | None = None) -> tuple[Reason, ...]:
    """What an analysis expects of a move, in numbers.

    A :attr:`ReasonKind.CHANCE` and a :attr:`ReasonKind.VALUE`: each is left out where the analysis does not know the
    number or its error, so after few simulations; and the chance where the move wins the match. Then perhaps a
    :attr:`ReasonKind.CARELESS`.

    :param analysis: of this view.
    :param move: a legal move; by default the recommended one.
    :raises ViewError: ``view`` is not a :class:`View`.
    :raises LimitsError: ``analysis`` is not an :class:`Analysis`.
    :raises MoveError: the move is not legal.
    :raises SniffError: it cannot be read.
    """
    check_given(view, analysis)
    if analysis.best is None:
        return ()
    entry = analysis.best if move is None else _entry(view, analysis, move)
    return () if entry is None else tuple(_expected(view, analysis, entry))


def _entry(view: View, analysis: Analysis, move: MoveLike) -> MoveEvaluation | None:
    """What the analysis says of a legal move, if it looked at it."""
    asked = Move.of(move)
    for entry in analysis.moves:
        if entry.move.tile == asked.tile and (entry.move.at == asked.at or asked.at in entry.equal_points):
            return entry
    Facts(view).find(asked)
    return None


def _expected(view: View, analysis: Analysis, entry: MoveEvaluation) -> Iterator[Reason]:
    exact = analysis.source == "exact"
    others = [other for other in analysis.moves if other is not entry and other.standard_error is not None]
    wins = view.scores_now[view.team] + entry.points_now >= TARGET[view.players]
    if entry.win_probability is not None and _is_known(entry.win_probability_error, exact) and not wins:
        chances = [other.win_probability for other in others if other.win_probability is not None]
        yield Reason(
            ReasonKind.CHANCE,
            probability=entry.win_probability,
            error=entry.win_probability_error,
            other=max(chances, default=None),
        )
    if entry.expected_margin is not None and _is_known(entry.standard_error, exact):
        margins = [other.expected_margin for other in others if other.expected_margin is not None]
        yield Reason(
            ReasonKind.VALUE, value=entry.expected_margin, error=entry.standard_error, other=max(margins, default=None)
        )

    better = turned(analysis, entry, view.team)
    if better is not None:
        other, gap = better
        yield careless_reason(other.move, gap)


def careless_reason(move: Move, gap: Gap) -> Reason:
    """A :attr:`ReasonKind.CARELESS`: a move that is worse, but better against careless opponents.

    :param gap: by how much it is better against them.
    """
    if gap.by_chance:
        return Reason(ReasonKind.CARELESS, against=move, probability=gap.chance, error=gap.chance_error)
    return Reason(ReasonKind.CARELESS, against=move, value=gap.points, error=gap.points_error)


def _is_known(error: float | None, exact: bool) -> bool:
    """Whether an error is told, and no searched value poses as a solved one: only solved ones have an error of 0."""
    return error is not None and (exact or error > 0.0)
