"""Perft: how many sequences of placements a round allows, to compare implementations of the rules.

One ply is one placement, every attachment point its own; forced draws and passes happen by themselves and count no
ply. A sequence that ends the round earlier counts nothing beyond its end.
"""

from sniffai.errors import LimitsError
from sniffai.moves import Move
from sniffai.round import Round


def perft(round_: Round, depth: int) -> int:
    """The number of sequences of exactly ``depth`` placements (0..28) from here; 1 for depth 0.

    :raises LimitsError: ``depth`` is out of range.
    """
    return round_.core().perft(depth)


def divide(round_: Round, depth: int) -> dict[Move, int]:
    """:func:`perft` by first move, in the order of :meth:`Round.legal_moves`; ``depth`` is 1..28.

    :raises LimitsError: ``depth`` is out of range.
    """
    if depth < 1:
        raise LimitsError(f"depth is 1..28 here, not {depth}", reason="DEPTH_OUT_OF_RANGE", field="depth")
    return {move: _after(round_, move).core().perft(depth - 1) for move in round_.legal_moves()}


def _after(round_: Round, move: Move) -> Round:
    copy = round_.copy()
    copy.play(move)
    return copy
