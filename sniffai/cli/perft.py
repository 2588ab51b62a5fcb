"""``sniffai perft``: count sequences of placements."""

import time

import click

from sniffai.cli.forms import load
from sniffai.cli.parts import deal_options, json_option
from sniffai.cli.tables import show, text_table
from sniffai.cli.terminal import tell, tell_json
from sniffai.perft_counts import divide, perft
from sniffai.round import Round


@click.command("perft")
@click.argument("text", required=False)
@deal_options
@click.option("--depth", type=click.IntRange(0, 28), required=True, help="Placements in a sequence.")
@click.option("by_move", "--divide", is_flag=True, help="Count by first move.")
@json_option
def command(text: str | None, players: int, seed: int, depth: int, by_move: bool, as_json: bool) -> None:
    """Count the sequences of placements of a round, to compare implementations of the rules.

    TEXT is a round in one line, or a file (- for standard input) that holds a round, a deal or a match record, whose
    last round is used; without TEXT a round is dealt from --players and --seed.
    Draws and passes are automatic and do not count as plies; every attachment point counts as a move of its own.
    """
    round_ = Round.deal(players, seed) if text is None else load(text).round()
    if by_move:
        _print_divide(round_, depth, as_json)
    else:
        _print_perft(round_, depth, as_json)


def _print_perft(round_: Round, depth: int, as_json: bool) -> None:
    begun = time.perf_counter()
    sequences = perft(round_, depth)
    seconds = time.perf_counter() - begun
    if as_json:
        tell_json({"round": round_.to_text(), "depth": depth, "sequences": sequences})
    else:
        tell(f"perft {depth}  {sequences}  ({seconds:.3f} s)")


def _print_divide(round_: Round, depth: int, as_json: bool) -> None:
    counts = {str(move): sequences for move, sequences in divide(round_, depth).items()}
    total = sum(counts.values())
    if as_json:
        tell_json({"round": round_.to_text(), "depth": depth, "sequences": total, "divide": counts}, indent=2)
        return
    made = text_table("move", "sequences>")
    for move, sequences in counts.items():
        made.add_row(move, str(sequences))
    show(made)
    tell(f"perft {depth}  {total}")
