"""``sniffai review``: a match or a round reviewed, as tables, JSON or a page of its own."""

import json
from collections.abc import Callable
from pathlib import Path

import click

from sniffai import wire
from sniffai.cli.parts import BadInput, json_option, lang_option, progress_bar, read_text, show, table
from sniffai.errors import SniffError
from sniffai.params import MAX_SEED, Limits
from sniffai.review import DEFAULT_SIMULATIONS, Subject, html_report, read_subject, review
from sniffai.review.tables import result_line, text_tables


@click.command("review")
@click.argument("file")
@click.option(
    "--simulations",
    type=click.IntRange(min=1),
    help=f"Of each survey of a decision. [default: {DEFAULT_SIMULATIONS} without --seconds]",
)
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Time of each survey.")
@click.option("--seed", type=click.IntRange(0, MAX_SEED), default=0, help="Makes the review repeatable. [default: 0]")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes.")
@click.option("--html", "page", type=click.Path(dir_okay=False), help="Write the report as a page of its own.")
@click.option("every", "--all", is_flag=True, help="List every placement, not only mistakes.")
@lang_option
@json_option
def command(
    file: str,
    simulations: int | None,
    seconds: float | None,
    seed: int,
    workers: int,
    page: str | None,
    every: bool,
    language: str | None,
    as_json: bool,
) -> None:
    """Review every placement of a match or a round from what its seat knew.

    FILE (- for standard input) is a match record, a round or a view in one line, traces, or JSON with the raw events of
    a round. A view tells what one seat saw: then its decisions are reviewed.
    """
    subject = _read(file)
    limits = Limits(simulations if simulations or seconds else DEFAULT_SIMULATIONS, seconds)
    with progress_bar() as bar:
        task = bar.add_task("")

        def told(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        found = review(subject, limits, seed=seed, workers=workers, progress=told)
    if page is not None:
        _write(page, lambda: html_report(found, language or "en"))
    if as_json:
        click.echo(json.dumps(found.to_dict()))
        return
    for one in text_tables(found, language or "en", every=every):
        made = table(*one.columns)
        made.title = one.title or None
        for row in one.rows:
            made.add_row(*row)
        show(made)
        if one.note:
            show(one.note)
    show(result_line(found, language or "en"))


def _read(file: str) -> Subject:
    """What the file holds.

    :raises BadInput: it cannot be reviewed; the message has the place and what is wrong.
    """
    text = read_text(file)
    try:
        if text.lstrip().startswith("{") and '"record"' in text:
            return Subject.of_view(wire.read_view(wire.given(wire.request_from_json(text), "view")))
        return read_subject(text)
    except (SniffError, wire.WireError) as error:
        raise BadInput(f"{file}: {error}") from None


def _write(path: str, made: Callable[[], str]) -> None:
    try:
        Path(path).write_text(made(), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
