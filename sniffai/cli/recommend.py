"""``sniffai recommend``: a move for a view, found here or by a server."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, get_args

import click

from sniffai import analyze, analyze_contrast, wire
from sniffai.checks import shown
from sniffai.cli.answer import print_answer
from sniffai.cli.forms import Form, load, named
from sniffai.cli.parts import BadInput, json_option, lang_option
from sniffai.cli.remote import PRIORITIES, Priority, Remote, remote_options
from sniffai.cli.terminal import tell_json_text
from sniffai.explain import prospect, reasons
from sniffai.moves import Move, MoveLike
from sniffai.play.learned import learned_opponent
from sniffai.play.level_turn import LevelTurn
from sniffai.play.levels import LEVELS, find_level, opponent_named
from sniffai.search.analysis import Analysis
from sniffai.search.opponents import Opponent
from sniffai.search.params import MAX_STANDARD_ERROR, Limits, Objective, SearchParams
from sniffai.seeds import MAX_MESSAGE_SEED
from sniffai.v1.analysis_service_pb2 import (
    AnalyzeRequest,
    RecommendMoveRequest,
    RecommendMoveResponse,
    StreamAnalyzeRequest,
)
from sniffai.v1.notice_pb2 import Warning as Notice
from sniffai.v1.reason_pb2 import Reason
from sniffai.view import View

LEARNED: Final = "learned"
"""In the place of a name: what a seat has done tells how it chooses."""

LEVEL_NAMES: Final = tuple(level.name for level in LEVELS)


@dataclass(frozen=True)
class Question:
    """A question, from a file and from the options."""

    view: View
    limits: Limits = Limits()
    """Only the limits that were given."""
    seed: int | None = None
    include_moves: tuple[MoveLike, ...] = ()
    """The only moves to consider; all where there is none."""
    exclude_moves: tuple[MoveLike, ...] = ()
    max_moves: int = 0
    """How many moves to list, 0 for all."""
    language_code: str | None = None
    """The language of all output."""
    objective: Objective = "match"
    priority: Priority = "interactive"
    """Of the search on a server; one's own begins at once."""
    level: str = ""
    """The level of play that chooses the move, if there is one."""
    opponents: Mapping[int, str] = field(default_factory=dict)
    """By seat, the name of how it chooses, as far as that is known; :data:`LEARNED` too."""
    careless: bool = False
    """Whether each move is also valued against careless opponents."""
    seen: tuple[View, ...] = ()
    """What the seat knows of every round, where it is to learn from that how others choose."""
    client_tag: str = ""
    """Comes back in the answer."""
    warnings: tuple[Notice, ...] = ()
    """Fields of the request that had no effect."""


