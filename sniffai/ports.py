"""The names of attachment points, ``tile:PORT``, and the core's codes for them (docs/rules.md §3).

A plain tile has the ports LOW and HIGH, a double LINE_A and LINE_B, the sniff SIDE_A and SIDE_B as well. A tile occurs
once in the set, so tile and port together name an attachment point for good. The code is ``tile index * 4 + port``.
"""

from typing import Final

from sniffai.checks import shown
from sniffai.errors import MoveError
from sniffai.tiles import TILES, Tile

PLAIN_PORTS: Final = ("LOW", "HIGH")
DOUBLE_PORTS: Final = ("LINE_A", "LINE_B", "SIDE_A", "SIDE_B")
LEAD: Final = -1
"""The code that stands where the lead is played: no attachment point."""


def ports_of(tile: Tile) -> tuple[str, ...]:
    """The names of a tile's ports, in the order of their codes. Only the sniff ever opens its sides."""
    return DOUBLE_PORTS if tile.is_double else PLAIN_PORTS


_NAMES: Final = {4 * tile.index + i: f"{tile}:{port}" for tile in TILES for i, port in enumerate(ports_of(tile))}
_CODES: Final = {name: code for code, name in _NAMES.items()}


def point_name(code: int) -> str | None:
    """The name of an attachment point; ``None`` for :data:`LEAD`."""
    return None if code == LEAD else _NAMES[code]


def point_code(name: str | None) -> int:
    """The code of an attachment point; :data:`LEAD` for ``None``.

    :raises MoveError: there is no such attachment point in the set (``field`` is ``"at"``).
    """
    if name is None:
        return LEAD
    code = _CODES.get(name) if isinstance(name, str) else None
    if code is None:
        raise MoveError(_expectation(name), reason="UNKNOWN_ATTACHMENT_POINT", field="at")
    return code


def _expectation(name: object) -> str:
    tile = next((tile for tile in TILES if isinstance(name, str) and name.startswith(f"{tile}:")), None)
    if tile is not None:
        return f"{shown(name)} is not an attachment point; {tile} has {', '.join(ports_of(tile))}"
    return f"{shown(name)} is not an attachment point; write tile:PORT, such as 4|6:HIGH or 1|1:LINE_A"
