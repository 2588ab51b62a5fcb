"""A recommendation as tables and sentences, in the reader's language."""

from collections.abc import Callable, Container, Iterator, Sequence
from typing import Final, TypeAlias

from sniffai.cli.belief_table import print_beliefs
from sniffai.cli.situation import action_name, situation
from sniffai.cli.tables import show, text_table
from sniffai.cli.terminal import tell
from sniffai.explain import sentences
from sniffai.explain.languages import Words, words
from sniffai.explain.level_words import level_name
from sniffai.explain.numbers import fixed, uncertain
from sniffai.rules import team_of
from sniffai.search.params import Objective
from sniffai.v1 import analysis_pb2 as pb
from sniffai.v1 import move_pb2, reason_pb2
from sniffai.v1.analysis_service_pb2 import RecommendMoveResponse
from sniffai.view import View

"""What a search maximises."""

LINE_STEPS = 4
"""Moves of the expected line that fit into a table."""


def print_answer(
    view: View,
    answer: RecommendMoveResponse,
    language_code: str | None = None,
    *,
    objective: Objective = "match",
    described: bool = False,
    beliefs: bool = False,
) -> None:
    """The situation, the moves, what speaks for the first, what the search cost.

    :param objective: what the search maximised: losses are told in it.
    :param described: whether the situation is told in words, too.
    :param beliefs: whether it is told where the hidden tiles may be.
    """
    say = words(language_code or "en")
    tell(situation(view, say))
    if described:
        tell("\n" + "\n".join(sentences(view, say.language_code)))
    analysis = answer.analysis
    if analysis.moves:
        _print_moves(analysis.moves, team_of(view.players, view.seat), objective, say)
        first = analysis.moves[0]
        turned = [reason for reason in first.prospect if reason.kind == reason_pb2.REASON_KIND_CARELESS]
        for reason in (*first.reasons, *turned):
            tell(f"- {reason.text}")
        if answer.level:
            tell(
                say.say("the level {level} plays {move}", level=level_name(answer.level, say), move=_move(answer.move))
            )
    else:
        action = move_pb2.Action.Name(answer.action).removeprefix("ACTION_").lower()
        tell(say.say("nothing to place: {action}", action=action_name(action, say)))
    if beliefs:
        print_beliefs(view, analysis, say)
    tell(_effort(analysis, say))
    if analysis.client_tag:
        tell(say.say("tag: {tag}", tag=analysis.client_tag))
    for warning in analysis.warnings:
        tell(say.say("warning: {field}: {text}", field=warning.field, text=warning.description))


Cell: TypeAlias = Callable[[pb.MoveEvaluation, pb.TeamValue | None], str]
"""What a move, whose value for the mover's team is known or not, has in a column."""


def _print_moves(moves: Sequence[pb.MoveEvaluation], team: int, objective: Objective, say: Words) -> None:
    """One row per move; columns without any known number are left out, and so are their notes."""
    values = [next((value for value in entry.values if value.team == team), None) for entry in moves]
    columns = {
        head: cells
        for head, cell in _columns(objective, any(entry.visits for entry in moves), say)
        if any(cells := [cell(entry, value) for entry, value in zip(moves, values, strict=True)])
    }
    made = text_table(*columns)
    for row in zip(*columns.values(), strict=True):
        made.add_row(*row)
    show(made)
    for note in _notes({str(column.header) for column in made.columns}, objective, say):
        tell(note)
    if any(value is not None and value.errors_unknown for value in values):
        tell(say.say("{sign}: not known after so few simulations", sign=UNKNOWN))


def _columns(objective: Objective, searched: bool, say: Words) -> Iterator[tuple[str, Cell]]:
    """The head of each column, and what fills its cells."""
    yield "#>", lambda entry, value: str(entry.rank)
    yield say.say("move"), lambda entry, value: _move(entry.move) + _equals(entry)
    yield say.say("points") + ">", lambda entry, value: str(entry.points_now)
    yield say.say("count") + ">", lambda entry, value: str(entry.count_after)
    yield say.say("win %") + ">", lambda entry, value: fixed(100 * value.win_probability, 2) if value else ""
    # Two columns with one name: the second has a blank before it.
    yield "±>", lambda entry, value: _error(value, 100 * value.win_probability_error) if value else ""
    yield (say.say("loss %") if objective == "match" else say.say("loss pts")) + ">", _loss_in(objective)
    yield say.say("margin") + ">", lambda entry, value: fixed(value.expected_margin, 2, signed=True) if value else ""
    yield " ±>", lambda entry, value: _error(value, value.standard_error) if value else ""
    yield say.say("careless %") + ">", _careless
    yield say.say("visits") + ">", lambda entry, value: str(entry.visits) if searched else ""
    yield say.say("then") + "?", lambda entry, value: " ".join(map(_step, entry.line[1 : LINE_STEPS + 1]))


