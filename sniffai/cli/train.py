"""``sniffai train``: the nets that come with the package, or others."""

import json
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from sniffai.cli.parts import BadInput, json_option
from sniffai.nets import save_nets
from sniffai.training import DUELS, ROUNDS, TrainedNets, TrainingPlan, as_stored, label, margin_over_greedy, train_nets
from sniffai_ext.policy import Policy

_OPTIONS = (
    click.option("--players", type=click.IntRange(2, 4), default=2, show_default=True, help="Seats at the table."),
    click.option("--rounds", type=click.IntRange(min=1), help="Rounds. [default: 3000000; 2500000 for 3 or 4 seats]"),
    click.option("--seed", type=click.IntRange(min=0), default=7, show_default=True, help="Of the self-play."),
    click.option("--weights-seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of the start."),
    click.option("--first-rate", type=float, default=0.008, show_default=True, help="Learning rate at the start."),
    click.option("--last-rate", type=float, default=0.0002, show_default=True, help="Learning rate at the end."),
    click.option("--temperature", type=float, default=3.0, show_default=True, help="Of the moves, in points."),
    click.option("--decay", type=float, default=0.7, show_default=True, help="Lambda of TD(lambda)."),
)


def plan_options(function: Any) -> Any:
    """All that decides the weights."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@click.command("train")
@plan_options
@click.option("--duels", type=click.IntRange(min=2), default=DUELS, show_default=True, help="Deals against greedy.")
@click.option("--out", type=click.Path(dir_okay=False), required=True, help="The file to write, such as nets-2.npz.")
@json_option
def command(players: int, rounds: int | None, duels: int, out: str, as_json: bool, **options: Any) -> None:
    """Train the policy net and the world-value net by self-play on one core, and measure the policy against greedy.

    The defaults make the nets that come with the package, in a few minutes.
    """
    if not out.endswith(".npz"):
        raise click.BadParameter("the name of the file ends in .npz", param_hint="--out")
    plan = TrainingPlan(players, rounds or ROUNDS[players], **options)
    nets = _train(plan)
    margin = margin_over_greedy(Policy(players, as_stored(nets.policy)), duels)
    made = label(plan, margin, duels)
    try:
        save_nets(out, nets.policy, nets.world, made)
    except OSError as error:
        raise BadInput(f"{out}: {error.strerror}") from None
    if as_json:
        click.echo(json.dumps({**made, "policy_error": nets.policy_error, "world_error": nets.world_error}))
        return
    click.echo(f"{out}: {players} seats, {plan.rounds} rounds, seeds {plan.weights_seed} and {plan.seed}")
    click.echo(f"  over greedy  {margin.mean:+.2f} ± {margin.standard_error:.2f} points a round, {duels} deals")
    click.echo(
        f"  errors       policy {nets.policy_error:.1f}, world value {nets.world_error:.1f} points (mostly luck)"
    )


def _train(plan: TrainingPlan) -> TrainedNets:
    """Under a bar on standard error; nothing where that is no terminal."""
    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("rounds"), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("", total=plan.rounds)
        return train_nets(plan, lambda done: progress.update(bar, completed=done))
