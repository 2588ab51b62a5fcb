"""Turns the results of a search or of the solver into the evaluations of an answer."""

from collections.abc import Sequence

from sniffai.moves import Move
from sniffai.ports import point_name
from sniffai.rules import team_of
from sniffai.search.analysis import LineStep, MoveEvaluation, TeamValue
from sniffai.search.roots import UNKNOWN, AgainstBest, Root
from sniffai.search.solver import MoveValue
from sniffai.view import View
from sniffai_ext.layout import Layout as CoreLayout
from sniffai_ext.root_statistics import told_apart
from sniffai_ext.rows import RootMove
from sniffai_ext.search import Search as CoreSearch


def unsearched(view: View, moves: Sequence[Move]) -> tuple[MoveEvaluation, ...]:
    """Moves that were not searched: only what they do at once is known."""
    layout = view.core().layout
    return tuple(_evaluation(view, layout, rank, move, 0, 0, (), UNKNOWN, ()) for rank, move in enumerate(moves, 1))


def searched(view: View, cores: Sequence[CoreSearch], root: Root, *, hidden: bool = True) -> tuple[MoveEvaluation, ...]:
    """The moves of a search, best first.

    :param hidden: whether steps of a line may depend on hidden tiles; else none is estimated.
    """
    evaluations, layout = [], view.core().layout
    for rank, (row, against_best) in enumerate(zip(root.rows, root.against_best(), strict=True), 1):
        line = _line(cores, row, hidden) if row.visits else ()
        move = Move.from_codes(row.tile, row.at)
        evaluations.append(
            _evaluation(view, layout, rank, move, row.visits, row.availability, root.values(row), against_best, line)
        )
    return tuple(evaluations)


def solved(view: View, entries: Sequence[MoveValue]) -> tuple[MoveEvaluation, ...]:
    """Solved moves, best first. Their lines are best play to the end of the round; no step is estimated."""
    team = team_of(view.players, view.seat)
    first = _exact_values(entries[0])[team]
    equal = [
        not told_apart(entry.loss - entries[0].loss, 0.0) and entry.margin == entries[0].margin for entry in entries
    ]
    evaluations, layout = [], view.core().layout
    for rank, (entry, best) in enumerate(zip(entries, equal, strict=True), 1):
        values = _exact_values(entry)
        own = values[team]
        against_best = AgainstBest(
            first.expected_margin - own.expected_margin,
            first.win_probability - own.win_probability,
            not best,
            1 / sum(equal) if best else 0.0,
        )
        line = tuple(LineStep(move, 0, False) for move in entry.line)
        evaluations.append(_evaluation(view, layout, rank, entry.move, 0, 0, values, against_best, line))
    return tuple(evaluations)


def _exact_values(entry: MoveValue) -> tuple[TeamValue, TeamValue]:
    margin, chance = float(entry.margin), entry.chance
    return TeamValue(0, margin, 0.0, 0.0, chance, 0.0), TeamValue(1, -margin, 0.0, 0.0, 1 - chance, 0.0)


def _evaluation(
    view: View,
    layout: CoreLayout,
    rank: int,
    move: Move,
    visits: int,
    availability: int,
    values: tuple[TeamValue, ...],
    against_best: AgainstBest,
    line: tuple[LineStep, ...],
) -> MoveEvaluation:
    own = values[team_of(view.players, view.seat)] if values else None
    codes = move.codes
    points, count = layout.effect(*codes)
    return MoveEvaluation(
        rank=rank,
        move=move,
        equal_points=tuple(str(point_name(at)) for at in layout.equal_points(*codes)),
        visits=visits,
        availability=availability,
        values=values,
        expected_margin=own.expected_margin if own else None,
        standard_error=own.standard_error if own else None,
        points_now=points,
        count_after=count,
        win_probability=own.win_probability if own else None,
        win_probability_error=own.win_probability_error if own else None,
        loss=against_best.loss,
        win_probability_loss=against_best.win_probability_loss,
        loss_significant=against_best.significant,
        best_probability=against_best.best_probability,
        line=line,
    )


def _line(cores: Sequence[CoreSearch], row: RootMove, hidden: bool) -> tuple[LineStep, ...]:
    """The line of the tree that visited the move most often."""
    lines = [core.line(row.tile, row.at) for core in cores]
    longest = max(lines, key=lambda steps: steps[0].visits if steps else 0)
    return tuple(
        LineStep(Move.from_codes(step.tile, step.at), step.visits, step.estimated and hidden) for step in longest
    )
