"""Perft: how many sequences of placements a round allows, to compare implementations of the rules.

One ply is one placement, every attachment point its own; forced draws and passes happen by themselves and count no
ply. A sequence that ends the round earlier counts nothing beyond its end.
"""

from sniffai.checks import as_whole, shown
from sniffai.errors import LimitsError, ViewError
from sniffai.moves import Move
from sniffai.round import Round
from sniffai.tiles import TILES


def perft(round_: Round, depth: int) -> int:
    """The number of sequences of exactly ``depth`` placements (0..28) from here; 1 for depth 0.

    :raises LimitsError: ``depth`` is not a whole number in its range.
    :raises ViewError: ``round_`` is not a round.
    """
    depth = _check(round_, depth, 0)
    return round_.core().perft(depth)


def divide(round_: Round, depth: int) -> dict[Move, int]:
    """:func:`perft` by first move, in the order of :meth:`Round.legal_moves`; ``depth`` is 1..28.

    :raises LimitsError: ``depth`` is not a whole number in its range.
    :raises ViewError: ``round_`` is not a round.
    """
    depth = _check(round_, depth, 1)
    return {move: _after(round_, move).core().perft(depth - 1) for move in round_.legal_moves()}


def _check(round_: Round, depth: int, least: int) -> int:
    if not isinstance(round_, Round):
        raise ViewError(f"a round is expected, not {shown(round_)}", reason="NOT_A_ROUND", field="round")
    number = as_whole(depth)
    if number is None or not least <= number <= len(TILES):
        raise LimitsError(
            f"a depth in {least}..{len(TILES)} is expected, not {shown(depth)}",
            reason="DEPTH_OUT_OF_RANGE",
            field="depth",
        )
    return number


def _after(round_: Round, move: Move) -> Round:
    copy = round_.copy()
    copy.play(move)
    return copy
