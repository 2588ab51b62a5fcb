"""Literal twins of the nets: their rows found one by one, their sums by numpy, in whole numbers of 64 bits.

The policy's takes a view of the library and nothing else, so it cannot look at hidden tiles; scoring replies are found
by trying. The world value's takes the table and all hands.
"""

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Any

import numpy as np

import sniffai
from sniffai_ext.layout import Layout
from tests.reference import SET

WIDE, NARROW, SCALE = 64, 32, 20.0
WIDTHS = {
    "own": 28, "unseen": 28, "count": 40, "count_mod": 5, "singles": 21, "doubles": 7, "lines": 14, "before_sniff": 1,
    "own_fits": 9, "open_fits": 16, "next_fits": 16, "reply_most": 8, "reply_tiles": 9, "own_most": 8,
    "own_scoring": 9, "talon_size": 15, "own_size": 12,
}  # fmt: skip
FIRST = dict(zip(WIDTHS, accumulate(WIDTHS.values(), initial=0), strict=False))
OTHERS = sum(WIDTHS.values())
OTHER_BLOCK = 28 + 12
SEATS = FIRST["before_sniff"] + 1
"""The world value's rows: the talon where the policy has the own hand, the arms as there, then a block a seat."""
SEAT_BLOCK = 28 + 12 + 9 + 8


def bits(mask: int) -> list[int]:
    return [tile for tile in range(28) if mask >> tile & 1]


def voids(view: sniffai.View) -> list[int]:
    """By seat, the pips that were open when it last drew or passed, as a mask."""
    found, table = [0] * view.players, Layout()
    for event in view.events:
        if isinstance(event, sniffai.Play):
            table.play(*event.move.codes)
        else:
            found[event.seat] = table.open_pips
    return found


def with_any(pips: int) -> int:
    """The tiles that show one of some pips."""
    return sum(1 << n for n, tile in enumerate(SET) if pips >> tile.low & 1 or pips >> tile.high & 1)


def scoring(table: Layout, among: int) -> tuple[int, int]:
    """How many tiles could score, and the most points that one of them would."""
    best: dict[int, int] = {}
    for tile, at in table.moves(among):
        best[tile] = max(best.get(tile, 0), table.copy().play(tile, at))
    return sum(points > 0 for points in best.values()), max(best.values(), default=0)