def _careless(entry: pb.MoveEvaluation, value: pb.TeamValue | None) -> str:
    """The chance to win the match against careless opponents, where it was asked for."""
    if not entry.HasField("careless"):
        return ""
    chance = fixed(100 * entry.careless.win_probability, 2)
    return f"{chance} ± {_error(entry.careless, 100 * entry.careless.win_probability_error) or 0}"


def _loss_in(objective: Objective) -> Cell:
    if objective == "match":
        return lambda entry, value: (
            fixed(100 * entry.win_probability_loss, 2) if entry.HasField("win_probability_loss") else _unknown(value)
        )
    return lambda entry, value: fixed(entry.loss, 2) if entry.HasField("loss") else _unknown(value)


UNKNOWN: Final = "?"
"""Shown instead of a number that is not known after so few simulations."""


def _unknown(value: pb.TeamValue | None) -> str:
    return UNKNOWN if value else ""


def _error(value: pb.TeamValue, error: float) -> str:
    if value.errors_unknown:
        return UNKNOWN
    return "" if error == 0.0 else uncertain(error, 2)


def _notes(columns: Container[str], objective: Objective, say: Words) -> Iterator[str]:
    """The notes that explain the printed columns.

    :param columns: their heads.
    """
    if say.say("win %") in columns:
        yield (
            say.say("win %: chance to win the match; ±: standard error")
            if "±" in columns
            else say.say("win %: chance to win the match")
        )
        yield (
            say.say("loss %: how much less chance than after the best move")
            if objective == "match"
            else say.say("loss pts: how much less margin than after the best move")
        )
        yield say.say("margin: points expected from now to the end of the round, less the others'")
    if say.say("careless %") in columns:
        yield say.say("careless %: the same chance against opponents who overlook points")
    if say.say("then") in columns:
        yield say.say("then: the expected line; ? depends on hidden tiles")


def _move(move: move_pb2.Move) -> str:
    return f"{move.tile}@{move.at}" if move.at else move.tile


def _equals(entry: pb.MoveEvaluation) -> str:
    """The other attachment points that lead to the same future."""
    others = [point for point in entry.equal_points if point != entry.move.at]
    return f" (= {', '.join(others)})" if others else ""


def _step(step: pb.LineStep) -> str:
    return _move(step.move) + ("?" if step.estimated else "")


def _effort(analysis: pb.Analysis, say: Words) -> str:
    if analysis.source == pb.SOURCE_FORCED:
        return say.say("forced: there is nothing to choose")
    if analysis.source == pb.SOURCE_EXACT:
        return say.say("exact: nothing is hidden, solved to the end of the round")
    if analysis.source == pb.SOURCE_UNSEARCHED:
        return say.say("nothing was searched: the level does not search")
    effort, time = analysis.effort, ""
    stop = pb.StopReason.Name(analysis.stop_reason).removeprefix("STOP_REASON_").lower()
    if effort.HasField("time"):
        time = say.say(" in {seconds} s", seconds=f"{effort.time.ToTimedelta().total_seconds():.2f}")
    return say.say(
        "search: {simulations} simulations{time}, ended by {stop}, seed {seed}",
        simulations=effort.simulations,
        time=time,
        stop=_stop(stop, say),
        seed=analysis.seed,
    )


def _stop(name: str, say: Words) -> str:
    """What ended a search."""
    names = {
        "simulations": say.say("simulations"),
        "time": say.say("time"),
        "memory": say.say("memory"),
        "deadline": say.say("deadline"),
        "shutdown": say.say("shutdown"),
        "decided": say.say("decision"),
        "precise": say.say("precision"),
    }
    return names.get(name, name)
