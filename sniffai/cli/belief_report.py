"""``sniffai belief-report``: the accuracy of the beliefs, measured in self-play."""

import click

from sniffai.cli.bulk import Bulk, bulk_options
from sniffai.cli.parts import deal_options, json_option
from sniffai.cli.progress import counted
from sniffai.cli.tables import show, text_table
from sniffai.cli.terminal import tell, tell_json
from sniffai.lab.belief_report import MOST_SHARE, MOST_WORLDS, BeliefSpec, report_beliefs
from sniffai.lab.calibration import BeliefQuality, CalibrationReport
from sniffai.play.statistics import Estimate


@click.command("belief-report")
@deal_options
@click.option("--rounds", type=click.IntRange(min=1), default=100, show_default=True, help="Rounds of self-play.")
@click.option("--player", default="search:simulations=1000", show_default=True, help="Who plays, at every seat.")
@click.option(
    "--worlds", type=click.IntRange(1, MOST_WORLDS), default=1000, show_default=True, help="Most worlds to weigh."
)
@click.option(
    "--share",
    type=click.FloatRange(0, MOST_SHARE),
    help="Share of the evidence that counts in the inferred belief, uncorrected.  [default: as in answers]",
)
@bulk_options(workers="1")
@json_option
def command(
    players: int,
    seed: int,
    rounds: int,
    player: str,
    worlds: int,
    share: float | None,
    bulk: Bulk,
    as_json: bool,
) -> None:
    """Compare four beliefs at every decision of some rounds: uniform, voids (exact), weighted, and inferred.

    Inferred is what answers tell. Prints the log-likelihood of the true hidden hands, and how often tiles were held
    that a belief expected with some probability, with the standard error of the difference.
    """
    spec = BeliefSpec(players, rounds, seed, player, worlds, share)
    with bulk.open("belief-report") as work, counted("rounds", rounds, work) as advance:
        report = report_beliefs(spec, executor=work, progress=advance)
    if as_json:
        tell_json(report.to_dict())
        return
    _print(report)


def _print(report: CalibrationReport) -> None:
    tell(f"{report.players} seats, {report.rounds} rounds, {report.decisions} decisions")
    made = text_table("belief", "log-likelihood of the hidden hands>", "above the one before>", "Brier score>")
    for belief in report.beliefs:
        made.add_row(belief.name, _nats(belief.log_likelihood), _nats(belief.gain), f"{belief.brier:.4f}")
    show(made)
    for belief in report.beliefs:
        _print_reliability(belief)
    tell(
        f"effective sample size {100 * report.effective:.0f} % of the weighted worlds; "
        f"every world listed at {100 * report.complete:.0f} % of the decisions"
    )


def _print_reliability(belief: BeliefQuality) -> None:
    made = text_table("said to be held", "said>", "held>", "held less said>", "±>", "errors off>", "tiles>")
    made.title = belief.name
    for bin_ in belief.reliability:
        if bin_.said is None or bin_.held is None:
            continue
        made.add_row(
            f"{bin_.low:.1f} to {bin_.high:.1f}",
            f"{bin_.said:.3f}",
            f"{bin_.held:.3f}",
            f"{bin_.held - bin_.said:+.4f}",
            "" if bin_.error is None else f"{bin_.error:.4f}",
            "" if bin_.off is None else f"{bin_.off:+.1f}",
            str(bin_.count),
        )
    show(made)


def _nats(estimate: Estimate) -> str:
    return f"{estimate.mean:+.3f} ± {estimate.standard_error:.3f}"
