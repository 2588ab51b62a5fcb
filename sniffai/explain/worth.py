"""What the numbers of a move are worth, in points: weights fitted to what the search finds (docs/explain.md).

The numbers of :func:`numbers_of` are the facts that reasons state, signed so that more is better for the mover's team.
``tools/measure_reasons.py`` fits their weights: the margin that the search expects of its best move less that of the
second is predicted as the sum of weight times difference. No weight is below 0, so no reason speaks against its move.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final

from sniffai.explain.facts import SUITS, Facts, MoveFacts
from sniffai.packaged import read_packaged_json
from sniffai.tiles import TILES

FILE: Final = "data/reason_weights.json"
"""Where the package keeps the weights."""

SUIT_CHANCE: Final = 0.6
"""Chance from which on a suit counts as one that the next seat lacks. Chosen by judgement: more likely than not; a
lower one counts nearly every rare suit, a higher one little but proven voids."""

FEW_TILES: Final = 2
"""A seat with so few tiles may soon go out. Chosen by judgement: it can in two turns; with 1 the warning comes too late
to shed pips, with 3 it holds for much of a round."""

FEW_LEFT: Final = 3
"""With fewer unseen tiles of its suit, a double is soon hard to place. Chosen by judgement: of six other tiles of a
suit, two or fewer can still make room for it; a larger number warns of most doubles, a smaller one of hardly any."""

NUMBERS: Final = (
    "points",
    "reply",
    "later_reply",
    "partner_reply",
    "partner_moves",
    "stuck",
    "passes",
    "all_stuck",
    "kept_in",
    "partner_out",
    "risk",
    "out_next",
    "tempo",
    "playable",
    "moves_on",
    "later",
    "kept_suits",
    "blocked_suits",
    "pips",
    "late_pips",
    "double",
    "sniff",
    "settled",
)
"""The names of all numbers."""


@cache
def weights(players: int) -> Mapping[str, float]:
    """By the name of a number, what one more of it is worth, in points, at least 0.

    :param players: 2, 3 or 4.
    """
    fitted: dict[str, float] = read_packaged_json(FILE)["weights"][str(players)]
    return fitted


def numbers_of(facts: Facts, move: MoveFacts) -> dict[str, float]:
    """The numbers of a legal move, by name; those that are 0 are left out.

    :param facts: of the decision that the move belongs to.
    """
    given = {"points": float(move.points), **_kind_of_tile(facts, move)}
    if move.ends or move.seals:
        given["settled"] = facts.settled(move)
    else:
        given |= _replies(facts, move) | _hand(facts, move)
    return {name: number for name, number in given.items() if number}


def _replies(facts: Facts, move: MoveFacts) -> dict[str, float]:
    """What the other seats can do."""
    stuck = move.stuck or 0.0
    opponents = [i for i, seat in enumerate(facts.others) if facts.is_opponent(seat)]
    partner = [i for i in range(len(facts.others)) if i not in opponents]
    return {
        "reply": -(move.reply or 0.0),
        "later_reply": -sum(move.replies[i] for i in opponents[1:]),
        "partner_reply": sum(move.replies[i] for i in partner),
        "partner_moves": move.partner_moves,
        "stuck": stuck,
        "passes": 0.0 if facts.view.talon_size else stuck,
        "all_stuck": move.all_stuck if facts.view.players > 2 else 0.0,
        "kept_in": -move.opponent_out,
        "partner_out": sum(move.outs[i] * facts.settled_after(move, facts.others[i]) for i in partner if move.outs[i]),
        "risk": -move.ends_next * move.cost,
        "blocked_suits": sum(chance for _, chance in blocked_suits(facts, move)),
    }


def _hand(facts: Facts, move: MoveFacts) -> dict[str, float]:
    """What the seat itself keeps."""
    kept = kept_suits(facts, move)
    return {
        "out_next": move.safe,
        "tempo": float(ahead(facts, move)),
        "playable": float(move.playable),
        "moves_on": float(move.playable > 0),
        "later": move.later[0] * move.later[2] if move.later else 0.0,
        "kept_suits": sum(1.0 for _ in kept),
    }


def _kind_of_tile(facts: Facts, move: MoveFacts) -> dict[str, float]:
    """What the tile itself is."""
    tile, first = move.move.tile, facts.layout.sniff < 0
    later = tile.is_double and not first
    late = facts.fewest <= FEW_TILES
    return {
        "late_pips" if late else "pips": float(tile.pips),
        "double": float(later),
        "sniff": float(tile.is_double and first),
    }


def ahead(facts: Facts, move: MoveFacts) -> bool:
    """Whether the rest could be placed one tile a turn, and no other seat holds fewer tiles."""
    size = move.rest.bit_count()
    return 1 < size == move.run and size <= facts.fewest


def blocked_suits(facts: Facts, move: MoveFacts) -> list[tuple[int, float]]:
    """New ends of suits that the next seat probably lacks, with the chance of that."""
    return [(pips, facts.lacking[pips]) for pips in move.opened if facts.lacking[pips] >= SUIT_CHANCE]


def kept_suits(facts: Facts, move: MoveFacts) -> list[tuple[int, int, int]]:
    """Open suits of which the seat keeps more tiles than are unseen: the pips, the kept and the unseen tiles."""
    suits, open_pips = [], move.after.open_pips
    for pips, left in enumerate(facts.left):
        held = (move.rest & SUITS[pips]).bit_count()
        if held > left and open_pips >> pips & 1:
            suits.append((pips, held, left))
    return suits


def opens_sides(move: MoveFacts) -> bool:
    """Whether a move joins the sniff's second line port."""
    sniff, at = move.after.sniff, move.move.codes[1]
    if at // 4 != sniff or at % 4 >= 2:
        return False
    return {4 * sniff + 2, 4 * sniff + 3} <= {point for point, _ in move.after.attachment_points()}


def heaviest(facts: Facts) -> int:
    """The pips of the heaviest tile of the hand."""
    return max(tile.pips for tile in TILES if facts.hand >> tile.index & 1)
