"""``sniffai temperatures``: the opponent model fitted to self-play."""

import click

from sniffai.cli.bulk import Bulk, bulk_options
from sniffai.cli.parts import deal_options, json_option
from sniffai.cli.progress import counted
from sniffai.cli.tables import show, text_table
from sniffai.cli.terminal import tell_json
from sniffai.lab.temperature import fit_temperatures, played_choices
from sniffai.search.params import SearchParams


@click.command("temperatures")
@deal_options
@click.option("--rounds", type=click.IntRange(min=10), default=400, show_default=True, help="Rounds of self-play.")
@click.option("--player", default="search:simulations=1000", show_default=True, help="Who plays, at every seat.")
@click.option(
    "--floor",
    type=click.FloatRange(0, 1, min_open=True),
    default=SearchParams().floor,
    show_default=True,
    help="Share of choices assumed to be random.",
)
@bulk_options(workers="1")
@json_option
def command(
    players: int,
    seed: int,
    rounds: int,
    player: str,
    floor: float,
    bulk: Bulk,
    as_json: bool,
) -> None:
    """Fit the opponent model's temperatures to the choices of --player by likelihood, one for each phase of a round."""
    with bulk.open("temperatures") as work, counted("rounds", rounds, work) as advance:
        choices = played_choices(player, players, rounds, seed, executor=work, progress=advance)
    fits = fit_temperatures(choices, floor)
    if as_json:
        tell_json([fit.to_dict() for fit in fits])
        return
    made = text_table("phase", "temperature>", "choices>", "log-likelihood>", "of a blind guess>", "policy's best>")
    for fit in fits:
        agreement = f"{100 * fit.agreement:.1f} %"
        numbers = (f"{fit.temperature:.2f}", str(fit.choices), f"{fit.log_likelihood:.3f}", f"{fit.blind:.3f}")
        made.add_row(fit.phase, *numbers, agreement)
    show(made)
