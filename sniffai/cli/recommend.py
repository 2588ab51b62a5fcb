"""``sniffai recommend``: a move for a view, found here or by a server."""

from dataclasses import dataclass, replace
from typing import get_args

import click

from sniffai import analyze, wire
from sniffai.cli.answer import Objective, print_answer
from sniffai.cli.parts import BadInput, json_option, lang_option, read_text
from sniffai.cli.remote import Remote, remote_options
from sniffai.explain import reasons
from sniffai.moves import Move, MoveLike
from sniffai.params import MAX_STANDARD_ERROR, Limits, SearchParams
from sniffai.v1.analysis_service_pb2 import RecommendMoveResponse
from sniffai.view import View


@dataclass(frozen=True)
class Question:
    """What a file or the options ask."""

    view: View
    limits: Limits = Limits()
    """Only what was asked for."""
    seed: int | None = None
    include: tuple[MoveLike, ...] = ()
    """The only moves to consider; all where there is none."""
    exclude: tuple[MoveLike, ...] = ()
    max_moves: int = 0
    """How many moves to list, 0 for all."""
    language: str | None = None
    """Of all words."""
    objective: Objective = "match"


@click.command("recommend")
@click.argument("file")
@remote_options
@click.option("--simulations", type=click.IntRange(min=1), help="Stop after so many simulations.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Stop after so much time.")
@click.option(
    "--target-error",
    "target_error",
    type=click.FloatRange(min=0, max=MAX_STANDARD_ERROR, min_open=True),
    help="Stop when the best move's margin is known to so many points.",
)
@click.option(
    "--objective",
    type=click.Choice(get_args(Objective)),
    help="What to maximise: the chance to win the match, or the margin of the round. [default: match]",
)
@click.option("--include", multiple=True, metavar="MOVE", help="Consider this move, no others. May be repeated.")
@click.option("--exclude", multiple=True, metavar="MOVE", help="Do not consider this move. May be repeated.")
@click.option("--seed", type=click.IntRange(0, wire.MAX_SEED), help="Makes the answer repeatable. [default: 0]")
@click.option("--describe", "described", is_flag=True, help="Tell the situation in words, too.")
@lang_option
@json_option
def command(
    file: str,
    remote: Remote | None,
    simulations: int | None,
    seconds: float | None,
    target_error: float | None,
    objective: Objective | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    seed: int | None,
    described: bool,
    language: str | None,
    as_json: bool,
) -> None:
    """Recommend a move for what one seat knows.

    FILE (- for standard input) holds a view in one line, or the JSON of the wire's RecommendMoveRequest or PlayerView.
    The options go before the limits, the seed and the moves of a request; without any the search takes a second. A MOVE
    is such as 4|5@4|6:HIGH.
    """
    asked = _read(read_text(file), file)
    limits = Limits(simulations, seconds, target_standard_error=target_error)
    if limits != Limits():
        asked = replace(asked, limits=limits)
    if seed is not None:
        asked = replace(asked, seed=seed)
    if objective is not None:
        asked = replace(asked, objective=objective)
    if include or exclude:
        asked = replace(asked, include=include, exclude=exclude)
    if language is not None:
        asked = replace(asked, language=language)
    answer = _search_here(asked) if remote is None else _ask(remote, asked)
    if as_json:
        click.echo(wire.to_json(answer))
    else:
        print_answer(asked.view, answer, asked.language, objective=asked.objective, described=described)


def _read(text: str, file: str) -> Question:
    """The question in a file: JSON, or a line of text.

    :raises BadInput: the JSON holds none, or the line is a round.
    """
    if text.split(maxsplit=1)[:1] == ["round"]:
        told = "a round shows all hands, and a move is recommended for what one seat knows"
        raise BadInput(f"{file}: {told}: give its view, such as `sniffai deal --view mover` makes")
    if not text.lstrip().startswith("{"):
        return Question(View.from_text(text))
    try:
        request = wire.request_from_json(text)
        asked = wire.read_question(request)
        view = wire.read_view(wire.given(request, "view"))
    except wire.WireError as error:
        raise BadInput(f"{file}: {error}") from None
    seed = asked.seed if request.HasField("seed") else None
    objective: Objective = "match" if asked.match else "round"
    language = asked.language if request.language_code else None
    return Question(view, asked.limits, seed, asked.include, asked.exclude, asked.max_moves, language, objective)


def _search_here(question: Question) -> RecommendMoveResponse:
    found = analyze(
        question.view,
        question.limits,
        seed=question.seed or 0,
        params=SearchParams(match=question.objective == "match"),
        include=question.include or None,
        exclude=question.exclude or None,
    )
    why = wire.write_reasons(reasons(question.view, found), question.language or "en")
    return wire.write_recommendation(found, max_moves=question.max_moves, reasons=why)


def _ask(remote: Remote, question: Question) -> RecommendMoveResponse:
    from sniffai.client import DEFAULT_TIMEOUT

    timeout = max(DEFAULT_TIMEOUT, (question.limits.seconds or 0) + DEFAULT_TIMEOUT / 2)
    return remote.ask(
        lambda client: client.recommend(
            question.view,
            question.limits,
            seed=question.seed,
            include=map(Move.of, question.include),
            exclude=map(Move.of, question.exclude),
            max_moves=question.max_moves,
            language=question.language or "",
            objective=question.objective,
        ),
        timeout,
    )
