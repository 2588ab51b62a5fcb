"""``sniffai tally``: a score as it is kept on paper."""

import json
from pathlib import Path

import click

from sniffai.cli.parts import BadInput, json_option
from sniffai.tally import Tally


@click.command("tally", context_settings={"ignore_unknown_options": True})
@click.argument("score", type=int)
@click.option("--svg", type=click.Path(dir_okay=False), help="Also draw it into this SVG file.")
@json_option
def command(score: int, svg: str | None, as_json: bool) -> None:
    """Draw SCORE in strokes of 5 and blocks of 50: a large X with four small x's around it."""
    made = Tally.of(score)
    if svg is not None:
        _write(svg, made.to_svg())
    if as_json:
        click.echo(json.dumps({"score": made.score, "blocks": made.blocks, "strokes": made.strokes}))
    else:
        click.echo(made.to_text())


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
