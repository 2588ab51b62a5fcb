"""Tiles and attachment points as people write them: ``64``, ``6-4``, ``4|6``, ``64@66``."""

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Final
from unicodedata import normalize

from sniffai.checks import shown
from sniffai.errors import MoveError, NotationError
from sniffai.layout import AttachmentPoint, Layout
from sniffai.ports import ports_of
from sniffai.tiles import Tile

_DASHES: Final = str.maketrans(dict.fromkeys("‐‑‒–—―−ー一", "-") | dict.fromkeys("│┃¦∣", "|") | {"、": ",", "。": "."})
_TILE: Final = re.compile(r"[\[(]?(\d)[-|/.]?(\d)[\])]?", re.ASCII)


def plain(text: str) -> str:
    """A text with wide digits, letters and signs as the usual ones: what Japanese and Chinese keyboards write."""
    return normalize("NFKC", text).translate(_DASHES)


def looks_like_tile(word: str) -> bool:
    """Whether a word is two digits with at most one sign between them, of a tile that exists or not."""
    return _TILE.fullmatch(word) is not None


def read_loose_tile(word: str) -> Tile:
    """The tile that a word names, its halves in any order.

    :raises NotationError: it names none.
    """
    match = _TILE.fullmatch(word)
    if match is None:
        raise _unreadable(f"{shown(word)} is not a tile; write its two halves, such as 64, 6-4 or 4|6")
    low, high = sorted(map(int, match.groups()))
    if high > 6:
        raise _unreadable(f"{shown(word)} is not a tile: a half has 0 to 6 pips")
    return Tile(low, high)


def places_for(tile: Tile, layout: Layout) -> list[AttachmentPoint]:
    """The attachment points that a tile can join now."""
    return [point for point in layout.attachment_points if point.pips in (tile.low, tile.high)]


def find_place(
    tile: Tile, place: str, layout: Layout, points: int | None, points_at: Callable[[str], int]
) -> AttachmentPoint:
    """Where a tile was joined, by what was written down of it.

    The two line sides of a lone double are mirror images, and so are the sides of the sniff: of such a pair the first
    one is meant where neither is named.

    :param place: what stands behind the ``@``: a point, a tile on the table, pips; ``""`` if nothing.
    :param points: what it scored, if that was written down.
    :param points_at: what the tile would score at a point.
    :raises MoveError: it fits at no such place, or at several; the message offers them.
    """
    fitting = places_for(tile, layout)
    if not fitting:
        open_now = ", ".join(f"{point.pips} at {point.name}" for point in layout.attachment_points)
        raise _no_move(f"{tile} fits nowhere: open are {open_now}", "TILE_DOES_NOT_FIT")
    meant = [point for point in fitting if _is_meant(place, point)]
    if not meant:
        _check_rule(tile, place, fitting, points_at)
        raise _no_move(f"{tile} does not fit at {shown(place)}: {_offer(tile, fitting)}", "TILE_DOES_NOT_FIT")
    scoring = [point for point in meant if points is None or points_at(point.name) == points]
    if not scoring:
        scores = " and ".join(f"{points_at(point.name)} at {point.name}" for point in meant)
        raise _no_move(f"{tile} scores {scores}, not {points}", "WRONG_POINTS")
    if len({point.tile for point in scoring}) > 1:
        raise _no_move(f"{_offer(tile, scoring)}; say which: {tile}@{scoring[0].name}", "PLACE_NOT_UNIQUE")
    return scoring[0]


def _check_rule(tile: Tile, place: str, fitting: Sequence[AttachmentPoint], points_at: Callable[[str], int]) -> None:
    """Raise the error of the rule that a place breaks, if it is named in full."""
    on, _, port = place.partition(":")
    if not looks_like_tile(on) or port.upper() not in ports_of(read_loose_tile(on)):
        return
    try:
        points_at(f"{read_loose_tile(on)}:{port.upper()}")
    except MoveError as error:
        raise _no_move(f"{error.message}; {_offer(tile, fitting)}", error.reason) from None


def listed(values: Sequence[object], last: str = "and") -> str:
    """Values in a sentence: ``a, b and c``."""
    texts = [str(value) for value in values]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {last} {texts[-1]}"


def near(word: str, known: Iterable[str]) -> str:
    """An offer of the known word that is most like this one; ``""`` if none is."""
    nearest = get_close_matches(word.lower(), list(known), 1, 0.7)
    return f"; is {nearest[0]!r} meant?" if nearest else ""


def _is_meant(place: str, point: AttachmentPoint) -> bool:
    """Whether what was written stands for a point."""
    if not place or place == str(point.pips):
        return True
    tile, _, port = place.partition(":")
    if looks_like_tile(tile):
        return read_loose_tile(tile) == point.tile and _is_port(port, point)
    return not port and _is_port(tile, point)


def _is_port(written: str, point: AttachmentPoint) -> bool:
    """Whether a port is meant: its name, or the beginning of it."""
    written = written.upper().replace("-", "_")
    if written in ports_of(point.tile):
        return written == point.port
    return point.port.startswith(written)


def _offer(tile: Tile, points: Sequence[AttachmentPoint]) -> str:
    return f"{tile} fits {listed([f'at {point.name}' for point in points])}"


def _no_move(message: str, reason: str) -> MoveError:
    return MoveError(message, reason=reason, field="at")


def _unreadable(message: str) -> NotationError:
    return NotationError(message, reason="UNREADABLE")
