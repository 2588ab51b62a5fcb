"""``sniffai train``: train the nets that come with the package, or others."""

from io import BytesIO
from typing import Any

import click

from sniffai.cli.bulk import Bulk, bulk_options
from sniffai.cli.output import Output
from sniffai.cli.parts import json_option
from sniffai.cli.progress import progress_bar
from sniffai.cli.terminal import tell, tell_json
from sniffai.jobs.executor import Executor
from sniffai.lab.training import (
    DUELS,
    ROUNDS,
    TrainedNets,
    TrainingPlan,
    as_stored,
    label,
    margin_over_greedy,
    train_nets,
)
from sniffai.search.nets import save_nets
from sniffai_ext.policy import Policy

_OPTIONS = (
    click.option("--players", type=click.IntRange(2, 4), default=2, show_default=True, help="Seats at the table."),
    click.option("--rounds", type=click.IntRange(min=1), help="Rounds. [default: 3000000; 2500000 for 3 or 4 seats]"),
    click.option("--seed", type=click.IntRange(min=0), default=7, show_default=True, help="Seed of the self-play."),
    click.option(
        "--weights-seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of the initial weights."
    ),
    click.option("--first-rate", type=float, default=0.008, show_default=True, help="Learning rate at the start."),
    click.option("--last-rate", type=float, default=0.0002, show_default=True, help="Learning rate at the end."),
    click.option(
        "--temperature", type=float, default=3.0, show_default=True, help="Temperature of the moves, in points."
    ),
    click.option("--decay", type=float, default=0.7, show_default=True, help="Lambda of TD(lambda)."),
)


def plan_options(function: Any) -> Any:
    """Everything that determines the weights."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@click.command("train")
@plan_options
@click.option(
    "--duels", type=click.IntRange(min=2), default=DUELS, show_default=True, help="Deals played against greedy."
)
@click.option("--out", metavar="FILE", required=True, help="The file to write, such as nets-2.npz.")
@bulk_options(workers=None)
@json_option
def command(
    players: int,
    rounds: int | None,
    duels: int,
    out: str,
    bulk: Bulk,
    as_json: bool,
    **options: Any,
) -> int:
    """Train the policy net and the world-value net by self-play on one core, and measure the policy against greedy.

    The defaults make the nets that come with the package, in a few minutes. Each part of the rounds goes on from the
    weights of the one before, so an executor does one after the other; with --results a training that was cut off goes
    on after the last whole part of 100,000 rounds.
    """
    output = Output(out, "--out", ".npz", others=bulk.files)
    plan = TrainingPlan(players, rounds or ROUNDS[players], **options)
    with bulk.open("train") as work:
        nets = _train(plan, work)
    margin = margin_over_greedy(Policy(players, as_stored(nets.policy)), duels)
    made = label(plan, margin, duels)
    file = BytesIO()
    save_nets(file, nets.policy, nets.world, made)
    status = output.write(file.getvalue())
    if as_json:
        tell_json({**made, "policy_error": nets.policy_error, "world_error": nets.world_error})
        return status
    tell(f"{out}: {players} seats, {plan.rounds} rounds, seeds {plan.weights_seed} and {plan.seed}")
    tell(f"  over greedy  {margin.mean:+.2f} ± {margin.standard_error:.2f} points a round, {duels} deals")
    tell(f"  errors       policy {nets.policy_error:.1f}, world value {nets.world_error:.1f} points (mostly luck)")
    return status


def _train(plan: TrainingPlan, executor: Executor) -> TrainedNets:
    """Show progress on standard error, if it is a terminal."""
    with progress_bar("rounds", executor) as progress:
        bar = progress.add_task("", total=plan.rounds)
        return train_nets(plan, lambda done: progress.update(bar, completed=done), executor)
