"""``sniffai tally``: a score as it is kept on paper."""

from typing import Any

import click

from sniffai.cli.forms import is_file, load
from sniffai.cli.output import Output
from sniffai.cli.parts import json_option
from sniffai.cli.terminal import tell, tell_json
from sniffai.draw.tally import Tally
from sniffai.view import View


@click.command("tally", context_settings={"ignore_unknown_options": True})
@click.argument("score")
@click.option("--svg", metavar="FILE", help="Also write it to this SVG file.")
@json_option
def command(score: str, svg: str | None, as_json: bool) -> int:
    """Draw SCORE in strokes of 5 and blocks of 50: a large X with four small x's around it.

    SCORE can also be a view, a round or a match, as text or as a file (- for standard input): then the score of each
    team is drawn.
    """
    output = None if svg is None else Output(svg, "--svg", sources=(score,))
    points = _number(score)
    if points is None:
        return _draw_all(score, svg, as_json)
    made = Tally.of(points)
    status = 0 if output is None else output.write(made.to_svg())
    if as_json:
        tell_json(_told(made))
    else:
        tell(made.to_text())
    return status


def _draw_all(argument: str, svg: str | None, as_json: bool) -> int:
    """The scores of a position, a team at a time."""
    position = load(argument).position()
    if svg is not None:
        raise click.UsageError("--svg can draw only one score")
    scores = position.scores_now if isinstance(position, View) else position.scores
    tallies = [Tally.of(points) for points in scores]
    if as_json:
        tell_json([{"team": team, **_told(made)} for team, made in enumerate(tallies)])
        return 0
    for team, made in enumerate(tallies):
        tell(f"team {team}: {made.score}\n{made.to_text()}")
    return 0


def _number(text: str) -> int | None:
    """The score that is written; ``None`` if it is something else.

    :raises BadParameter: it is neither a number nor anything that holds a position.
    """
    try:
        return int(text)
    except ValueError:
        if text == "-" or any(sign in text for sign in "=/.{[;\n") or is_file(text):
            return None
        raise click.BadParameter(f"{text!r} is not a valid integer.", param_hint="'SCORE'") from None


def _told(made: Tally) -> dict[str, Any]:
    return {"score": made.score, "blocks": made.blocks, "strokes": made.strokes}