@click.command("recommend")
@click.argument("file")
@remote_options
@click.option("--simulations", type=click.IntRange(min=1), help="Stop after this many simulations.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Stop after this many seconds.")
@click.option(
    "--target-error",
    "target_error",
    type=click.FloatRange(min=0, max=MAX_STANDARD_ERROR, min_open=True),
    help="Stop when the standard error of the best move's margin is at most this many points.",
)
@click.option(
    "--objective",
    type=click.Choice(get_args(Objective)),
    help="What to maximise: the chance to win the match, or the margin of the round. [default: match]",
)
@click.option(
    "include_moves", "--include", multiple=True, metavar="MOVE", help="Consider only this move. May be repeated."
)
@click.option(
    "exclude_moves", "--exclude", multiple=True, metavar="MOVE", help="Do not consider this move. May be repeated."
)
@click.option(
    "--level",
    metavar="LEVEL",
    help=f"Let a level of play choose the move: {', '.join(LEVEL_NAMES)}, or a number of rating points.",
)
@click.option(
    "opponents",
    "--opponent",
    multiple=True,
    metavar="SEAT=NAME",
    help="Assume that a seat plays like this level or player; search: the engine's default model; learned: as its "
    "placements in FILE suggest. May be repeated.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, MAX_MESSAGE_SEED),
    help="Seed of the search; the same seed gives the same answer. [default: 0]",
)
@click.option(
    "--careless",
    is_flag=True,
    help="Also value each move against careless opponents, who overlook points: half as many simulations more.",
)
@click.option("--describe", "described", is_flag=True, help="Also describe the position in words.")
@click.option("--belief", "beliefs", is_flag=True, help="Also show where the hidden tiles may be.")
@lang_option
@json_option
def command(
    file: str,
    remote: Remote | None,
    simulations: int | None,
    seconds: float | None,
    target_error: float | None,
    objective: Objective | None,
    include_moves: tuple[str, ...],
    exclude_moves: tuple[str, ...],
    level: str | None,
    opponents: tuple[str, ...],
    seed: int | None,
    careless: bool,
    described: bool,
    beliefs: bool,
    language_code: str | None,
    as_json: bool,
) -> None:
    """Recommend a move from what one seat knows.

    FILE is a file, - for standard input, or the text itself: a view in one line, the notes of a table, or the JSON of
    the wire's RecommendMoveRequest or PlayerView. In a round or a match record the move is for the seat to move, and
    only what that seat knows is used. Options override the limits, the seed and the moves of a request; without any
    limit the search takes one second. A MOVE is written like 4|5@4|6:HIGH. A level chooses among all legal moves; a
    level below full strength takes no limits.
    """
    form = load(file)
    asked = _read(form)
    limits = Limits(simulations, seconds, target_standard_error=target_error)
    if limits != Limits():
        asked = replace(asked, limits=limits)
    if include_moves or exclude_moves:
        asked = replace(asked, include_moves=include_moves, exclude_moves=exclude_moves)
    if opponents:
        asked = replace(asked, opponents=_named(opponents))
        if LEARNED in asked.opponents.values():
            asked = replace(asked, seen=form.views())
    asked = replace(
        asked,
        seed=asked.seed if seed is None else seed,
        objective=objective or asked.objective,
        level=asked.level if level is None else level,
        careless=careless or asked.careless,
        language_code=asked.language_code if language_code is None else language_code,
    )
    answer = _answer(asked, remote)
    if as_json:
        tell_json_text(wire.to_json(answer))
    else:
        print_answer(
            asked.view,
            answer,
            asked.language_code,
            objective=asked.objective,
            described=described,
            beliefs=beliefs,
        )


def _read(form: Form) -> Question:
    """The question in a file: the view, and what a request for a move or an analysis says besides.

    :raises BadInput: nobody is to move, or something in the request is wrong.
    """
    view, request = form.view(), form.request
    if not isinstance(request, (RecommendMoveRequest, AnalyzeRequest, StreamAnalyzeRequest)):
        return Question(view)
    with named(form.name):
        asked = wire.read_question(request)
    return Question(
        view=view,
        limits=asked.limits,
        seed=asked.seed if request.HasField("seed") else None,
        include_moves=asked.include_moves,
        exclude_moves=asked.exclude_moves,
        max_moves=asked.max_moves,
        language_code=asked.language_code if request.language_code else None,
        objective=asked.objective,
        priority=PRIORITIES[asked.priority] if request.priority else "interactive",
        level=asked.level.name if asked.level else "",
        opponents={message.seat: message.name for message in request.opponents},
        careless=asked.careless,
        client_tag=asked.client_tag,
        warnings=asked.warnings,
    )


def _named(options: Iterable[str]) -> dict[int, str]:
    """How seats choose, by seat and name.

    :raises BadInput: it is not a seat and a name, or a seat is named twice.
    """
    names: dict[int, str] = {}
    for option in options:
        place, sign, name = option.partition("=")
        if not sign or not re.fullmatch("[0-9]", place):
            raise BadInput(f"--opponent: a seat and a name are expected, such as 1=casual, not {shown(option)}")
        seat = int(place)
        if seat in names:
            raise BadInput(f"--opponent: seat {seat} is named twice")
        names[seat] = name
    return names


