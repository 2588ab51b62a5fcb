"""``sniffai position``: what one seat knows, as written down at a table, checked and put into the usual forms."""

import click

from sniffai.cli.forms import load
from sniffai.cli.parts import json_option, lang_option
from sniffai.cli.situation import duty, situation
from sniffai.cli.terminal import tell, tell_json_text
from sniffai.explain import describe
from sniffai.explain.languages import words


@click.command("position")
@click.argument("text")
@click.option("--describe", "described", is_flag=True, help="Also describe the table in words.")
@lang_option
@json_option
def command(text: str, described: bool, language_code: str | None, as_json: bool) -> None:
    """Check what one seat has seen, and print what follows from it.

    TEXT is the notes of a table: a file, - for standard input, or the text itself, its lines separated by semicolons:
    "players 2; seat 0; leader 1; hand 64 11 05 35 66 21 03; 55 53 3-4". Tiles stand in any order of halves; an
    attachment point (64@66) is needed only where a tile fits at several; "draws 2" and "passes" as they came. Hand
    sizes, talon and count are computed. Of several rounds the last one is shown. Any other form of a view is taken as
    well.

    It prints the hand, the open ends and the moves, then the view in one line, which every other command takes (they
    take the notes, too). With --json, print the wire's PlayerView, for the gRPC service.
    """
    view = load(text).view()
    if as_json:
        from sniffai import wire

        tell_json_text(wire.to_json(wire.write_view(view)))
        return
    say = words(language_code or "en")
    tell(situation(view, say))
    tell(duty(view, say))
    if described:
        tell(describe(view.layout, say.language_code))
    tell(view.to_text())
