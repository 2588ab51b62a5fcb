"""``sniffai recommend``: a move for a view, found here or by a server."""

from dataclasses import dataclass

import click

from sniffai import analyze, wire
from sniffai.cli.answer import print_answer
from sniffai.cli.parts import BadInput, json_option, read_address, read_text
from sniffai.params import Limits
from sniffai.v1.analysis_service_pb2 import RecommendMoveResponse
from sniffai.view import View


@dataclass(frozen=True)
class Question:
    """What a file or the options ask."""

    view: View
    limits: Limits
    """Only what was asked for."""
    seed: int | None


@click.command("recommend")
@click.argument("file")
@click.option(
    "--server", metavar="ADDRESS", callback=read_address, help="Ask a server at HOST:PORT, do not search here."
)
@click.option("--simulations", type=click.IntRange(min=1), help="Stop after so many simulations.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Stop after so much time.")
@click.option("--seed", type=click.IntRange(0, wire.MAX_SEED), help="Makes the answer repeatable. [default: 0]")
@json_option
def command(
    file: str, server: str | None, simulations: int | None, seconds: float | None, seed: int | None, as_json: bool
) -> None:
    """Recommend a move for what one seat knows.

    FILE (- for standard input) holds a view in one line, or the JSON of the wire's RecommendMoveRequest or PlayerView.
    The options go before the limits and the seed of a request; without any the search takes a second.
    """
    question = _read(read_text(file), file)
    asked = Question(
        question.view, _first(Limits(simulations, seconds), question.limits), question.seed if seed is None else seed
    )
    answer = _search_here(asked) if server is None else _ask(server, asked)
    if as_json:
        click.echo(wire.to_json(answer))
    else:
        print_answer(asked.view, answer)


def _read(text: str, file: str) -> Question:
    """The question in a file: JSON, or a line of text."""
    if not text.lstrip().startswith("{"):
        return Question(View.from_text(text), Limits(), None)
    try:
        request = wire.request_from_json(text)
        view = wire.read_view(wire.given(request, "view"))
        seed = wire.read_seed(request.seed) if request.HasField("seed") else None
        return Question(view, wire.read_limits(request.limits), seed)
    except wire.WireError as error:
        raise BadInput(f"{file}: {error}") from None


def _first(options: Limits, given: Limits) -> Limits:
    """The limits of the options; those of the file where the options set none."""
    return given if options == Limits() else options


def _search_here(question: Question) -> RecommendMoveResponse:
    return wire.write_recommendation(analyze(question.view, question.limits, seed=question.seed or 0))


def _ask(server: str, question: Question) -> RecommendMoveResponse:
    from sniffai.client import DEFAULT_TIMEOUT, Client, ServiceError

    timeout = max(DEFAULT_TIMEOUT, (question.limits.seconds or 0) + DEFAULT_TIMEOUT / 2)
    try:
        with Client(server, timeout=timeout) as client:
            return client.recommend(question.view, limits=question.limits, seed=question.seed)
    except ServiceError as error:
        failure = BadInput if error.code == "INVALID_ARGUMENT" else click.ClickException
        raise failure(f"{server}: {error}") from None
