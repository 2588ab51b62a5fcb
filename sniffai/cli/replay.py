"""``sniffai replay``: play recorded rounds again and compare everything."""

from dataclasses import dataclass
from typing import NoReturn

import click

from sniffai.cli.forms import Form, Traces, load
from sniffai.cli.parts import json_option, lang_option
from sniffai.cli.terminal import tell, tell_json
from sniffai.errors import RecordError
from sniffai.explain import describe
from sniffai.layout import Layout
from sniffai.records.record import MatchRecord
from sniffai.records.seat_record import SeatRecord
from sniffai.review.source import read_trace_rounds
from sniffai.round import Round
from sniffai.view import View


@dataclass(frozen=True)
class Replayed:
    """How much was replayed without an error."""

    rounds: int
    events: int
    verdict: str
    """What came of it, in words."""
    layouts: tuple[Layout, ...]
    """The layout at the end of each round."""


@click.command("replay")
@click.argument("file")
@click.option("in_words", "--describe", is_flag=True, help="Also describe the table at the end of each round.")
@lang_option
@json_option
def command(file: str, in_words: bool, language_code: str | None, as_json: bool) -> None:
    """Replay the rounds of FILE (- for standard input) and check every event, point and score.

    FILE is a match record, JSON lines with one traced round each, or any other form of a round or a view; the text
    itself can stand in its place. If something is wrong, the place of the first wrong event is printed and the exit
    status is 1.
    """
    form = load(file)
    replayed = _replay(form)
    if as_json:
        tell_json({"rounds": replayed.rounds, "events": replayed.events, "right": True})
    else:
        tell(f"{form.name}: {replayed.rounds} rounds, {replayed.events} events: all valid{replayed.verdict}")
        for number, layout in enumerate(replayed.layouts if in_words else (), 1):
            tell(f"{number}: {describe(layout, language_code or 'en')}")


def _replay(form: Form) -> Replayed:
    what = form.what
    if isinstance(what, View):
        return Replayed(1, len(what.events), "", (what.layout,))
    if isinstance(what, SeatRecord):
        layouts = tuple(view.layout for view in what.views)
        return Replayed(len(layouts), sum(len(view.events) for view in what.views), _seat_verdict(what), layouts)
    rounds = _replay_match(form.name, what) if isinstance(what, MatchRecord) else _rounds(form)
    layouts = tuple(round_.layout for round_ in rounds)
    events = sum(len(round_.history) for round_ in rounds)
    return Replayed(len(rounds), events, "" if isinstance(what, Traces) else _verdict(rounds), layouts)


def _replay_match(name: str, record: MatchRecord) -> tuple[Round, ...]:
    try:
        return record.replay()
    except RecordError as error:
        _wrong(name, f"{record.place(error.field)}: {error.message}")


def _rounds(form: Form) -> tuple[Round, ...]:
    if not isinstance(form.what, Traces):
        return form.rounds()
    try:
        return read_trace_rounds(form.what.traces)
    except RecordError as error:
        _wrong(form.name, str(error))


def _verdict(rounds: tuple[Round, ...]) -> str:
    """The state of the match after the last round."""
    if not rounds:
        return ""
    last = rounds[-1]
    scores = " ".join(map(str, last.scores))
    won = "" if last.match_winner is None else f"; team {last.match_winner} won the match"
    return f"; scores {scores}{won}"


def _seat_verdict(record: SeatRecord) -> str:
    """The state of the match after the last round, as far as it is known."""
    after, won = record.rounds[-1].after, record.views[-1].match_winner
    scores = "not known" if after is None else " ".join(map(str, after))
    return f"; seen from seat {record.seat}; scores {scores}" + ("" if won is None else f"; team {won} won the match")


def _wrong(file: str, message: str) -> NoReturn:
    """The record is wrong: exit status 1."""
    raise click.ClickException(f"{file}: {message}")
