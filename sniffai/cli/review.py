"""``sniffai review``: a match or a round reviewed, as tables, JSON or a page of its own."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import click

from sniffai.cli.forms import Form, load, named
from sniffai.cli.output import Output
from sniffai.cli.parts import json_option, lang_option
from sniffai.cli.progress import progress_bar
from sniffai.cli.remote import PRIORITIES, Priority, Remote, remote_options
from sniffai.cli.signs import complain
from sniffai.cli.tables import show, text_table
from sniffai.cli.terminal import tell, tell_json
from sniffai.review import DEFAULT_SIMULATIONS, Review, review
from sniffai.review.tables import result_line, text_tables
from sniffai.search.params import Limits
from sniffai.seeds import MAX_SEED

if TYPE_CHECKING:
    from sniffai.v1.analysis_service_pb2 import AnalyzeMatchResponse
    from sniffai.wire import ReviewQuestion


@click.command("review")
@click.argument("file")
@remote_options
@click.option(
    "--simulations",
    type=click.IntRange(min=1),
    help=f"Simulations of the first search of each decision. [default: {DEFAULT_SIMULATIONS} without --seconds]",
)
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), help="Seconds of the first search of each decision."
)
@click.option(
    "--seed",
    type=click.IntRange(0, MAX_SEED),
    help="Seed of the review; the same seed gives the same answer. [default: 0]",
)
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Worker processes.")
@click.option("--html", "page", metavar="FILE", help="Also write the report to this HTML file.")
@click.option("every", "--all", is_flag=True, help="List every placement, not only mistakes.")
@lang_option
@json_option
def command(
    file: str,
    remote: Remote | None,
    simulations: int | None,
    seconds: float | None,
    seed: int | None,
    workers: int,
    page: str | None,
    every: bool,
    language_code: str | None,
    as_json: bool,
) -> int:
    """Review every placement of a match or a round, judged by what its seat knew.

    FILE is a file, - for standard input, or the text itself: a match record, the notes of a table, a round or a view in
    one line, traces, or JSON: the raw events of a round, or the wire's AnalyzeMatchRequest, RecordedMatch, SeatRecord,
    OpenDeal or PlayerView. For a view, notes and a SeatRecord, only the decisions of their own seat are reviewed.
    Options override the limits, the seed and the language of a request. With --server, a server searches.
    """
    output = None if page is None else Output(page, "--html", source=file)
    form = load(file)
    subject, asked = form.subject(), _asked(form)
    limits = Limits(simulations if simulations or seconds else DEFAULT_SIMULATIONS, seconds)
    if asked is not None:
        limits = limits if simulations or seconds else asked.limits
        seed = asked.seed if seed is None else seed
        language_code = language_code or asked.language_code
        for warning in asked.warnings:
            complain(f"warning: {warning.field}: {warning.description}")
    with progress_bar() as bar:
        task = bar.add_task("")

        def show_progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        if remote is None:
            result = review(subject, limits, seed=seed or 0, workers=workers, progress=show_progress)
        else:
            priority = None if asked is None else PRIORITIES[asked.priority]
            result = _review_there(remote, form, limits, seed or 0, priority, show_progress)
    status = 0
    if output is not None:
        from sniffai.review import html_report

        status = output.write(html_report(result, language_code or "en"))
    if as_json:
        tell_json(result.to_dict())
    else:
        show_review(result, language_code or "en", every=every)
    return status


def _review_there(
    remote: Remote,
    form: Form,
    limits: Limits,
    seed: int,
    priority: Priority | None,
    progress: Callable[[int, int], None],
) -> Review:
    """The review that a server makes.

    :raises ClickException: the call failed.
    """
    from sniffai import wire
    from sniffai.client import Client
    from sniffai.client.connection import REVIEW_TIMEOUT

    subject = form.subject()

    def ask(client: Client) -> Review:
        with client.analyze_match(form.record(), limits, seed=seed, priority=priority) as stream:
            return wire.read_reviewed_pieces(subject, _counted(stream, progress))

    try:
        return remote.ask(ask, REVIEW_TIMEOUT)
    except wire.WireError as error:
        raise click.ClickException(f"{remote.address}: {error.violations[0].description}") from None


def _counted(
    pieces: "Iterable[AnalyzeMatchResponse]", progress: Callable[[int, int], None]
) -> "Iterator[AnalyzeMatchResponse]":
    """The pieces as they come, with their number told; what the server warns of is printed."""
    for piece in pieces:
        progress(piece.done_count, piece.total_count)
        for warning in piece.summary.warnings:
            complain(f"warning: {warning.field}: {warning.description}")
        yield piece


def show_review(
    result: Review, language_code: str, *, every: bool = False, write: Callable[[str], None] = tell
) -> None:
    """Print a review as tables.

    :param every: whether placements without a mistake are listed too.
    :param write: prints the texts around the tables.
    """
    for part in text_tables(result, language_code, every=every):
        made = text_table(*part.columns)
        made.title = part.title or None
        for row in part.rows:
            made.add_row(*row)
        show(made)
        if part.note:
            write(part.note)
    write(result_line(result, language_code))


def _asked(form: Form) -> "ReviewQuestion | None":
    """What a request for a review says besides what is to be reviewed.

    :raises BadInput: something of it is wrong.
    """
    if form.request is None or form.request.DESCRIPTOR.name != "AnalyzeMatchRequest":
        return None
    from sniffai import wire
    from sniffai.v1.analysis_service_pb2 import AnalyzeMatchRequest

    assert isinstance(form.request, AnalyzeMatchRequest)
    with named(form.name):
        return wire.read_review(form.request)
