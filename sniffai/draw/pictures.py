"""Complete pictures as SVG documents: a layout, a hand, scores on paper, everything a seat sees.

Every picture is 360 pixels wide at scale 1, carries its own ground (so that it looks the same on a light and on a dark
page) and has a title and a description in words.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeVar
from unicodedata import east_asian_width

from sniffai.checks import as_whole, is_listed, read_integers, read_kind, shown, visible
from sniffai.draw.faces import DIM, FELT, MARK, tile_back, tile_face
from sniffai.draw.layout_picture import (
    LARGEST,
    LINE,
    MARGIN,
    PAGE,
    TEXT,
    Part,
    count_part,
    layout_part,
    legend_part,
    letters,
    tag_sign,
)
from sniffai.draw.svg import document, element, label
from sniffai.draw.tally import Tally
from sniffai.errors import LimitsError, ViewError
from sniffai.explain.description import describe, sum_text, tile_name
from sniffai.explain.languages import Words, read_language, words
from sniffai.layout import Layout
from sniffai.moves import Move, MoveLike
from sniffai.tiles import Tile, TileLike, read_tiles
from sniffai.view import View

LONGEST_TAG: Final = 3

MOST_SCORES: Final = 100
"""Most scores in one picture: more than a match has rounds."""


def layout_svg(
    layout: Layout, *, language_code: str = "en", names: bool = False, moves: Mapping[str, MoveLike] | None = None
) -> str:
    """The table: tiles with their true four ways, open ends with what they count, the count and the points.

    A disc with a number is a counted end, an empty ring a place where a tile can be joined but nothing is counted. The
    sniff has a second outline, the tile placed last a dotted one.

    :param language_code: of the words, see :func:`sniffai.explain.read_language`.
    :param names: write a letter at each attachment point, and below what it is called.
    :param moves: by a tag of one to three signs, a move whose attachment point gets the tag.
    :raises LimitsError: the language is unknown, or a tag too long.
    :raises ViewError: ``layout`` is not a :class:`Layout`.
    :raises SniffError: a move cannot be read.
    """
    read_kind(layout, Layout, "layout", "NOT_A_LAYOUT", ViewError)
    say = words(read_language(language_code))
    tags = _point_tags(layout, names, _read_moves(moves))
    parts = [layout_part(layout, tags), count_part(layout, say)]
    if names:
        parts.append(legend_part(layout, tags, say))
    title = say.say("Table: {sum}", sum=sum_text(layout)) if layout.placements else say.say("No tile has been played.")
    return _card(say.language_code, title, describe(layout, language_code), parts)


def hand_svg(
    hand: Iterable[TileLike], *, language_code: str = "en", moves: Mapping[str, MoveLike] | None = None
) -> str:
    """The tiles of a hand, in the order given.

    :param moves: by a tag of one to three signs, a move whose tile gets the tag.
    :raises TileError: a tile does not exist or occurs twice.
    :raises LimitsError: the language is unknown, or a tag too long.
    """
    say = words(read_language(language_code))
    tiles = read_tiles(hand, "hand")
    title = say.count("Hand of {count} tile", "Hand of {count} tiles", len(tiles), count=len(tiles))
    named = ", ".join(map(tile_name, tiles)) or say.say("none")
    return _card(say.language_code, title, named, [_hand_part(tiles, _read_moves(moves))])


def tally_svg(scores: int | Sequence[int], *, language_code: str = "en") -> str:
    """Scores as they are kept on paper, one below the other (docs/rules.md §8).

    :raises LimitsError: the language is unknown, a score is not a multiple of 5, or there are more than 100.
    :raises ViewError: a score is not a number in range.
    """
    say = words(read_language(language_code))
    tallies = [Tally.of(score) for score in _read_scores(scores)]
    parts = [_tally_part(tally) for tally in tallies]
    named = "; ".join(
        say.count("{points} point", "{points} points", tally.score, points=tally.score) for tally in tallies
    )
    return _card(say.language_code, say.say("Score: {scores}", scores=named), named, parts)


def position_svg(
    view: View,
    *,
    language_code: str = "en",
    names: bool = False,
    moves: Mapping[str, MoveLike] | None = None,
    players: Sequence[str] = (),
) -> str:
    """All that a seat sees: seats with hand sizes and scores, the table, the talon, the seat's own hand.

    Parameters and errors as :func:`layout_svg`; the tag of a move is at its tile, too.

    :param players: by seat the name that is drawn, shortened where there is no room; ``""`` for "Seat 0" and so on,
        which is drawn everywhere where none are given.
    :raises LimitsError: there is another number of players, or a name is no text.
    """
    read_kind(view, View, "view", "NOT_A_VIEW", ViewError)
    say = words(read_language(language_code))
    seats = _read_players(players, view, say)
    tagged = _read_moves(moves)
    tags = _point_tags(view.layout, names, tagged)
    parts = [_seats_part(view, seats, say), layout_part(view.layout, tags), count_part(view.layout, say)]
    if names:
        parts.append(legend_part(view.layout, tags, say))
    hand = (
        say.say("Hand of {player}", player=seats[view.seat])
        if players
        else say.say("Hand of seat {seat}", seat=view.seat)
    )
    parts += [_talon_part(view, hand, say), _hand_part(view.hand, tagged)]
    title = say.say("Position of seat {seat}", seat=view.seat)
    return _card(say.language_code, title, describe(view, language_code), parts)


def _read_players(players: Sequence[str], view: View, say: Words) -> list[str]:
    """What to call each seat."""
    listed: Any = players
    named: list[Any] = list(islice(listed, view.players + 1)) if is_listed(listed) else [None]
    if len(named) not in (0, view.players) or not all(isinstance(name, str) for name in named):
        message = f"a name for each of {view.players} seats is expected, not {shown(listed)}"
        raise LimitsError(message, reason="NOT_NAMES", field="players")
    given = [visible(name, "") for name in named] or [""] * view.players
    return [name or say.say("Seat {seat}", seat=seat) for seat, name in enumerate(given)]


def _shortened(name: str, cells: int) -> str:
    """As much of a name as so many narrow letters take; a wide one takes two."""
    widths = [2 if east_asian_width(sign) in ("W", "F") else 1 for sign in name]
    if sum(widths) <= cells:
        return name
    kept = next(i for i in range(len(name), -1, -1) if sum(widths[:i]) < cells)
    return f"{name[:kept]}…"


def _read_scores(scores: int | Sequence[int]) -> tuple[int, ...]:
    score = None if isinstance(scores, Iterable) else as_whole(scores)
    if score is not None:
        return (score,)
    listed: Any = scores
    if is_listed(listed):
        listed = tuple(islice(listed, MOST_SCORES + 1))
        if len(listed) > MOST_SCORES:
            raise LimitsError(f"at most {MOST_SCORES} scores are drawn", reason="TOO_MANY", field="scores")
    return read_integers(listed, "scores")


def _read_moves(moves: Mapping[str, MoveLike] | None) -> dict[str, Move]:
    if moves is None:
        return {}
    if not isinstance(moves, Mapping):
        raise LimitsError(f"moves by tag are expected, not {shown(moves)}", reason="NOT_MOVES", field="moves")
    tagged = {}
    for tag, move in moves.items():
        if not isinstance(tag, str) or not 1 <= len(tag) <= LONGEST_TAG or not tag.isprintable():
            raise LimitsError(
                f"a tag has 1 to {LONGEST_TAG} signs, not {shown(tag)}", reason="TAG_OUT_OF_RANGE", field="moves"
            )
        tagged[tag] = Move.of(move)
    return tagged


def _point_tags(layout: Layout, names: bool, moves: dict[str, Move]) -> dict[str, str]:
    """What to write at attachment points."""
    tags = letters(layout) if names else {}
    return tags | _joined_tags((move.at, tag) for tag, move in moves.items() if move.at is not None)


LETTER: Final = 8.0
"""Width of a narrow letter of a name. Chosen by eye."""
HAND_LETTERS: Final = 26
"""Narrow letters that have room beside the talon. Chosen by eye."""

Place = TypeVar("Place")


def _joined_tags(tagged: Iterable[tuple[Place, str]]) -> dict[Place, str]:
    """What to write at each place: the tags of all moves there."""
    tags_at: dict[Place, str] = {}
    for place, tag in tagged:
        tags_at[place] = f"{tags_at[place]}/{tag}" if place in tags_at else tag
    return tags_at


def _card(language_code: str, title: str, description: str, parts: Iterable[Part]) -> str:
    """Parts below one another on felt."""
    top, shapes = float(MARGIN), []
    for part in parts:
        shapes.append(element("g", part.shapes, transform=f"translate(0 {top:g})") if part.shapes else "")
        top += part.height + MARGIN
    ground = element("rect", width=PAGE, height=top, rx=12, fill=FELT)
    return document(PAGE, top, title, description, language_code, [ground, *shapes])


# Parts


def _hand_part(tiles: Sequence[Tile], moves: dict[str, Move]) -> Part:
    """Upright tiles in as few rows as they need, as even as can be."""
    if not tiles:
        return Part(0, "")
    unit, gap = LARGEST, 6.0
    pitch = 2 * unit + gap
    fit = int((PAGE - 2 * MARGIN + gap) // pitch)
    rows = -(-len(tiles) // fit)
    per_row = -(-len(tiles) // rows)
    tags = _joined_tags((move.tile, tag) for tag, move in moves.items())
    row_height = 4 * unit + (2 * unit + 4 if tags else 0) + gap
    shapes = []
    for i, tile in enumerate(tiles):
        row, column = divmod(i, per_row)
        count = min(per_row, len(tiles) - row * per_row)
        x = PAGE / 2 + (column - (count - 1) / 2) * pitch
        y = row * row_height + 2 * unit
        shapes.append(tile_face(tile, (x, y - unit), (x, y + unit), unit))
        if tile in tags:
            shapes.append(tag_sign(tags[tile], x, y + 3 * unit + 2, unit))
    return Part(rows * row_height - gap, "".join(shapes))


def _seats_part(view: View, seats: Sequence[str], say: Words) -> Part:
    """A chip for each seat: its name (a triangle before it at whose turn it is), tiles, score of its team."""
    gap, height = 6.0, 64.0
    width = (PAGE - 2 * MARGIN - (view.players - 1) * gap) / view.players
    shapes = []
    for seat in range(view.players):
        left = MARGIN + seat * (width + gap)
        shapes.append(
            element("g", _chip(view, seat, seats[seat], width, height, say), transform=f"translate({left:g} 0)")
        )
    return Part(height, "".join(shapes))


def _chip(view: View, seat: int, name: str, width: float, height: float, say: Words) -> str:
    own = seat == view.seat
    score = view.scores_now[seat % len(view.scores_now)]
    turn = element("path", d="M8 10v12l9 -6z", fill=MARK) if seat == view.to_move else ""
    return "".join(
        [
            element(
                "rect",
                width=width,
                height=height,
                rx=8,
                fill="none" if not own else MARK,
                fill_opacity=None if not own else 0.14,
                stroke=DIM,
                stroke_width=2 if own else 1,
            ),
            turn,
            label(_shortened(name, int((width - 24) / LETTER)), width / 2 + (6 if turn else 0), 16, 13, MARK),
            tile_back(width / 2 - 12, 34, 4),
            label(str(view.hand_sizes[seat]), width / 2 + 8, 34, 13, MARK),
            label(say.count("{points} pt", "{points} pts", score, points=_signed(score)), width / 2, 52, 13, DIM),
        ]
    )


def _signed(score: int) -> str:
    return str(score).replace("-", "\N{MINUS SIGN}")


def _talon_part(view: View, hand: str, say: Words) -> Part:
    text = say.say("Talon: {count}", count=view.talon_size)
    return Part(
        LINE,
        label(_shortened(hand, HAND_LETTERS), MARGIN, LINE / 2, TEXT, MARK, text_anchor="start")
        + label(text, PAGE - MARGIN, LINE / 2, TEXT, MARK, text_anchor="end"),
    )


def _tally_part(tally: Tally) -> Part:
    """The drawing of :meth:`Tally.to_svg` across the page, or smaller where it is short."""
    drawn = tally.to_svg().rstrip("\n")
    width, height = map(int, _SIZE.findall(drawn)[0])
    scale = TALLY_SCALE
    size = f'x="{MARGIN}" width="{width * scale:g}" height="{height * scale:g}"'
    return Part(height * scale, _SIZE.sub(size, drawn, count=1))


TALLY_SCALE: Final = (PAGE - 2 * MARGIN) / 750
"""Makes a row of five blocks as wide as the page."""

_SIZE: Final = re.compile(r'width="(\d+)" height="(\d+)"')
"""In the head of a tally's drawing."""
