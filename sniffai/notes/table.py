"""A table without its history, as the notes of a player show it."""

import re
from collections.abc import Iterator, Mapping, Sequence

from sniffai.errors import MoveError, NotationError, SniffError, ViewError
from sniffai.history import Snapshot
from sniffai.layout import Layout
from sniffai.moves import Move
from sniffai.notes.handwriting import find_place
from sniffai.notes.lines import RECORD, SHARED, Block, Part, numbers
from sniffai.notes.seats import Seats, own_tiles, read_tile_in
from sniffai.ports import point_code
from sniffai.rules import TEAMS
from sniffai.tiles import TILES, Tile
from sniffai_ext.layout import Layout as CoreLayout


def read_table(block: Block, seats: Seats, lines: dict[str, int]) -> tuple[tuple[int, ...], Snapshot]:
    """The scores now and the snapshot.

    :param lines: the line of each part by its path, to which those of the tiles are added.
    :raises SniffError: something cannot be read or breaks a rule.
    """
    _check_words(block)
    fields = {key: part for key, part in block.fields.items() if key not in SHARED}
    shared = {key: Part(part.line, part.words[1:]) for key, part in block.fields.items() if key in SHARED}
    placements = _placements(fields.get("table"), lines)
    hand = tuple(sorted(own_tiles(shared.get("hand"), seats)))
    sizes, talon = _sizes(fields, seats, len(placements), len(hand))
    drawn = own_tiles(fields["drawn"], seats)[0] if "drawn" in fields else None
    snapshot = Snapshot(placements, hand, sizes, talon, _voids(fields.get("void"), seats), drawn)
    scores = numbers(shared["scores"], shared["scores"].words) if "scores" in shared else (0,) * TEAMS[seats.players]
    snapshot.open(seats.players, seats.own, scores)
    return scores, snapshot


def _check_words(block: Block) -> None:
    """A snapshot has nothing of a record of events."""
    for keyword, part in block.fields.items():
        if keyword in RECORD or (keyword in SHARED and part.words[0].lower() != "now"):
            said = f"; write '{keyword} now …'" if keyword in SHARED else ""
            raise ViewError(
                f"{keyword!r} belongs to a record of events; a snapshot has the hand and the scores of now{said}",
                reason="RECORD_IN_SNAPSHOT",
                field=f"line {part.line}",
            )
    if block.events:
        raise ViewError(
            "events and 'table' cannot be given together: a snapshot is the table now, without its history",
            reason="RECORD_IN_SNAPSHOT",
            field=f"line {block.events[0].line}",
        )


def _sizes(fields: Mapping[str, Part], seats: Seats, placed: int, own: int) -> tuple[tuple[int, ...], int]:
    """The hand sizes and the talon, of which one follows from the other."""
    left = len(TILES) - placed
    if "sizes" in fields:
        sizes = numbers(fields["sizes"], fields["sizes"].words)
        talon = left - sum(sizes)
        if "talon" in fields and numbers(fields["talon"], fields["talon"].words) != (talon,):
            fields["talon"].refuse(
                f"{len(TILES)} tiles less {placed} on the table and {sum(sizes)} in hands leave a talon of {talon}"
            )
        return sizes, talon
    if "talon" not in fields or seats.players > 2:
        needed = "'sizes 4 3', the tiles in each hand now"
        needed += ", or 'talon 9', the tiles left to draw," if seats.players == 2 else ","
        raise NotationError(f"{needed} is needed", reason="UNREADABLE", field="sizes")
    (talon,) = numbers(fields["talon"], fields["talon"].words[:1])
    other = left - talon - own
    return ((own, other) if seats.own == 0 else (other, own)), talon


def _voids(part: Part | None, seats: Seats) -> tuple[tuple[int, ...], ...]:
    suits: list[set[int]] = [set() for _ in range(seats.players)]
    if part is not None:
        for group in _split(part.words, "/"):
            seat = seats.seat_of(group[0])
            if seat is None or len(group) < 2 or not re.fullmatch("[0-6]+", "".join(group[1:])):
                part.refuse("a void is a seat and suits that it does not hold: 'void 0 25'")
            suits[seat] |= {int(digit) for digit in "".join(group[1:])}
    return tuple(tuple(sorted(voids)) for voids in suits)


def _split(words: Sequence[str], mark: str) -> Iterator[list[str]]:
    group: list[str] = []
    for word in words:
        if word == mark:
            yield group
            group = []
        else:
            group.append(word)
    yield group


def _placements(part: Part | None, lines: dict[str, int]) -> tuple[Move, ...]:
    """The tiles on the table, each at its place."""
    core = CoreLayout()
    moves: list[Move] = []
    for word in part.words if part else ():
        assert part is not None
        number = f"placements[{len(moves)}]"
        lines[number] = part.line
        tile_word, _, place = word.partition("@")
        tile = read_tile_in(part, tile_word)
        try:
            move = move_of(tile, place, None, core)
            core.play(*move.codes)
        except SniffError as error:
            raise error.at(number) from None
        moves.append(move)
    return tuple(moves)


def move_of(tile: Tile, place: str, points: int | None, core: CoreLayout) -> Move:
    """The move that a tile and what was written of its place mean."""
    layout = Layout.from_core(core)
    on_table = [move.tile for move in layout.placements]
    if tile in on_table:
        message = f"{tile} is on the table already, as tile {on_table.index(tile) + 1}"
        raise MoveError(message, reason="TILE_ON_TABLE", field="play")
    if not on_table:
        if place:
            raise MoveError(
                "the lead joins nothing: leave out what follows the @", reason="LEAD_JOINS_NOTHING", field="at"
            )
        return Move(tile)

    def points_at(name: str) -> int:
        after = core.copy()
        return after.play(tile.index, point_code(name))

    return Move(tile, find_place(tile, place, layout, points, points_at).name)
