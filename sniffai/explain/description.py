"""A layout in words, as the rule documents describe their examples (docs/rules.md §3 and §4).

The count as a sum, the points, the tiles, what is joined to what, where a tile can be joined, what each end counts.
"""

from collections.abc import Iterable

from sniffai.checks import read_kind
from sniffai.errors import ViewError
from sniffai.explain.languages import Words, marked, read_language, words
from sniffai.layout import Layout
from sniffai.moves import Move
from sniffai.rules import team_of
from sniffai.tiles import Tile
from sniffai.view import View

PORTS = {
    "LOW": marked("low end"),
    "HIGH": marked("high end"),
    "LINE_A": marked("line side A"),
    "LINE_B": marked("line side B"),
    "SIDE_A": marked("side branch A"),
    "SIDE_B": marked("side branch B"),
}
"""The name of each port for people."""


def describe(what: Layout | View, language_code: str = "en") -> str:
    """A layout in words; of a view also the hand, the other hands' sizes, the talon, the scores and whose turn it is.

    :param language_code: see :func:`read_language`.
    :raises LimitsError: the language is unknown.
    :raises ViewError: it is neither a layout nor a view.
    """
    return joined_sentences(sentences(what, language_code))


def sentences(what: Layout | View, language_code: str = "en") -> list[str]:
    """The sentences of :func:`describe` one by one.

    :raises LimitsError: the language is unknown.
    :raises ViewError: it is neither a layout nor a view.
    """
    say = words(read_language(language_code))
    if isinstance(what, View):
        return [*_layout_sentences(what.layout, say), *_view_sentences(what, say)]
    return _layout_sentences(read_kind(what, Layout, "what", "NOT_A_LAYOUT", ViewError), say)


def _layout_sentences(layout: Layout, say: Words) -> list[str]:
    if not layout.placements:
        return [say.say("No tile has been played.")]
    return [
        counted(layout, say),
        points_sentence(layout.points, say),
        say.say("Tiles: {tiles}.", tiles=_tiles(say, (move.tile for move in layout.placements))),
        say.say("Branching double: {tile}.", tile=tile_name(layout.sniff) if layout.sniff else say.say("none")),
        say.say("Joined: {joints}.", joints=_list(say, _joints(layout, say))),
        say.say("Attachment points: {points}.", points=_list(say, _points(layout, say))),
        say.say("Counted ends: {ends}.", ends=_list(say, _ends(layout))),
    ]


def counted(layout: Layout, say: Words) -> str:
    """The count as a sentence."""
    return say.say("Counted ends: {ends}.", ends=sum_text(layout))


def points_sentence(points: int, say: Words) -> str:
    """What a placement scored, as a sentence."""
    return say.count(
        "Points for the placement: {points} point.", "Points for the placement: {points} points.", points, points=points
    )


def sum_text(layout: Layout) -> str:
    """The count as a sum, such as ``"6 + 1 + 4 + 4 = 15"``; ``"0"`` where nothing lies or counts."""
    values = [str(value) for _, value in counted_ends(layout)]
    return f"{' + '.join(values)} = {layout.count}" if values else str(layout.count)


def counted_ends(layout: Layout) -> list[tuple[Tile, int]]:
    """The counted ends in the documents' order: ascending, but the higher half of a lone plain tile first."""
    return sorted(layout.contributions, key=lambda end: (end[0], -end[1]))


def tile_name(tile: Tile) -> str:
    """``[4|6]``, as the documents write tiles."""
    return f"[{tile}]"


def port_name(name: str, say: Words) -> str:
    """``[4|6] (high end)`` for ``4|6:HIGH``."""
    tile, _, port = name.partition(":")
    return f"[{tile}] ({say.say(PORTS[port])})"


def move_name(move: Move, say: Words) -> str:
    """``[4|5] on [4|6] (high end)``, or ``[4|5]`` for the lead."""
    if move.at is None:
        return tile_name(move.tile)
    return say.say("{tile} on {point}", tile=tile_name(move.tile), point=port_name(move.at, say))


def joined_sentences(sentences: Iterable[str]) -> str:
    """Sentences one after the other; a wide full stop needs no space after it."""
    return " ".join(sentences).replace("。 ", "。")


def _joints(layout: Layout, say: Words) -> list[str]:
    joints = []
    for move in layout.placements[1:]:
        at = move.at or ""
        near = f"{move.tile}:{_near_port(move.tile, at)}"
        joints.append(f"{port_name(at, say)} – {port_name(near, say)}")
    return joints


def _near_port(tile: Tile, at: str) -> str:
    """The port by which a tile is joined at an attachment point."""
    if tile.is_double:
        return "LINE_A"
    parent, _, port = at.partition(":")
    other = Tile.parse(parent)
    return "LOW" if tile.low == (other.high if port == "HIGH" else other.low) else "HIGH"


def _points(layout: Layout, say: Words) -> list[str]:
    ordered = sorted(layout.attachment_points, key=lambda point: (point.tile, point.port))
    return [f"{tile_name(point.tile)} ({say.say(PORTS[point.port])}, {point.pips})" for point in ordered]


def _ends(layout: Layout) -> list[str]:
    return [f"{tile_name(tile)}: {value}" for tile, value in counted_ends(layout)]


def _list(say: Words, entries: list[str]) -> str:
    return "; ".join(entries) if entries else say.say("none")


def _tiles(say: Words, tiles: Iterable[Tile]) -> str:
    named = ", ".join(map(tile_name, tiles))
    return named or say.say("none")


def _view_sentences(view: View, say: Words) -> list[str]:
    """What a seat sees besides the table."""
    others = [
        say.count("seat {seat}: {count} tile", "seat {seat}: {count} tiles", size, seat=seat, count=size)
        for seat, size in enumerate(view.hand_sizes)
        if seat != view.seat
    ]
    scores = "; ".join(f"{team_name(view.players, team, say)}: {points}" for team, points in enumerate(view.scores_now))
    spoken = [
        say.say("Hand of seat {seat}: {tiles}.", seat=view.seat, tiles=_tiles(say, view.hand)),
        say.say("Other hands: {hands}.", hands="; ".join(others)),
        say.count("Talon: {count} tile.", "Talon: {count} tiles.", view.talon_size, count=view.talon_size),
        say.say("Score: {scores}.", scores=scores),
    ]
    if view.to_move is not None:
        spoken.append(say.say("Seat {seat} is to move.", seat=view.to_move))
    return spoken


def team_name(players: int, team: int, say: Words) -> str:
    """A team by its seats."""
    if players == 4:
        first, second = (seat for seat in range(4) if team_of(4, seat) == team)
        return say.say("seats {first} and {second}", first=first, second=second)
    return say.say("seat {seat}", seat=team)
