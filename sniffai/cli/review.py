"""``sniffai review``: a match or a round reviewed, as tables, JSON or a page of its own."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sniffai.cli.bulk import Bulk, bulk_options
from sniffai.cli.forms import Form, load, named
from sniffai.cli.output import Output
from sniffai.cli.parts import BadInput, json_option, lang_option
from sniffai.cli.progress import progress_bar
from sniffai.cli.remote import PRIORITIES, Priority, Remote, remote_options
from sniffai.cli.signs import complain
from sniffai.cli.tables import show, text_table
from sniffai.cli.terminal import tell, tell_json
from sniffai.errors import RecordError
from sniffai.jobs.executor import Executor
from sniffai.review import DEFAULT_SIMULATIONS, Review
from sniffai.review.progress import ReviewedMatch, progress_dict, progress_of
from sniffai.review.run import Asked, review_all
from sniffai.review.tables import TextTable, result_line, text_tables
from sniffai.search.params import Limits
from sniffai.seeds import MAX_SEED

if TYPE_CHECKING:
    from sniffai.v1.analysis_service_pb2 import AnalyzeMatchResponse
    from sniffai.wire import ReviewQuestion


@click.command("review")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
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
@bulk_options(workers="1", access=False)
@click.option("--html", "page", metavar="FILE", help="Also write the report to this HTML file.")
@click.option("every", "--all", is_flag=True, help="List every placement, not only mistakes.")
@click.option(
    "beliefs",
    "--belief",
    is_flag=True,
    help="Also show, for each placement listed, where the others' choices suggest that hidden tiles were.",
)
@lang_option
@json_option
def command(
    files: tuple[str, ...],
    remote: Remote | None,
    simulations: int | None,
    seconds: float | None,
    seed: int | None,
    bulk: Bulk,
    page: str | None,
    every: bool,
    beliefs: bool,
    language_code: str | None,
    as_json: bool,
) -> int:
    """Review every placement of a match or a round, judged by what its seat knew.

    FILE is a file, - for standard input, or the text itself: a match record, the notes of a table, a round or a view in
    one line, traces, or JSON: the raw events of a round, or the wire's AnalyzeMatchRequest, RecordedMatch, SeatRecord,
    OpenDeal or PlayerView. For a view, notes and a SeatRecord, only the decisions of their own seat are reviewed.
    Options override the limits, the seed and the language of a request. With --server, a server searches.

    Several matches, in the order of time, show the progress of each player who has a name in them.
    """
    for option, set_ in (("--all", every), ("--belief", beliefs)):
        if set_ and len(files) > 1:
            raise click.UsageError(f"{option} tells of the placements of one match")
    others = bulk.files if remote is None else remote.files
    output = None if page is None else Output(page, "--html", sources=files, others=others)
    forms = [load(file) for file in files]
    questions = [_asked(form) for form in forms]
    for question in questions:
        for warning in () if question is None else question.warnings:
            complain(f"warning: {warning.field}: {warning.description}")
    option_limits = Limits(simulations if simulations or seconds else DEFAULT_SIMULATIONS, seconds)
    wanted = []
    for form, question in zip(forms, questions, strict=True):
        limits = option_limits if question is None or simulations or seconds else question.limits
        own_seed = seed if seed is not None or question is None else question.seed
        wanted.append(Asked(form.subject(), limits, own_seed or 0))
    if remote is None:
        with bulk.open("review") as work, _bar(forms, wanted, work) as progress:
            reviews = list(review_all(wanted, work, progress))
    elif bulk.elsewhere:
        raise click.UsageError("--server reviews by itself: --executor and --results do not go with it")
    else:
        priorities = [None if question is None else PRIORITIES[question.priority] for question in questions]
        with _bar(forms, wanted) as progress:
            reviews = [
                _review_there(remote, form, asked, priority, partial(progress, number))
                for number, (form, asked, priority) in enumerate(zip(forms, wanted, priorities, strict=True))
            ]
    codes = [question.language_code for question in questions if question is not None]
    code = language_code or (codes[0] if codes else "en")
    if len(reviews) == 1:
        return _one(reviews[0], output, code, every=every, beliefs=beliefs, as_json=as_json)
    titles = [Path(form.name).name for form in forms]
    return _several(map(ReviewedMatch, titles, reviews), output, code, as_json=as_json)


@contextmanager
def _bar(
    forms: Sequence[Form], wanted: Sequence[Asked], work: Executor | None = None
) -> Iterator[Callable[[int, int], None]]:
    """A progress bar of all reviews. Yields a function that is told a review's number and how much of it is done."""
    sizes = [asked.subject.size for asked in wanted]
    before = list(accumulate(sizes, initial=0))
    with progress_bar(work=work) as bar:
        task = bar.add_task("", total=before[-1])

        def show_progress(number: int, done: int) -> None:
            name = forms[number].name if len(forms) > 1 else ""
            bar.update(task, description=name, completed=before[number] + done)

        yield show_progress


