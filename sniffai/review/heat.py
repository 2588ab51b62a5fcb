"""Where the hidden tiles might have been, as a table of shades: what the seat could infer before its decision."""

from collections.abc import Sequence
from typing import Final

from sniffai.draw.svg import escaped
from sniffai.explain.languages import Words
from sniffai.review.judge import Judged
from sniffai.review.story import Subject
from sniffai.review.terms import seat_name
from sniffai.tiles import TILES, Tile

LEAST: Final = 0.0005
"""Chances below this are shown as a dash; from here to half a per cent the table shows 0. Chosen by judgement."""

HIGH: Final = 0.66
"""From this shade on, the other colour of letters is easier to read: with the colours of data/palette.css each has a
contrast of at least 4.5 on its side, in light and in dark."""


def heat_map(subject: Subject, judgement: Judged, truth: Sequence[frozenset[Tile]] | None, say: Words) -> str:
    """One row for the hidden tiles of equal chances, one column per place.

    :param truth: by seat the tiles that it held; ``None`` if that is not known.
    """
    assert judgement.belief is not None
    chances = judgement.belief.table
    seat = judgement.placement.seat
    others = [other for other in range(subject.players) if other != seat]
    hidden = [tile for tile in TILES if chances[tile.index, seat] == 0 and chances[tile.index].sum() > 0]
    if not hidden:
        nothing = say.say("No tile was hidden.")
        return f"<p>{escaped(nothing)}</p>"
    columns = [*others, subject.players]
    heads = [seat_name(subject, other, say) for other in others] + [say.say("talon")]
    rows: dict[tuple[str, ...], list[Tile]] = {}
    for tile in hidden:
        rows.setdefault(tuple(_text(float(chances[tile.index, column])) for column in columns), []).append(tile)
    held = None if truth is None else [*(truth[other] for other in others), frozenset(hidden).difference(*truth)]
    body = "".join(
        _row(tiles, [float(chances[tiles[0].index, column]) for column in columns], held) for tiles in rows.values()
    )
    head = "".join(f'<th scope="col">{escaped(text)}</th>' for text in heads)
    caption = say.say("Belief: chances in per cent")
    if truth is not None:
        caption += " · " + say.say("◆ where the tile was in truth")
    name = say.say("tiles")
    first = f'<th scope="col">{escaped(name)}</th>'
    return (
        f'<table class="heat"><caption>{escaped(caption)}</caption><thead><tr>{first}'
        f"{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _row(tiles: Sequence[Tile], chances: Sequence[float], held: Sequence[frozenset[Tile]] | None) -> str:
    """Tiles of equal chances.

    :param held: by column the tiles that were there; ``None`` if that is not known.
    """
    cells = "".join(
        _cell(chance, [] if held is None else [tile for tile in tiles if tile in held[column]])
        for column, chance in enumerate(chances)
    )
    return f'<tr><th scope="row">{_listed(tiles)}</th>{cells}</tr>'


def _listed(tiles: Sequence[Tile]) -> str:
    return " ".join(map(str, tiles))


def _text(chance: float) -> str:
    return "–" if chance < LEAST else f"{100 * chance:.0f}"


def _cell(chance: float, true: Sequence[Tile]) -> str:
    shade = 0.0 if chance < LEAST else 0.08 + 0.92 * chance
    high = " high" if shade >= HIGH else ""
    there = f"<small>◆ {_listed(true)}</small>" if true else ""
    return f'<td class="shade{high}" style="--heat:{shade:.2f}">{_text(chance)}{there}</td>'
