"""The match record file: a text of tags and rounds, one event a line. docs/notation.md describes it."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from sniffai.checks import read_path, shown
from sniffai.deal import Deal
from sniffai.errors import NotationError, RecordError, SniffError
from sniffai.events import Draw, Event, Pass, Play
from sniffai.moves import Move
from sniffai.records.record import Ending, MatchRecord, RoundRecord, check_recorded
from sniffai.rules import PLAYERS, TARGET
from sniffai.tags import fits_tag, read_tag, tag_lines
from sniffai.tiles import Tile

_T = TypeVar("_T")
_NUMBER: Final = re.compile(r"-?[0-9]{1,5}")
_OWN_TAGS: Final = ("Players", "Target")


def load_match(path: str | Path) -> MatchRecord:
    """Read a match record file.

    :raises NotationError: it cannot be read; ``field`` is such as ``"line 12"``.
    :raises OSError: there is no such file.
    """
    return parse_match(decode(read_path(path).read_bytes()))


def dump_match(record: MatchRecord, path: str | Path) -> None:
    """Write a match record file.

    :raises RecordError: a tag that the form cannot hold.
    """
    file = read_path(path)
    file.write_text(format_match(record), encoding="utf-8", newline="\n")


def decode(data: bytes) -> str:
    """The text of a file.

    :raises NotationError: it is not UTF-8.
    """
    if not isinstance(data, (bytes, bytearray)):
        raise NotationError(f"bytes are expected, not {shown(data)}", reason="NOT_TEXT", field="data")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotationError("the file is not UTF-8 text", reason="NOT_TEXT") from None


# Writing


def format_match(record: MatchRecord) -> str:
    """The text of a record.

    :raises RecordError: a tag that the form cannot hold.
    """
    if not isinstance(record, MatchRecord):
        raise RecordError(f"a MatchRecord is expected, not {shown(record)}", reason="WRONG_TYPE", field="record")
    own = {"Players": str(record.players), "Target": str(TARGET[record.players])}
    tags = tag_lines([*own.items(), *checked_tags(record.tags, _OWN_TAGS)])
    rounds = [_round_lines(i, part) for i, part in enumerate(record.rounds, start=1)]
    return "".join("\n".join(block) + "\n" for block in (tags, *(["", *lines] for lines in rounds)))


def checked_tags(tags: Iterable[tuple[str, str]], own: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """The tags of a record, each of which a file can hold.

    :param own: names that the file form writes itself.
    :raises RecordError: it cannot hold one.
    """
    for name, text in tags:
        if name in own or not fits_tag(name, text):
            raise RecordError(
                f"a match file cannot hold this tag, or writes it itself: {shown(name)}, {shown(text)}",
                reason="BAD_TAG",
                field=f"tags[{name[:40]}]",
            )
        yield name, text


def _round_lines(number: int, record: RoundRecord) -> list[str]:
    start = record.start
    for i, event in enumerate(record.events):
        check_recorded(event, f"rounds[{number - 1}].events[{i}]")
    return [
        f"round {number}",
        f"leader {start.leader}",
        f"before {_join(start.scores)}",
        *(f"hand {seat} {_join(hand)}" for seat, hand in enumerate(start.hands)),
        f"talon {_join(start.talon)}",
        *map(event_line, record.events),
        f"end {ending_text(record.ending)}",
        f"after {_join(record.after)}",
    ]


def event_line(event: Event) -> str:
    """An event in one line; draws whose tiles are hidden as their number."""
    if isinstance(event, Play):
        return f"{event.seat} {event.move}" + (f" +{event.points}" if event.points else "")
    if isinstance(event, Draw):
        return f"{event.seat} draws {event.count if event.tiles is None else _join(event.tiles)}"
    return f"{event.seat} passes"


def ending_text(ending: Ending) -> str:
    """How a round ended, in the words of the file."""
    if ending.match_winner is not None:
        return f"match {ending.match_winner}"
    if ending.went_out is not None:
        return f"out {ending.went_out}"
    return "blocked" if ending.blocked else "unfinished"


def _join(values: Iterable[object]) -> str:
    return " ".join(map(str, values))


# Reading


def parse_match(text: str) -> MatchRecord:
    """The record that a text holds; :meth:`MatchRecord.replay` checks whether it can be true.

    :raises NotationError: it cannot be read; ``field`` is such as ``"line 12"``.
    """
    if not isinstance(text, str):
        raise NotationError(f"text is expected, not {shown(text)}", reason="NOT_TEXT", field="text")
    lines = _Lines(text)
    tags = dict(lines.tags())
    players = _players(tags)
    rounds: list[RoundRecord] = []
    while not lines.at_end():
        rounds.append(_parse_round(lines, players, len(rounds) + 1))
    kept = tuple((name, text) for name, text in tags.items() if name not in _OWN_TAGS)
    return MatchRecord(players, tuple(rounds), kept)


def _players(tags: dict[str, str]) -> int:
    players = {str(number): number for number in PLAYERS}.get(tags.get("Players", ""))
    if players is None:
        raise NotationError('a tag [Players "2"], "3" or "4" is needed', reason="UNREADABLE", field="Players")
    if tags.get("Target", str(TARGET[players])) != str(TARGET[players]):
        message = f"the target with {players} seats is {TARGET[players]}"
        raise NotationError(message, reason="UNREADABLE", field="Target")
    return players


@dataclass
class _Lines:
    """The lines that say something, taken one by one; remembers which one each part of a round came from."""

    text: str
    number: int = 0
    places: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        numbered = ((i, line.strip()) for i, line in enumerate(self.text.split("\n"), start=1))
        self._rest = [(i, line) for i, line in reversed(list(numbered)) if line and not line.startswith("#")]

    def at_end(self) -> bool:
        return not self._rest

    def tags(self) -> Iterator[tuple[str, str]]:
        """The tags that the text begins with."""
        names = set()
        while self._rest and self._rest[-1][1].startswith("["):
            self.number, line = self._rest.pop()
            tag = read_tag(line)
            if tag is None or tag[0] in names:
                raise self.unreadable('a tag is written [Name "text"], each name once')
            names.add(tag[0])
            yield tag

    def take(self, expected: str, path: str = "") -> list[str]:
        """The words of the next line, without comment."""
        if not self._rest:
            raise self.unreadable(f"the text ends where a line {expected!r} is expected")
        self.number, line = self._rest.pop()
        self.places[path] = self.number
        return line.partition("#")[0].split()

    def keyword(self, word: str, path: str = "") -> list[str]:
        """The words after ``word`` on the next line, which must begin with it."""
        words = self.take(f"{word} …", path)
        if words[0] != word:
            raise self.unreadable(f"a line {word!r} is expected, not {shown(words[0])}")
        return words[1:]

    def next_word(self) -> str:
        """The first word of the next line, which stays."""
        return self._rest[-1][1].split()[0] if self._rest else ""

    def unreadable(self, message: str) -> NotationError:
        return NotationError(message, reason="UNREADABLE", field=f"line {self.number}")


def _parse_round(lines: _Lines, players: int, number: int) -> RoundRecord:
    lines.places = {}
    if lines.keyword("round") != [str(number)]:
        raise lines.unreadable(f"round {number} is expected")
    start = _parse_start(lines, players)
    events: list[Event] = []
    while lines.next_word()[:1].isdigit():
        path = f"events[{len(events)}]"
        events.append(_parse_event(lines, lines.take("an event", path)))
    ending = _parse_ending(lines, lines.keyword("end", "ending"))
    after = _numbers(lines, lines.keyword("after", "after"))
    return RoundRecord(start, tuple(events), ending, after, lines.places)


def _parse_start(lines: _Lines, players: int) -> Deal:
    leader = _one(lines, lines.keyword("leader", "leader"))
    before = _numbers(lines, lines.keyword("before", "before"))
    hands = []
    for seat in range(players):
        words = lines.keyword("hand", f"hands[{seat}]")
        if words[:1] != [str(seat)]:
            raise lines.unreadable(f"the hand of seat {seat} is expected")
        hands.append(_tiles(lines, words[1:]))
    talon = _tiles(lines, lines.keyword("talon", "talon"))
    return Deal(players, tuple(tuple(sorted(hand)) for hand in hands), talon, leader, before)


def _parse_event(lines: _Lines, words: Sequence[str]) -> Event:
    seat, (kind, *rest) = _number(lines, words[0]), words[1:] or [""]
    if kind == "draws":
        return Draw(seat, len(rest), _tiles(lines, rest))
    if kind == "passes" and not rest:
        return Pass(seat)
    if len(rest) > 1 or not all(word.startswith("+") for word in rest):
        raise lines.unreadable("an event is SEAT MOVE [+POINTS], SEAT draws TILES or SEAT passes")
    return Play(seat, _read(lines, Move.parse, kind), _number(lines, rest[0][1:]) if rest else 0)


def _parse_ending(lines: _Lines, words: Sequence[str]) -> Ending:
    match words:
        case ["blocked"]:
            return Ending(blocked=True)
        case ["unfinished"]:
            return Ending()
        case ["out", seat]:
            return Ending(went_out=_number(lines, seat))
        case ["match", team]:
            return Ending(match_winner=_number(lines, team))
        case _:
            raise lines.unreadable("an end is: out SEAT, blocked, match TEAM or unfinished")


def _one(lines: _Lines, words: Sequence[str]) -> int:
    if len(words) != 1:
        raise lines.unreadable("one number is expected")
    return _number(lines, words[0])


def _numbers(lines: _Lines, words: Sequence[str]) -> tuple[int, ...]:
    return tuple(_number(lines, word) for word in words)


def _number(lines: _Lines, word: str) -> int:
    if not _NUMBER.fullmatch(word):
        raise lines.unreadable(f"a whole number is expected, not {shown(word)}")
    return int(word)


def _tiles(lines: _Lines, words: Sequence[str]) -> tuple[Tile, ...]:
    return tuple(_read(lines, Tile.parse, word) for word in words)


def _read(lines: _Lines, parse: Callable[[str], _T], word: str) -> _T:
    try:
        return parse(word)
    except SniffError as error:
        raise lines.unreadable(error.message) from None
