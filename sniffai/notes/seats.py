"""Who sits where, as the notes of a table say it, and whose notes they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sniffai.checks import shown
from sniffai.errors import NotationError, TileError
from sniffai.notes.handwriting import listed, looks_like_tile, read_loose_tile
from sniffai.notes.lines import DRAWS, KEYWORDS, PASSES, Block, Part
from sniffai.rules import PLAYERS
from sniffai.tiles import Tile

OWN = ("me", "i")
"""Words for the own seat."""


@dataclass(frozen=True, slots=True)
class Seats:
    """The seats of a table."""

    players: int
    own: int
    """Whose notes they are."""
    names: Mapping[str, int] = field(default_factory=dict)
    """Seats by name, in small letters."""

    def seat_of(self, word: str) -> int | None:
        """The seat that a word means."""
        if word.lower() in OWN and word.lower() not in self.names:
            return self.own
        return _seat_of(word, self.players, self.names)


def read_seats(head: Mapping[str, Part], blocks: Sequence[Block], tags: dict[str, str]) -> Seats:
    """The seats; names in the head become tags.

    :raises NotationError: it is not said how many play, or whose notes these are.
    """
    names = _names(head)
    for seat, name in enumerate(names):
        tags.setdefault(f"Seat{seat}", name)
    players = len(names) or _players(head)
    by_name = _seats_by_name(tags, players)
    return Seats(players, _own_seat(head, blocks, players, by_name), by_name)


def _names(head: Mapping[str, Part]) -> list[str]:
    """The names of the players, where they are given instead of their number."""
    part = head.get("players")
    if part is None or part.words[0].isdigit():
        return []
    names = part.words
    if len(names) not in PLAYERS or len({name.lower() for name in names}) < len(names):
        part.refuse(f"2, 3 or 4 different names are expected, or their number, not {shown(' '.join(names))}")
    for name in names:
        if not _can_name(name):
            part.refuse(f"{shown(name)} means something else in notes: write another name")
    return names


def _players(head: Mapping[str, Part]) -> int:
    part = head.get("players")
    if part is None:
        message = "how many play? write 'players 2' (or 3, 4, or their names)"
        raise NotationError(message, reason="UNREADABLE", field="players")
    if part.words not in [[str(count)] for count in PLAYERS]:
        part.refuse(f"players are 2, 3 or 4, not {shown(' '.join(part.words))}")
    return int(part.words[0])


def _seats_by_name(tags: Mapping[str, str], players: int) -> dict[str, int]:
    """Names in small letters, where each is one word of one seat."""
    named = [(tags.get(f"Seat{seat}", "").lower(), seat) for seat in range(players)]
    texts = [name for name, _ in named]
    return {name: seat for name, seat in named if _can_name(name) and texts.count(name) == 1}


def _can_name(word: str) -> bool:
    """Whether a word means nothing else in notes."""
    return word != "" and word.lower() not in (*KEYWORDS, *DRAWS, *PASSES, *OWN) and word[0] not in "+-0123456789"


def _own_seat(head: Mapping[str, Part], blocks: Sequence[Block], players: int, names: Mapping[str, int]) -> int:
    """Whose notes these are: the seat named, or the one whose hand is written."""
    part = head.get("seat")
    if part is not None:
        seat = _seat_of(" ".join(part.words), players, names)
        if seat is None:
            part.refuse(f"your seat is {listed([*range(players), *names], 'or')}, not {shown(' '.join(part.words))}")
        return seat
    for block in blocks:
        hand = block.fields.get("hand")
        if hand is not None and len(hand.words[0]) == 1:
            seat = _seat_of(hand.words[0], players, names)
            if seat is not None:
                return seat
    raise NotationError(
        "which seat are you? write 'seat 0' (seats clockwise from 0)", reason="UNREADABLE", field="seat"
    )


def _seat_of(word: str, players: int, names: Mapping[str, int]) -> int | None:
    word = word.lower()
    if word in names:
        return names[word]
    return int(word) if len(word) == 1 and word.isdigit() and int(word) < players else None


def own_tiles(part: Part | None, seats: Seats) -> list[Tile]:
    """The tiles of a hand; the own seat may stand before them."""
    if part is None:
        raise NotationError("your hand is needed: 'hand 64 11 03 …'", reason="UNREADABLE", field="hand")
    words = part.words
    if words and not looks_like_tile(words[0]):
        seat = seats.seat_of(words[0])
        if seat is not None and seat != seats.own:
            part.refuse(f"this is the hand of seat {seat}, but you are seat {seats.own}; notes have your own hand only")
        words = words[1:] if seat is not None else words
    tiles: list[Tile] = []
    for word in words:
        tile = read_tile_in(part, word)
        if tile in tiles:
            raise TileError(f"{tile} occurs twice", reason="TILE_TWICE", field=f"line {part.line}")
        tiles.append(tile)
    return tiles


def read_tile_in(part: Part, word: str) -> Tile:
    """The tile that a word of a line names."""
    try:
        return read_loose_tile(word)
    except NotationError as error:
        raise error.at(f"line {part.line}") from None
