"""``sniffai arena``: two players on paired deals."""

from collections.abc import Iterator
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
from sniffai.cli.terminal import tell, tell_json
from sniffai.play.arena_result import ArenaResult


@click.command("arena")
@click.argument("a")
@click.argument("b")
@contest_options
@json_option
def command(
    a: str,
    b: str,
    bulk: Bulk,
    out: str | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Play B against A on paired deals with seats swapped; print B's margin per round and the matches it won.

    With 3 seats B plays alone against two A, at each seat in turn. A and B are names of players: random, greedy,
    policy, flat, search, careless, hasty, forgetful, or level:LEVEL; parameters follow a colon, such as
    search:seconds=0.01,exploration=40. flat is a fixed reference player that never changes.

    "less luck" is the same without the luck of the draws: its expectation is the same, its error smaller.
    """
    output = None if out is None else Output(out, "--out", others=bulk.files)
    specs = contests([(a, b)], **options)
    with bulk.open("arena", processes=None) as work:
        (result,) = play_all(specs, work)
    status = write_json(output, result.to_dict())
    if as_json:
        tell_json(result.to_dict())
    else:
        tell("\n".join(_lines(result)))
    return status


def _test_lines(result: ArenaResult) -> Iterator[str]:
    test, state = result.spec.test, result.test_state
    if test is None or state is None:
        return
    unit = "points a round" if test.of == "points" else "% of matches above even"
    yield f"  test      {verdict_text(result)}: h0 {test.h0:+g}, h1 {test.h1:+g} {unit}"
    lower, upper = state.bounds
    ratio = f"{state.log_likelihood_ratio:+.2f}, h0 at {lower:+.2f}, h1 at {upper:+.2f}"
    yield f"            log-likelihood ratio {ratio}; alpha {test.alpha:g}, beta {test.beta:g}"
    low, high = state.interval
    yield f"            {low:+.2f} to {high:+.2f} {unit}, a 95 % interval that holds wherever the test stops"


def _lines(result: ArenaResult) -> Iterator[str]:
    spec = result.spec
    unit = "match" if spec.whole_matches else "deal"
    count = len(result.pairings)
    yield f"{spec.b} over {spec.a}, {spec.players} seats, {count} {unit} pairings, seed {spec.seed}"
    yield f"  margin    {margin_text(result)} points a round, p {p_text(result.margin_p_value)}"
    if spec.luck:
        less = result.adjusted_margin
        yield f"  less luck {less_luck_text(less)} points a round, {100 * less.reduction:.0f} % less variance"
    if result.win_p_value is not None:
        won = f"{result.matches_won} of {result.matches} won, {won_text(result)}"
        yield f"  matches   {won}, {100 * result.even:.1f} % is even, p {p_text(result.win_p_value)}"
    if result.win_p_value is not None and spec.luck:
        wins = result.adjusted_wins
        text = f"{less_luck_text(wins, 1)} % of matches above even, {100 * wins.reduction:.0f} % less variance"
        yield f"  less luck {text}"
    yield from _test_lines(result)
    endings = ", ".join(f"{100 * share:.1f} % {name}" for name, share in result.endings.items())
    yield f"  rounds    {result.rounds}: {endings}"
    for name, cost in zip((spec.a, spec.b), result.costs, strict=True):
        speed = cost.simulations_per_second
        searched = "" if speed is None else f", {speed / 1e3:.0f} thousand simulations/s"
        yield f"  {name}: {cost.decisions} decisions, {cost_text(cost)} each{searched}"
