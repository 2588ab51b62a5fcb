"""What ``arena`` and ``ladder`` share: the options of a contest, the progress bar, results in words and tables."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar, get_args

import click

from sniffai.cli.bulk import bulk_options
from sniffai.cli.output import Output
from sniffai.cli.parts import deal_options
from sniffai.cli.progress import progress_bar
from sniffai.jobs.executor import Executor
from sniffai.play.adjusted import AdjustedMean
from sniffai.play.arena import play_arena
from sniffai.play.arena_result import ArenaResult, ArenaSpec, Cost
from sniffai.play.sequential import USUAL_CHANCE, Measure, SequentialTest
from sniffai.search.params import Limits

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_DEALS = 500
MOST_DEALS = 20_000
"""Where a test ends the contest."""

_OPTIONS = (
    click.option(
        "--deals",
        type=click.IntRange(min=1),
        help="Deals to play, each once per seating. [default: 500, with --h1 20000]",
    ),
    click.option(
        "--matches", type=click.IntRange(min=1), help="Play this many whole matches instead, each once per seating."
    ),
    click.option("--simulations", type=click.IntRange(min=1), help="Simulations of a search that sets no limit."),
    click.option(
        "--seconds", type=click.FloatRange(min=0, min_open=True), help="Seconds of a search that sets no limit."
    ),
    click.option(
        "--h1",
        type=float,
        help="Stop as soon as it is clear whether B gains this much, or only --h0: a sequential test. In points a "
        "round, or in percent of matches above an even share (--of wins). --deals or --matches is then the most to "
        "play.",
    ),
    click.option("--h0", type=float, default=0.0, show_default=True, help="What B gains if it is no stronger."),
    click.option(
        "--alpha", type=float, default=USUAL_CHANCE, show_default=True, help="Chance to accept --h1 where --h0 is true."
    ),
    click.option(
        "--beta", type=float, default=USUAL_CHANCE, show_default=True, help="Chance to accept --h0 where --h1 is true."
    ),
    click.option(
        "--of",
        type=click.Choice(get_args(Measure)),
        default="points",
        show_default=True,
        help="What is tested; wins only of --matches.",
    ),
    click.option(
        "--luck/--no-luck",
        default=True,
        show_default=True,
        help="Work out the luck of the draws, and tell the result less it: half a millisecond a round.",
    ),
    click.option("--out", metavar="FILE", help="Also write every game as JSON to this file."),
)


def contest_options(function: F) -> F:
    """The options of a contest, except the players, for :func:`contests`."""
    function = bulk_options(workers="one per core")(function)
    for option in reversed(_OPTIONS):
        function = option(function)
    return deal_options(function)


def contests(
    pairs: Iterable[tuple[str, str]],
    *,
    players: int,
    seed: int,
    deals: int | None,
    matches: int | None,
    simulations: int | None,
    seconds: float | None,
    h0: float,
    h1: float | None,
    alpha: float,
    beta: float,
    of: Measure,
    luck: bool,
) -> list[ArenaSpec]:
    """The contests of some pairs of players, according to the options.

    :raises UsageError: both deals and matches are asked for.
    :raises LimitsError: there is no such player, or a number is out of range.
    """
    if deals is not None and matches is not None:
        raise click.UsageError("--deals and --matches cannot be used together")
    test = None if h1 is None else SequentialTest(h0, h1, alpha, beta, of)
    pairings = matches or deals or (DEFAULT_DEALS if test is None else MOST_DEALS)
    limits = Limits(simulations, seconds)
    return [ArenaSpec(a, b, players, pairings, matches is not None, seed, limits, luck, test) for a, b in pairs]


def play_all(specs: Sequence[ArenaSpec], executor: Executor) -> Iterator[ArenaResult]:
    """Play one contest after the other under one progress bar; each result comes as soon as it is known."""
    with progress_bar(work=executor) as progress:
        bar = progress.add_task("", total=sum(spec.pairings for spec in specs))
        for spec in specs:
            progress.update(bar, description=f"{spec.b} over {spec.a}")
            result = play_arena(spec, executor=executor, progress=lambda done: progress.advance(bar, done))
            progress.skip(bar, spec.pairings - len(result.pairings))
            yield result


def write_json(output: Output | None, value: Any) -> int:
    """Write a value as one line of JSON if there is a file; return the exit status."""
    return 0 if output is None else output.write(json.dumps(value) + "\n")


# Words


def margin_text(result: ArenaResult) -> str:
    """``+18.67 ± 1.18``."""
    return f"{result.margin.mean:+.2f} ± {result.margin.standard_error:.2f}"


def less_luck_text(mean: AdjustedMean, digits: int = 2) -> str:
    """``+18.72 ± 1.02``: with the luck taken out."""
    estimate = mean.estimate
    return f"{estimate.mean:+.{digits}f} ± {estimate.standard_error:.{digits}f}"


VERDICTS = {"h0": "h0 accepted", "h1": "h1 accepted", None: "not decided"}


def verdict_text(result: ArenaResult) -> str:
    """``h1 accepted after 312``; empty where nothing is tested."""
    state = result.test_state
    return "" if state is None else f"{VERDICTS[state.verdict]} after {state.pairings}"


def p_text(p_value: float) -> str:
    """``0.031``, or ``< 0.001``."""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def won_text(result: ArenaResult) -> str:
    """``64.8 % (62.5 to 67.0)``: matches won and Wilson's 95 % interval; empty for rounds."""
    if result.win_rate is None or result.win_interval is None:
        return ""
    low, high = (f"{100 * share:.1f}" for share in result.win_interval)
    return f"{100 * result.win_rate:.1f} % ({low} to {high})"


def cost_text(cost: Cost) -> str:
    """``0.03 ms``: the mean time of a decision."""
    milliseconds = 1000 * cost.mean_seconds
    return f"{milliseconds:.3f} ms" if milliseconds < 1 else f"{milliseconds:.1f} ms"
