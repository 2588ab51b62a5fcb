"""``sniffai replay``: play recorded rounds again and compare everything."""

import json
from dataclasses import dataclass
from typing import NoReturn

import click

from sniffai.cli.parts import json_option, lang_option, read_text
from sniffai.errors import RecordError
from sniffai.explain import describe
from sniffai.layout import Layout
from sniffai.matchfile import parse_match
from sniffai.round import Round
from sniffai.trace import parse_traces, replay_trace


@dataclass(frozen=True)
class Replayed:
    """What was found right."""

    rounds: int
    events: int
    verdict: str
    """What came of it, in words."""
    tables: tuple[Layout, ...]
    """How the table lay at the end of each round."""


@click.command("replay")
@click.argument("file")
@click.option("in_words", "--describe", is_flag=True, help="Also tell how the table lay at the end of each round.")
@lang_option
@json_option
def command(file: str, in_words: bool, language: str | None, as_json: bool) -> None:
    """Replay the rounds of FILE (- for standard input) and check every event, point and score.

    FILE is a match record, or JSON lines with one traced round each. Exit status 1 and the place of the first wrong
    event, where there is one.
    """
    text = read_text(file)
    replayed = _replay_traces(file, text) if text.lstrip().startswith("{") else _replay_match(file, text)
    if as_json:
        click.echo(json.dumps({"rounds": replayed.rounds, "events": replayed.events, "right": True}))
    else:
        click.echo(f"{file}: {replayed.rounds} rounds, {replayed.events} events, all right{replayed.verdict}")
        for number, layout in enumerate(replayed.tables if in_words else (), 1):
            click.echo(f"{number}: {describe(layout, language or 'en')}")


def _replay_match(file: str, text: str) -> Replayed:
    record = parse_match(text)
    try:
        rounds = record.replay()
    except RecordError as error:
        _wrong(file, f"{record.place(error.field)}: {error.message}")
    tables = tuple(round_.layout for round_ in rounds)
    return Replayed(len(rounds), sum(len(part.events) for part in record.rounds), _verdict(rounds), tables)


def _replay_traces(file: str, text: str) -> Replayed:
    rounds = []
    for line, trace in parse_traces(text):
        try:
            rounds.append(replay_trace(trace))
        except RecordError as error:
            _wrong(file, f"line {line}: round {len(rounds) + 1}, {error}")
    tables = tuple(round_.layout for round_ in rounds)
    return Replayed(len(rounds), sum(len(round_.history) for round_ in rounds), "", tables)


def _verdict(rounds: tuple[Round, ...]) -> str:
    """Where the match stands."""
    if not rounds:
        return ""
    last = rounds[-1]
    scores = " ".join(map(str, last.scores))
    won = "" if last.match_winner is None else f"; team {last.match_winner} won the match"
    return f"; scores {scores}{won}"


def _wrong(file: str, message: str) -> NoReturn:
    """The record is wrong: exit status 1."""
    raise click.ClickException(f"{file}: {message}")
