"""The lines of the notes of a table: keywords with what they say, and events, round by round."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn

from sniffai.checks import shown
from sniffai.errors import NotationError
from sniffai.notes.handwriting import looks_like_tile, plain
from sniffai.tags import read_tag

HEAD: Final = ("players", "seat")
RECORD: Final = ("leader", "before", "end", "after")
SNAPSHOT: Final = ("table", "sizes", "talon", "void", "drawn")
SHARED: Final = ("scores", "hand")
KEYWORDS: Final = (*HEAD, "round", *RECORD, *SNAPSHOT, *SHARED)
DRAWS: Final = ("draws", "drew", "draw")
PASSES: Final = ("passes", "passed", "pass", "-")

MOST_ROUNDS: Final = 1000


@dataclass(frozen=True, slots=True)
class Part:
    """One line, or one piece of a line between semicolons: its words."""

    line: int
    words: list[str]

    @property
    def keyword(self) -> str:
        """The keyword it begins with; ``""`` for events."""
        word = self.words[0].lower()
        return word if word in KEYWORDS else ""

    def refuse(self, message: str) -> NoReturn:
        """Raise a NotationError that names the line."""
        raise NotationError(message, reason="UNREADABLE", field=f"line {self.line}")


def read_parts(text: str) -> tuple[dict[str, str], list[Part]]:
    """The tags, and all that says something."""
    tags: dict[str, str] = {}
    parts: list[Part] = []
    for number, line in enumerate(text.split("\n"), start=1):
        tag = read_tag(line.strip())
        if tag is not None:
            tags[tag[0]] = tag[1]
            continue
        for piece in plain(line).partition("#")[0].split(";"):
            words = _words(piece)
            if words:
                parts.append(Part(number, words))
    return tags, parts


def _words(piece: str) -> list[str]:
    """The words of a piece; a seat that is joined to what follows by a colon is a word of its own."""
    words: list[str] = []
    for word in piece.replace(",", " ").replace("=", " ").split():
        seat, colon, rest = word.partition(":")
        whole = not colon or not seat or "@" in seat or looks_like_tile(seat)
        words += [word] if whole else [seat, *([rest] if rest else [])]
    return words


@dataclass
class Block:
    """The parts of one round."""

    number: int
    line: int
    fields: dict[str, Part] = field(default_factory=dict)
    """By keyword, the keyword itself left out; several ``void`` become one."""
    events: list[Part] = field(default_factory=list)


def read_blocks(parts: Sequence[Part]) -> tuple[dict[str, Part], list[Block]]:
    """The fields of all rounds, then each round."""
    head: dict[str, Part] = {}
    blocks = [Block(1, 1)]
    begun = False
    for part in parts:
        keyword, block = part.keyword, blocks[-1]
        if keyword == "round":
            if begun or block.fields or block.events:
                block = Block(len(blocks) + 1, part.line)
                blocks.append(block)
            begun = True
            if part.words[1:] != [str(block.number)]:
                part.refuse(f"round {block.number} is expected")
        elif keyword:
            _put(head if keyword in HEAD else block.fields, keyword, part)
        else:
            block.events.append(part)
    if len(blocks) > MOST_ROUNDS:
        raise NotationError(f"at most {MOST_ROUNDS} rounds can be noted", reason="TOO_MANY", field="rounds")
    return head, blocks


def _put(fields: dict[str, Part], keyword: str, part: Part) -> None:
    words = part.words[1:]
    if not words:
        part.refuse(f"something is expected after {keyword!r}")
    if keyword == "void" and keyword in fields:
        fields[keyword].words.extend(["/", *words])
        return
    if keyword in fields:
        other = "; notes have your own hand only" if keyword == "hand" else "; a new round begins with 'round N'"
        part.refuse(f"{keyword!r} is also on line {fields[keyword].line}{other}")
    fields[keyword] = Part(part.line, words)


def numbers(part: Part, words: Sequence[str]) -> tuple[int, ...]:
    """The whole numbers that some words are."""
    for word in words:
        if not re.fullmatch(r"[-+]?\d{1,5}", word):
            part.refuse(f"a whole number is expected, not {shown(word)}")
    return tuple(map(int, words))


def place_of(lines: Mapping[str, int], path: str, number: int | None) -> str:
    """A part of a round for a person."""
    event = re.match(r"(events|placements)\[(\d{1,9})\]", path)
    if event is not None:
        kind = "event" if event[1] == "events" else "tile"
        what, line = f"{kind} {int(event[2]) + 1}", lines.get(event[0])
    else:
        name = re.split(r"[.\[]", path, maxsplit=1)[0]
        what, line = name, lines.get(name) or lines.get({"scores": "before"}.get(name, ""))
    parts = [*([] if number is None else [f"round {number + 1}"]), *([what] if what else [])]
    start = "" if line is None else f"line {line}: "
    return (start + ", ".join(parts)) or path
