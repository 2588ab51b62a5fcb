"""``sniffai tally``: a score as it is kept on paper."""

import click

from sniffai.cli.output import Output
from sniffai.cli.parts import json_option
from sniffai.cli.terminal import tell, tell_json
from sniffai.tally import Tally


@click.command("tally", context_settings={"ignore_unknown_options": True})
@click.argument("score", type=int)
@click.option("--svg", metavar="FILE", help="Also draw it into this SVG file.")
@json_option
def command(score: int, svg: str | None, as_json: bool) -> int:
    """Draw SCORE in strokes of 5 and blocks of 50: a large X with four small x's around it."""
    made = Tally.of(score)
    status = 0 if svg is None else Output(svg, "--svg").write(made.to_svg())
    if as_json:
        tell_json({"score": made.score, "blocks": made.blocks, "strokes": made.strokes})
    else:
        tell(made.to_text())
    return status
