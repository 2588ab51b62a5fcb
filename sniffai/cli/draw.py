"""``sniffai draw``: a view or a round as a picture."""

from pathlib import Path

import click

from sniffai import wire
from sniffai.cli.parts import BadInput, lang_option, read_text
from sniffai.draw import layout_svg, png, position_svg
from sniffai.round import Round
from sniffai.view import View

TAGS = ("view ", "snapshot ", "round ")
"""How a line of text begins; anything else is the name of a file."""


@click.command("draw")
@click.argument("text")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), help="An .svg or .png file. [default: SVG to the screen]"
)
@click.option("--seat", type=click.IntRange(0, 3), help="Of a round, draw what this seat sees, not only the table.")
@click.option("moves", "--move", multiple=True, metavar="MOVE", help="Mark this move by its number. May be repeated.")
@click.option("--names", is_flag=True, help="Name the attachment points: what fits, what counts.")
@click.option("--width", type=click.IntRange(16, 8000), default=720, show_default=True, help="Of a PNG, in pixels.")
@lang_option
def command(
    text: str,
    output: str | None,
    seat: int | None,
    moves: tuple[str, ...],
    names: bool,
    width: int,
    language: str | None,
) -> None:
    """Draw what TEXT says: a view or a round in one line, or a file (- for standard input) that holds one.

    A file may also hold the JSON of the wire's requests with a view or a deal, or of a PlayerView or an OpenDeal.

    A disc is a counted end with its value, a ring an end that counts nothing. The sniff has a second outline, the tile
    played last a dotted one.
    """
    what = _read(text)
    tagged = {str(number): move for number, move in enumerate(moves, 1)}
    if isinstance(what, Round) and seat is not None:
        what = what.view(seat)
    if isinstance(what, View):
        drawn = position_svg(what, language=language or "en", names=names, moves=tagged)
    else:
        drawn = layout_svg(what.layout, language=language or "en", names=names, moves=tagged)
    _write(drawn, output, width)


def _read(text: str) -> View | Round:
    """What the text, or the file of that name, holds.

    :raises BadInput: it is neither a view nor a round.
    :raises SniffError: it is one, but cannot be read or breaks a rule.
    """
    line = text if text.startswith(TAGS) else read_text(text).strip()
    if line.startswith("{"):
        return _read_json(line, text)
    tag = line.split(maxsplit=1)[:1]
    if tag == ["round"]:
        return Round.from_text(line)
    if tag in (["view"], ["snapshot"]):
        return View.from_text(line)
    raise BadInput(
        f"{text}: a line that begins with round, view or snapshot is expected, or the JSON of a request, a PlayerView"
        " or an OpenDeal"
    )


def _read_json(text: str, file: str) -> View | Round:
    try:
        request = wire.position_from_json(text)
        if request.HasField("deal"):
            return wire.read_round(request.deal)
        return wire.read_view(wire.given(request, "view"))
    except wire.WireError as error:
        raise BadInput(f"{file}: {error}") from None


def _write(drawn: str, output: str | None, width: int) -> None:
    if output is None:
        click.echo(drawn, nl=False)
        return
    suffix = Path(output).suffix.lower()
    if suffix not in (".svg", ".png"):
        raise click.BadParameter("the name of the file ends in .svg or .png", param_hint="--output")
    try:
        Path(output).write_bytes(png(drawn, width) if suffix == ".png" else drawn.encode())
    except OSError as error:
        raise BadInput(f"{output}: {error.strerror}") from None
