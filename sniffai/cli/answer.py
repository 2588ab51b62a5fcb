"""A recommendation as a person reads it."""

from collections.abc import Iterable

import click

from sniffai.cli.parts import show, table
from sniffai.explain import describe
from sniffai.rules import team_of
from sniffai.v1 import analysis_pb2 as pb
from sniffai.v1 import move_pb2
from sniffai.v1.analysis_service_pb2 import RecommendMoveResponse
from sniffai.view import View

LINE_STEPS = 4
"""Moves of the expected line that a table has room for."""

FEW_VISITS = 30
"""A move with fewer visits shows no error: so few say nothing about it."""


def print_answer(view: View, answer: RecommendMoveResponse, language: str | None = None) -> None:
    """The situation (in words where a language is given), the moves, what speaks for the first, the search's cost."""
    click.echo(_situation(view) if language is None else describe(view, language))
    analysis = answer.analysis
    if analysis.moves:
        _print_moves(analysis.moves, team_of(view.players, view.seat))
        for reason in analysis.moves[0].reasons:
            click.echo(f"- {reason.text}")
    else:
        show(f"nothing to place: {move_pb2.Action.Name(answer.action).removeprefix('ACTION_').lower()}")
    show(_effort(analysis))
    for warning in analysis.warnings:
        show(f"warning: {warning.field}: {warning.description}")


def _situation(view: View) -> str:
    """Two lines: the seat and its hand; the table as everyone sees it."""
    hand = " ".join(map(str, view.hand))
    scores = " ".join(map(str, view.scores_now))
    ends = " ".join(point.name for point in view.attachment_points()) or "none yet"
    sizes = " ".join(map(str, view.sizes))
    return (
        f"seat {view.seat} of {view.players}  hand {hand}  scores {scores}\n"
        f"open {ends}  count {view.count}  hands of {sizes}  talon {view.talon_size}"
    )


def _print_moves(moves: Iterable[pb.MoveEvaluation], team: int) -> None:
    made = table("#>", "move", "points>", "count>", "win %>", "±>", "loss>", "margin>", "±>", "visits>", "then")
    for entry in moves:
        value = next((value for value in entry.values if value.team == team), None)
        few = 0 < entry.visits < FEW_VISITS
        made.add_row(
            str(entry.rank),
            _move(entry.move) + _equals(entry),
            str(entry.points_now),
            str(entry.count_after),
            "" if value is None else f"{100 * value.win_probability:.2f}",
            "" if value is None or few else f"{100 * value.win_probability_error:.2f}",
            f"{100 * entry.win_probability_loss:.2f}" if entry.HasField("win_probability_loss") else "",
            "" if value is None else f"{value.expected_margin:+.2f}",
            "" if value is None or few else f"{value.standard_error:.2f}",
            str(entry.visits),
            " ".join(_step(step) for step in entry.line[1 : LINE_STEPS + 1]),
        )
    show(made)
    show("win %: chance to win the match, ± its standard error; loss: how much less than the best move's")
    show("margin: points expected from now to the end of the round, less the others'; ? hangs on hidden tiles")


def _move(move: move_pb2.Move) -> str:
    return f"{move.tile}@{move.at}" if move.at else move.tile


def _equals(entry: pb.MoveEvaluation) -> str:
    """The other attachment points that lead to the same future."""
    others = [point for point in entry.equal_points if point != entry.move.at]
    return f" (= {', '.join(others)})" if others else ""


def _step(step: pb.LineStep) -> str:
    return _move(step.move) + ("?" if step.estimated else "")


def _effort(analysis: pb.Analysis) -> str:
    source = pb.Source.Name(analysis.source).removeprefix("SOURCE_").lower()
    if analysis.source == pb.SOURCE_FORCED:
        return f"{source}: there is nothing to choose"
    if analysis.source == pb.SOURCE_EXACT:
        return f"{source}: nothing is hidden, solved to the end of the round"
    stop = pb.StopReason.Name(analysis.stop_reason).removeprefix("STOP_REASON_").lower()
    seconds = (
        f" in {analysis.effort.time.ToTimedelta().total_seconds():.2f} s" if analysis.effort.HasField("time") else ""
    )
    return f"{source}: {analysis.effort.simulations} simulations{seconds}, ended by {stop}, seed {analysis.seed}"
