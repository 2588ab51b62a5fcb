"""What the settlement of a round can have been, for a seat that has not seen the other hands (docs/rules.md §6)."""

from collections.abc import Sequence

from sniffai.errors import RecordError
from sniffai.rules import deduction, team_of
from sniffai.tiles import TILES, mask_tiles
from sniffai_ext.view import View as CoreView


def scores_after(core: CoreView) -> tuple[tuple[int, int], ...]:
    """The least and the most that each team can have after a round that is over; equal where nothing is hidden."""
    low, high = list(core.scores), list(core.scores)
    if core.match_winner >= 0:
        return tuple(zip(low, high, strict=True))
    for seat, size in enumerate(core.hand_sizes):
        least, most = _deductions(core, seat, size)
        team = team_of(core.players, seat)
        low[team] -= most
        high[team] -= least
    return tuple(zip(low, high, strict=True))


def known_scores_after(core: CoreView) -> tuple[int, ...] | None:
    """The scores after a round that is over; ``None`` where they depend on hidden hands."""
    ranges = scores_after(core)
    return tuple(low for low, _ in ranges) if all(low == high for low, high in ranges) else None


def check_after(core: CoreView, after: Sequence[int], path: str = "after") -> None:
    """Check scores after a round, as far as the seat can.

    :raises RecordError: they cannot be.
    """
    if not core.over:
        if tuple(after) != core.scores:
            message = f"the round is not over: the scores so far are {_said(core.scores)}, not {_said(after)}"
            raise RecordError(message, reason="WRONG_SCORES", field=path)
        return
    ranges = scores_after(core)
    fit = all(low <= score <= high and score % 5 == 0 for score, (low, high) in zip(after, ranges, strict=False))
    if len(after) != len(ranges) or not fit:
        can = ", ".join(f"{low}" if low == high else f"{low} to {high}" for low, high in ranges)
        message = f"by the rules the scores after the round are {can}, not {_said(after)}"
        raise RecordError(message, reason="WRONG_SCORES", field=path)


def check_scores(ended: Sequence[int], before: Sequence[int]) -> None:
    """Check that a round begins with the scores of the round before.

    :raises RecordError: it does not.
    """
    if tuple(ended) != tuple(before):
        message = f"the round before ended at {_said(ended)}, not at {_said(before)}"
        raise RecordError(message, reason="WRONG_SCORES", field="before")


def check_leader(went_out: int | None, leader: int | None) -> None:
    """Check that who went out leads the next round.

    :param went_out: ``None`` where that is not known, or nobody did.
    :raises RecordError: another seat leads.
    """
    if went_out not in (None, leader):
        message = f"seat {went_out} went out, so it leads, not seat {leader}"
        raise RecordError(message, reason="WRONG_LEADER", field="leader")


def _said(scores: Sequence[int]) -> str:
    return " ".join(map(str, scores))


def _deductions(core: CoreView, seat: int, size: int) -> tuple[int, int]:
    """The least and the most that a seat's hand can cost."""
    if seat == core.seat:
        own = deduction(sum(tile.pips for tile in mask_tiles(core.hand)))
        return own, own
    seen = core.hand | core.layout.tiles
    pips = sorted(tile.pips for tile in TILES if not seen >> tile.index & 1)
    return deduction(sum(pips[:size])), deduction(sum(pips[len(pips) - size :]))
