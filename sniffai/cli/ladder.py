"""``sniffai ladder``: a row of players, each against the one below it."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import click

from sniffai.cli.bulk import Bulk
from sniffai.cli.contest import (
    contest_options,
    contests,
    cost_text,
    less_luck_text,
    margin_text,
    p_text,
    play_all,
    verdict_text,
    won_text,
    write_json,
)
from sniffai.cli.output import Output
from sniffai.cli.parts import json_option
from sniffai.cli.tables import show, text_table
from sniffai.cli.terminal import tell, tell_json
from sniffai.play.arena_result import ArenaResult
from sniffai.play.levels import LEVELS


@click.command("ladder")
@click.argument("names", nargs=-1, metavar="[PLAYER]...")
@contest_options
@click.option("--markdown", is_flag=True, help="Print a table in Markdown.")
@json_option
def command(
    names: Sequence[str],
    bulk: Bulk,
    out: str | None,
    markdown: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Play every PLAYER against the one named before it; without any PLAYER, play the named levels."""
    rungs = names or [f"level:{level.name}" for level in LEVELS]
    if len(rungs) < 2:
        raise click.UsageError("a ladder has at least two players")
    output = None if out is None else Output(out, "--out", others=bulk.files)
    played: list[ArenaResult] = []
    status = 0
    specs = contests(pairwise(rungs), **options)
    try:
        with bulk.open("ladder", processes=None) as work:
            played.extend(play_all(specs, work))
    finally:  # a ladder that is cut off tells of the contests that have ended
        if played:
            status = _report(played, output, markdown, as_json)
    return status


def _report(results: Sequence[ArenaResult], output: Output | None, markdown: bool, as_json: bool) -> int:
    """Write and print the results; the exit status."""
    report = [result.to_dict() for result in results]
    status = write_json(output, report)
    if as_json:
        tell_json(report)
    else:
        _print(results, markdown)
    return status


COLUMNS = (
    *("player", "over", "points a round>", "less luck>", "p>", "matches won (95 %)>", "test>", "a decision>"),
    "simulations/s>",
)


def _print(results: Sequence[ArenaResult], markdown: bool) -> None:
    rows = [_row(result) for result in results]
    if markdown:
        tell("\n".join(_markdown(rows)))
        return
    made = text_table(*COLUMNS)
    for row in rows:
        made.add_row(*row)
    show(made)


def _row(result: ArenaResult) -> tuple[str, ...]:
    cost = result.costs[1]
    speed = cost.simulations_per_second
    return (
        result.spec.b,
        result.spec.a,
        margin_text(result),
        less_luck_text(result.adjusted_margin) if result.spec.luck else "",
        p_text(result.margin_p_value),
        won_text(result),
        verdict_text(result),
        cost_text(cost),
        "" if speed is None else f"{speed / 1e3:.0f} k",
    )


def _markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    head = [name.removesuffix(">") for name in COLUMNS]
    rule = ["---:" if name.endswith(">") else "---" for name in COLUMNS]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]