def _opponent(question: Question, seat: int, name: str) -> Opponent:
    """How a seat chooses.

    :raises SniffError: there is no such seat, player or level.
    """
    return learned_opponent(question.seen, seat, question.seed or 0) if name == LEARNED else opponent_named(name)


def _answer(question: Question, remote: Remote | None) -> RecommendMoveResponse:
    """The answer, found here or by a server.

    :raises BadInput: a level is to choose among some moves only, or is told how others choose, or a server is.
    """
    if question.level and (question.include_moves or question.exclude_moves):
        raise BadInput("--level cannot be used with --include or --exclude: a level chooses among all legal moves")
    if question.opponents and question.level:
        raise BadInput("--opponent cannot be used with --level: a level chooses whoever the others are")
    if question.careless and question.level:
        raise BadInput("--careless cannot be used with --level: a level chooses whoever the others are")
    if remote is not None:
        if LEARNED in question.opponents.values():
            raise BadInput("--opponent SEAT=learned cannot be used with --server: it sees the present round only")
        return _ask(remote, question)
    return _play_here(question) if question.level else _search_here(question)


def _play_here(question: Question) -> RecommendMoveResponse:
    """The move of a level.

    :raises LimitsError: there is no such level.
    """
    level = find_level(question.level)
    turn = LevelTurn(level, question.view, question.seed or 0)
    analysis = turn.searcher.run(turn.limits or question.limits)
    warnings = [*question.warnings, *wire.level_warnings(level, question.limits, question.objective)]
    return wire.write_recommendation(
        analysis,
        warnings,
        max_moves=question.max_moves,
        client_tag=question.client_tag,
        reasons=_reasons(question, analysis) if level.plays_best else (),
        prospect=_prospect(question, analysis) if level.plays_best else (),
        move=turn.move(analysis),
        level=level.name,
    )


def _search_here(question: Question) -> RecommendMoveResponse:
    search = analyze_contrast if question.careless else analyze
    analysis = search(
        question.view,
        question.limits,
        seed=question.seed or 0,
        params=SearchParams(objective=question.objective),
        include_moves=question.include_moves or None,
        exclude_moves=question.exclude_moves or None,
        opponents={seat: _opponent(question, seat, name) for seat, name in question.opponents.items()},
    )
    return wire.write_recommendation(
        analysis,
        question.warnings,
        max_moves=question.max_moves,
        client_tag=question.client_tag,
        reasons=_reasons(question, analysis),
        prospect=_prospect(question, analysis),
    )


def _reasons(question: Question, analysis: Analysis) -> list[Reason]:
    """What speaks for the first move."""
    return wire.write_reasons(reasons(question.view, analysis), question.language_code or "en")


def _prospect(question: Question, analysis: Analysis) -> list[Reason]:
    """What is expected of the first move."""
    return wire.write_reasons(prospect(question.view, analysis), question.language_code or "en")


def _ask(remote: Remote, question: Question) -> RecommendMoveResponse:
    from sniffai.client import DEFAULT_TIMEOUT

    timeout = max(DEFAULT_TIMEOUT, (question.limits.seconds or 0) + DEFAULT_TIMEOUT / 2)
    answer = remote.ask(
        lambda client: client.recommend(
            question.view,
            question.limits,
            seed=question.seed,
            include_moves=map(Move.of, question.include_moves),
            exclude_moves=map(Move.of, question.exclude_moves),
            max_moves=question.max_moves,
            language_code=question.language_code or "",
            objective=question.objective,
            priority=question.priority,
            level=question.level,
            opponents=question.opponents,
            careless=question.careless,
            client_tag=question.client_tag,
        ),
        timeout,
    )
    # The server was asked for nothing that has no effect, so it cannot warn of it.
    answer.analysis.warnings.extend(question.warnings)
    return answer
