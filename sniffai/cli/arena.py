"""``sniffai arena``: two players on paired deals."""

from collections.abc import Iterator
from typing import Any

import click

from sniffai.cli.contest import (
    contest_options,
    contests,
    cost_text,
    margin_text,
    p_text,
    play_all,
    won_text,
    write_json,
)
from sniffai.cli.output import Output
from sniffai.cli.parts import json_option
from sniffai.cli.terminal import tell, tell_json
from sniffai.play.arena_result import ArenaResult


@click.command("arena")
@click.argument("a")
@click.argument("b")
@contest_options
@json_option
def command(a: str, b: str, workers: int | None, out: str | None, as_json: bool, **options: Any) -> int:
    """Play B against A on paired deals with seats swapped; print B's margin per round and the matches it won.

    With 3 seats B plays alone against two A, at each seat in turn. A and B are names of players: random, greedy,
    policy, search, careless, hasty, forgetful, or level:LEVEL; parameters follow a colon, such as
    search:seconds=0.01,exploration=40.
    """
    output = None if out is None else Output(out, "--out")
    (result,) = play_all(contests([(a, b)], **options), workers)
    status = write_json(output, result.to_dict())
    if as_json:
        tell_json(result.to_dict())
    else:
        tell("\n".join(_lines(result)))
    return status


def _lines(result: ArenaResult) -> Iterator[str]:
    spec = result.spec
    unit = "match" if spec.whole_matches else "deal"
    yield f"{spec.b} over {spec.a}, {spec.players} seats, {spec.pairings} {unit} pairings, seed {spec.seed}"
    yield f"  margin    {margin_text(result)} points a round, p {p_text(result.margin_p_value)}"
    if result.win_p_value is not None:
        won = f"{result.matches_won} of {result.matches} won, {won_text(result)}"
        yield f"  matches   {won}, {100 * result.even:.1f} % is even, p {p_text(result.win_p_value)}"
    endings = ", ".join(f"{100 * share:.1f} % {name}" for name, share in result.endings.items())
    yield f"  rounds    {result.rounds}: {endings}"
    for name, cost in zip((spec.a, spec.b), result.costs, strict=True):
        speed = cost.simulations_per_second
        searched = "" if speed is None else f", {speed / 1e3:.0f} thousand simulations/s"
        yield f"  {name}: {cost.decisions} decisions, {cost_text(cost)} each{searched}"
