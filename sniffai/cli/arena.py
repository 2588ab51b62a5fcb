"""``sniffai arena``: two players on paired deals."""

import json

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from sniffai.arena import ArenaResult, ArenaSpec, available_cores, play_arena
from sniffai.cli.parts import deal_options, json_option
from sniffai.params import Limits


@click.command("arena")
@click.argument("a")
@click.argument("b")
@deal_options
@click.option(
    "--deals", type=click.IntRange(min=1), default=500, show_default=True, help="Deals, each in every seating."
)
@click.option("--simulations", type=click.IntRange(min=1), help="Limit of searches that name none.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Limit of searches that name none.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes. [default: one a core]")
@json_option
def command(
    a: str,
    b: str,
    players: int,
    seed: int,
    deals: int,
    simulations: int | None,
    seconds: float | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Play B against A on paired deals and print B's margin a round.

    A and B are players by name: random, greedy, search, or search with parameters such as
    search:simulations=1000,exploration=40.
    """
    spec = ArenaSpec(a, b, players, deals, seed, Limits(simulations, seconds))
    with _progress() as progress:
        bar = progress.add_task("deals", total=deals)
        result = play_arena(
            spec, workers=workers or available_cores(), progress=lambda done: progress.advance(bar, done)
        )
    click.echo(json.dumps(result.to_dict()) if as_json else _sentence(result))


def _sentence(result: ArenaResult) -> str:
    spec = result.spec
    return (
        f"{spec.b} over {spec.a}, {spec.players} seats: {result.mean_margin:+.2f} ± {result.standard_error:.2f} "
        f"points a round ({spec.deals} paired deals, seed {spec.seed})"
    )


def _progress() -> Progress:
    """A bar on standard error; nothing where that is no terminal."""
    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
