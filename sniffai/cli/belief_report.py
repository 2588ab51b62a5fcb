"""``sniffai belief-report``: the accuracy of the beliefs, measured in self-play."""

from collections.abc import Callable

import click

from sniffai.cli.parts import deal_options, json_option
from sniffai.cli.progress import progress_bar
from sniffai.cli.tables import show, text_table
from sniffai.cli.terminal import tell, tell_json
from sniffai.lab.calibration import CalibrationReport, PlayerModel, calibrate
from sniffai.play.levels import named_player
from sniffai.play.statistics import Estimate
from sniffai.search.nets import load_policy
from sniffai.search.params import MODEL_TEMPERATURES, Limits, SearchParams


@click.command("belief-report")
@deal_options
@click.option("--rounds", type=click.IntRange(min=1), default=100, show_default=True, help="Rounds of self-play.")
@click.option("--player", default="search:simulations=1000", show_default=True, help="Who plays, at every seat.")
@click.option(
    "--worlds", type=click.IntRange(1, 1_000_000), default=1000, show_default=True, help="Most worlds to weigh."
)
@json_option
def command(players: int, seed: int, rounds: int, player: str, worlds: int, as_json: bool) -> None:
    """Compare three beliefs at every decision of some rounds: uniform, voids (the exact belief), and weighted.

    Prints the log-likelihood of the true hidden hands, and how often tiles were held that a belief expected with some
    probability.
    """
    model = PlayerModel(load_policy(players), MODEL_TEMPERATURES[players], SearchParams().floor, worlds)
    who = named_player(player, Limits())
    report = _under_a_bar(rounds, lambda progress: calibrate(who, model, rounds, seed, progress))
    if as_json:
        tell_json(report.to_dict())
        return
    _print(report)


def _under_a_bar(total: int, work: Callable[[Callable[[int], None]], CalibrationReport]) -> CalibrationReport:
    """Show progress on standard error, if it is a terminal."""
    with progress_bar("rounds") as progress:
        bar = progress.add_task("", total=total)
        return work(lambda done: progress.update(bar, completed=done))


def _print(report: CalibrationReport) -> None:
    tell(f"{report.players} seats, {report.rounds} rounds, {report.decisions} decisions")
    made = text_table("belief", "log-likelihood of the hidden hands>", "above the one before>", "Brier score>")
    for belief in report.beliefs:
        made.add_row(belief.name, _nats(belief.log_likelihood), _nats(belief.gain), f"{belief.brier:.4f}")
    show(made)
    names = [belief.name for belief in report.beliefs]
    made = text_table("said to be held", *(head for name in names for head in (f"{name}: said>", "held>", "tiles>")))
    for row in zip(*(belief.reliability for belief in report.beliefs), strict=True):
        cells = [cell for bin_ in row for cell in (_share(bin_.said), _share(bin_.held), str(bin_.count))]
        made.add_row(f"{row[0].low:.1f} to {row[0].high:.1f}", *cells)
    show(made)
    tell(
        f"effective sample size {100 * report.effective:.0f} % of the weighted worlds; "
        f"every world listed at {100 * report.complete:.0f} % of the decisions"
    )


def _nats(estimate: Estimate) -> str:
    return f"{estimate.mean:+.3f} ± {estimate.standard_error:.3f}"


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.3f}"
