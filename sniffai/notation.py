"""One line of text for a full round or for a view, and back: the forms are described in docs/notation.md.

Text that cannot be read raises a :class:`NotationError` whose ``field`` names the part. Text that can be read but
breaks a rule is refused by the round or view made of it.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from sniffai.checks import shown
from sniffai.deal import Deal
from sniffai.errors import NotationError, SniffError
from sniffai.events import Draw, Event, Pass, Play
from sniffai.history import History, Position, Snapshot, check_kind_of_view
from sniffai.moves import Move
from sniffai.tiles import Tile

_T = TypeVar("_T")
_NUMBER = re.compile(r"-?[0-9]{1,5}", re.ASCII)
_SUITS = re.compile(r"[0-6]+", re.ASCII)
_FORMER = {"sizes": "hand_sizes", "talon": "talon_size", "drawn": "drawn_tile"}
"""What version 0.1.0 called fields of a snapshot; stored lines are still read."""


# Writing


def format_round(start: Deal, moves: Iterable[Move]) -> str:
    """A round in one line: its start and the placements so far; draws and passes follow from them."""
    fields = {
        "players": str(start.players),
        "leader": str(start.leader),
        "scores": _join(start.scores),
        "hands": _join((_join(hand) for hand in start.hands), "/"),
        "talon": _join(start.talon),
    }
    return _line("round", fields, map(str, moves))


def format_view(players: int, seat: int, scores: Sequence[int], position: Position) -> str:
    """A view in one line, tagged ``view`` (a history) or ``snapshot``."""
    head = {"players": str(players), "seat": str(seat)}
    if isinstance(position, History):
        fields = head | {"leader": str(position.leader), "scores": _join(scores), "hand": _join(position.dealt)}
        return _line("view", fields, map(_event_text, position.events))
    fields = head | {
        "scores": _join(scores),
        "hand": _join(position.hand),
        "hand_sizes": _join(position.hand_sizes),
        "talon_size": str(position.talon_size),
    }
    if any(position.voids):
        fields["voids"] = _join((_join(suits, "") or "-" for suits in position.voids), "/")
    if position.drawn_tile is not None:
        fields["drawn_tile"] = str(position.drawn_tile)
    return _line("snapshot", fields, map(str, position.placements))


def _line(tag: str, fields: dict[str, str], entries: Iterable[str]) -> str:
    return " ".join([tag, *(f"{key}={value}" for key, value in fields.items()), ":", *entries])


def _join(values: Iterable[object], separator: str = ",") -> str:
    return separator.join(map(str, values))


def _event_text(event: Event) -> str:
    if isinstance(event, Play):
        return str(event.move)
    if isinstance(event, Draw):
        return f"+{event.count}" if event.tiles is None else f"+{_join(event.tiles)}"
    return "-"


# Reading


def parse_round(text: str) -> tuple[Deal, tuple[Move, ...]]:
    """The start and the placements of a line that :func:`format_round` wrote.

    :raises NotationError: the text cannot be read; ``field`` is such as ``"hands[1][3]"`` or ``"moves[7].at"``.
    :raises TileError: a tile occurs twice.
    """
    _, fields, entries = _split(text, {"round": (("players", "leader", "scores", "hands", "talon"), ())})
    hands = fields["hands"].split("/")
    start = Deal.of(
        players=_number(fields["players"], "players"),
        hands=[_tiles(hand, f"hands[{seat}]") for seat, hand in enumerate(hands)],
        talon=_tiles(fields["talon"], "talon"),
        leader=_number(fields["leader"], "leader"),
        scores=_numbers(fields["scores"], "scores"),
    )
    return start, tuple(_move(entry, f"moves[{i}]") for i, entry in enumerate(entries))


def parse_view(text: str) -> tuple[int, int, tuple[int, ...], Position]:
    """Players, seat, scores and position of a line that :func:`format_view` wrote.

    :raises NotationError: the text cannot be read; ``field`` is such as ``"hand[3]"`` or ``"events[7].at"``.
    """
    tag, fields, entries = _split(
        text,
        {
            "view": (("players", "seat", "leader", "scores", "hand"), ()),
            "snapshot": (("players", "seat", "scores", "hand", "hand_sizes", "talon_size"), ("voids", "drawn_tile")),
        },
    )
    players, seat = _number(fields["players"], "players"), _number(fields["seat"], "seat")
    position = _history(fields, entries, players) if tag == "view" else _snapshot(fields, entries, players)
    return players, seat, _numbers(fields["scores"], "scores"), position


def _history(fields: dict[str, str], entries: Sequence[str], players: int) -> History:
    leader = _number(fields["leader"], "leader")
    return History(leader, _tiles(fields["hand"], "hand"), tuple(_events(entries, leader, players)))


def _snapshot(fields: dict[str, str], entries: Sequence[str], players: int) -> Snapshot:
    return Snapshot(
        placements=tuple(_move(entry, f"placements[{i}]") for i, entry in enumerate(entries)),
        hand=_tiles(fields["hand"], "hand"),
        hand_sizes=_numbers(fields["hand_sizes"], "hand_sizes"),
        talon_size=_number(fields["talon_size"], "talon_size"),
        voids=_voids(fields["voids"]) if "voids" in fields else ((),) * players,
        drawn_tile=_tile(fields["drawn_tile"], "drawn_tile") if "drawn_tile" in fields else None,
    )


_Keys = tuple[tuple[str, ...], tuple[str, ...]]


def _split(text: str, tags: dict[str, _Keys]) -> tuple[str, dict[str, str], list[str]]:
    """Tag, fields by key, and what follows the colon; every key known, none twice, none of the required missing."""
    words = text.split() if isinstance(text, str) else []
    if not words or words[0] not in tags:
        raise _unreadable(f"a line begins with {' or '.join(tags)}", "")
    colon = words.index(":") if ":" in words else len(words)
    required, optional = tags[words[0]]
    fields: dict[str, str] = {}
    for word in words[1:colon]:
        key, sign, value = word.partition("=")
        if words[0] == "snapshot":
            key = _FORMER.get(key, key)
        if sign:
            check_kind_of_view(key, words[0])
        if not sign or key not in (*required, *optional):
            raise _unreadable(
                f"{shown(word)} is not one of {', '.join((*required, *optional))} (written key=value)", ""
            )
        if key in fields:
            raise _unreadable("the field occurs twice", key)
        fields[key] = value
    missing = [key for key in required if key not in fields]
    if missing:
        raise _unreadable("the field is missing", missing[0])
    return words[0], fields, words[colon + 1 :]


def _events(entries: Sequence[str], leader: int, players: int) -> Iterable[Event]:
    """The events of a view; turns go clockwise, so the seats need not be written."""
    seat = leader
    for i, entry in enumerate(entries):
        event = _event(entry, seat, f"events[{i}]")
        yield event
        if not isinstance(event, Draw):
            seat = (seat + 1) % max(players, 1)


def _event(entry: str, seat: int, field: str) -> Event:
    if entry == "-":
        return Pass(seat)
    if not entry.startswith("+"):
        return Play(seat, _move(entry, field))
    if "|" not in entry:
        return Draw(seat, _number(entry[1:], f"{field}.draw"))
    tiles = _tiles(entry[1:], f"{field}.tiles")
    return Draw(seat, len(tiles), tiles)


def _number(text: str, field: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise _unreadable(f"a whole number is expected, not {shown(text)}", field)
    return int(text)


def _numbers(text: str, field: str) -> tuple[int, ...]:
    return tuple(_number(part, f"{field}[{i}]") for i, part in enumerate(text.split(",")))


def _tiles(text: str, field: str) -> tuple[Tile, ...]:
    return tuple(_tile(part, f"{field}[{i}]") for i, part in enumerate(text.split(",")))


def _tile(text: str, field: str) -> Tile:
    return _read(Tile.parse, text, field)


def _move(text: str, field: str) -> Move:
    return _read(Move.parse, text, field)


def _voids(text: str) -> tuple[tuple[int, ...], ...]:
    parts = text.split("/")
    for i, part in enumerate(parts):
        if part != "-" and not _SUITS.fullmatch(part):
            raise _unreadable(f"suits such as 056, or - for none, are expected, not {shown(part)}", f"voids[{i}]")
    return tuple(tuple(sorted({int(digit) for digit in part if digit != "-"})) for part in parts)


def _read(parse: Callable[[str], _T], text: str, field: str) -> _T:
    """The result of ``parse``; texts that it refuses raise a NotationError."""
    try:
        return parse(text)
    except SniffError as error:
        raise NotationError(error.message, reason=error.reason, field=error.at(field).field) from None


def _unreadable(message: str, field: str) -> NotationError:
    return NotationError(message, reason="UNREADABLE", field=field)
