"""``sniffai draw``: a view or a round as a picture."""

import click

from sniffai.cli.forms import load
from sniffai.cli.output import Output
from sniffai.cli.parts import lang_option
from sniffai.cli.terminal import tell
from sniffai.draw import layout_svg, png, position_svg
from sniffai.round import Round
from sniffai.view import View


@click.command("draw")
@click.argument("text")
@click.option("--output", "-o", metavar="FILE", help="An .svg or .png file. [default: SVG to the screen]")
@click.option(
    "--seat", type=click.IntRange(0, 3), help="For a round, draw what this seat sees instead of only the table."
)
@click.option("moves", "--move", multiple=True, metavar="MOVE", help="Mark this move by its number. May be repeated.")
@click.option("--names", is_flag=True, help="Label the attachment points with what fits and what counts.")
@click.option(
    "--width", type=click.IntRange(16, 8000), default=720, show_default=True, help="Width of a PNG in pixels."
)
@lang_option
def command(
    text: str,
    output: str | None,
    seat: int | None,
    moves: tuple[str, ...],
    names: bool,
    width: int,
    language_code: str | None,
) -> int:
    """Draw a position: TEXT is a view or a round in one line, or a file (- for standard input) that holds one.

    It can also be a match record or traces, whose last round is drawn, or the JSON of a PlayerView, an OpenDeal, or a
    request that holds one of them.

    A disc is a counted end with its value, a ring an end that counts nothing. The sniff has a second outline, the tile
    played last a dotted one.
    """
    file = None if output is None else Output(output, "--output", ".svg", ".png", sources=(text,))
    what = load(text).position()
    tagged = {str(number): move for number, move in enumerate(moves, 1)}
    if isinstance(what, Round) and seat is not None:
        what = what.view(seat)
    if isinstance(what, View):
        drawn = position_svg(what, language_code=language_code or "en", names=names, moves=tagged)
    else:
        drawn = layout_svg(what.layout, language_code=language_code or "en", names=names, moves=tagged)
    return _write(drawn, file, width)


def _write(drawn: str, output: Output | None, width: int) -> int:
    if output is None:
        tell(drawn.removesuffix("\n"))
        return 0
    return output.write(png(drawn, width) if output.ending == ".png" else drawn)
