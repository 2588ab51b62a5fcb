"""``sniffai deal``: a random round, as a line of text or as the wire's JSON."""

from random import Random

import click

from sniffai.cli.parts import BadInput, deal_options, json_option
from sniffai.cli.terminal import tell, tell_json_text
from sniffai.round import Round
from sniffai.view import View


@click.command("deal")
@deal_options
@click.option("--leader", type=click.IntRange(0, 3), help="The seat that leads. [default: random]")
@click.option(
    "scores", "--score", type=int, multiple=True, help="Points before the round; repeat it for each team. [default: 0]"
)
@click.option(
    "--plies", type=click.IntRange(0, 28), default=0, show_default=True, help="Play this many random placements."
)
@click.option("--view", metavar="SEAT|mover", help="Print only what this seat knows.")
@json_option
def command(
    players: int,
    seed: int,
    leader: int | None,
    scores: tuple[int, ...],
    plies: int,
    view: str | None,
    as_json: bool,
) -> None:
    """Deal a random round and print it in one line, or one seat's view of it.

    With --json, print the wire's OpenDeal or PlayerView, for the gRPC service.
    """
    round_ = Round.deal(players, seed, leader, scores or None)
    _play_at_random(round_, plies, seed)
    what = round_ if view is None else _view(round_, view)
    if as_json:
        tell_json_text(_json(what))
    else:
        tell(what.to_text())


def _play_at_random(round_: Round, plies: int, seed: int) -> None:
    """Play this many random placements, or fewer if the round ends."""
    lots = Random(seed)
    for _ in range(plies):
        moves = round_.legal_moves()
        if not moves:
            return
        round_.play(moves[int(lots.random() * len(moves))])


def _view(round_: Round, seat: str) -> View:
    if seat == "mover":
        return round_.view(round_.seat)
    if not (seat.isascii() and seat.isdigit()):
        raise BadInput(f"--view takes a seat or the word mover, not {seat!r}")
    return round_.view(int(seat))


def _json(what: Round | View) -> str:
    from sniffai import wire

    return wire.to_json(wire.write_view(what) if isinstance(what, View) else wire.write_deal(what))