def arm_rows(table: Layout) -> list[int]:
    rows = []
    singles, lines = [0] * 7, 0
    for at, pips in table.attachment_points():
        tile, port = SET[at // 4], at % 4
        if tile.is_double and at // 4 == table.sniff and port < 2:
            lines += 1
        elif tile.is_double and at // 4 != table.sniff and pips:
            rows.append(FIRST["doubles"] + pips)
        else:
            singles[pips] += 1
    rows += [FIRST["singles"] + 3 * pips + n for pips in range(7) for n in range(min(3, singles[pips]))]
    if table.sniff < 0:
        rows.append(FIRST["before_sniff"])
    elif lines:
        rows.append(FIRST["lines"] + 2 * SET[table.sniff].low + lines - 1)
    return [*rows, FIRST["count"] + min(39, table.count), FIRST["count_mod"] + table.count % 5]


def move_rows(view: sniffai.View, tile: int, at: int) -> list[int]:
    """The rows for the table after a move."""
    core, known = view.core(), voids(view)
    table = core.layout
    unseen = ~(core.hand | table.tiles) & 0xFFFFFFF
    own = core.hand & ~(1 << tile)
    table.play(tile, at)
    reply = unseen & ~with_any(known[(view.seat + 1) % view.players])
    reply_tiles, reply_most = scoring(table, reply)
    own_tiles, own_most = scoring(table, own)
    numbers = {
        "own_fits": table.fits(own).bit_count(),
        "open_fits": table.fits(unseen).bit_count(),
        "next_fits": table.fits(reply).bit_count(),
        "reply_most": reply_most // 5,
        "reply_tiles": reply_tiles,
        "own_most": own_most // 5,
        "own_scoring": own_tiles,
        "talon_size": core.talon_size,
        "own_size": own.bit_count(),
    }
    rows = [FIRST[name] + min(value, WIDTHS[name] - 1) for name, value in numbers.items()]
    rows += [FIRST["own"] + n for n in bits(own)] + [FIRST["unseen"] + n for n in bits(unseen)]
    for k in range(1, view.players):
        seat, first = (view.seat + k) % view.players, OTHERS + (k - 1) * OTHER_BLOCK
        rows += [first + n for n in bits(unseen & with_any(known[seat]))]
        rows.append(first + 28 + min(11, core.hand_sizes[seat]))
    return rows + arm_rows(table)


def rating(weights: Any, view: sniffai.View, tile: int, at: int, exact: bool = False) -> float:
    """The points of a move, and what the net expects after it; ``exact``: by weights that are not rounded."""
    count = OTHERS + (view.players - 1) * OTHER_BLOCK
    (expected,) = outputs(weights, count, 1, move_rows(view, tile, at), exact)
    return view.core().layout.play(tile, at) + SCALE * expected


def world_rows(table: Layout, hands: Sequence[int], seat: int) -> list[int]:
    """The rows for the table just after a placement of ``seat``, all hands known."""
    talon = 0xFFFFFFF & ~table.tiles
    rows = arm_rows(table)
    for k in range(len(hands)):
        hand, first = hands[(seat + k) % len(hands)], SEATS + k * SEAT_BLOCK
        talon &= ~hand
        _, most = scoring(table, hand)
        rows += [first + n for n in bits(hand)]
        rows.append(first + 28 + min(11, hand.bit_count()))
        rows.append(first + 40 + min(8, table.fits(hand).bit_count()))
        rows.append(first + 49 + min(7, most // 5))
    return [*rows, *bits(talon), 28 + talon.bit_count()]


def world_value(weights: Any, table: Layout, hands: Sequence[int], seat: int) -> list[float]:
    """What each team expects after a placement of ``seat``, in points."""
    players = len(hands)
    count = SEATS + players * SEAT_BLOCK
    told = outputs(weights, count, 2 if players == 3 else 1, world_rows(table, hands, seat))
    values = [0.0] * (3 if players == 3 else 2)
    for k, expected in enumerate([*told, -sum(told)]):
        values[(seat + k) % len(values)] = SCALE * expected
    return values


def outputs(weights: Any, count: int, told: int, rows: list[int], exact: bool = False) -> list[float]:
    """The net's numbers for the rows that are on, of ``count``; ``exact``: by weights that are not rounded."""
    net = (parts(weights, count, told), 0, 1.0) if exact else fixed_net(weights.tobytes(), count, told)
    (embed, skip, bias1, mix, bias2, out, bias3), shift, unit = net
    wide = np.maximum(0, bias1 + embed[rows].sum(axis=0))
    narrow = np.maximum(0, bias2 + wide @ mix)
    if shift:
        narrow >>= shift
    found = out @ narrow + skip[:, rows].sum(axis=1) + bias3
    return [float(number) * unit for number in found]


@cache
def fixed_net(weights: bytes, count: int, told: int) -> tuple[Any, int, float]:
    """See :func:`rounded`; ``weights``: those of the net, float32."""
    return rounded(*parts(np.frombuffer(weights, np.float32), count, told))


def parts(weights: Any, count: int, told: int) -> list[Any]:
    """The arrays of a net in double precision, in the order of ``net.pxd``."""
    sizes = [count * WIDE, told * count, WIDE, WIDE * NARROW, NARROW, told * NARROW, told]
    shapes = [(count, WIDE), (told, count), (WIDE,), (WIDE, NARROW), (NARROW,), (told, NARROW), (told,)]
    split = np.split(weights.astype(np.float64), list(accumulate(sizes))[:-1])
    return [part.reshape(shape) for part, shape in zip(split, shapes, strict=True)]


def rounded(embed: Any, skip: Any, bias1: Any, mix: Any, bias2: Any, out: Any, bias3: Any) -> tuple[Any, int, float]:
    """The parts of a net in whole numbers; the bits that the second layer loses; an output's unit.

    Each factor is the largest with which 15 bits and a sign, or 31, are enough for all weights of one sign together.
    """
    count = len(embed)

    def whole(part: Any, factor: float) -> Any:
        return np.rint(part * factor).astype(np.int64)

    def reach(part: Any, bias: Any) -> Any:
        return np.maximum(part, 0).sum(axis=0) + np.maximum(bias, 0)

    def factor(*limits: tuple[float, float]) -> int:
        return int(min([2.0**14, *(most / bound for most, bound in limits)]))

    first = factor((2**15 - 2 - count / 2, max(reach(embed, bias1).max(), reach(-embed, -bias1).max())))
    embed, bias1 = whole(embed, first), whole(bias1, first)
    units = reach(embed, bias1)[:, None]
    most = max(reach(units * mix, first * bias2).max(), reach(units * -mix, first * -bias2).max())
    second = factor((2**15 - 2, abs(mix).max()), (2**31 - 2**15 - units.sum(), most))
    mix, bias2 = whole(mix, second), whole(bias2, first * second)
    units = reach(units * mix, bias2)
    shift = max(0, int(units.max()).bit_length() - 15)
    scale = first * second / 2**shift
    units = units // 2**shift + 1
    most = (abs(out) @ units).max() + scale * (abs(skip).sum(axis=1) + abs(bias3)).max()
    third = factor((2**15 - 2, abs(out).max()), (2**31 - 1 - units.sum() - count, most))
    scale *= third
    bias2 = bias2 + (1 << shift) // 2
    return (embed, whole(skip, scale), bias1, mix, bias2, whole(out, third), whole(bias3, scale)), shift, 1 / scale
