"""``sniffai bench``: speeds on this machine, and the bench signature."""

from dataclasses import asdict

import click

from sniffai.cli.parts import json_option
from sniffai.cli.tables import show, text_table
from sniffai.cli.terminal import tell, tell_json
from sniffai.lab.bench import equity_ratio, measure, packed_round_bytes, thread_ratio
from sniffai.rules import PLAYERS
from sniffai.search.signature import signature


@click.command("bench")
@click.option("only_signature", "--signature", is_flag=True, help="Print only the signature.")
@click.option(
    "--scale", type=click.FloatRange(0.001, 100), default=1.0, show_default=True, help="Amount of work in each repeat."
)
@json_option
def command(only_signature: bool, scale: float, as_json: bool) -> None:
    """Measure rollouts, search and belief on one core; the signature changes only when behaviour does."""
    if only_signature:
        tell(str(signature()))
        return
    speeds = list(measure(scale))
    if as_json:
        report = {
            "speeds": [asdict(speed) for speed in speeds],
            "thread_ratio": asdict(thread_ratio(scale)),
            "equity_ratios": [asdict(equity_ratio(players, scale)) for players in PLAYERS],
            "packed_round_bytes": packed_round_bytes(),
            "signature": signature(),
        }
        tell_json(report, indent=2)
        return
    made = text_table("what, per second on one core", "seats>", "median>", "slowest>", "fastest>")
    for speed in speeds:
        made.add_row(speed.name, str(speed.players), *map(_millions, (speed.per_second, speed.slowest, speed.fastest)))
    show(made)
    ratio = thread_ratio(scale)
    ratio_text = f"{ratio.per_second:.2f} times ({ratio.slowest:.2f} to {ratio.fastest:.2f})"
    tell(f"two threads make {ratio_text} the simulations of one")
    for players in PLAYERS:
        ratio = equity_ratio(players, scale)
        ratio_text = f"{ratio.per_second:.2f} ({ratio.slowest:.2f} to {ratio.fastest:.2f})"
        tell(f"match equity leaves {ratio_text} of the simulations/s with {players} seats")
    tell(f"a packed round takes {packed_round_bytes()} bytes")
    tell(f"Bench: {signature()}")


def _millions(per_second: float) -> str:
    return f"{per_second / 1e6:.3f} M"