def _one(
    result: Review, output: Output | None, language_code: str, *, every: bool, beliefs: bool, as_json: bool
) -> int:
    """Show one review. Returns the exit status."""
    status = 0
    if output is not None:
        from sniffai.review import html_report

        status = output.write(html_report(result, language_code))
    if as_json:
        tell_json(result.to_dict())
    else:
        show_review(result, language_code, every=every, beliefs=beliefs)
    return status


def _several(matches: Iterable[ReviewedMatch], output: Output | None, language_code: str, *, as_json: bool) -> int:
    """Show the progress over several reviews. Returns the exit status."""
    from sniffai.review.progress_page import progress_report, progress_tables

    try:
        progress = progress_of(matches)
    except RecordError as error:
        raise BadInput(error.message) from None
    status = 0 if output is None else output.write(progress_report(progress, language_code))
    if as_json:
        tell_json(progress_dict(progress))
    else:
        for part in progress_tables(progress, language_code):
            show_text_table(part)
    return status


def _review_there(
    remote: Remote,
    form: Form,
    asked: Asked,
    priority: Priority | None,
    progress: Callable[[int], None],
) -> Review:
    """The review that a server makes.

    :raises ClickException: the call failed.
    """
    from sniffai import wire
    from sniffai.client import Client
    from sniffai.client.connection import REVIEW_TIMEOUT

    def ask(client: Client) -> Review:
        with client.analyze_match(form.record(), asked.limits, seed=asked.seed, priority=priority) as stream:
            return wire.read_reviewed_pieces(asked.subject, _counted(stream, progress))

    try:
        return remote.ask(ask, REVIEW_TIMEOUT)
    except wire.WireError as error:
        raise click.ClickException(f"{remote.address}: {error.violations[0].description}") from None


def _counted(
    pieces: "Iterable[AnalyzeMatchResponse]", progress: Callable[[int], None]
) -> "Iterator[AnalyzeMatchResponse]":
    """The pieces as they come, with their number told; what the server warns of is printed."""
    for piece in pieces:
        progress(piece.done_count)
        for warning in piece.summary.warnings:
            complain(f"warning: {warning.field}: {warning.description}")
        yield piece


def show_review(
    result: Review,
    language_code: str,
    *,
    every: bool = False,
    beliefs: bool = False,
    write: Callable[[str], None] = tell,
) -> None:
    """Print a review as tables.

    :param every: whether placements without a mistake are listed too.
    :param beliefs: whether it is told of each listed one where the hidden tiles were likely to be.
    :param write: prints the texts around the tables.
    """
    for part in text_tables(result, language_code, every=every, beliefs=beliefs):
        if part.columns:
            show_text_table(part)
        if part.note:
            write(part.note)
    write(result_line(result, language_code))


def show_text_table(part: TextTable) -> None:
    """Print one table, without its note."""
    made = text_table(*part.columns)
    made.title = part.title or None
    for row in part.rows:
        made.add_row(*row)
    show(made)


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
